/// \file
/// Started by ranks_iterative_test.cpp with mpirun and a format in -format, which -mat_gpusupernodal_format or
/// -mine_mat_gpusupernodal_format requests: matrices of type aijgpusupernodal that PETSc changes or makes. Prints for each
/// the number of blocks, of all ranks, that do not multiply in this format.

#include <petscmat.h>

#include <array>
#include <cstring>

#include "tests/plugin/petsc/product_matrices.hpp"

namespace {

using gpusupernodal::test::view_text;

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);
constexpr PetscInt order = 90;

PetscErrorCode has_format(Mat block, const char* format, bool* has) {
  std::array<char, 10000> text = {};
  std::array<char, 64> line = {};
  PetscFunctionBeginUser;
  PetscCall(view_text(block, text.data(), text.size()));
  PetscCall(PetscSNPrintf(line.data(), line.size(), "gpusupernodal products: %s", format));
  *has = std::strstr(text.data(), line.data()) != nullptr;
  return success;
}

/// Multiplies, because the first product prepares the blocks.
PetscErrorCode print_others(const char* name, Mat a) {
  std::array<char, 16> format = {};
  Mat blocks[] = {a, nullptr};
  Vec x = nullptr;
  Vec y = nullptr;
  MatType type = nullptr;
  PetscBool parallel = PETSC_FALSE;
  int others = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-format", format.data(), format.size(), nullptr));
  PetscCall(MatCreateVecs(a, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(a, x, y));
  PetscCall(MatGetType(a, &type));
  PetscCall(PetscStrbeginswith(type, MATMPIAIJ, &parallel));
  if (parallel == PETSC_TRUE) PetscCall(MatMPIAIJGetSeqAIJ(a, &blocks[0], &blocks[1], nullptr));
  for (Mat block : blocks) {
    bool has = true;
    if (block != nullptr) PetscCall(has_format(block, format.data(), &has));
    if (!has) ++others;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s others %d\n", name, others));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  return success;
}

/// Not yet preallocated.
PetscErrorCode make_bare(const char* prefix, Mat* a) {
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, PETSC_DECIDE, PETSC_DECIDE, order, order));
  PetscCall(MatSetOptionsPrefix(*a, prefix));
  PetscCall(MatSetType(*a, "aijgpusupernodal"));
  return success;
}

PetscErrorCode make_empty(const char* prefix, Mat* a) {
  PetscFunctionBeginUser;
  PetscCall(make_bare(prefix, a));
  PetscCall(MatSetUp(*a));
  PetscCall(MatSetOption(*a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  return success;
}

/// Sets two entries of each row, `step` columns apart, of which some are columns of other ranks.
PetscErrorCode fill(Mat a, PetscInt step) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(a, row, row, 4 + row % 3, INSERT_VALUES));
    PetscCall(MatSetValue(a, row, (row + step) % order, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return success;
}

/// Without a call of MatSetFromOptions: the options come with the first assembly or product.
PetscErrorCode try_matrices(const char* prefix) {
  Mat a = nullptr;
  Mat c = nullptr;
  PetscFunctionBeginUser;
  PetscCall(make_empty(prefix, &a));
  PetscCall(fill(a, 1));
  PetscCall(print_others("first", a));
  PetscCall(fill(a, 40));  // Columns of other ranks that it did not have.
  PetscCall(print_others("new columns", a));
  PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &c));
  PetscCall(print_others("copy", c));
  PetscCall(MatDestroy(&c));
  PetscCall(MatTranspose(a, MAT_INITIAL_MATRIX, &c));
  PetscCall(print_others("transpose", c));
  PetscCall(MatDestroy(&c));
  PetscCall(MatTranspose(a, MAT_INPLACE_MATRIX, &a));
  PetscCall(print_others("transpose in place", a));
  if (prefix == nullptr) {  // PETSc makes results without a prefix.
    PetscCall(MatPtAP(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    PetscCall(print_others("square", c));
    PetscCall(MatAXPY(a, 2, c, DIFFERENT_NONZERO_PATTERN));
    PetscCall(print_others("sum", a));
    PetscCall(MatDestroy(&c));
  }
  PetscCall(MatDestroy(&a));
  return success;
}

PetscErrorCode try_coordinates(const char* prefix) {
  std::array<PetscInt, 2 * order> rows = {};
  std::array<PetscInt, 2 * order> columns = {};
  std::array<PetscScalar, 2 * order> values = {};
  PetscInt begin = 0;
  PetscInt end = 0;
  Mat a = nullptr;
  PetscFunctionBeginUser;
  PetscLayout layout = nullptr;
  PetscCall(make_bare(prefix, &a));
  PetscCall(MatGetLayouts(a, &layout, nullptr));
  PetscCall(PetscLayoutSetUp(layout));
  PetscCall(PetscLayoutGetRange(layout, &begin, &end));
  std::size_t count = 0;
  for (PetscInt row = begin; row < end; ++row) {
    for (const PetscInt step : {0, 1}) {
      rows[count] = row;
      columns[count] = (row + step) % order;
      values[count++] = 3 - step;
    }
  }
  PetscCall(MatSetPreallocationCOO(a, static_cast<PetscCount>(count), rows.data(), columns.data()));
  PetscCall(MatSetValuesCOO(a, values.data(), INSERT_VALUES));
  PetscCall(print_others("coordinates", a));
  PetscCall(MatDestroy(&a));
  return success;
}

/// Since 3.19, PETSc keeps the entries of a first assembly in a hash table.
PetscErrorCode try_copies_before_assembly(const char* prefix) {
  PetscFunctionBeginUser;
#if PETSC_VERSION_GE(3, 19, 0)
  Mat a = nullptr;
  Mat c = nullptr;
  PetscCall(make_empty(prefix, &a));
  PetscCall(MatDuplicate(a, MAT_DO_NOT_COPY_VALUES, &c));
  PetscCall(fill(c, 1));
  PetscCall(print_others("early copy", c));
  PetscCall(MatDestroy(&c));
  PetscCall(fill(a, 1));
  PetscCall(print_others("after an early copy", a));
  PetscCall(MatDestroy(&a));
#else
  static_cast<void>(prefix);
#endif
  return success;
}

PetscErrorCode run() {
  PetscBool with_prefix = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-mine_mat_gpusupernodal_format", &with_prefix));
  const char* const prefix = with_prefix == PETSC_TRUE ? "mine_" : nullptr;
  PetscCall(try_matrices(prefix));
  PetscCall(try_coordinates(prefix));
  PetscCall(try_copies_before_assembly(prefix));
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  const bool failed = run() != success;
  PetscCall(PetscFinalize());
  return failed ? 1 : 0;
}
