#include <gtest/gtest.h>
#include <petscsys.h>

#include <string>
#include <vector>

#include "tests/plugin/petsc/on_ranks.hpp"
#include "tests/plugin/petsc/program.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr int width = 13;

/// Matrix type, block size, ranks, and whether every second rank has no rows.
struct Case {
  const char* type;
  int block;
  int ranks;
  bool empty;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.type << " with blocks of " << c.block << " on " << c.ranks << " ranks"
       << (c.empty ? ", half of them empty" : "");
}

Outcome run_case(const Case& c, int of_width, const std::string& options = "") {
  return run_on_ranks(c.ranks, TEST_RANKS_PROGRAM + load_plugin() + " -mat_type " + c.type + " -block " +
                                   std::to_string(c.block) + " -width " + std::to_string(of_width) +
                                   (c.empty ? " -empty" : "") +
                                   " -mat_ignore_lower_triangular -mat_gpusupernodal_backend host " + options);
}

class PetscRanksCases : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  }
};

class PetscRanks : public PetscRanksCases, public testing::WithParamInterface<Case> {};

TEST_P(PetscRanks, SolveLikeOneRank) {
  const int n = width * width * GetParam().block;
  const double bound = backward_error_bound<PetscReal>(n);
  const Outcome outcome = run_case(GetParam(), width);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  // First, with new values, with those of another matrix, and after a failure.
  for (const char* check : {"\nsolve ", "\ntranspose ", "\nhalves ", "\ncolumns ", "\nsparse ", "\ninplace ",
                            "\nshifted solve ", "\nother solve ", "\nrecovered solve "}) {
    const std::vector<double> errors = numbers_after("\n" + outcome.output, check);
    ASSERT_FALSE(errors.empty()) << check << outcome.output;
    for (const double error : errors) EXPECT_LE(error, bound) << check << outcome.output;
  }
  // y = L⁻¹ P b, so yᵀy = bᵀ A⁻¹ b. ‖A‖₂ < 4.5 + 4 + 2/8, and the smallest eigenvalue is above 0.5 − 2/8.
  constexpr double condition = 36.0;
  for (const double error : numbers_after("\n" + outcome.output, "\nenergy ")) EXPECT_LE(error, bound * condition);
  EXPECT_EQ(numbers_after(outcome.output, "\nnotpositive "), std::vector<double>{0}) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "\npositive "), std::vector<double>{static_cast<double>(n)}) << outcome.output;
  EXPECT_GT(numbers_after(outcome.output, "\nnonzeros ").at(0), 2.0 * n) << outcome.output;
  // All ranks report the same failed pivot: MAT_FACTOR_NUMERIC_ZEROPIVOT, the corrupted row, a negative number.
  EXPECT_EQ(numbers_after(outcome.output, "\ncode "), std::vector<double>{2}) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "\nrow "), std::vector<double>{0}) << outcome.output;
  EXPECT_LT(numbers_after(outcome.output, "\npivot ").at(0), -99) << outcome.output;
}

TEST_F(PetscRanksCases, MatrixOfOrderZeroWorks) {
  for (const char* type : {"aij", "baij", "sbaij"}) {
    for (const int ranks : {1, 2}) {
      const Outcome outcome = run_case(Case{type, 1, ranks, false}, 0);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      EXPECT_EQ(numbers_after(outcome.output, "\npositive "), std::vector<double>{0}) << outcome.output;
    }
  }
}

// A failure on the factorizing rank is an error on all ranks: none waits for another forever.
TEST_F(PetscRanksCases, ErrorEndsAllRanks) {
  const Outcome outcome = run_case(Case{"aij", 1, 4, false}, width, "-mat_gpusupernodal_streams 0");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("streams")) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "\nerrors on ranks ").at(0), 4) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Types, PetscRanks,
                         testing::Values(Case{"aij", 1, 1, false}, Case{"aij", 1, 2, false}, Case{"aij", 1, 4, true},
                                         Case{"aij", 3, 4, false}, Case{"baij", 1, 2, true}, Case{"baij", 3, 4, false},
                                         Case{"sbaij", 1, 4, false}, Case{"sbaij", 3, 2, false}, Case{"sbaij", 2, 4, true},
                                         Case{"mpiaij", 1, 1, false}, Case{"mpibaij", 3, 1, false},
                                         Case{"mpisbaij", 1, 1, false}, Case{"mpisbaij", 3, 1, false},
                                         Case{"seqbaij", 2, 1, false}));

}  // namespace
}  // namespace gpusupernodal::test
