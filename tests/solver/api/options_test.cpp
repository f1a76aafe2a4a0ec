#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "gpusupernodal/info.hpp"
#include "gpusupernodal/pcg.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

struct WrongOption {
  const char* name;
  std::function<void(Options&)> spoil;
  const char* value;
};

std::vector<WrongOption> wrong_options() {
  return {{"merge_width", [](Options& o) { o.merge_width = 0; }, "0"},
          {"expected_factorizations", [](Options& o) { o.expected_factorizations = 0; }, "0"},
          {"block_width", [](Options& o) { o.block_width = 7; }, "7"},
          {"block_width", [](Options& o) { o.block_width = -1; }, "-1"},
          {"threads", [](Options& o) { o.threads = -2; }, "-2"},
          {"device", [](Options& o) { o.device = -3; }, "-3"},
          {"streams", [](Options& o) { o.streams = 0; }, "0"},
          {"streams", [](Options& o) { o.streams = 33; }, "33"},
          {"refinement.max_steps", [](Options& o) { o.refinement.max_steps = -1; }, "-1"},
          {"refinement.backward_error", [](Options& o) { o.refinement.backward_error = -0.5; }, "-0.5"},
          {"refinement.backward_error", [](Options& o) { o.refinement.backward_error = std::nan(""); }, "nan"}};
}

TEST(SolverOptions, AreCheckedWhenSet) {
  for (const WrongOption& wrong : wrong_options()) {
    Options options;
    wrong.spoil(options);
    expect_throw<InvalidInput>([&] { Solver<double> solver(options); }, {wrong.name, wrong.value});
    Solver<double> solver;
    Options good;
    good.threads = 3;
    solver.set_options(good);
    expect_throw<InvalidInput>([&] { solver.set_options(options); }, {wrong.name, wrong.value});
    EXPECT_EQ(solver.options().threads, 3) << "the old ones stay";
  }
}

TEST(SolverOptions, AnalyzeChecksThePermutation) {
  const StoredMatrix<double> s = stored<double>(chain_spd(3));
  Options options = on(Backend::host);
  options.ordering = Ordering::user;
  for (const std::vector<std::int64_t>& permutation : {std::vector<std::int64_t>{0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}}) {
    options.permutation = permutation;
    Solver<double> solver(options);
    expect_throw<InvalidInput>([&] { solver.analyze(s.view()); });
    EXPECT_FALSE(solver.is_analyzed());
  }
  options.permutation = {2, 0, 1};
  Solver<double> solver(options);
  solver.analyze(s.view());
  EXPECT_EQ(solver.analyze_report().ordering, Ordering::user);
}

/// Sets an environment variable during its lifetime.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(SolverBackend, EnvironmentDecidesIfOptionsDoNot) {
  const StoredMatrix<double> s = stored<double>(chain_spd(5));
  Solver<double> solver(on(Backend::automatic));
  {
    const Variable variable("GPUSUPERNODAL_BACKEND", "host");
    solver.analyze(s.view());
    EXPECT_EQ(solver.backend(), Backend::host);
  }
  {
    const Variable variable("GPUSUPERNODAL_BACKEND", "gpu");
    expect_throw<InvalidInput>([&] { solver.analyze(s.view()); }, {"GPUSUPERNODAL_BACKEND", "gpu"});
    Pcg<double> iteration;
    expect_throw<InvalidInput>([&] { iteration.analyze(s.view()); }, {"GPUSUPERNODAL_BACKEND", "gpu"});
    Solver<double> named(on(Backend::host));
    named.analyze(s.view());
    EXPECT_EQ(named.backend(), Backend::host) << "not looked at where the backend is named";
  }
  {
    const Variable variable("GPUSUPERNODAL_BACKEND", "auto");
    solver.analyze(s.view());
  }
}

TEST(SolverBackend, AutomaticTakesTheHostForSmallSystems) {
  Solver<double> solver(on(Backend::automatic));
  solver.compute(stored<double>(io::generate("lap2d:10")).view());
  EXPECT_EQ(solver.backend(), Backend::host);
  EXPECT_FALSE(solver.analyze_report().backend_reason.empty());
}

TEST(SolverBackend, CudaGivesAReasonIfUnavailable) {
  const CudaAvailability cuda = cuda_availability();
  if (cuda.available) GTEST_SKIP() << "a device is available: " << cuda.devices.at(0);
  EXPECT_FALSE(cuda.reason.empty());
  const StoredMatrix<double> s = stored<double>(chain_spd(5));
  Solver<double> solver(on(Backend::host));
  solver.compute(s.view());
  solver.set_options(on(Backend::cuda));
  expect_throw<BackendUnavailable>([&] { solver.analyze(s.view()); }, {"CUDA"});
  EXPECT_TRUE(solver.is_factorized());
  EXPECT_EQ(solver.backend(), Backend::host);
  expect_solves(solver, chain_spd(5));
  const Variable variable("GPUSUPERNODAL_BACKEND", "cuda");
  Solver<double> automatic(on(Backend::automatic));
  expect_throw<BackendUnavailable>([&] { automatic.analyze(s.view()); });
}

TEST(SolverInfo, ListsBothBackends) {
  const std::vector<BackendInfo> all = backends();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "host");
  EXPECT_TRUE(all[0].available);
  EXPECT_FALSE(all[0].devices.empty());
  EXPECT_EQ(all[1].name, "cuda");
  EXPECT_EQ(all[1].available, cuda_availability().available);
  EXPECT_NE(all[1].available, !all[1].reason.empty()) << "a reason where it is not there";
  EXPECT_NE(std::string(version()).find('.'), std::string::npos);
}

}  // namespace
}  // namespace gpusupernodal::test
