/// LU by MatGetFactor, MatLUFactorSymbolic, MatLUFactorNumeric and the solves.

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
constexpr double condition = 9.0;  // Condition number of make_convection's matrix.
const double bound = backward_error_bound<PetscReal>(order);

/// A matrix of convection and diffusion, its transpose, its factor and a right-hand side.
class PetscLu : public PetscSession {
 protected:
  void SetUp() override {
    PetscSession::SetUp();
    PETSC_OK(make_convection(width, 0.8, &a_));
    PETSC_OK(MatTranspose(a_, MAT_INITIAL_MATRIX, &transposed_));
    PETSC_OK(make_right_hand_side(a_, &b_));
    PETSC_OK(VecDuplicate(b_, &x_));
    PETSC_OK(MatFactorInfoInitialize(&info_));
  }
  void TearDown() override {
    PETSC_OK(MatDestroy(&f_));
    PETSC_OK(MatDestroy(&a_));
    PETSC_OK(MatDestroy(&transposed_));
    PETSC_OK(VecDestroy(&b_));
    PETSC_OK(VecDestroy(&x_));
    PetscSession::TearDown();
  }
  void expect_solved(Mat a) {
    PetscReal error = 0;
    PETSC_OK(vector_error(a, x_, b_, &error));
    EXPECT_LE(error, bound);
  }
  /// Expects that x is the solution `theirs` up to what two solutions of a small backward error may differ.
  void expect_near(Vec theirs) {
    PetscReal norm = 0;
    PetscReal difference = 0;
    PETSC_OK(VecNorm(theirs, NORM_INFINITY, &norm));
    PETSC_OK(VecAXPY(theirs, -1, x_));
    PETSC_OK(VecNorm(theirs, NORM_INFINITY, &difference));
    EXPECT_LE(difference, 4 * condition * bound * norm);
  }

  Mat a_ = nullptr;
  Mat transposed_ = nullptr;
  Mat f_ = nullptr;
  Vec b_ = nullptr;
  Vec x_ = nullptr;
  MatFactorInfo info_;
};

TEST_F(PetscLu, SolvesAndSolvesTransposedLikePetscsLu) {
  Mat theirs = nullptr;
  Vec their_x = nullptr;
  IS natural = nullptr;
  PETSC_OK(ISCreateStride(PETSC_COMM_SELF, order, 0, 1, &natural));
  PETSC_OK(VecDuplicate(b_, &their_x));
  PETSC_OK(factorize_lu(a_, natural, &theirs, "petsc"));
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_);
  PETSC_OK(MatSolve(theirs, b_, their_x));
  expect_near(their_x);
  PETSC_OK(MatSolveTranspose(f_, b_, x_));
  expect_solved(transposed_);
  PETSC_OK(MatSolveTranspose(theirs, b_, their_x));
  expect_near(their_x);
  PETSC_OK(MatDestroy(&theirs));
  PETSC_OK(VecDestroy(&their_x));
  PETSC_OK(ISDestroy(&natural));
}

TEST_F(PetscLu, SolvesForDenseColumnsWithALeadingDimension) {
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
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
  PetscReal error = 0;
  PETSC_OK(MatMatSolve(f_, b, x));
  PETSC_OK(matrix_error(a_, x, b, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(MatMatSolveTranspose(f_, b, x));
  PETSC_OK(matrix_error(transposed_, x, b, &error));
  EXPECT_LE(error, bound);
  for (PetscInt column = 0; column < columns; ++column)
    EXPECT_EQ(x_array[column * ld + order], 0) << "written below the matrix";
  PETSC_OK(MatCopy(b, x, SAME_NONZERO_PATTERN));
  PETSC_OK(MatMatSolve(f_, x, x));
  PETSC_OK(matrix_error(a_, x, b, &error));
  EXPECT_LE(error, bound) << "in place";
  PETSC_OK(MatDestroy(&b));
  PETSC_OK(MatDestroy(&x));
}

TEST_F(PetscLu, SolvesForSparseColumnsAndForTheirTranspose) {
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
  Mat sparse = nullptr;
  Mat sparse_rows = nullptr;
  Mat x = nullptr;
  PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, order, 2, 1, nullptr, &sparse));
  PETSC_OK(MatSetValue(sparse, 3, 0, 1, INSERT_VALUES));
  PETSC_OK(MatSetValue(sparse, 30, 1, 2, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(sparse, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(sparse, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatTranspose(sparse, MAT_INITIAL_MATRIX, &sparse_rows));
  PETSC_OK(MatCreateSeqDense(PETSC_COMM_SELF, order, 2, nullptr, &x));
  PetscReal error = 0;
  PETSC_OK(MatMatSolve(f_, sparse, x));
  PETSC_OK(matrix_error(a_, x, sparse, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(MatZeroEntries(x));
  PETSC_OK(MatMatTransposeSolve(f_, sparse_rows, x));
  PETSC_OK(matrix_error(a_, x, sparse, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(MatDestroy(&sparse));
  PETSC_OK(MatDestroy(&sparse_rows));
  PETSC_OK(MatDestroy(&x));
}

TEST_F(PetscLu, NewValuesAndAnotherMatrixOfTheSamePatternAreFactorized) {
  Mat other = nullptr;
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
  PETSC_OK(MatShift(a_, 2));
  PETSC_OK(MatLUFactorNumeric(f_, a_, &info_));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_);
  PETSC_OK(make_convection(width, -0.3, &other));
  PETSC_OK(MatLUFactorNumeric(f_, other, &info_));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(other);
  PETSC_OK(MatDestroy(&other));
}

TEST_F(PetscLu, ANewPatternNeedsASymbolicPhaseWhichMayBeRepeated) {
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
  PETSC_OK(MatSetOption(a_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PETSC_OK(MatSetValue(a_, 0, order - 1, 0.5, INSERT_VALUES));  // Without its mirror image.
  PETSC_OK(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  EXPECT_NE(static_cast<int>(MatLUFactorNumeric(f_, a_, &info_)), 0);
  PETSC_OK(MatLUFactorSymbolic(f_, a_, nullptr, nullptr, &info_));
  PETSC_OK(MatLUFactorNumeric(f_, a_, &info_));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_);
}

// PETSc's orderings may give rows and columns different orders, of which the columns' is taken.
TEST_F(PetscLu, TakesThePermutationOfTheCaller) {
  IS natural = nullptr;
  IS dissected = nullptr;
  IS same = nullptr;
  double nonzeros[3] = {};
  PETSC_OK(MatGetOrdering(a_, MATORDERINGNATURAL, &natural, &same));
  PETSC_OK(ISDestroy(&same));
  PETSC_OK(MatGetOrdering(a_, MATORDERINGND, &dissected, &same));
  const IS rows[] = {natural, dissected, natural};
  const IS columns[] = {natural, dissected, dissected};
  for (int k = 0; k < 3; ++k) {
    MatInfo info;
    PETSC_OK(MatGetFactor(a_, "gpusupernodal", MAT_FACTOR_LU, &f_));
    PETSC_OK(MatLUFactorSymbolic(f_, a_, rows[k], columns[k], &info_));
    PETSC_OK(MatLUFactorNumeric(f_, a_, &info_));
    PETSC_OK(MatSolve(f_, b_, x_));
    expect_solved(a_);
    PETSC_OK(MatGetInfo(f_, MAT_LOCAL, &info));
    nonzeros[k] = info.nz_used;
    PETSC_OK(MatDestroy(&f_));
  }
  EXPECT_GT(nonzeros[0], 2.0 * width * order * 0.9) << "a band";
  EXPECT_LT(nonzeros[1], nonzeros[0]);
  EXPECT_EQ(nonzeros[2], nonzeros[1]);
  for (IS* set : {&natural, &dissected, &same}) PETSC_OK(ISDestroy(set));
}

TEST_F(PetscLu, InfoCountsBothFactors) {
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
  MatInfo info;
  PETSC_OK(MatGetInfo(f_, MAT_LOCAL, &info));
  const double entries = order + 4.0 * width * (width - 1);
  EXPECT_GE(info.nz_used, entries);
  EXPECT_GE(info.nz_allocated, info.nz_used);
  EXPECT_GE(info.memory, sizeof(PetscScalar) * info.nz_used);
  EXPECT_DOUBLE_EQ(info.fill_ratio_needed, info.nz_used / entries);
}

TEST_F(PetscLu, NamesItsSolverAndHasNoHalves) {
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
  MatSolverType type = nullptr;
  PETSC_OK(MatFactorGetSolverType(f_, &type));
  EXPECT_STREQ(type, "gpusupernodal");
  EXPECT_NE(static_cast<int>(MatForwardSolve(f_, b_, x_)), 0);
  EXPECT_NE(static_cast<int>(MatBackwardSolve(f_, b_, x_)), 0);
  PetscInt negative = -1;
  EXPECT_NE(static_cast<int>(MatGetInertia(f_, &negative, nullptr, nullptr)), 0);
}

TEST_F(PetscLu, OrderZeroWorksAndUnusedFactorsAreDestroyed) {
  Mat empty = nullptr;
  Mat f = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
  PETSC_OK(make_convection(0, 0, &empty));
  PETSC_OK(factorize_lu(empty, nullptr, &f));
  PETSC_OK(MatCreateVecs(empty, &x, &b));
  PETSC_OK(MatSolve(f, b, x));
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&empty));
  PETSC_OK(VecDestroy(&b));
  PETSC_OK(VecDestroy(&x));
  PETSC_OK(MatGetFactor(a_, "gpusupernodal", MAT_FACTOR_LU, &f_));
}

}  // namespace
}  // namespace gpusupernodal::test
