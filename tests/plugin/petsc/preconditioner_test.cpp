/// Tests of -pc_type gpusupernodal inside PETSc's Krylov methods, on one rank.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/plugin/petsc/cg_session.hpp"

namespace gpusupernodal::test {
namespace {

const std::string here = " -ksp_rtol 1e-8 -pc_type gpusupernodal -pc_gpusupernodal_backend host -pc_gpusupernodal_kind ";
const char* const fixed_kinds[] = {"fsai", "none", "jacobi", "block_jacobi", "ssor_ai", "ic0", "factor", "direct"};
const char* const methods[] = {"automatic", "direct", "mixed", "pcg"};
/// Bounds of backward errors: ten times -ksp_rtol of `here`, because some methods look at preconditioned residuals, and ten
/// times the default of -pc_gpusupernodal_tolerance.
constexpr PetscReal krylov_bound = 10 * 1e-8;
constexpr PetscReal method_bound = 10 * 1e-10;
constexpr PetscReal eps = std::numeric_limits<PetscReal>::epsilon();

class PetscPreconditioner : public CgSession {
 protected:
  PetscReal dot(Vec one, Vec other) {
    PetscScalar value = 0;
    EXPECT_EQ(static_cast<int>(VecDot(one, other, &value)), 0);
    return PetscRealPart(value);
  }
};

TEST_F(PetscPreconditioner, WorksInPetscsMethods) {
  for (const char* kind : fixed_kinds) {
    for (const char* method : {"cg", "gmres", "minres", "bcgs", "fgmres"}) {
      SCOPED_TRACE(std::string(kind) + " in " + method);
      make(std::string("-ksp_type ") + method + here + kind);
      const Solved found = solve();
      EXPECT_EQ(found.reason, KSP_CONVERGED_RTOL);
      EXPECT_LE(found.error, krylov_bound);
    }
  }
}

/// It is Jacobi's method.
TEST_F(PetscPreconditioner, JacobiTakesTheIterationsOfPetscs) {
  make("-ksp_type cg -pc_type jacobi -ksp_rtol 1e-8");
  const Solved expected = solve();
  make("-ksp_type cg" + here + "jacobi");
  EXPECT_EQ(solve().iterations, expected.iterations);
}

/// M⁻¹(αr + s) = α M⁻¹r + M⁻¹s, and sᵀM⁻¹r = rᵀM⁻¹s, up to rounding, relative to ‖M⁻¹‖ of at most about 10 here.
TEST_F(PetscPreconditioner, IsLinearAndSymmetric) {
  Vec s = nullptr;
  Vec zr = nullptr;
  Vec zs = nullptr;
  PC pc = nullptr;
  PETSC_OK(VecDuplicate(b_, &s));
  PETSC_OK(VecDuplicate(b_, &zr));
  PETSC_OK(VecDuplicate(b_, &zs));
  for (PetscInt k = 0; k < order; ++k) PETSC_OK(VecSetValue(s, k, std::sin(static_cast<double>(k)), INSERT_VALUES));
  for (const char* kind : fixed_kinds) {
    SCOPED_TRACE(kind);
    make("-ksp_type cg" + here + kind);
    PETSC_OK(KSPSetUp(ksp_));
    PETSC_OK(KSPGetPC(ksp_, &pc));
    PETSC_OK(PCApply(pc, b_, zr));
    PETSC_OK(PCApplyTranspose(pc, s, zs));
    const PetscReal scale = 10 * std::sqrt(dot(b_, b_) * dot(s, s));
    EXPECT_LE(std::abs(dot(s, zr) - dot(b_, zs)), 100 * eps * scale);
    PETSC_OK(VecWAXPY(x_, 3, b_, s));
    PETSC_OK(VecAXPY(zs, 3, zr));
    Vec z = nullptr;
    PETSC_OK(VecDuplicate(b_, &z));
    PETSC_OK(PCApply(pc, x_, z));
    PETSC_OK(VecAXPY(z, -1, zs));
    PetscReal difference = 1;
    PETSC_OK(VecNorm(z, NORM_2, &difference));
    EXPECT_LE(difference, 1000 * eps * scale);
    PETSC_OK(VecDestroy(&z));
  }
  PETSC_OK(VecDestroy(&s));
  PETSC_OK(VecDestroy(&zr));
  PETSC_OK(VecDestroy(&zs));
}

TEST_F(PetscPreconditioner, MethodsSolveByThemselves) {
  for (const char* method : methods) {
    SCOPED_TRACE(method);
    make("-ksp_type preonly" + here + method);
    for (int round = 0; round < 3; ++round) {
      const Solved found = solve();
      EXPECT_EQ(found.reason, KSP_CONVERGED_ITS);
      EXPECT_LE(found.error, method_bound);
      set(a_, 2, 2, 5 + round);
    }
    set(a_, 1, 30, -0.25);
    EXPECT_LE(solve().error, method_bound) << "with new entries";
    EXPECT_NE(view().find("last solve: solved by "), std::string::npos) << view();
    EXPECT_EQ(view().find("must be flexible") == std::string::npos, std::string(method) == "direct") << view();
  }
}

TEST_F(PetscPreconditioner, MethodsWorkInFlexibleKrylovMethods) {
  for (const char* method : methods) {
    for (const char* ksp : {"fgmres", "fcg", "gcr"}) {
      SCOPED_TRACE(std::string(method) + " in " + ksp);
      make(std::string("-ksp_type ") + ksp + " -pc_gpusupernodal_tolerance 1e-2" + here + method);
      const Solved found = solve();
      EXPECT_EQ(found.reason, KSP_CONVERGED_RTOL);
      EXPECT_LE(found.error, krylov_bound);
    }
  }
}

/// Set-ups and methods that fail are reasons of KSP, and the next matrix is solved.
TEST_F(PetscPreconditioner, FailuresAreReasonsOfKsp) {
  for (const char* kind : {"jacobi", "block_jacobi", "fsai", "ssor_ai", "ic0", "factor", "direct", "automatic", "mixed"}) {
    for (const char* ksp : {"cg", "gmres", "preonly"}) {
      SCOPED_TRACE(std::string(kind) + " in " + ksp);
      PC pc = nullptr;
      PCFailedReason failed = PC_NOERROR;
      make(std::string("-ksp_type ") + ksp + here + kind);
      set(a_, 3, 3, -4);
      EXPECT_EQ(solve().reason, KSP_DIVERGED_PC_FAILED);
      PETSC_OK(KSPGetPC(ksp_, &pc));
      PETSC_OK(PCGetFailedReason(pc, &failed));
      EXPECT_EQ(failed, PC_FACTOR_NUMERIC_ZEROPIVOT);
      set(a_, 3, 3, 4);
      EXPECT_GT(solve().reason, 0);
    }
  }
}

TEST_F(PetscPreconditioner, FailuresAreErrorsIfAsked) {
  for (const char* kind : {"factor", "direct"}) {
    make("-ksp_type cg -ksp_error_if_not_converged" + here + kind);
    set(a_, 3, 3, -4);
    EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), PETSC_ERR_NOT_CONVERGED) << kind;
    set(a_, 3, 3, 4);
  }
}

TEST_F(PetscPreconditioner, AMethodThatDoesNotConvergeIsNoSuccess) {
  make("-ksp_type preonly -pc_gpusupernodal_max_it 2" + here + "pcg");
  EXPECT_EQ(solve().reason, KSP_DIVERGED_PC_FAILED);
}

/// An eigenvector of A takes one iteration, another right-hand side more than two.
TEST_F(PetscPreconditioner, ASolvedRightHandSideClearsTheFailureOfAnother) {
  const PetscReal angle = std::acos(PetscReal(-1)) / (width + 1);
  Vec other = nullptr;
  PETSC_OK(VecDuplicate(b_, &other));
  PETSC_OK(VecCopy(b_, other));
  for (const char* ksp : {"preonly", "fgmres"}) {  // fcg looks at the failure before it begins.
    SCOPED_TRACE(ksp);
    make(std::string("-ksp_type ") + ksp + " -pc_gpusupernodal_max_it 2" + here + "pcg");
    PETSC_OK(VecCopy(other, b_));
    EXPECT_LT(solve().reason, 0);
    for (PetscInt k = 0; k < order; ++k) {
      const auto column = static_cast<PetscReal>(k % width + 1);
      const auto row = static_cast<PetscReal>(k / width + 1);
      PETSC_OK(VecSetValue(b_, k, std::sin(angle * column) * std::sin(angle * row), INSERT_VALUES));
    }
    PETSC_OK(VecAssemblyBegin(b_));
    PETSC_OK(VecAssemblyEnd(b_));
    const Solved found = solve();
    EXPECT_GT(found.reason, 0);
    EXPECT_LE(found.error, krylov_bound);
  }
  PETSC_OK(VecDestroy(&other));
}

TEST_F(PetscPreconditioner, FailuresNameTheRowIfThereIsOne) {
  std::string message;
  const auto keep = [](MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type, const char* text,
                       void* kept) -> PetscErrorCode {
    if (type == PETSC_ERROR_INITIAL) *static_cast<std::string*>(kept) = text;
    return code;
  };
  const auto expect = [&](const char* kind, const char* sentence) {
    make(std::string("-ksp_type cg -ksp_error_if_not_converged") + here + kind);
    EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), PETSC_ERR_NOT_CONVERGED) << kind;
    EXPECT_NE(message.find(std::string("gpusupernodal: the preconditioner has failed: the matrix ") + sentence),
              std::string::npos)
        << message;
    EXPECT_EQ(message.find("-1"), std::string::npos) << message;
  };
  PETSC_OK(PetscPushErrorHandler(keep, &message));
  set(a_, 3, 3, -4);
  expect("jacobi", "has no positive pivot in row 3");
  set(a_, 3, 3, std::numeric_limits<PetscReal>::infinity());
  expect("jacobi", "has values that are not finite");
  PETSC_OK(PetscPopErrorHandler());
}

TEST_F(PetscPreconditioner, ReadsItsOptions) {
  make("-ksp_type cg -pc_gpusupernodal_block_size 3" + here + "block_jacobi");
  solve();
  EXPECT_NE(view().find("blocks: 3 rows"), std::string::npos) << view();
  make("-ksp_type cg -pc_gpusupernodal_factor_precision single" + here + "factor");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  EXPECT_NE(view().find("precision of the factor: single"), std::string::npos) << view();
  make(
      "-ksp_type preonly -pc_gpusupernodal_ordering amd -pc_gpusupernodal_expected_solves 1000 "
      "-pc_gpusupernodal_expected_factorizations 10 -pc_gpusupernodal_preconditioner fsai" +
      here + "automatic");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_ITS);
  EXPECT_NE(view().find("why: "), std::string::npos) << view();
}

TEST_F(PetscPreconditioner, WrongSettingsAreErrors) {
  for (const char* options : {"-pc_gpusupernodal_block_size 9", "-pc_gpusupernodal_threads -1",
                              "-pc_gpusupernodal_device -7", "-pc_gpusupernodal_renewal_iterations -2"}) {
    make(std::string("-ksp_type cg ") + options + here + "block_jacobi");
    EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), PETSC_ERR_ARG_WRONG) << options;
  }
  for (const char* options :
       {"-pc_gpusupernodal_tolerance 2", "-pc_gpusupernodal_expected_solves 0", "-pc_gpusupernodal_max_it -1"}) {
    make(std::string("-ksp_type preonly ") + options + here + "automatic");
    EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), PETSC_ERR_ARG_WRONG) << options;
  }
  make("-ksp_type cg");
  option("-pc_type", "gpusupernodal");
  option("-pc_gpusupernodal_kind", "best");
  EXPECT_NE(static_cast<int>(KSPSetFromOptions(ksp_)), 0);
}

TEST_F(PetscPreconditioner, RefusesOtherMatrices) {
  Mat shell = nullptr;
  Mat wide = nullptr;
  PC pc = nullptr;
  PETSC_OK(MatCreateShell(PETSC_COMM_SELF, order, order, order, order, nullptr, &shell));
  PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 3, 5, 1, nullptr, &wide));
  PETSC_OK(MatAssemblyBegin(wide, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(wide, MAT_FINAL_ASSEMBLY));
  for (Mat a : {shell, wide}) {
    PETSC_OK(PCCreate(PETSC_COMM_SELF, &pc));
    PETSC_OK(PCSetType(pc, "gpusupernodal"));
    PETSC_OK(PCSetOperators(pc, a, a));
    EXPECT_EQ(static_cast<int>(PCSetUp(pc)), a == shell ? PETSC_ERR_SUP : PETSC_ERR_ARG_SIZ);
    PETSC_OK(PCDestroy(&pc));
  }
  PETSC_OK(MatDestroy(&shell));
  PETSC_OK(MatDestroy(&wide));
}

TEST_F(PetscPreconditioner, ChangesItsKind) {
  make("-ksp_type cg" + here + "jacobi");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
  option("-pc_gpusupernodal_kind", "direct");
  PETSC_OK(KSPSetFromOptions(ksp_));
  set(a_, 2, 2, 8);
  const Solved direct = solve();
  EXPECT_EQ(direct.reason, KSP_CONVERGED_RTOL);
  EXPECT_EQ(direct.iterations, 1);
  PETSC_OK(KSPReset(ksp_));
  EXPECT_EQ(solve().iterations, 1);
}

/// Another kind acts from the next set-up on; until then, the old one works, and the view says so.
TEST_F(PetscPreconditioner, KeepsItsKindUntilTheNextSetUp) {
  for (const bool to_method : {true, false}) {
    const char* const from = to_method ? "jacobi" : "direct";
    const char* const to = to_method ? "direct" : "jacobi";
    SCOPED_TRACE(std::string(from) + " to " + to);
    for (const char* ksp : {"cg", "gpusupernodalcg"}) {
      make(std::string("-ksp_type ") + ksp + here + from);
      const Solved before = solve();
      option("-pc_gpusupernodal_kind", to);
      PETSC_OK(KSPSetFromOptions(ksp_));
      const Solved kept = solve();
      EXPECT_EQ(kept.reason, KSP_CONVERGED_RTOL);
      EXPECT_EQ(kept.iterations, before.iterations);
      EXPECT_NE(view().find(std::string("kind: ") + from), std::string::npos) << view();
      set(a_, 2, 2, 5 + (to_method ? 1 : 0));
      EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
      EXPECT_NE(view().find(std::string("kind: ") + to), std::string::npos) << view();
    }
  }
}

TEST_F(PetscPreconditioner, WorksOnBlocks) {
  make(
      "-ksp_type cg -ksp_rtol 1e-8 -pc_type bjacobi -pc_bjacobi_blocks 4 -sub_pc_type gpusupernodal "
      "-sub_pc_gpusupernodal_kind direct -sub_pc_gpusupernodal_backend host");
  EXPECT_EQ(solve().reason, KSP_CONVERGED_RTOL);
}

}  // namespace
}  // namespace gpusupernodal::test
