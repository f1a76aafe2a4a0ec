#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {
namespace {

std::string matrix_with_a_nan() {
  return temporary_file("nan.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 2 nan\n3 3 3\n2 1 1\n");
}

TEST(PetscFailure, IndefiniteMatrixIsAReasonNotAnError) {
  const Outcome outcome = solve_matrix(
      indefinite_matrix(), use_plugin() + " -mat_gpusupernodal_form llt -ksp_converged_reason -ksp_view -ksp_type cg");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("DIVERGED_PC_FAILED")) << outcome.output;
  EXPECT_TRUE(outcome.says("FACTOR_NUMERIC_ZEROPIVOT")) << outcome.output;
  EXPECT_TRUE(outcome.says("no factor: pivot ")) << outcome.output;
}

/// Cholesky fails, so LDLᵀ takes its plan; or LDLᵀ is asked for.
TEST(PetscFailure, IndefiniteMatrixIsSolvedByLdlt) {
  for (const char* form : {"auto", "ldlt"}) {
    const Outcome outcome =
        solve_matrix(indefinite_matrix(), use_plugin() + " -ksp_converged_reason -ksp_view -ksp_type preonly " +
                                              "-mat_gpusupernodal_form " + std::string(form));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_TRUE(outcome.says("CONVERGED_ITS")) << outcome.output;
    EXPECT_TRUE(outcome.says("form: ldlt")) << outcome.output;
    EXPECT_TRUE(outcome.says("1 negative, 0 zero")) << outcome.output;
  }
}

/// Several devices have no LDLᵀ, so `auto` means llt.
TEST(PetscFailure, IndefiniteMatrixIsNotSolvedByLdltWithSeveralDevices) {
  const Outcome outcome = solve_matrix(
      indefinite_matrix(), use_plugin() + " -ksp_converged_reason -ksp_type preonly -mat_gpusupernodal_backend host" +
                               " -mat_gpusupernodal_devices 0,1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("DIVERGED_PC_FAILED")) << outcome.output;
}

/// Nor does hybrid memory.
TEST(PetscFailure, IndefiniteMatrixIsNotSolvedByLdltWithHybridMemory) {
  const Outcome outcome = solve_matrix(
      indefinite_matrix(), use_plugin() + " -ksp_converged_reason -ksp_type preonly -mat_gpusupernodal_backend host" +
                               " -mat_gpusupernodal_memory hybrid");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("DIVERGED_PC_FAILED")) << outcome.output;
}

TEST(PetscFailure, NextValuesRecover) {
  const Outcome outcome =
      solve_matrix(indefinite_matrix(), use_plugin() + " -mat_gpusupernodal_form llt -repeat 8 -ksp_type preonly");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("solve 0: DIVERGED_PC_FAILED")) << outcome.output;
  EXPECT_TRUE(outcome.says("solve 7: CONVERGED_ITS")) << outcome.output;
}

TEST(PetscFailure, IsAnErrorIfTheProgramAsksForErrors) {
  const Outcome outcome = solve_matrix(
      indefinite_matrix(),
      use_plugin() + " -mat_gpusupernodal_form llt -ksp_error_if_not_converged -mat_gpusupernodal_ordering natural");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("the matrix is not positive definite: pivot -3.5 in row 1")) << outcome.output;
}

TEST(PetscFailure, ShiftsAreTriedWhenAskedFor) {
  for (const char* type : {"nonzero", "positive_definite", "inblocks"}) {
    const Outcome outcome = solve_matrix(
        indefinite_matrix(), use_plugin() + " -ksp_type gmres -ksp_view -pc_factor_shift_type " + std::string(type));
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(outcome.says("CONVERGED_RTOL")) << outcome.output;
    const std::vector<double> shifts = numbers_after(outcome.output, "              shift: ");
    ASSERT_EQ(shifts.size(), 1U) << outcome.output;
    // The smallest eigenvalue is (3 − √37) / 2; each shift is ten times the one before.
    EXPECT_GT(shifts[0], 1.54);
    EXPECT_LT(shifts[0], 15.5);
  }
}

TEST(PetscFailure, NoShiftIsAddedUnlessNeeded) {
  const Outcome outcome =
      solve_matrix(project_matrix("lund_b.mtx.gz"),
                   use_plugin() + " -ksp_view -ksp_type preonly -pc_factor_shift_type positive_definite");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_FALSE(outcome.says("added to the diagonal")) << outcome.output;
}

TEST(PetscFailure, ValuesThatAreNotFiniteAreAReasonNotAnError) {
  const std::string path = matrix_with_a_nan();
  const Outcome outcome = solve_matrix(path, use_plugin() + " -ksp_converged_reason -ksp_type preonly -info :mat");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("DIVERGED_PC_FAILED")) << outcome.output;
  EXPECT_TRUE(outcome.says("Not finite: value nan. in row 1")) << outcome.output;
  const Outcome as_error = solve_matrix(path, use_plugin() + " -ksp_error_if_not_converged");
  EXPECT_NE(as_error.exit_code, 0);
  EXPECT_TRUE(as_error.says("the matrix has a value that is not finite (nan.) in row 1")) << as_error.output;
}

TEST(PetscFailure, KspReportsANonFiniteRightHandSide) {
  const std::string b = temporary_file("nan.txt", "1\nnan\n1\n");
  const Outcome outcome =
      solve_matrix(indefinite_matrix(), use_plugin() + " -pc_factor_shift_type nonzero -ksp_type cg -b " + b);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("solve 0: DIVERGED_NANORINF")) << outcome.output;
}

TEST(PetscFailure, AnUnknownValueOfAnOptionIsNamed) {
  const Outcome outcome = solve_matrix(indefinite_matrix(), use_plugin() + " -mat_gpusupernodal_backend abacus");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("abacus")) << outcome.output;
  EXPECT_TRUE(outcome.says("auto host cuda")) << outcome.output;
}

TEST(PetscFailure, ExceptionsBecomePetscErrors) {
  const Outcome outcome = solve_matrix(indefinite_matrix(), use_plugin() + " -mat_gpusupernodal_streams 0");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("gpusupernodal: ")) << outcome.output;
  EXPECT_TRUE(outcome.says("streams")) << outcome.output;
  EXPECT_FALSE(outcome.says("terminate called")) << outcome.output;
}

TEST(PetscFailure, AMissingBackendIsAnErrorWithTheReason) {
  const Outcome outcome = run("CUDA_VISIBLE_DEVICES= " TEST_PROGRAM " -f " + indefinite_matrix() + use_plugin() +
                              " -mat_gpusupernodal_backend cuda");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("CUDA")) << outcome.output;
  EXPECT_FALSE(outcome.says("terminate called")) << outcome.output;
}

}  // namespace
}  // namespace gpusupernodal::test
