#include "tests/plugin/petsc/product_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace gpusupernodal::test {
namespace {

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

PetscErrorCode assemble(Mat a) {
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return success;
}

PetscErrorCode fill(Vec v, PetscInt step) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &begin, &end));
  for (PetscInt k = begin; k < end; ++k)
    PetscCall(VecSetValue(v, k, static_cast<PetscReal>((k + 1) * step % 103) / 50 - 1, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  return success;
}

/// ‖x − y‖ / max(‖y‖, tiny); x is overwritten.
PetscErrorCode difference_of(Vec x, Vec y, PetscReal* largest) {
  PetscReal norm = 0;
  PetscReal other = 0;
  PetscFunctionBeginUser;
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCall(VecAXPY(x, -1, y));
  PetscCall(VecNorm(x, NORM_2, &other));
  if (norm == 0) norm = 1;
  // A NaN must not compare as small.
  *largest = other / norm <= *largest ? *largest : other / norm;
  return success;
}

}  // namespace

PetscErrorCode make_scattered(PetscInt rows, PetscInt columns, Mat* a) {
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, columns, 8, nullptr, a));
  PetscCall(MatSetOption(*a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt row = 0; row < rows; ++row) {
    if (row % 7 == 3 || columns == 0) continue;
    const PetscInt count = row == rows / 2 ? columns : std::min<PetscInt>(columns, 1 + row % 5);
    for (PetscInt k = 0; k < count; ++k) {
      const PetscInt column = row == rows / 2 ? k : (row * 3 + k * 11) % columns;
      PetscCall(MatSetValue(*a, row, column, static_cast<PetscReal>((row * 31 + k * 17) % 23) / 8 - 1, INSERT_VALUES));
    }
  }
  PetscCall(assemble(*a));
  return success;
}

PetscErrorCode add_entries(Mat a) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscInt columns = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  PetscCall(MatGetSize(a, nullptr, &columns));
  for (PetscInt row = begin; row < end; ++row) {
    if (row % 5 == 0) PetscCall(MatSetValue(a, row, (row * 7 + 2) % columns, 2.5 + row, INSERT_VALUES));
  }
  PetscCall(assemble(a));
  return success;
}

PetscErrorCode change_values(Mat a) {
  MatInfo info;
  PetscScalar* values = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatScale(a, 2));
  PetscCall(MatGetInfo(a, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(a, &values));
  for (PetscInt k = 0; k < static_cast<PetscInt>(info.nz_used); ++k) values[k] += 1;
  PetscCall(MatSeqAIJRestoreArray(a, &values));
  return success;
}

PetscErrorCode compare_products(Mat a, Mat b, PetscReal* difference) {
  Vec right = nullptr;
  Vec left = nullptr;
  Vec one = nullptr;
  Vec other = nullptr;
  PetscFunctionBeginUser;
  *difference = 0;
  PetscCall(MatCreateVecs(b, &right, &left));
  PetscCall(fill(right, 37));
  PetscCall(fill(left, 29));
  for (const bool transposed : {false, true}) {
    Vec from = transposed ? left : right;
    Vec to = transposed ? right : left;
    PetscCall(VecDuplicate(to, &one));
    PetscCall(VecDuplicate(to, &other));
    PetscCall(transposed ? MatMultTranspose(a, from, one) : MatMult(a, from, one));
    PetscCall(transposed ? MatMultTranspose(b, from, other) : MatMult(b, from, other));
    PetscCall(difference_of(one, other, difference));
    PetscCall(transposed ? MatMultTransposeAdd(a, from, to, one) : MatMultAdd(a, from, to, one));
    PetscCall(transposed ? MatMultTransposeAdd(b, from, to, other) : MatMultAdd(b, from, to, other));
    PetscCall(difference_of(one, other, difference));
    PetscCall(VecCopy(to, one));  // In place.
    PetscCall(transposed ? MatMultTransposeAdd(a, from, one, one) : MatMultAdd(a, from, one, one));
    PetscCall(difference_of(one, other, difference));
    PetscCall(VecDestroy(&one));
    PetscCall(VecDestroy(&other));
  }
  PetscCall(VecDestroy(&right));
  PetscCall(VecDestroy(&left));
  return success;
}

PetscErrorCode compare_entries(Mat a, Mat b, PetscReal* difference) {
  Mat one = nullptr;
  Mat other = nullptr;
  PetscReal norm = 0;
  PetscFunctionBeginUser;
  PetscCall(MatConvert(a, MATDENSE, MAT_INITIAL_MATRIX, &one));
  PetscCall(MatConvert(b, MATDENSE, MAT_INITIAL_MATRIX, &other));
  PetscCall(MatNorm(other, NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(one, -1, other, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(one, NORM_FROBENIUS, difference));
  if (norm > 0) *difference /= norm;
  PetscCall(MatDestroy(&one));
  PetscCall(MatDestroy(&other));
  return success;
}

PetscErrorCode make_absolute(Mat a, Mat* absolute) {
  PetscScalar* values = nullptr;
  MatInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatConvert(a, MATSEQAIJ, MAT_INITIAL_MATRIX, absolute));
  PetscCall(MatGetInfo(*absolute, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(*absolute, &values));
  for (PetscInt k = 0; k < static_cast<PetscInt>(info.nz_used); ++k) values[k] = std::abs(values[k]);
  PetscCall(MatSeqAIJRestoreArray(*absolute, &values));
  return success;
}

PetscErrorCode compare_each_entry(Mat c, Mat d, Mat magnitudes, PetscReal* largest) {
  constexpr PetscReal eps = std::numeric_limits<PetscReal>::epsilon();
  PetscInt rows = 0;
  PetscFunctionBeginUser;
  *largest = 0;
  PetscCall(MatGetSize(d, &rows, nullptr));
  for (PetscInt row = 0; row < rows; ++row) {
    PetscInt counts[3] = {};
    const PetscInt* columns[3] = {};
    const PetscScalar* values[3] = {};
    const Mat matrices[] = {c, d, magnitudes};
    for (int k = 0; k < 3; ++k) PetscCall(MatGetRow(matrices[k], row, &counts[k], &columns[k], &values[k]));
    for (int k = 1; k < 3; ++k) {
      if (counts[k] != counts[0] || !std::equal(columns[0], columns[0] + counts[0], columns[k]))
        *largest = std::numeric_limits<PetscReal>::infinity();
    }
    for (PetscInt e = 0; e < std::min({counts[0], counts[1], counts[2]}); ++e) {
      const PetscReal difference = std::abs(values[0][e] - values[1][e]);
      // A NaN must not compare as small.
      if (!(difference <= *largest * eps * values[2][e])) *largest = difference / (eps * values[2][e]);
    }
    for (int k = 0; k < 3; ++k) PetscCall(MatRestoreRow(matrices[k], row, &counts[k], &columns[k], &values[k]));
  }
  return success;
}

PetscErrorCode make_dense(PetscInt rows, PetscInt columns, PetscInt extra, Mat* d) {
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, d));
  PetscCall(MatSetSizes(*d, rows, columns, rows, columns));
  PetscCall(MatSetType(*d, MATSEQDENSE));
  PetscCall(MatDenseSetLDA(*d, rows + extra > 0 ? rows + extra : 1));
  PetscCall(MatSetUp(*d));
  for (PetscInt row = 0; row < rows; ++row) {
    for (PetscInt column = 0; column < columns; ++column)
      PetscCall(MatSetValue(*d, row, column, static_cast<PetscReal>((row * 13 + column * 7) % 19) / 9 - 1, INSERT_VALUES));
  }
  PetscCall(assemble(*d));
  return success;
}

PetscErrorCode view_text(Mat a, char text[], size_t size) {
  PetscViewer viewer = nullptr;
  FILE* file = std::tmpfile();
  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(a, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::rewind(file);
  text[std::fread(text, 1, size - 1, file)] = '\0';
  std::fclose(file);
  return success;
}

}  // namespace gpusupernodal::test
