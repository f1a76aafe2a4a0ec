#include <gtest/gtest.h>

#include <string>

#include "tests/plugin/petsc/on_ranks.hpp"
#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {
namespace {

class PetscRanksTrials : public testing::TestWithParam<int> {};

/// Random matrices, layouts with ranks without rows, new values and patterns, invalid values, solves on all ranks and
/// on groups of them, objects destroyed in any order: every call must end, and in the same way on all ranks.
TEST_P(PetscRanksTrials, EndAlikeOnAllRanks) {
  if (GetParam() > 1 && !can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  const std::string command =
      TEST_RANKS_TRIALS_PROGRAM + load_plugin() + " -seed 1 -trials 100 -limit 240 -mat_gpusupernodal_backend host";
  const Outcome outcome = GetParam() > 1 ? run_on_ranks(GetParam(), command) : run(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "\nwrong ").at(0), 0) << outcome.output;
  EXPECT_GT(numbers_after(outcome.output, "\nchecks ").at(0), 1000) << outcome.output;
  EXPECT_GT(numbers_after(outcome.output, "\nfailures ").at(0), 10) << outcome.output;
  EXPECT_GT(numbers_after(outcome.output, "\nrefusals ").at(0), 10) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Ranks, PetscRanksTrials, testing::Values(1, 2, 3));

}  // namespace
}  // namespace gpusupernodal::test
