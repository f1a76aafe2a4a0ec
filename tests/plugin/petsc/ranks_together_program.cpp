/// \file
/// Started by ranks_together_test.cpp and complex_ranks_test.cpp with mpirun on two ranks or more: factors that all ranks
/// compute together, beside those of the first rank, with failures and errors between. Prints names and numbers. Options:
/// -m (points on a side of a cubic grid), -empty (every second rank has no rows), -view (only shows what `auto` chooses),
/// and all of PETSc's.

#include <petscmat.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "tests/plugin/petsc/together_matrix.hpp"

namespace {

using namespace gpusupernodal::test;  // NOLINT(google-build-using-namespace)

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);
constexpr const char* option = "-mat_gpusupernodal_distribute";

PetscErrorCode print(const char* name, double number) { return PetscPrintf(PETSC_COMM_WORLD, "%s %.17g\n", name, number); }

PetscErrorCode symbolic(Mat a, Mat f, PetscReal shift_type = 0) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  info.shifttype = shift_type;
  PetscCall(MatCholeskyFactorSymbolic(f, a, nullptr, &info));
  return success;
}

PetscErrorCode numeric(Mat a, Mat f, PetscReal shift_type = 0) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  info.shifttype = shift_type;
  PetscCall(MatFactorClearError(f));
  PetscCall(MatCholeskyFactorNumeric(f, a, &info));
  return success;
}

PetscErrorCode factorize(Mat a, const char* who, Mat* f) {
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, option, who));
  PetscCall(MatGetFactor(a, "gpusupernodal", MAT_FACTOR_CHOLESKY, f));
  PetscCall(symbolic(a, *f));
  PetscCall(numeric(a, *f));
  return success;
}

PetscErrorCode try_solves(Mat a, Mat f, const char* name) {
  Vec b = nullptr;
  Vec x = nullptr;
  PetscReal error = 0;
  PetscFunctionBeginUser;
  PetscCall(make_together_vectors(a, &b, &x));
  PetscCall(MatSolve(f, b, x));
  PetscCall(together_error(a, x, b, false, &error));
  PetscCall(print(name, error));
  PetscCall(MatSolveTranspose(f, b, x));
  PetscCall(together_error(a, x, b, true, &error));
  PetscCall(print(name, error));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  return success;
}

/// One solve with a factor of A whose pattern has grown.
PetscErrorCode try_grown(Mat a, Mat f) {
  Vec b = nullptr;
  Vec x = nullptr;
  PetscReal error = 0;
  PetscFunctionBeginUser;
  PetscCall(make_together_vectors(a, &b, &x));
  PetscCall(MatSolve(f, b, x));
  PetscCall(together_error(a, x, b, false, &error));
  PetscCall(print("grown", error));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  return success;
}

/// The solution of all ranks beside that of the first, and beside itself after another factorization of the same values.
PetscErrorCode compare(Mat a, Mat f) {
  Mat of_owner = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
  Vec y = nullptr;
  PetscReal difference = 0;
  PetscReal norm = 0;
  PetscBool equal = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(factorize(a, "owner", &of_owner));
  PetscCall(make_together_vectors(a, &b, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(MatSolve(f, b, x));
  PetscCall(numeric(a, f));
  PetscCall(MatSolve(f, b, y));
  PetscCall(VecEqual(x, y, &equal));
  PetscCall(print("equal bits", equal == PETSC_TRUE ? 1 : 0));
  PetscCall(MatSolve(of_owner, b, y));
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(y, -1, x));
  PetscCall(VecNorm(y, NORM_INFINITY, &difference));
  PetscCall(print("difference", difference / norm));
  PetscCall(MatDestroy(&of_owner));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  return success;
}

PetscErrorCode view(Mat f) {
  PetscFunctionBeginUser;
  PetscCall(PetscViewerPushFormat(PETSC_VIEWER_STDOUT_WORLD, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(f, PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(PetscViewerPopFormat(PETSC_VIEWER_STDOUT_WORLD));
  return success;
}

/// Sum and maximum of the memory that each rank names, over what MatGetInfo says of the whole.
PetscErrorCode try_info(Mat f) {
  MatInfo own;
  MatInfo all;
  MatInfo largest;
  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(f, MAT_LOCAL, &own));
  PetscCall(MatGetInfo(f, MAT_GLOBAL_SUM, &all));
  double memory = own.memory;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(MatGetInfo(f, MAT_GLOBAL_MAX, &largest));
  double maximum = own.memory;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &maximum, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(print("largest", maximum / largest.memory));
  PetscCall(print("memory", memory / all.memory));
  PetscCall(print("nonzeros", all.nz_used));
  PetscCall(view(f));
  return success;
}

/// Replaces a diagonal entry and factorizes; prints error code, row and sign of the pivot, or −9 where the ranks disagree.
PetscErrorCode try_failure(Mat a, Mat f, PetscScalar value) {
  MatFactorError code = MAT_FACTOR_NOERROR;
  PetscReal pivot = 0;
  PetscInt row = -1;
  PetscInt bad = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetSize(a, &bad, nullptr));
  bad -= 2;
  PetscCall(set_diagonal(a, bad, value));
  PetscCall(numeric(a, f));
  PetscCall(MatFactorGetError(f, &code));
  PetscCall(MatFactorGetErrorZeroPivot(f, &pivot, &row));
  double lowest[] = {static_cast<double>(code), static_cast<double>(row), pivot < 0 ? -1.0 : 0.0};
  double highest[] = {lowest[0], lowest[1], lowest[2]};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, lowest, 3, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, highest, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(print("code", lowest[0] == highest[0] ? lowest[0] : -9));
  PetscCall(print("row", lowest[1] == highest[1] && lowest[1] >= 0 && lowest[1] <= static_cast<double>(bad + 1) ? 0 : -9));
  PetscCall(print("sign", lowest[2] == highest[2] ? lowest[2] : -9));
  PetscCall(set_diagonal(a, bad, together_diagonal));
  PetscCall(numeric(a, f));
  PetscCall(try_solves(a, f, "recovered"));
  return success;
}

/// Keeps the first message of an error.
PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode error, PetscErrorType,
                            const char* message, void* text) {
  auto* kept = static_cast<std::string*>(text);
  if (kept->empty() && message != nullptr) *kept = message;
  return error;
}

/// Makes a call that must fail on all ranks. Prints how many ranks got an error, and on how many its message has `words`.
template <class Call>
PetscErrorCode refused(const char* what, const char* words, const Call& call) {
  std::string message;
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(keep_message, &message));
  const PetscErrorCode error = call();
  PetscCall(PetscPopErrorHandler());
  int counts[] = {error == success ? 0 : 1, std::strstr(message.c_str(), words) != nullptr ? 1 : 0};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "refused %s\nerrors %d\nmessages %d\n", what, counts[0], counts[1]));
  return success;
}

/// The environment variable counts like the option.
PetscErrorCode try_variable(Mat a, Mat f) {
  constexpr const char* name = "GPUSUPERNODAL_BACKEND";
  const char* const before = std::getenv(name);
  const std::string kept = before == nullptr ? "" : before;
  PetscFunctionBeginUser;
  setenv(name, "cuda", 1);
  PetscCall(refused("variable", "GPUSUPERNODAL_BACKEND=cuda", [&] { return symbolic(a, f); }));
  setenv(name, kept.c_str(), 1);  // An empty one does not count.
  return success;
}

/// Options that only the first rank alone can follow.
PetscErrorCode try_options(Mat a, Mat f) {
  const char* const pairs[][2] = {{"-mat_gpusupernodal_form", "ldlt"},
                                  {"-mat_gpusupernodal_backend", "cuda"},
                                  {"-mat_gpusupernodal_devices", "0,1"},
                                  {"-mat_gpusupernodal_refinement_steps", "2"}};
  Mat lu = nullptr;
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, option, "all"));
  for (const auto& pair : pairs) {
    const std::string words = std::string(pair[0]) + " " + pair[1];
    PetscCall(PetscOptionsSetValue(nullptr, pair[0], pair[1]));
    PetscCall(refused(words.c_str(), words.c_str(), [&] { return symbolic(a, f); }));
    PetscCall(PetscOptionsClearValue(nullptr, pair[0]));
  }
  PetscCall(try_variable(a, f));
  PetscCall(refused("coarse", "(PETSc sets this shift for coarse solvers; -pc_factor_shift_type none",
                    [&] { return symbolic(a, f, static_cast<PetscReal>(MAT_SHIFT_INBLOCKS)); }));
  PetscCall(refused("shift", "-pc_factor_shift_type NONZERO",
                    [&] { return symbolic(a, f, static_cast<PetscReal>(MAT_SHIFT_NONZERO)); }));
  PetscCall(MatGetFactor(a, "gpusupernodal", MAT_FACTOR_LU, &lu));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(refused("lu", "-pc_type lu", [&] { return MatLUFactorSymbolic(lu, a, nullptr, nullptr, &info); }));
  PetscCall(MatDestroy(&lu));
  PetscCall(refused("no analysis", "", [&] { return numeric(a, f); }));
  PetscCall(symbolic(a, f));
  PetscCall(refused("late shift", "-pc_factor_shift_type NONZERO",
                    [&] { return numeric(a, f, static_cast<PetscReal>(MAT_SHIFT_NONZERO)); }));
  PetscCall(numeric(a, f));
  PetscCall(try_solves(a, f, "after options"));
  return success;
}

/// Calls that fail on some ranks or on all.
PetscErrorCode try_errors(const TogetherGrid& grid, Mat a, Mat f) {
  Mat other = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
  PetscFunctionBeginUser;
  PetscCall(make_together_vectors(a, &b, &x));
  PetscCall(refused("halves", "-mat_gpusupernodal_distribute owner", [&] { return MatForwardSolve(f, b, x); }));
  PetscCall(make_together_matrix(grid, true, &other));
  PetscCall(refused("another pattern", "", [&] { return numeric(other, f); }));
  PetscCall(MatDestroy(&other));
  PetscCall(numeric(a, f));
  PetscCall(try_solves(a, f, "after another pattern"));
  PetscCall(set_diagonal(a, 0, -5));
  PetscCall(MatSetErrorIfFailure(a, PETSC_TRUE));
  PetscCall(refused("indefinite", "not positive definite", [&] { return numeric(a, f); }));
  PetscCall(MatSetErrorIfFailure(a, PETSC_FALSE));
  PetscCall(set_diagonal(a, 0, together_diagonal));
  PetscCall(numeric(a, f));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  return success;
}

/// A pattern that grows where PETSc does not count it: the numeric phase analyzes again.
PetscErrorCode try_growth(TogetherGrid grid, MatType type, const char* who) {
  Mat a = nullptr;
  Mat f = nullptr;
  PetscFunctionBeginUser;
  grid.type = type;
  PetscCall(make_together_matrix(grid, false, &a));
  PetscCall(factorize(a, who, &f));
  PetscCall(add_entries(a));
  PetscCall(numeric(a, f));
  PetscCall(try_grown(a, f));
  PetscCall(MatDestroy(&f));
  PetscCall(MatDestroy(&a));
  return success;
}

/// Looks at a factor that is analyzed again, but not factorized yet.
PetscErrorCode try_view(Mat a, Mat f) {
  PetscFunctionBeginUser;
  PetscCall(numeric(a, f));
  PetscCall(symbolic(a, f));
  PetscCall(view(f));
  PetscCall(numeric(a, f));
  PetscCall(try_solves(a, f, "after views"));
  return success;
}

/// With `auto` and a matrix that is known to be positive definite: shows who factorizes.
PetscErrorCode view_choice(const TogetherGrid& grid) {
  Mat a = nullptr;
  Mat f = nullptr;
  PetscFunctionBeginUser;
  PetscCall(make_together_matrix(grid, false, &a));
  PetscCall(MatSetOption(a, MAT_SPD, PETSC_TRUE));
  PetscCall(factorize(a, "auto", &f));
  PetscCall(view(f));
  PetscCall(try_solves(a, f, "solve"));
  PetscCall(numeric(a, f, static_cast<PetscReal>(MAT_SHIFT_NONZERO)));  // Which the first rank alone can add.
  PetscCall(view(f));
  PetscCall(try_solves(a, f, "solve"));
  PetscCall(MatDestroy(&f));
  PetscCall(MatDestroy(&a));
  return success;
}

PetscErrorCode run() {
  TogetherGrid grid;
  Mat a = nullptr;
  Mat same = nullptr;
  Mat f = nullptr;
  PetscBool only_view = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-m", &grid.m, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-empty", &grid.empty, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-view", &only_view, nullptr));
  if (only_view == PETSC_TRUE) return view_choice(grid);
  PetscCall(make_together_matrix(grid, false, &a));
  PetscCall(factorize(a, "all", &f));
  PetscCall(try_info(f));
  PetscCall(try_solves(a, f, "solve"));
  PetscCall(compare(a, f));
  PetscCall(make_together_matrix(grid, false, &same));  // Another object with this pattern.
  PetscCall(numeric(same, f));
  PetscCall(try_solves(same, f, "other"));
  PetscCall(MatDestroy(&same));
  PetscCall(try_failure(a, f, -5));
  PetscCall(try_failure(a, f, std::numeric_limits<PetscReal>::quiet_NaN()));
  PetscCall(try_errors(grid, a, f));
  PetscCall(try_options(a, f));
  PetscCall(try_view(a, f));
  PetscCall(MatDestroy(&f));
  PetscCall(MatDestroy(&a));
  for (const char* who : {"all", "owner", "auto"}) {
    PetscCall(try_growth(grid, MATSBAIJ, who));
    PetscCall(try_growth(grid, MATBAIJ, who));
  }
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  const PetscErrorCode error = run();
  if (error != success) MPI_Abort(PETSC_COMM_WORLD, 1);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "finished\n"));
  PetscCall(PetscFinalize());
  return 0;
}
