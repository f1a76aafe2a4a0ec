/// Tests of a KSP that outlives its first matrix.

#include <gtest/gtest.h>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscInt width = 9;
constexpr PetscInt order = width * width;

class PetscKsp : public PetscSession {
 protected:
  void SetUp() override {
    PC pc = nullptr;
    PetscSession::SetUp();
    PETSC_OK(make_grid(width, 0, &a_));
    PETSC_OK(MatSetOption(a_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PETSC_OK(make_right_hand_side(a_, &b_));
    PETSC_OK(VecDuplicate(b_, &x_));
    PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp_));
    PETSC_OK(KSPSetType(ksp_, KSPPREONLY));
    PETSC_OK(KSPGetPC(ksp_, &pc));
    PETSC_OK(PCSetType(pc, PCCHOLESKY));
    PETSC_OK(PCFactorSetMatSolverType(pc, "gpusupernodal"));
  }
  void TearDown() override {
    PETSC_OK(KSPDestroy(&ksp_));
    PETSC_OK(MatDestroy(&a_));
    PETSC_OK(VecDestroy(&b_));
    PETSC_OK(VecDestroy(&x_));
    PetscSession::TearDown();
  }
  void set(Mat a, PetscInt row, PetscInt column, PetscScalar value) {
    PETSC_OK(MatSetValue(a, row, column, value, INSERT_VALUES));
    PETSC_OK(MatSetValue(a, column, row, value, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  }
  KSPConvergedReason solve(Mat a) {
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    EXPECT_EQ(static_cast<int>(KSPSetOperators(ksp_, a, a)), 0);
    EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), 0);
    EXPECT_EQ(static_cast<int>(KSPGetConvergedReason(ksp_, &reason)), 0);
    return reason;
  }
  void expect_solves(Mat a) {
    PetscReal error = 0;
    EXPECT_EQ(solve(a), KSP_CONVERGED_ITS);
    PETSC_OK(vector_error(a, x_, b_, &error));
    EXPECT_LE(error, backward_error_bound<PetscReal>(order));
  }

  KSP ksp_ = nullptr;
  Mat a_ = nullptr;
  Vec b_ = nullptr;
  Vec x_ = nullptr;
};

TEST_F(PetscKsp, NewEntriesAreAnalyzedAgain) {
  expect_solves(a_);
  set(a_, 0, order - 1, -0.25);
  expect_solves(a_);
  set(a_, 1, order / 2, -0.25);
  set(a_, 0, 0, 7);
  expect_solves(a_);
}

TEST_F(PetscKsp, OperatorsCanBeExchanged) {
  Mat other = nullptr;
  PETSC_OK(make_grid(width, 2, &other));
  expect_solves(a_);
  expect_solves(other);
  expect_solves(a_);
  PETSC_OK(MatDestroy(&other));
}

TEST_F(PetscKsp, FailureIsClearedByANewMatrix) {
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_form", "llt"));
  set(a_, 3, 3, -4);
  EXPECT_EQ(solve(a_), KSP_DIVERGED_PC_FAILED);
  EXPECT_EQ(solve(a_), KSP_DIVERGED_PC_FAILED) << "the same matrix again";
  set(a_, 3, 3, 4);
  expect_solves(a_);
  set(a_, 3, 3, -4);
  set(a_, 0, order - 1, -0.25);
  EXPECT_EQ(solve(a_), KSP_DIVERGED_PC_FAILED) << "with a new pattern";
  set(a_, 3, 3, 4);
  expect_solves(a_);
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_form"));
}

/// Cholesky, then LDLᵀ for the rest of the sequence.
TEST_F(PetscKsp, TakesLdltFromTheFirstIndefiniteMatrixOn) {
  expect_solves(a_);
  set(a_, 3, 3, -4);
  expect_solves(a_);
  set(a_, 5, 5, -3);
  expect_solves(a_);
  set(a_, 3, 3, 4);
  set(a_, 5, 5, 4);
  expect_solves(a_);
}

}  // namespace
}  // namespace gpusupernodal::test
