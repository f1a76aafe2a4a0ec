#include "tests/plugin/petsc/petsc_session.hpp"

#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {

void PetscSession::start_mpi() {
  prepare_mpi_environment();
  // The test initializes MPI, so that PetscFinalize does not finalize it and PetscInitialize can be called again.
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) MPI_Init(nullptr, nullptr);
}

void PetscSession::initialize() {
  PETSC_OK(PetscInitializeNoArguments());
  PETSC_OK(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
}

void PetscSession::load() { PETSC_OK(PetscDLLibraryAppend(PETSC_COMM_WORLD, &PetscDLLibrariesLoaded, TEST_PLUGIN)); }

void PetscSession::start() {
  initialize();
  load();
}

void PetscSession::stop() {
  PETSC_OK(PetscPopErrorHandler());
  PETSC_OK(PetscFinalize());
}

void PetscSession::SetUp() {
  start_mpi();
  start();
}

void PetscSession::TearDown() { stop(); }

PetscErrorCode factorize(Mat a, IS permutation, Mat* f) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(a, "gpusupernodal", MAT_FACTOR_CHOLESKY, f));
  PetscCall(MatCholeskyFactorSymbolic(*f, a, permutation, &info));
  PetscCall(MatCholeskyFactorNumeric(*f, a, &info));
  return static_cast<PetscErrorCode>(0);
}

PetscErrorCode factorize_lu(Mat a, IS columns, Mat* f, const char* solver) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(a, solver, MAT_FACTOR_LU, f));
  PetscCall(MatLUFactorSymbolic(*f, a, columns, columns, &info));
  PetscCall(MatLUFactorNumeric(*f, a, &info));
  return static_cast<PetscErrorCode>(0);
}

}  // namespace gpusupernodal::test
