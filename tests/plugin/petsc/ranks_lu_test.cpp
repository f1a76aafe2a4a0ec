#include <gtest/gtest.h>
#include <petscsys.h>

#include <string>
#include <vector>

#include "tests/plugin/petsc/on_ranks.hpp"
#include "tests/plugin/petsc/program.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr int order = 169;

/// The program's options, and the number of ranks.
struct Case {
  const char* options;
  int ranks;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.ranks << " ranks" << c.options; }

class PetscRanksLu : public testing::TestWithParam<Case> {};

TEST_P(PetscRanksLu, SolvesLikeOneRank) {
  if (!can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  const Outcome outcome = run_on_ranks(GetParam().ranks, TEST_RANKS_LU_PROGRAM + load_plugin() + GetParam().options);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  for (const char* check : {"\nsolve ", "\ntranspose ", "\ncolumns ", "\ntransposed columns "}) {
    const std::vector<double> errors = numbers_after("\n" + outcome.output, check);
    ASSERT_FALSE(errors.empty()) << check << outcome.output;
    for (const double error : errors) EXPECT_LE(error, backward_error_bound<PetscReal>(order)) << check << outcome.output;
  }
  EXPECT_EQ(numbers_after("\n" + outcome.output, "\nsolve ").size(), 4U) << outcome.output;
  EXPECT_GT(numbers_after(outcome.output, "\nnonzeros ").at(0), 4.0 * order) << outcome.output;
  // MAT_FACTOR_NUMERIC_ZEROPIVOT for the singular matrix; before it, LU was repeated with other pivots for new values.
  EXPECT_EQ(numbers_after(outcome.output, "\ncode "), (std::vector<double>{0, 2, 0})) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "repeated with other pivots: "), std::vector<double>{1}) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Ranks, PetscRanksLu,
                         testing::Values(Case{"", 1}, Case{"", 2}, Case{"", 3}, Case{" -empty", 3},
                                         Case{" -mat_type mpiaij", 1}));

}  // namespace
}  // namespace gpusupernodal::test
