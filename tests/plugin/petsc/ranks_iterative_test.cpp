#include <gtest/gtest.h>
#include <petscsys.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "tests/plugin/petsc/on_ranks.hpp"
#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {
namespace {

/// Ten times the largest -ksp_rtol: some methods look at preconditioned residuals.
constexpr double ranks_bound = 10 * 1e-8;
constexpr double eps = std::numeric_limits<PetscReal>::epsilon();

class PetscRanksIterative : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  }
  static Outcome run_program(const std::string& options) {
    return run_on_ranks(GetParam(), TEST_RANKS_ITERATIVE_PROGRAM + load_plugin() + " " + options);
  }
  /// Every outcome of the program, in its order; the fourth matrix is indefinite. Solves that converged have an error.
  static void expect_solves(const Outcome& outcome, const std::vector<double>& reasons) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(numbers_after(outcome.output, "reason "), reasons) << outcome.output;
    const std::vector<double> errors = numbers_after("\n" + outcome.output, "\nerror ");
    const std::vector<double> counts = numbers_after(outcome.output, "\nhistory ");
    EXPECT_EQ(std::ssize(errors), std::count_if(reasons.begin(), reasons.end(), [](double reason) { return reason > 0; }));
    EXPECT_EQ(counts.size(), reasons.size()) << outcome.output;
    for (const double error : errors) EXPECT_LE(error, ranks_bound) << outcome.output;
    for (const double count : counts) EXPECT_GE(count, 0) << outcome.output;
  }
};

TEST_P(PetscRanksIterative, ProductsEqualThoseOfAij) {
  for (const char* rows : {"", "-empty", "-n 1", "-n 0"}) {
    SCOPED_TRACE(rows);
    const Outcome outcome = run_program(std::string("-products -mat_type aijgpusupernodal ") + rows);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_TRUE(outcome.says(GetParam() == 1 ? "type seqaijgpusupernodal" : "type mpiaijgpusupernodal")) << outcome.output;
    const std::vector<double> differences = numbers_after(outcome.output, "\nproduct ");
    EXPECT_EQ(differences.size(), 6U) << outcome.output;
    for (const double difference : differences) EXPECT_LE(difference, 100 * eps) << outcome.output;
    // Absolute, of 7 columns with norms of some hundreds.
    for (const double difference : numbers_after(outcome.output, "\ndense "))
      EXPECT_LE(difference, 1e5 * eps) << outcome.output;
  }
}

/// Products of sparse matrices have our type. On several ranks they are those of aij, whose parts PETSc multiplies as
/// sequential matrices.
TEST_P(PetscRanksIterative, SparseProductsEqualThoseOfAij) {
  std::vector<std::string> trials{"", "-n 2"};
  if (GetParam() == 2) {  // All algorithms that multiply sequential parts in another way.
    trials = {"-matptap_via scalable -matmatmult_via scalable -mattransposematmult_via scalable -empty",
              "-matptap_via nonscalable -matmatmult_via nonscalable -mattransposematmult_via nonscalable",
              "-matptap_via allatonce -matmatmult_via seqmpi -mattransposematmult_via at*b",
              "-matptap_via allatonce_merged"};
  }
  for (const std::string& options : trials) {
    SCOPED_TRACE(options);
    const Outcome outcome = run_program("-sparse_products -mat_type aijgpusupernodal " + options);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_FALSE(outcome.says("type seqaij\n") || outcome.says("type mpiaij\n")) << outcome.output;
    const std::vector<double> differences = numbers_after(outcome.output, "\nproduct ");
    EXPECT_EQ(differences.size(), 9U) << outcome.output;
    for (const double difference : differences) EXPECT_LE(difference, 100 * eps) << outcome.output;
  }
}

/// GAMG sets up and solves with our type on any number of ranks.
TEST_P(PetscRanksIterative, GamgWorks) {
  const Outcome outcome = run_program(
      "-mat_type aijgpusupernodal -n 90 -ksp_type gmres -ksp_rtol 1e-9 -pc_type gamg "
      "-pc_gamg_coarse_eq_limit 10 -pc_gamg_reuse_interpolation false");
  expect_solves(outcome, {2, 2, 2, 2, 2});
}

/// Matrices that PETSc reassembles, preallocates or makes multiply in the format that the options say.
TEST_P(PetscRanksIterative, ResultsOfPetscHaveTheOptions) {
  for (const char* options :
       {"-mat_gpusupernodal_format coo", "-mat_gpusupernodal_format csr -mine_mat_gpusupernodal_format coo"}) {
    SCOPED_TRACE(options);
    const Outcome outcome = run_on_ranks(GetParam(), TEST_RANKS_OPTIONS_PROGRAM + load_plugin() + " -format coo " + options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    const std::vector<double> others = numbers_after(outcome.output, " others ");
    EXPECT_GE(others.size(), 6U) << outcome.output;
    for (const double count : others) EXPECT_EQ(count, 0) << outcome.output;
  }
}

TEST_P(PetscRanksIterative, ConjugateGradientsOfTheLibrary) {
  for (const char* rows : {"", "-empty", "-n 60", "-mat_type aijgpusupernodal"}) {
    for (const char* kind : {"fsai", "none", "factor"}) {
      SCOPED_TRACE(std::string(kind) + rows);
      const Outcome outcome = run_program(std::string("-ksp_type gpusupernodalcg -ksp_rtol 1e-8 -pc_type gpusupernodal "
                                                      "-pc_gpusupernodal_kind ") +
                                          kind + " " + rows);
      // KSP_CONVERGED_RTOL, KSP_DIVERGED_PC_FAILED, KSP_DIVERGED_INDEFINITE_MAT.
      expect_solves(outcome, {2, 2, 2, std::string(kind) == "none" ? -10.0 : -11.0, 2});
      EXPECT_TRUE(outcome.says("conjugate gradients in the library")) << outcome.output;
    }
  }
}

TEST_P(PetscRanksIterative, PreconditionersInPetscsMethods) {
  for (const char* kind : {"jacobi", "fsai", "direct", "automatic"}) {
    SCOPED_TRACE(kind);
    const Outcome outcome = run_program(std::string("-ksp_type fgmres -ksp_rtol 1e-8 -pc_type gpusupernodal "
                                                    "-pc_gpusupernodal_kind ") +
                                        kind);
    expect_solves(outcome, {2, 2, 2, -11, 2});
    EXPECT_EQ(outcome.says("the matrix is collected on the first"), GetParam() > 1) << outcome.output;
  }
}

TEST_P(PetscRanksIterative, ForeignPreconditionersRunInKspCg) {
  const Outcome outcome = run_program("-ksp_type gpusupernodalcg -ksp_rtol 1e-8 -pc_type jacobi -mat_type aijgpusupernodal");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("KSPCG solves, because the preconditioner is jacobi, not gpusupernodal")) << outcome.output;
}

TEST_P(PetscRanksIterative, MonitorsAreShownOnAllRanks) {
  const Outcome outcome = run_program("-ksp_type gpusupernodalcg -ksp_monitor");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("  1 KSP Residual norm ")) << outcome.output;
}

/// An error on the rank that computes is an error on all: none waits forever.
TEST_P(PetscRanksIterative, ErrorsEndAllRanks) {
  for (const char* options :
       {"-ksp_type gpusupernodalcg -pc_gpusupernodal_threads -1",
        "-ksp_type cg -pc_type gpusupernodal -pc_gpusupernodal_backend cuda -pc_gpusupernodal_device 99",
        "-ksp_type preonly -pc_type gpusupernodal -pc_gpusupernodal_kind pcg "
        "-pc_gpusupernodal_tolerance 7"}) {
    SCOPED_TRACE(options);
    const Outcome outcome = run_program(options);
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_TRUE(outcome.says("gpusupernodal: ")) << outcome.output;
    EXPECT_EQ(numbers_after(outcome.output, "\nerrors on ranks ").at(0), GetParam()) << outcome.output;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, PetscRanksIterative, testing::Values(1, 2, 3));

}  // namespace
}  // namespace gpusupernodal::test
