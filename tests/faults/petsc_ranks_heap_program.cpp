/// \file
/// Started with mpiexec: each operator new under the plugin fails once on one rank. The call must return an error on
/// all ranks, and the next attempt must work. Prints the number of failed sites per phase and rank.

#include <petscmat.h>

#include <functional>

#include "tests/faults/heap.hpp"
#include "tests/plugin/petsc/grid.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);
constexpr PetscInt points = 40;

using Call = std::function<PetscErrorCode()>;

/// Objects of a phase.
struct Life {
  Mat a = nullptr;
  Mat f = nullptr;
  Mat b = nullptr;
  Mat x = nullptr;
  MatFactorInfo info{};
};

/// A tridiagonal matrix on all ranks.
PetscErrorCode make_matrix(Mat* a) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, points, points, 3, nullptr, 3, nullptr, a));
  PetscCall(MatGetOwnershipRange(*a, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    for (PetscInt column = row - 1; column <= row + 1; ++column) {
      if (column >= 0 && column < points) PetscCall(MatSetValue(*a, row, column, column == row ? 3 : -1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  return success;
}

/// Returns the number of ranks on which `call` returned an error; `fired`: whether its k-th site on rank `failing` was
/// reached and failed.
int count_errors(const Call& call, PetscMPIInt failing, std::int64_t k, bool* fired) {
  PetscMPIInt rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == failing) heap_faults().arm(k, Lasting::once);
  int errors = call() == success ? 0 : 1;
  heap_faults().disarm();
  int has_fired = rank == failing && heap_faults().fired() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &errors, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &has_fired, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  *fired = has_fired > 0;
  return errors;
}

PetscErrorCode check_answer(const Life& life) {
  PetscReal error = 0;
  PetscFunctionBeginUser;
  PetscCall(matrix_error(life.a, life.x, life.b, &error));
  PetscCheck(error <= backward_error_bound<PetscReal>(points), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "backward error %g",
             static_cast<double>(error));
  return success;
}

/// Makes each site of `call`, which follows `before`, fail in turn; repeats everything without a failure after each.
PetscErrorCode sweep(const char* phase, Life* life, PetscMPIInt failing, const Call& before, const Call& call) {
  PetscMPIInt size = 1;
  std::int64_t failures = 0;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (std::int64_t k = 1;; ++k, ++failures) {
    bool fired = false;
    PetscCall(before());
    const int errors = count_errors(call, failing, k, &fired);
    PetscCheck(errors == 0 || errors == size, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: site %d on rank %d: errors on %d ranks",
               phase, static_cast<int>(k), failing, errors);
    PetscCheck(errors == 0 || fired, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: an error of its own", phase);
    if (life->f == nullptr) PetscCall(MatGetFactor(life->a, "gpusupernodal", MAT_FACTOR_CHOLESKY, &life->f));
    PetscCall(MatCholeskyFactorSymbolic(life->f, life->a, nullptr, &life->info));
    PetscCall(MatCholeskyFactorNumeric(life->f, life->a, &life->info));
    PetscCall(MatMatSolve(life->f, life->b, life->x));
    PetscCall(check_answer(*life));
    PetscCall(MatDestroy(&life->f));
    if (!fired) break;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, rank %d: sites %d\n", phase, failing, static_cast<int>(failures)));
  return success;
}

PetscErrorCode sweep_rank(Life* life, PetscMPIInt failing) {
  const Call nothing = [] { return success; };
  const Call get = [life] { return MatGetFactor(life->a, "gpusupernodal", MAT_FACTOR_CHOLESKY, &life->f); };
  const Call symbolic = [life] { return MatCholeskyFactorSymbolic(life->f, life->a, nullptr, &life->info); };
  const Call numeric = [life] { return MatCholeskyFactorNumeric(life->f, life->a, &life->info); };
  const Call solve = [life] { return MatMatSolve(life->f, life->b, life->x); };
  const auto both = [](const Call& first, const Call& second) {
    return Call([first, second] {
      const PetscErrorCode error = first();
      return error != success ? error : second();
    });
  };
  PetscFunctionBeginUser;
  PetscCall(sweep("MatGetFactor", life, failing, nothing, get));
  PetscCall(sweep("MatCholeskyFactorSymbolic", life, failing, get, symbolic));
  PetscCall(sweep("MatCholeskyFactorNumeric", life, failing, both(get, symbolic), numeric));
  PetscCall(sweep("MatMatSolve", life, failing, both(both(get, symbolic), numeric), solve));
  return success;
}

PetscErrorCode run() {
  Life life;
  PetscMPIInt size = 1;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  PetscCall(MatFactorInfoInitialize(&life.info));
  PetscCall(make_matrix(&life.a));
  PetscCall(MatConvert(life.a, MATDENSE, MAT_INITIAL_MATRIX, &life.b));
  PetscCall(MatDuplicate(life.b, MAT_DO_NOT_COPY_VALUES, &life.x));
  for (PetscMPIInt rank = 0; rank < size; ++rank) PetscCall(sweep_rank(&life, rank));
  PetscCall(MatDestroy(&life.a));
  PetscCall(MatDestroy(&life.b));
  PetscCall(MatDestroy(&life.x));
  PetscCall(PetscPopErrorHandler());
  return success;
}

}  // namespace
}  // namespace gpusupernodal::test

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  const PetscErrorCode error = gpusupernodal::test::run();
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, error == 0 ? "all errors were shared\n" : "failed\n"));
  PetscCall(PetscFinalize());
  return error == 0 ? 0 : 1;
}
