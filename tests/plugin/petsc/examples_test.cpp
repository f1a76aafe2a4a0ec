#include <gtest/gtest.h>
#include <petscsys.h>

#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "tests/plugin/petsc/on_ranks.hpp"
#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {
namespace {

/// For ex2 with n = 1480: its condition number is about 600 and ‖x‖ = √n, so the error is far below 600 · 4 n eps · √n.
constexpr double forward_error = 4.5e5 * std::numeric_limits<PetscReal>::epsilon();

/// PETSc's example programs, built from the sources that PETSc installs.
class PetscExamples : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(TEST_EXAMPLE_FOLDER).empty()) GTEST_SKIP() << "this PETSc came without its examples";
  }
  static Outcome run_example(const std::string& name, const std::string& options) {
    return run(TEST_EXAMPLE_FOLDER "/petsc_" + name + use_plugin() + " " + options);
  }
  static Outcome run_example_on_ranks(int ranks, const std::string& name, const std::string& options) {
    return run_on_ranks(ranks, TEST_EXAMPLE_FOLDER "/petsc_" + name + use_plugin() + " " + options);
  }
};

TEST_F(PetscExamples, LaplacianOnAGrid) {
  for (const char* type : {"aij", "sbaij"}) {
    const Outcome outcome =
        run_example("ex2", "-m 40 -n 37 -ksp_type preonly -ksp_converged_reason -mat_type " + std::string(type));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_TRUE(outcome.says("CONVERGED_ITS iterations 1")) << outcome.output;
    const std::vector<double> errors = numbers_after(outcome.output, "Norm of error ");
    ASSERT_EQ(errors.size(), 1U) << outcome.output;
    EXPECT_LT(errors[0], forward_error);
  }
}

TEST_F(PetscExamples, LaplacianOfSeveralRanks) {
  if (!can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  for (const char* type : {"aij", "sbaij"}) {
    for (const int ranks : {2, 4}) {
      const Outcome outcome = run_example_on_ranks(
          ranks, "ex2", "-m 40 -n 37 -ksp_type preonly -ksp_converged_reason -ksp_view -mat_type " + std::string(type));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      EXPECT_TRUE(outcome.says("CONVERGED_ITS iterations 1")) << outcome.output;
      EXPECT_EQ(numbers_after(outcome.output, "ranks: "), std::vector<double>{static_cast<double>(ranks)}) << outcome.output;
      const std::vector<double> errors = numbers_after(outcome.output, "Norm of error ");
      ASSERT_EQ(errors.size(), 1U) << outcome.output;
      EXPECT_LT(errors[0], forward_error);
    }
  }
}

TEST_F(PetscExamples, NaturalOrderOfSeveralRanks) {
  if (!can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  const Outcome outcome = run_example_on_ranks(
      4, "ex2", "-m 40 -n 37 -ksp_type preonly -ksp_converged_reason -ksp_view -pc_factor_mat_ordering_type natural");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("ordering: given by PETSc")) << outcome.output;
  EXPECT_TRUE(outcome.says("CONVERGED_ITS iterations 1")) << outcome.output;
}

TEST_F(PetscExamples, ConjugateGradientsWithSymmetricSides) {
  const Outcome outcome = run_example("ex2", "-m 10 -n 9 -ksp_converged_reason -ksp_type gmres -ksp_pc_side symmetric");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("CONVERGED_RTOL iterations 1")) << outcome.output;
}

TEST_F(PetscExamples, MatrixFromABinaryFile) {
  const std::string path = temporary_path("binary");
  const Outcome written = solve_matrix(project_matrix("bcsstk14.mtx.gz"), "-ksp_view_mat binary:" + path);
  ASSERT_EQ(written.exit_code, 0) << written.output;
  const std::string options = "-f " + path + " -rhs one -ksp_type preonly -ksp_converged_reason -mat_type ";
  for (const char* type : {"aij", "sbaij", "baij"}) {
    for (const int ranks : {1, 2, 4}) {
      if (ranks > 1 && !can_run_on_ranks()) continue;
      const Outcome outcome =
          ranks == 1 ? run_example("ex10", options + type) : run_example_on_ranks(ranks, "ex10", options + type);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      EXPECT_TRUE(outcome.says("CONVERGED_ITS iterations 1")) << outcome.output;
    }
  }
  std::remove(path.c_str());
  std::remove((path + ".info").c_str());
}

// The factorizing rank informs the others: all get the same reason, or an error ends all, and no rank waits forever.
TEST_F(PetscExamples, IndefiniteMatrixOnSeveralRanks) {
  if (!can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  const std::string path = temporary_path("indefinite");
  const Outcome written = solve_matrix(indefinite_matrix(), "-ksp_view_mat binary:" + path);
  ASSERT_EQ(written.exit_code, 0) << written.output;
  const std::string example = TEST_EXAMPLE_FOLDER "/petsc_ex10" + use_plugin() + " -f " + path +
                              " -rhs one -mat_gpusupernodal_form llt -ksp_type cg ";
  const Outcome reason = run_on_ranks(3, example + "-ksp_converged_reason");
  EXPECT_EQ(reason.exit_code, 0) << reason.output;
  EXPECT_TRUE(reason.says("FACTOR_NUMERIC_ZEROPIVOT")) << reason.output;
  const Outcome error = run_on_ranks(3, example + "-ksp_error_if_not_converged");
  EXPECT_NE(error.exit_code, 0);
  EXPECT_TRUE(error.says("gpusupernodal: the matrix is not positive definite: pivot ")) << error.output;
  const Outcome shifted = run_on_ranks(3, example + "-ksp_converged_reason -pc_factor_shift_type inblocks -ksp_type gmres");
  EXPECT_TRUE(shifted.says("CONVERGED_RTOL")) << shifted.output;
  std::remove(path.c_str());
  std::remove((path + ".info").c_str());
}

TEST_F(PetscExamples, SeveralRightHandSides) {
  const Outcome outcome = run_example("ex16", "-m 12 -n 13 -ntimes 4 -ksp_type preonly -ksp_converged_reason");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "CONVERGED_ITS iterations "), (std::vector<double>{1, 1, 1, 1})) << outcome.output;
}

TEST_F(PetscExamples, CoarseGridOfMultigrid) {
  const Outcome outcome =
      run_example("ex45",
                  "-pc_type mg -pc_mg_levels 3 -da_refine 2 -ksp_converged_reason -ksp_view -ksp_type cg "
                  "-mg_coarse_pc_type cholesky -mg_coarse_pc_factor_mat_solver_type gpusupernodal");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("CONVERGED_RTOL")) << outcome.output;
  EXPECT_TRUE(outcome.says("package used to perform factorization: gpusupernodal")) << outcome.output;
}

TEST_F(PetscExamples, CoarseGridOfAlgebraicMultigrid) {
  const Outcome outcome =
      run_example("ex2",
                  "-m 60 -n 60 -pc_type gamg -ksp_type cg -ksp_converged_reason -ksp_view "
                  "-mg_coarse_sub_pc_type cholesky -mg_coarse_sub_pc_factor_mat_solver_type gpusupernodal");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("CONVERGED_RTOL")) << outcome.output;
  EXPECT_TRUE(outcome.says("package used to perform factorization: gpusupernodal")) << outcome.output;
}

}  // namespace
}  // namespace gpusupernodal::test
