#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscInt width = 17;
constexpr PetscInt order = width * width;
const double bound = backward_error_bound<PetscReal>(order);

/// A grid, its factor and a right-hand side.
class PetscFactor : public PetscSession {
 protected:
  void SetUp() override {
    PetscSession::SetUp();
    PETSC_OK(make_grid(width, 0, &a_));
    PETSC_OK(make_right_hand_side(a_, &b_));
    PETSC_OK(VecDuplicate(b_, &x_));
  }
  void TearDown() override {
    PETSC_OK(MatDestroy(&f_));
    PETSC_OK(MatDestroy(&a_));
    PETSC_OK(VecDestroy(&b_));
    PETSC_OK(VecDestroy(&x_));
    PetscSession::TearDown();
  }
  void expect_solved(Mat a) {
    PetscReal error = 0;
    PETSC_OK(vector_error(a, x_, b_, &error));
    EXPECT_LE(error, bound);
  }

  Mat a_ = nullptr;
  Mat f_ = nullptr;
  Vec b_ = nullptr;
  Vec x_ = nullptr;
};

TEST_F(PetscFactor, SolvesAndSolvesTransposed) {
  PETSC_OK(factorize(a_, nullptr, &f_));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_);
  PETSC_OK(VecSet(x_, 0));
  PETSC_OK(MatSolveTranspose(f_, b_, x_));
  expect_solved(a_);
}

TEST_F(PetscFactor, NamesItsSolver) {
  PETSC_OK(factorize(a_, nullptr, &f_));
  MatSolverType type = nullptr;
  PETSC_OK(MatFactorGetSolverType(f_, &type));
  EXPECT_STREQ(type, "gpusupernodal");
}

TEST_F(PetscFactor, ForwardThenBackwardIsASolve) {
  PETSC_OK(factorize(a_, nullptr, &f_));
  Vec y = nullptr;
  PETSC_OK(VecDuplicate(b_, &y));
  PETSC_OK(MatForwardSolve(f_, b_, y));
  PETSC_OK(MatBackwardSolve(f_, y, x_));
  expect_solved(a_);
  // y = L⁻¹ P b, so yᵀy = bᵀ A⁻¹ b.
  PetscScalar y_y = 0;
  PetscScalar b_x = 0;
  PETSC_OK(VecDot(y, y, &y_y));
  PETSC_OK(VecDot(b_, x_, &b_x));
  // ‖A‖₂ < 8, and the smallest eigenvalue is 8 sin²(π / (2 (width + 1))) > 4.9 / (width + 1)²: this bounds the
  // condition number.
  const double condition = 8.0 * (width + 1) * (width + 1) / 4.9;
  EXPECT_NEAR(y_y, b_x, bound * condition * b_x);
  PETSC_OK(VecDestroy(&y));
}

TEST_F(PetscFactor, SolvesForDenseColumnsWithALeadingDimension) {
  PETSC_OK(factorize(a_, nullptr, &f_));
  constexpr PetscInt columns = 3;
  constexpr PetscInt ld = order + 5;
  std::vector<PetscScalar> b_array(ld * columns, std::numeric_limits<PetscScalar>::quiet_NaN());
  std::vector<PetscScalar> x_array(ld * columns, 0);
  for (PetscInt k = 0; k < order * columns; ++k) b_array[k % order + k / order * ld] = static_cast<PetscScalar>(k % 7 + 1);
  Mat b = nullptr;
  Mat x = nullptr;
  PETSC_OK(MatCreateSeqDense(PETSC_COMM_SELF, order, columns, b_array.data(), &b));
  PETSC_OK(MatDenseSetLDA(b, ld));
  PETSC_OK(MatCreateSeqDense(PETSC_COMM_SELF, order, columns, x_array.data(), &x));
  PETSC_OK(MatDenseSetLDA(x, ld));
  PETSC_OK(MatMatSolve(f_, b, x));
  PetscReal error = 0;
  PETSC_OK(matrix_error(a_, x, b, &error));
  EXPECT_LE(error, bound);
  for (PetscInt column = 0; column < columns; ++column)
    EXPECT_EQ(x_array[column * ld + order], 0) << "written below the matrix";
  PETSC_OK(MatDestroy(&b));
  PETSC_OK(MatDestroy(&x));
}

TEST_F(PetscFactor, SolvesForSparseColumns) {
  PETSC_OK(factorize(a_, nullptr, &f_));
  Mat identity = nullptr;
  Mat inverse = nullptr;
  PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, order, 2, 1, nullptr, &identity));
  PETSC_OK(MatSetValue(identity, 3, 0, 1, INSERT_VALUES));
  PETSC_OK(MatSetValue(identity, 30, 1, 2, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(identity, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(identity, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatCreateSeqDense(PETSC_COMM_SELF, order, 2, nullptr, &inverse));
  PETSC_OK(MatMatSolve(f_, identity, inverse));
  PetscReal error = 0;
  PETSC_OK(matrix_error(a_, inverse, identity, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(MatDestroy(&identity));
  PETSC_OK(MatDestroy(&inverse));
}

TEST_F(PetscFactor, InertiaIsAllPositive) {
  PETSC_OK(factorize(a_, nullptr, &f_));
  PetscInt negative = -1;
  PetscInt zero = -1;
  PetscInt positive = -1;
  PETSC_OK(MatGetInertia(f_, &negative, &zero, &positive));
  EXPECT_EQ(negative, 0);
  EXPECT_EQ(zero, 0);
  EXPECT_EQ(positive, order);
}

TEST_F(PetscFactor, InfoCountsTheFactor) {
  PETSC_OK(factorize(a_, nullptr, &f_));
  MatInfo info;
  PETSC_OK(MatGetInfo(f_, MAT_LOCAL, &info));
  const double half_of_a = order + 2.0 * width * (width - 1);
  EXPECT_GE(info.nz_used, half_of_a);
  EXPECT_GE(info.nz_allocated, info.nz_used);
  EXPECT_GE(info.memory, 8.0 * info.nz_used * (sizeof(PetscScalar) / 8.0));
  EXPECT_DOUBLE_EQ(info.fill_ratio_needed, info.nz_used / half_of_a);
}

TEST_F(PetscFactor, TakesThePermutationOfTheCaller) {
  IS reversed = nullptr;
  PETSC_OK(ISCreateStride(PETSC_COMM_SELF, order, order - 1, -1, &reversed));
  PETSC_OK(factorize(a_, reversed, &f_));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_);
  PETSC_OK(ISDestroy(&reversed));
}

TEST_F(PetscFactor, SymbolicMayBeRepeated) {
  MatFactorInfo info;
  PETSC_OK(MatFactorInfoInitialize(&info));
  PETSC_OK(factorize(a_, nullptr, &f_));
  PETSC_OK(MatCholeskyFactorSymbolic(f_, a_, nullptr, &info));
  PETSC_OK(MatCholeskyFactorNumeric(f_, a_, &info));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_);
}

TEST_F(PetscFactor, AnotherMatrixOfTheSamePatternIsFactorized) {
  MatFactorInfo info;
  Mat other = nullptr;
  PETSC_OK(MatFactorInfoInitialize(&info));
  PETSC_OK(factorize(a_, nullptr, &f_));
  PETSC_OK(make_grid(width, 1, &other));
  PETSC_OK(MatCholeskyFactorNumeric(f_, other, &info));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(other);
  PETSC_OK(MatDestroy(&other));
}

TEST_F(PetscFactor, ChangedPatternIsAnErrorAndTheMatrixStaysUsable) {
  MatFactorInfo info;
  Mat other = nullptr;
  PETSC_OK(MatFactorInfoInitialize(&info));
  PETSC_OK(factorize(a_, nullptr, &f_));
  PETSC_OK(MatDuplicate(a_, MAT_COPY_VALUES, &other));
  PETSC_OK(MatSetOption(other, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PETSC_OK(MatSetValue(other, 0, order - 1, 0.5, INSERT_VALUES));
  PETSC_OK(MatSetValue(other, order - 1, 0, 0.5, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(other, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(other, MAT_FINAL_ASSEMBLY));
  EXPECT_NE(static_cast<int>(MatCholeskyFactorNumeric(f_, other, &info)), 0);
  PETSC_OK(MatShift(other, 1));
  PETSC_OK(MatCholeskyFactorSymbolic(f_, other, nullptr, &info));
  PETSC_OK(MatCholeskyFactorNumeric(f_, other, &info));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(other);
  PETSC_OK(MatDestroy(&other));
}

TEST_F(PetscFactor, ReportsRowAndPivotOfAFailureAndRecovers) {
  MatFactorInfo info;
  IS natural = nullptr;
  PETSC_OK(MatFactorInfoInitialize(&info));
  PETSC_OK(ISCreateStride(PETSC_COMM_SELF, order, 0, 1, &natural));
  constexpr PetscInt bad_row = 0;
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_form", "llt"));
  PETSC_OK(MatSetValue(a_, bad_row, bad_row, -2, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(factorize(a_, natural, &f_));
  MatFactorError error = MAT_FACTOR_NOERROR;
  PetscReal pivot = 0;
  PetscInt row = -1;
  PETSC_OK(MatFactorGetError(f_, &error));
  PETSC_OK(MatFactorGetErrorZeroPivot(f_, &pivot, &row));
  EXPECT_EQ(error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  EXPECT_EQ(row, bad_row);
  EXPECT_EQ(pivot, -2);
  // MatSolve then returns infinities and does not call the solver.
  PETSC_OK(MatSolve(f_, b_, x_));
  PetscReal norm = 0;
  PETSC_OK(VecNorm(x_, NORM_INFINITY, &norm));
  EXPECT_TRUE(PetscIsInfOrNanReal(norm));

  PETSC_OK(MatSetValue(a_, bad_row, bad_row, 4, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatFactorClearError(f_));
  PETSC_OK(MatCholeskyFactorNumeric(f_, a_, &info));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_);
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_form"));
  PETSC_OK(ISDestroy(&natural));
}

/// Two negative diagonal entries far apart make two negative eigenvalues of a diagonally dominant matrix.
TEST_F(PetscFactor, InertiaOfAnIndefiniteMatrix) {
  for (const PetscInt row : {PetscInt(0), PetscInt(order - 1)}) PETSC_OK(MatSetValue(a_, row, row, -9, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(factorize(a_, nullptr, &f_));
  PetscInt negative = -1;
  PetscInt zero = -1;
  PetscInt positive = -1;
  PETSC_OK(MatGetInertia(f_, &negative, &zero, &positive));
  EXPECT_EQ(negative, 2);
  EXPECT_EQ(zero, 0);
  EXPECT_EQ(positive, order - 2);
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_);
}

TEST_F(PetscFactor, ReportsValuesThatAreNotFinite) {
  PETSC_OK(MatSetValue(a_, 5, 5, std::numeric_limits<PetscScalar>::quiet_NaN(), INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(factorize(a_, nullptr, &f_));
  MatFactorError error = MAT_FACTOR_NOERROR;
  PetscReal pivot = 0;
  PetscInt row = -1;
  PETSC_OK(MatFactorGetError(f_, &error));
  PETSC_OK(MatFactorGetErrorZeroPivot(f_, &pivot, &row));
  EXPECT_EQ(error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  EXPECT_EQ(row, 5);
}

TEST_F(PetscFactor, ReadsTheUpperTriangleOnly) {
  // NaN below the diagonal, which must not be read.
  PETSC_OK(MatSetValue(a_, order - 1, order - 2, std::numeric_limits<PetscScalar>::quiet_NaN(), INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(factorize(a_, nullptr, &f_));
  PETSC_OK(MatSolve(f_, b_, x_));
  Mat clean = nullptr;
  PETSC_OK(make_grid(width, 0, &clean));
  expect_solved(clean);
  PETSC_OK(MatDestroy(&clean));
}

// A diagonal entry that is not stored is zero.
TEST_F(PetscFactor, MissingDiagonalEntryIsAFailedPivotAndShiftsHelp) {
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_form", "llt"));
  constexpr PetscInt n = 3;
  Mat a = nullptr;
  Mat f = nullptr;
  PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 2, nullptr, &a));
  PETSC_OK(MatSetValue(a, 0, 0, 2, INSERT_VALUES));
  PETSC_OK(MatSetValue(a, 0, 1, 1, INSERT_VALUES));
  PETSC_OK(MatSetValue(a, 1, 0, 1, INSERT_VALUES));
  PETSC_OK(MatSetValue(a, 2, 2, 1, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  IS natural = nullptr;
  PETSC_OK(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &natural));
  PETSC_OK(factorize(a, natural, &f));
  PetscReal pivot = 0;
  PetscInt row = -1;
  PETSC_OK(MatFactorGetErrorZeroPivot(f, &pivot, &row));
  EXPECT_EQ(row, 1);
  EXPECT_FLOAT_EQ(static_cast<float>(pivot), -0.5F);
  MatFactorInfo info;
  PETSC_OK(MatFactorInfoInitialize(&info));
  info.shifttype = static_cast<PetscReal>(MAT_SHIFT_POSITIVE_DEFINITE);
  PETSC_OK(MatFactorClearError(f));
  PETSC_OK(MatCholeskyFactorNumeric(f, a, &info));
  MatFactorError error = MAT_FACTOR_OTHER;
  PETSC_OK(MatFactorGetError(f, &error));
  EXPECT_EQ(error, MAT_FACTOR_NOERROR);
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(ISDestroy(&natural));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_form"));
}

TEST_F(PetscFactor, OrderZeroWorks) {
  Mat empty = nullptr;
  Mat f = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
  PETSC_OK(make_grid(0, 0, &empty));
  PETSC_OK(factorize(empty, nullptr, &f));
  PETSC_OK(MatCreateVecs(empty, &x, &b));
  PETSC_OK(MatSolve(f, b, x));
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&empty));
  PETSC_OK(VecDestroy(&b));
  PETSC_OK(VecDestroy(&x));
}

TEST_F(PetscFactor, DestroysUnusedFactors) {
  PETSC_OK(MatGetFactor(a_, "gpusupernodal", MAT_FACTOR_CHOLESKY, &f_));
  PETSC_OK(MatDestroy(&f_));
}

TEST_F(PetscSession, WorksAfterPetscWasFinalized) {
  for (int round = 0; round < 2; ++round) {
    Mat a = nullptr;
    Mat f = nullptr;
    PETSC_OK(make_grid(5, 0, &a));
    PETSC_OK(factorize(a, nullptr, &f));
    PETSC_OK(MatDestroy(&f));
    PETSC_OK(MatDestroy(&a));
    stop();
    start();
  }
}

}  // namespace
}  // namespace gpusupernodal::test
