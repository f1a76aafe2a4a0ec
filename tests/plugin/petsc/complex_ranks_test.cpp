/// \file
/// All ranks of a Hermitian matrix factorize it together.

#include <gtest/gtest.h>

#include <string>

#include "tests/plugin/petsc/on_ranks.hpp"
#include "tests/plugin/petsc/ranks_together.hpp"

namespace gpusupernodal::test {
namespace {

TEST(PetscComplexTogether, GivesTheSameAnswersAsTheFirstRankAlone) {
  if (!can_run_on_ranks()) GTEST_SKIP() << "no launcher of MPI";
  constexpr int ranks = 3;
  constexpr int m = 6;
  expect_together(run_on_ranks(ranks, TEST_RANKS_TOGETHER_PROGRAM + load_plugin() + " -m " + std::to_string(m)), ranks, m);
}

}  // namespace
}  // namespace gpusupernodal::test
