/// \file
/// All ranks of a matrix factorize it together: -mat_gpusupernodal_distribute.

#include "tests/plugin/petsc/ranks_together.hpp"

#include <gtest/gtest.h>
#include <petscsys.h>
#ifdef __linux__
#include <sched.h>
#endif

#include <string>
#include <vector>

#include "tests/plugin/petsc/on_ranks.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr int width = 13;

/// Matrix type, block size, width of the grid, ranks, and whether every second rank has no rows.
struct Case {
  const char* type;
  int block;
  int width;
  int ranks;
  bool empty;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.type << " with blocks of " << c.block << " and width " << c.width << " on " << c.ranks << " ranks"
       << (c.empty ? ", half of them empty" : "");
}

class PetscTogether : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  }
};

class PetscTogetherTypes : public PetscTogether, public testing::WithParamInterface<Case> {};

TEST_P(PetscTogetherTypes, SolveLikeOneRank) {
  const Case& c = GetParam();
  const int n = c.width * c.width * c.block;
  const double bound = backward_error_bound<PetscReal>(n);
  const Outcome outcome =
      run_on_ranks(c.ranks, TEST_RANKS_PROGRAM + load_plugin() + " -mat_type " + c.type + " -block " +
                                std::to_string(c.block) + " -width " + std::to_string(c.width) + (c.empty ? " -empty" : "") +
                                " -mat_ignore_lower_triangular -mat_gpusupernodal_distribute all -malloc_dump");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  for (const char* check : {"\nsolve ", "\ntranspose ", "\ncolumns ", "\nsparse ", "\ninplace ", "\nshifted solve ",
                            "\nother solve ", "\nrecovered solve "}) {
    if (c.width == 0 && std::string(check) == "\nrecovered solve ") continue;
    const std::vector<double> errors = numbers_after("\n" + outcome.output, check);
    ASSERT_FALSE(errors.empty()) << check << outcome.output;
    if (n == 0) continue;
    for (const double error : errors) EXPECT_LE(error, bound) << check << outcome.output;
  }
  EXPECT_EQ(numbers_after(outcome.output, "\npositive "), std::vector<double>{static_cast<double>(n)}) << outcome.output;
  EXPECT_FALSE(outcome.says("bytes Mat")) << outcome.output;
  if (n == 0) return;
  EXPECT_EQ(numbers_after(outcome.output, "\ncode "), std::vector<double>{2}) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "\nrow "), std::vector<double>{0}) << outcome.output;
  EXPECT_LT(numbers_after(outcome.output, "\npivot ").at(0), -99) << outcome.output;
}

// With width 2 there are more ranks than block columns, with width 0 no rows.
INSTANTIATE_TEST_SUITE_P(Types, PetscTogetherTypes,
                         testing::Values(Case{"aij", 1, width, 1, false}, Case{"aij", 1, width, 3, false},
                                         Case{"aij", 1, width, 5, true}, Case{"baij", 3, width, 2, false},
                                         Case{"sbaij", 1, width, 3, false}, Case{"sbaij", 2, width, 2, true},
                                         Case{"aij", 1, 2, 5, false}, Case{"aij", 1, 0, 2, false}));

TEST_F(PetscTogether, GivesTheSameAnswersAsTheFirstRankAlone) {
  for (const int ranks : {2, 5}) {
    constexpr int m = 7;
    const std::string empty = ranks == 5 ? " -empty" : "";
    expect_together(
        run_on_ranks(ranks, TEST_RANKS_TOGETHER_PROGRAM + load_plugin() + " -malloc_dump -m " + std::to_string(m) + empty),
        ranks, m);
  }
}

/// As PetscRanksTrials.
TEST_F(PetscTogether, EndsAlikeOnAllRanks) {
  const Outcome outcome = run_on_ranks(
      3, TEST_RANKS_TRIALS_PROGRAM + load_plugin() + " -seed 500 -trials 40 -limit 240 -mat_gpusupernodal_distribute all");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "\nwrong ").at(0), 0) << outcome.output;
  EXPECT_GT(numbers_after(outcome.output, "\nchecks ").at(0), 400) << outcome.output;
  EXPECT_GT(numbers_after(outcome.output, "\nfailures ").at(0), 4) << outcome.output;
  EXPECT_GT(numbers_after(outcome.output, "\nrefusals ").at(0), 4) << outcome.output;
}

// The first rank alone analyzes: its error is one of all ranks.
TEST_F(PetscTogether, ErrorOfTheAnalysisEndsAllRanks) {
  const Outcome outcome = run_on_ranks(
      3, TEST_RANKS_PROGRAM + load_plugin() + " -mat_gpusupernodal_distribute all -mat_gpusupernodal_last_rows 3,3");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("part 0 of 3 failed: last_rows[0][0] and last_rows[0][1] are both 3")) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "\nerrors on ranks ").at(0), 3) << outcome.output;
}

// `auto` leaves small matrices to the first rank, and says why.
TEST_F(PetscTogether, AutoSaysWhyTheFirstRankWorksAlone) {
  const std::string command =
      "/petsc_ex2" + load_plugin() + use_plugin() + " -ksp_type preonly -ksp_view -mat_gpusupernodal_distribute auto";
  const std::string folder = TEST_EXAMPLE_FOLDER;
  if (folder.empty()) GTEST_SKIP() << "PETSc's examples are not installed";
  const Outcome unknown = run_on_ranks(2, folder + command);
  EXPECT_TRUE(unknown.says("collected on the first (LDLT may be needed")) << unknown.output;
  const Outcome refined = run_on_ranks(2, folder + command + " -mat_gpusupernodal_refinement_steps 1");
  EXPECT_TRUE(refined.says("collected on the first (-mat_gpusupernodal_refinement_steps 1)")) << refined.output;
  const Outcome small = run_on_ranks(2, folder + command + " -mat_gpusupernodal_form llt");
  EXPECT_TRUE(small.says("collected on the first (predicted: ") || small.says("collected on the first (ranks share"))
      << small.output;
}

// Two cores of this process, for two ranks; fewer if there are fewer.
std::vector<int> two_cores() {
  std::vector<int> cores;
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cores;
  for (int cpu = 0; cpu < CPU_SETSIZE && cores.size() < 2; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cores.push_back(cpu);
  }
#endif
  return cores;
}

// `auto` takes all ranks where each has a core of its own and one thread would take long.
TEST_F(PetscTogether, AutoTakesAllRanksForLongFactorizations) {
  const std::vector<int> cores = two_cores();
  if (cores.size() < 2) GTEST_SKIP() << "no two cores";
  const auto on_core = [&](std::size_t rank) {
    return "taskset -c " + std::to_string(cores[rank]) + " " TEST_RANKS_TOGETHER_PROGRAM + load_plugin() +
           " -view -mat_gpusupernodal_backend host -m ";
  };
  for (const int m : {8, 37}) {
    const std::string size = std::to_string(m);
    const Outcome outcome = run_on_ranks(1, on_core(0) + size + " : -n 1 " + on_core(1) + size);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(outcome.says("ranks: 2, all factorize together"), m == 37) << outcome.output;
    EXPECT_EQ(outcome.says("collected on the first (predicted: "), m == 8) << outcome.output;
    EXPECT_EQ(outcome.says("collected on the first (-pc_factor_shift_type NONZERO)"), m == 37) << outcome.output;
    for (const double error : numbers_after("\n" + outcome.output, "\nsolve "))
      EXPECT_LE(error, backward_error_bound<PetscReal>(static_cast<std::int64_t>(m) * m * m)) << outcome.output;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
