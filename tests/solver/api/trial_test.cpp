/// Random valid and invalid calls, checked against a model of the solver's state: 40 seeds of 60 calls each.

#include "tests/solver/api/trial.hpp"

#include <gtest/gtest.h>

namespace gpusupernodal::test {
namespace {

template <class T>
void run_trials() {
  for (std::uint64_t seed = 0; seed < 40 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trial<T> trial(seed);
    for (int step = 0; step < 60 && !testing::Test::HasFailure(); ++step) trial.step();
  }
}

TEST(SolverTrials, RandomTrialsInFloat) { run_trials<float>(); }
TEST(SolverTrials, RandomTrialsInDouble) { run_trials<double>(); }

}  // namespace
}  // namespace gpusupernodal::test
