/// Tests of -ksp_type gpusupernodalcg on one rank.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/plugin/petsc/cg_session.hpp"

namespace gpusupernodal::test {
namespace {

/// Bounds of backward errors: -ksp_rtol below, and ten times that where KSP looks at preconditioned residuals.
constexpr PetscReal cg_tolerance = 1e-6;
constexpr PetscReal preconditioned_tolerance = 10 * cg_tolerance;
const std::string ours = "-ksp_type gpusupernodalcg -ksp_rtol 1e-6 -pc_type gpusupernodal -pc_gpusupernodal_backend host ";
/// PETSc's conjugate gradients with the norm that ours look at.
const std::string theirs = "-ksp_type cg -ksp_rtol 1e-6 -ksp_norm_type unpreconditioned ";

class PetscCg : public CgSession {
 protected:
  void expect_in_library() { EXPECT_NE(view().find("conjugate gradients in the library"), std::string::npos) << view(); }
  void expect_ksp_cg(const std::string& reason) {
    EXPECT_NE(view().find("KSPCG solves, because " + reason), std::string::npos) << view();
  }
};

/// With one preconditioner, the residuals equal those of KSPCG up to rounding, which iterations amplify.
TEST_F(PetscCg, HasTheHistoryOfKspCg) {
  for (const char* kind : {"none", "jacobi"}) {
    SCOPED_TRACE(kind);
    make(theirs + "-pc_type " + kind);
    const Solved expected = solve();
    make(ours + "-pc_gpusupernodal_kind " + kind);
    const Solved found = solve();
    EXPECT_EQ(found.reason, KSP_CONVERGED_RTOL);
    EXPECT_EQ(found.reason, expected.reason);
    EXPECT_LE(std::abs(found.iterations - expected.iterations), 1);
    ASSERT_EQ(static_cast<PetscInt>(found.history.size()), found.iterations + 1);
    for (std::size_t k = 0; k < std::min<std::size_t>(found.history.size(), 10); ++k)
      EXPECT_NEAR(found.history[k] / expected.history[k], 1, std::sqrt(std::numeric_limits<PetscReal>::epsilon())) << k;
    EXPECT_LE(found.error, cg_tolerance);
    expect_in_library();
  }
}

TEST_F(PetscCg, SolvesWithEachPreconditioner) {
  for (const char* kind : {"fsai", "none", "jacobi", "block_jacobi", "ssor_ai", "ic0", "factor"}) {
    SCOPED_TRACE(kind);
    make(ours + "-pc_gpusupernodal_kind " + kind);
    const Solved found = solve();
    EXPECT_EQ(found.reason, KSP_CONVERGED_RTOL);
    EXPECT_LE(found.error, cg_tolerance);
    expect_in_library();
    EXPECT_NE(view().find(std::string("kind: ") + kind + ", a fixed preconditioner"), std::string::npos) << view();
    EXPECT_NE(view().find("last solve: converged after " + std::to_string(found.iterations)), std::string::npos) << view();
  }
}

TEST_F(PetscCg, ReadsAllFormatsOfMatrices) {
  for (const char* type : {MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ, "seqaijgpusupernodal", MATMPIAIJ}) {
    SCOPED_TRACE(type);
    Mat a = nullptr;
    PETSC_OK(MatSetOption(a_, MAT_SYMMETRIC, PETSC_TRUE));  // Conversion to sbaij asks for that.
    PETSC_OK(MatConvert(a_, type, MAT_INITIAL_MATRIX, &a));
    make(ours);
    EXPECT_EQ(solve(a).reason, KSP_CONVERGED_RTOL);
    expect_in_library();
    PETSC_OK(MatDestroy(&a));
  }
}

TEST_F(PetscCg, StandsInForPetscsDefaultPreconditioner) {
  make("-ksp_type gpusupernodalcg");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  expect_in_library();
  EXPECT_NE(view().find("preconditioner gpusupernodal in place of PETSc's default ilu"), std::string::npos) << view();
  make("-ksp_type gpusupernodalcg -pc_type icc");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  expect_ksp_cg("the preconditioner is icc, not gpusupernodal");
}

TEST_F(PetscCg, IsTakenWithoutOptions) {
  PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp_));
  PETSC_OK(KSPSetOperators(ksp_, a_, a_));
  PETSC_OK(KSPSetType(ksp_, "gpusupernodalcg"));
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  expect_in_library();
}

/// What the library cannot do is done by KSPCG, with its results.
TEST_F(PetscCg, LeavesTheRestToKspCg) {
  const struct {
    const char* options;
    const char* reason;
  } cases[] = {
    {"-pc_type jacobi", "the preconditioner is jacobi, not gpusupernodal"},
    {"-ksp_norm_type preconditioned", "the norm for the test of convergence"},
    {"-ksp_norm_type natural", "the norm for the test of convergence"},
    {"-ksp_check_norm_iteration 3", "norms are not to be computed"},
    {"-pc_gpusupernodal_kind direct", "-pc_gpusupernodal_kind direct solves by itself"},
    {"-ksp_view_eigenvalues", "singular values or Ritz values"},
#if PETSC_VERSION_GE(3, 20, 0)
    {"-ksp_min_it 3", "a least number of iterations is given"},
#endif
#if PETSC_VERSION_GE(3, 19, 0)
    {"-ksp_converged_neg_curve", "negative curvature is to count as convergence"},
#endif
    {"-ksp_monitor_true_residual", "a monitor may look at more"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.options);
    make(ours + c.options);
    testing::internal::CaptureStdout();
    const Solved found = solve();
    static_cast<void>(testing::internal::GetCapturedStdout());
    EXPECT_EQ(found.reason, KSP_CONVERGED_RTOL);
    expect_ksp_cg(c.reason);
  }
}

TEST_F(PetscCg, LeavesSingularSystemsWithANullSpaceToKspCg) {
  MatNullSpace constant = nullptr;
  PETSC_OK(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, nullptr, &constant));
  make(ours);
  PETSC_OK(MatSetNullSpace(a_, constant));
  solve();
  expect_ksp_cg("the matrix has a null space");
  PETSC_OK(MatSetNullSpace(a_, nullptr));
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  expect_in_library();
  PETSC_OK(MatNullSpaceDestroy(&constant));
}

TEST_F(PetscCg, LeavesAnotherOperatorToKspCg) {
  Mat other = nullptr;
  PETSC_OK(make_grid(width, 1, &other));
  make(ours);
  PETSC_OK(KSPSetOperators(ksp_, a_, other));
  PETSC_OK(KSPSolve(ksp_, b_, x_));
  expect_ksp_cg("the preconditioner is made for another matrix");
  PetscReal error = 1;
  PETSC_OK(vector_error(a_, x_, b_, &error));
  EXPECT_LE(error, preconditioned_tolerance);
  PETSC_OK(MatDestroy(&other));
}

TEST_F(PetscCg, EndsAsKspSays) {
  make(ours + "-ksp_max_it 3");
  Solved found = solve();
  EXPECT_EQ(found.reason, KSP_DIVERGED_ITS);
  EXPECT_EQ(found.iterations, 3);
  make(ours + "-ksp_max_it 3 -ksp_converged_maxits");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_ITS);
  make(ours + "-ksp_max_it 0");
  EXPECT_EQ(solve().reason, KSP_DIVERGED_ITS);
  make(ours + "-ksp_atol 0.5");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_ATOL);
  make(ours + "-ksp_divtol 1.0001 -ksp_rtol 1e-30 -ksp_atol 1e-300 -pc_gpusupernodal_kind none");
  set(a_, 0, 0, 1e6);  // The residual of the first step is much larger than b.
  found = solve();
  EXPECT_EQ(found.reason, KSP_DIVERGED_DTOL);
}

TEST_F(PetscCg, StagnationIsABreakdown) {
  make(ours + "-ksp_rtol 1e-30 -ksp_atol 1e-300");
  const Solved found = solve();
  EXPECT_EQ(found.reason, KSP_DIVERGED_BREAKDOWN);
  EXPECT_NE(view().find("last solve: stagnated"), std::string::npos) << view();
}

TEST_F(PetscCg, FindsIndefiniteMatrices) {
  set(a_, 3, 4, 9);  // The diagonal stays positive.
  for (const char* kind : {"none", "jacobi"}) {
    make(ours + "-pc_gpusupernodal_kind " + kind);
    EXPECT_EQ(solve().reason, KSP_DIVERGED_INDEFINITE_MAT) << kind;
  }
  make(ours + "-pc_gpusupernodal_kind factor");
  EXPECT_EQ(solve().reason, KSP_DIVERGED_PC_FAILED);
  set(a_, 3, 4, -1);
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL) << "the next matrix";
}

/// The library reads one triangle; x must solve the system with all entries.
TEST_F(PetscCg, FindsUnsymmetricMatrices) {
  PETSC_OK(MatSetValue(a_, 90, 5, 0.5, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a_, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a_, MAT_FINAL_ASSEMBLY));
  make(ours);
  EXPECT_EQ(solve().reason, KSP_DIVERGED_NONSYMMETRIC);
}

TEST_F(PetscCg, FindsNumbersThatAreNotFinite) {
  make(ours);
  PETSC_OK(VecSetValue(b_, 7, std::nan(""), INSERT_VALUES));
  PETSC_OK(VecAssemblyBegin(b_));
  PETSC_OK(VecAssemblyEnd(b_));
  EXPECT_EQ(solve().reason, KSP_DIVERGED_NANORINF);
  PETSC_OK(VecSet(b_, 1));
  set(a_, 5, 5, std::numeric_limits<PetscReal>::infinity());
  EXPECT_EQ(solve().reason, KSP_DIVERGED_PC_FAILED);
  set(a_, 5, 5, 4);
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
}

TEST_F(PetscCg, TakesStartValuesAndZeros) {
  make(ours + "-ksp_initial_guess_nonzero");
  PETSC_OK(VecSet(x_, 0.5));
  const Solved first = solve();
  EXPECT_EQ(first.reason, KSP_CONVERGED_RTOL);
  EXPECT_LE(first.error, cg_tolerance);
  const Solved again = solve();
  EXPECT_EQ(again.iterations, 0) << "x is the solution already";
  make(ours);
  PETSC_OK(VecSet(b_, 0));
  const Solved zero = solve();
  EXPECT_EQ(zero.reason, KSP_CONVERGED_ATOL);
  EXPECT_EQ(zero.iterations, 0);
}

TEST_F(PetscCg, FollowsValuesAndEntries) {
  make(ours);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
    set(a_, 2, 2, 5 + round);
    EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
    set(a_, 1, 20 + round, -0.25);
  }
}

/// An old preconditioner, but the new matrix.
TEST_F(PetscCg, KeepsThePreconditionerIfAsked) {
  constexpr PetscReal bound = 10 * 1e-9;  // Ten times -ksp_rtol.
  make(ours + "-pc_gpusupernodal_kind factor -ksp_rtol 1e-9");
  EXPECT_EQ(solve().iterations, 1);
  PETSC_OK(KSPSetReusePreconditioner(ksp_, PETSC_TRUE));
  set(a_, 2, 2, 9);
  const Solved kept = solve();
  EXPECT_EQ(kept.reason, KSP_CONVERGED_RTOL);
  EXPECT_GT(kept.iterations, 1) << "the factor is that of the old values";
  EXPECT_LE(kept.error, bound);
  expect_in_library();
  set(a_, 1, 100, -0.25);
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL) << "with entries that the library does not know";
  PETSC_OK(KSPSetReusePreconditioner(ksp_, PETSC_FALSE));
  EXPECT_EQ(solve().iterations, 1);
}

TEST_F(PetscCg, RenewsThePreconditionerAfterIterations) {
  make(ours +
       "-pc_gpusupernodal_kind factor -ksp_rtol 1e-9 -pc_gpusupernodal_renewal after_iterations "
       "-pc_gpusupernodal_renewal_iterations 1");
  EXPECT_EQ(solve().iterations, 1);
  set(a_, 2, 2, 9);
  EXPECT_GT(solve().iterations, 1) << "one iteration was few enough to keep the factor";
  set(a_, 2, 2, 10);
  EXPECT_EQ(solve().iterations, 1);
}

TEST_F(PetscCg, PrintsMonitorsAsKspCg) {
  make(ours + "-ksp_monitor");
  testing::internal::CaptureStdout();
  const Solved found = solve();
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("  0 KSP Residual norm "), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(found.iterations) + " KSP Residual norm "), std::string::npos) << text;
  expect_in_library();
}

TEST_F(PetscCg, ErrorOfAMonitorEndsTheSolve) {
  make(ours);
  const auto refuse = [](KSP, PetscInt iteration, PetscReal, void*) -> PetscErrorCode {
    return static_cast<PetscErrorCode>(iteration == 2 ? PETSC_ERR_USER : 0);
  };
  PETSC_OK(KSPMonitorSet(ksp_, refuse, nullptr, nullptr));
  EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), PETSC_ERR_USER);
  PETSC_OK(KSPMonitorCancel(ksp_));
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
}

TEST_F(PetscCg, SolvesSystemsOfOrderZero) {
  Mat a = nullptr;
  PETSC_OK(make_grid(0, 0, &a));
  PETSC_OK(VecDestroy(&b_));
  PETSC_OK(VecDestroy(&x_));
  PETSC_OK(MatCreateVecs(a, &x_, &b_));
  make(ours);
  PETSC_OK(KSPSetOperators(ksp_, a, a));
  PETSC_OK(KSPSolve(ksp_, b_, x_));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PETSC_OK(KSPGetConvergedReason(ksp_, &reason));
  EXPECT_GT(reason, 0);
  PETSC_OK(MatDestroy(&a));
}

TEST_F(PetscCg, ErrorsIfNotConvergedAreErrors) {
  set(a_, 3, 4, 9);
  make(ours + "-ksp_error_if_not_converged -pc_gpusupernodal_kind none");
  EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), PETSC_ERR_NOT_CONVERGED);
}

TEST_F(PetscCg, TypesCanBeChanged) {
  make(ours);
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  PETSC_OK(KSPSetType(ksp_, KSPGMRES));
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  PETSC_OK(KSPSetType(ksp_, "gpusupernodalcg"));
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  PETSC_OK(KSPReset(ksp_));
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  expect_in_library();
}

TEST_F(PetscCg, SingleReductionIsKspCg) {
  make(ours + "-ksp_cg_single_reduction");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  expect_ksp_cg("-ksp_cg_single_reduction was given");
  PETSC_OK(KSPSetFromOptions(ksp_));
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  expect_ksp_cg("-ksp_cg_single_reduction was given");
}

/// The function may come before the first solve or after it, with and without options.
TEST_F(PetscCg, SingleReductionCanBeChanged) {
  PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp_));
  PETSC_OK(KSPSetOperators(ksp_, a_, a_));
  PETSC_OK(KSPSetType(ksp_, "gpusupernodalcg"));
  for (int round = 0; round < 2; ++round) {
    PETSC_OK(KSPCGUseSingleReduction(ksp_, PETSC_TRUE));
    EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
    expect_ksp_cg("-ksp_cg_single_reduction was given");
    PETSC_OK(KSPCGUseSingleReduction(ksp_, PETSC_FALSE));
    EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
    expect_in_library();
  }
}

}  // namespace
}  // namespace gpusupernodal::test
