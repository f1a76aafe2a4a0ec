/// Pivots, matching and failures of LU, as PETSc sees them.

#include <gtest/gtest.h>
#include <petsc/private/petscimpl.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/plugin/petsc/program.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscInt n = 12;

/// A matrix with a diagonal and entries beside it, in a circle: whether pivots can stay on the diagonal depends on its
/// values.
class PetscLuStatus : public PetscSession {
 protected:
  void SetUp() override {
    PetscSession::SetUp();
    PETSC_OK(MatFactorInfoInitialize(&info_));
    PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 2, nullptr, &a_));
    set(4, 1);
    PETSC_OK(MatCreateVecs(a_, &x_, &b_));
    PETSC_OK(VecSet(b_, 1));
    PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp_));
    PETSC_OK(KSPSetType(ksp_, KSPPREONLY));
    PETSC_OK(KSPGetPC(ksp_, &pc_));
    PETSC_OK(PCSetType(pc_, PCLU));
    PETSC_OK(PCFactorSetMatSolverType(pc_, "gpusupernodal"));
  }
  void TearDown() override {
    PETSC_OK(KSPDestroy(&ksp_));
    PETSC_OK(MatDestroy(&f_));
    PETSC_OK(MatDestroy(&a_));
    PETSC_OK(VecDestroy(&b_));
    PETSC_OK(VecDestroy(&x_));
    PetscSession::TearDown();
  }
  void set(PetscScalar diagonal, PetscScalar beside) {
    for (PetscInt row = 0; row < n; ++row) {
      PETSC_OK(MatSetValue(a_, row, row, diagonal, INSERT_VALUES));
      PETSC_OK(MatSetValue(a_, row, (row + 1) % n, beside, INSERT_VALUES));
    }
    assemble();
  }
  void set_entry(PetscInt row, PetscInt column, PetscScalar value) {
    PETSC_OK(MatSetValue(a_, row, column, value, INSERT_VALUES));
    assemble();
  }
  void assemble() {
    PETSC_OK(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  }
  void expect_solved() {
    PetscReal error = 0;
    PETSC_OK(vector_error(a_, x_, b_, &error));
    EXPECT_LE(error, backward_error_bound<PetscReal>(n));
  }
  KSPConvergedReason solve() {
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    EXPECT_EQ(static_cast<int>(KSPSetOperators(ksp_, a_, a_)), 0);
    EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), 0);
    EXPECT_EQ(static_cast<int>(KSPGetConvergedReason(ksp_, &reason)), 0);
    return reason;
  }
  void expect_ksp_solves() {
    EXPECT_EQ(solve(), KSP_CONVERGED_ITS);
    expect_solved();
  }
  /// What -ksp_view prints of a factor.
  std::string view(Mat f) {
    const std::string path = temporary_path("view");
    PetscViewer viewer = nullptr;
    EXPECT_EQ(static_cast<int>(PetscViewerASCIIOpen(PETSC_COMM_SELF, path.c_str(), &viewer)), 0);
    EXPECT_EQ(static_cast<int>(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO)), 0);
    EXPECT_EQ(static_cast<int>(MatView(f, viewer)), 0);
    EXPECT_EQ(static_cast<int>(PetscViewerDestroy(&viewer)), 0);
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::remove(path.c_str());
    return text;
  }
  std::string view_of_ksp() {
    Mat f = nullptr;
    EXPECT_EQ(static_cast<int>(PCFactorGetMatrix(pc_, &f)), 0);
    return view(f);
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  MatFactorInfo info_;
  Mat a_ = nullptr;
  Mat f_ = nullptr;
  Vec b_ = nullptr;
  Vec x_ = nullptr;
  KSP ksp_ = nullptr;
  PC pc_ = nullptr;
};

TEST_F(PetscLuStatus, ZeroDiagonalsAreMatched) {
  set(0, 1);
  expect_ksp_solves();
  EXPECT_TRUE(has(view_of_ksp(), "matching: auto")) << view_of_ksp();
  EXPECT_TRUE(has(view_of_ksp(), ", 0 replaced;")) << view_of_ksp();
  EXPECT_FALSE(has(view_of_ksp(), "repeated with other pivots")) << view_of_ksp();
}

TEST_F(PetscLuStatus, RepeatsWithOtherPivotsForNewValues) {
  expect_ksp_solves();
  set(0, 1);
  expect_ksp_solves();
  EXPECT_TRUE(has(view_of_ksp(), "factorizations repeated with other pivots: 1\n")) << view_of_ksp();
  set(1e-3, 2);
  expect_ksp_solves();
  EXPECT_TRUE(has(view_of_ksp(), "with other pivots: 1\n")) << "the rows' exchange suits these values too\n"
                                                            << view_of_ksp();
  set(4, 0);
  expect_ksp_solves();
  EXPECT_TRUE(has(view_of_ksp(), "with other pivots: 2\n")) << view_of_ksp();
}

// A state is counted by each matrix for itself, so that of another matrix says nothing.
TEST_F(PetscLuStatus, RepeatsWithOtherPivotsForTheValuesOfAnotherMatrix) {
  Mat other = nullptr;
  PetscObjectState state = 0;
  PETSC_OK(MatDuplicate(a_, MAT_COPY_VALUES, &other));
  PETSC_OK(factorize_lu(other, nullptr, &f_));
  PETSC_OK(PetscObjectStateGet(reinterpret_cast<PetscObject>(other), &state));
  PETSC_OK(MatLUFactorNumeric(f_, a_, &info_));  // Now a_ is the matrix of the factor.
  set(0, 1);
  PETSC_OK(PetscObjectStateSet(reinterpret_cast<PetscObject>(a_), state));
  PETSC_OK(MatLUFactorNumeric(f_, a_, &info_));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved();
  PETSC_OK(MatDestroy(&other));
}

TEST_F(PetscLuStatus, TheSymbolicPhaseMayPrecedeTheValues) {
  for (const PetscScalar before : {PetscScalar(0), std::numeric_limits<PetscScalar>::quiet_NaN()}) {
    set(before, before);
    PETSC_OK(MatGetFactor(a_, "gpusupernodal", MAT_FACTOR_LU, &f_));
    PETSC_OK(MatLUFactorSymbolic(f_, a_, nullptr, nullptr, &info_));
    set(0, 1);
    PETSC_OK(MatLUFactorNumeric(f_, a_, &info_));
    PETSC_OK(MatSolve(f_, b_, x_));
    expect_solved();
    PETSC_OK(MatDestroy(&f_));
  }
}

// Without matching, no other analysis could help, so none is made.
TEST_F(PetscLuStatus, OptionMatchingLeavesTheRowsWhereTheyAre) {
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_matching", "none"));
  expect_ksp_solves();
  set(0, 1);
  EXPECT_EQ(solve(), KSP_DIVERGED_PC_FAILED);
  EXPECT_TRUE(has(view_of_ksp(), "matching: none")) << view_of_ksp();
  EXPECT_TRUE(has(view_of_ksp(), "no factor: unstable, pivot ")) << view_of_ksp();
  EXPECT_FALSE(has(view_of_ksp(), "repeated with other pivots")) << view_of_ksp();
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_matching", "sideways"));
  EXPECT_NE(static_cast<int>(factorize_lu(a_, nullptr, &f_)), 0);
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_matching"));
}

#ifdef GPUSUPERNODAL_TEST_LU_COLUMNS
TEST_F(PetscLuStatus, OptionScheduleTakesColumns) {
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_lu_schedule", "columns"));
  expect_ksp_solves();
  EXPECT_TRUE(has(view_of_ksp(), "schedule of LU: columns")) << view_of_ksp();
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_lu_schedule"));
}
#endif

TEST_F(PetscLuStatus, OptionScheduleTakesDenseStorage) {
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_lu_schedule", "dense"));
  expect_ksp_solves();
  EXPECT_TRUE(has(view_of_ksp(), "schedule of LU: dense")) << view_of_ksp();
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_lu_schedule"));
}

TEST_F(PetscLuStatus, OptionPerturbationReplacesPivots) {
  expect_ksp_solves();
  EXPECT_TRUE(has(view_of_ksp(), ", 0 replaced;")) << view_of_ksp();
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_perturbation", "0.98"));
  set_entry(3, 3, 3.9);
  PETSC_OK(PCReset(pc_));
  expect_ksp_solves();
  EXPECT_FALSE(has(view_of_ksp(), ", 0 replaced;")) << view_of_ksp();
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_perturbation", "-1"));
  EXPECT_NE(static_cast<int>(factorize_lu(a_, nullptr, &f_)), 0);
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_perturbation"));
}

TEST_F(PetscLuStatus, ASingularMatrixIsAReasonAndTheNextOneIsSolved) {
  set_entry(5, 5, 0);
  set_entry(5, 6, 0);
  EXPECT_EQ(solve(), KSP_DIVERGED_PC_FAILED);
  PCFailedReason reason = PC_NOERROR;
  PETSC_OK(PCGetFailedReason(pc_, &reason));
  EXPECT_EQ(reason, PC_FACTOR_NUMERIC_ZEROPIVOT);
  EXPECT_TRUE(has(view_of_ksp(), "no factor: singular, pivot ")) << view_of_ksp();
  set(4, 1);
  expect_ksp_solves();
}

TEST_F(PetscLuStatus, ASingularMatrixIsAnErrorIfTheProgramAsksForErrors) {
  set_entry(5, 5, 0);
  set_entry(5, 6, 0);
  PETSC_OK(MatSetErrorIfFailure(a_, PETSC_TRUE));
  EXPECT_EQ(static_cast<int>(factorize_lu(a_, nullptr, &f_)), static_cast<int>(PETSC_ERR_MAT_LU_ZRPVT));
  PETSC_OK(MatSetErrorIfFailure(a_, PETSC_FALSE));
}

TEST_F(PetscLuStatus, ReportsTheRowOfAValueThatIsNotFinite) {
  set_entry(5, 6, std::numeric_limits<PetscScalar>::quiet_NaN());
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
  MatFactorError error = MAT_FACTOR_NOERROR;
  PetscReal value = 0;
  PetscInt row = -1;
  PETSC_OK(MatFactorGetError(f_, &error));
  PETSC_OK(MatFactorGetErrorZeroPivot(f_, &value, &row));
  EXPECT_EQ(error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  EXPECT_EQ(row, 5);
  // MatSolve and MatMatSolve then do not call the solver.
  PETSC_OK(MatSolve(f_, b_, x_));
  PetscReal norm = 0;
  PETSC_OK(VecNorm(x_, NORM_INFINITY, &norm));
  EXPECT_TRUE(PetscIsInfOrNanReal(norm));
}

// As the coarse solvers of multigrid do.
TEST_F(PetscLuStatus, ShiftsAreIgnoredAndTheViewSaysSo) {
  PETSC_OK(PCFactorSetShiftType(pc_, MAT_SHIFT_INBLOCKS));
  expect_ksp_solves();
  EXPECT_TRUE(has(view_of_ksp(), "shift: none, LU ignores INBLOCKS")) << view_of_ksp();
  set_entry(5, 5, 0);
  set_entry(5, 6, 0);
  EXPECT_EQ(solve(), KSP_DIVERGED_PC_FAILED);
}

// A factor with replaced pivots verifies its solutions; a right-hand side that is not finite is for KSP to see.
TEST_F(PetscLuStatus, NaNInARightHandSideIsNoError) {
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_perturbation", "0.98"));
  set_entry(3, 3, 3.9);
  PETSC_OK(factorize_lu(a_, nullptr, &f_));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_perturbation"));
  EXPECT_FALSE(has(view(f_), ", 0 replaced;")) << view(f_);
  MatFactorError error = MAT_FACTOR_OTHER;
  PETSC_OK(MatFactorGetError(f_, &error));
  ASSERT_EQ(error, MAT_FACTOR_NOERROR);
  PETSC_OK(VecSet(b_, std::numeric_limits<PetscScalar>::quiet_NaN()));
  PETSC_OK(MatSolve(f_, b_, x_));
  PetscReal norm = 0;
  PETSC_OK(VecNorm(x_, NORM_INFINITY, &norm));
  EXPECT_TRUE(PetscIsInfOrNanReal(norm));
}

TEST_F(PetscLuStatus, NewEntriesAreAnalyzedAgain) {
  PETSC_OK(MatSetOption(a_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  expect_ksp_solves();
  set_entry(0, n - 1, 0.5);
  expect_ksp_solves();
  set_entry(n - 1, n / 2, -3);
  expect_ksp_solves();
}

TEST_F(PetscLuStatus, TakesPetscsOrderings) {
  for (const char* type : {MATORDERINGEXTERNAL, MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND}) {
    PETSC_OK(PCReset(pc_));
    PETSC_OK(PCFactorSetMatOrderingType(pc_, type));
    expect_ksp_solves();
    EXPECT_EQ(has(view_of_ksp(), "ordering: given by PETSc"), std::string(type) != MATORDERINGEXTERNAL) << view_of_ksp();
  }
  PETSC_OK(PCReset(pc_));
  PETSC_OK(PCFactorReorderForNonzeroDiagonal(pc_, 1e-10));
  set(0, 1);
  expect_ksp_solves();
}

}  // namespace
}  // namespace gpusupernodal::test
