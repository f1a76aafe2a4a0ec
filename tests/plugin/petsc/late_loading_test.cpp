/// Tests of a program that uses PETSc before it loads the plugin, and of one that gets the plugin in two ways.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/plugin/petsc/program.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscInt width = 6;

/// A session with PETSc but without the plugin.
class PetscLateLoading : public PetscSession {
 protected:
  void SetUp() override {
    start_mpi();
    initialize();
    PETSC_OK(make_grid(width, 0, &a_));
  }
  void TearDown() override {
    PETSC_OK(MatDestroy(&a_));
    PetscSession::TearDown();
  }
  void expect_solves() {
    Mat f = nullptr;
    Vec b = nullptr;
    Vec x = nullptr;
    PetscReal error = 0;
    PETSC_OK(make_right_hand_side(a_, &b));
    PETSC_OK(VecDuplicate(b, &x));
    PETSC_OK(factorize(a_, nullptr, &f));
    PETSC_OK(MatSolve(f, b, x));
    PETSC_OK(vector_error(a_, x, b, &error));
    EXPECT_LE(error, backward_error_bound<PetscReal>(width * width));
    PETSC_OK(MatDestroy(&f));
    PETSC_OK(VecDestroy(&b));
    PETSC_OK(VecDestroy(&x));
  }
  /// Whether MatGetFactor finds a Cholesky factorization of this solver.
  static bool knows(const char* solver) {
    PetscErrorCode (*create)(Mat, MatFactorType, Mat*) = nullptr;
    EXPECT_EQ(static_cast<int>(MatSolverTypeGet(solver, MATSEQAIJ, MAT_FACTOR_CHOLESKY, nullptr, nullptr, &create)), 0);
    return create != nullptr;
  }

  Mat a_ = nullptr;
};

TEST_F(PetscLateLoading, WorksAfterAFactorization) {
  Mat f = nullptr;
  EXPECT_FALSE(knows("gpusupernodal"));
  EXPECT_NE(static_cast<int>(MatGetFactor(a_, "gpusupernodal", MAT_FACTOR_CHOLESKY, &f)), 0);
  PETSC_OK(MatGetFactor(a_, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, &f));
  PETSC_OK(MatDestroy(&f));
  load();
  EXPECT_TRUE(knows("gpusupernodal"));
  EXPECT_TRUE(knows(MATSOLVERPETSC));
  expect_solves();
}

TEST_F(PetscLateLoading, MayBeRepeated) {
  for (int round = 0; round < 3; ++round) load();
  expect_solves();
}

// A program that is linked with the plugin and registers it is also started with -dll_append.
TEST_F(PetscLateLoading, WorksAfterRegistrationByTheProgram) {
  void* library = dlopen(TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  using Register = PetscErrorCode (*)();
  const auto register_solver = reinterpret_cast<Register>(dlsym(library, "MatSolverTypeRegister_GpuSupernodal"));
  ASSERT_NE(register_solver, nullptr);
  PETSC_OK(register_solver());
  expect_solves();
  load();
  PETSC_OK(register_solver());
  EXPECT_TRUE(knows(MATSOLVERPETSC));
  expect_solves();
}

}  // namespace
}  // namespace gpusupernodal::test
