/// From the second factorization on, the solver launches one recorded graph: with other values in other memory, scaled, on
/// other streams, after failures and between factorizations that cannot be replayed.

#include <cmath>
#include <limits>
#include <thread>

#include "tests/solver/api/cuda/device_problem.hpp"

namespace gpusupernodal::test {
namespace {

/// A solver that replays its factorizations, and two systems with one pattern.
struct Replayed {
  Replayed() {
    solver.set_stream(stream.get());
    solver.analyze(stored<double>(first.a).view());
    for (int i = 0; i < 3; ++i) first.refactorize(solver);
    stream.wait();
  }
  void expect_solved(const DeviceSystem<double>& system) {
    system.refactorize(solver);
    system.solve(solver);
    stream.wait();
    EXPECT_LE(system.error(), system.bound());
    EXPECT_EQ(solver.status(), Status::success);
  }

  CallersStream stream;
  Solver<double> solver{on_device(CudaSchedule::levels)};
  DeviceSystem<double> first{io::generate("lap3d:12"), 1.0, 3};
  DeviceSystem<double> second{io::generate("lap3d:12"), 5.0, 4};
};

class Replay : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_F(Replay, HandlesChangingPointers) {
  Replayed r;
  for (int round = 0; round < 3; ++round) {
    r.expect_solved(r.second);
    r.expect_solved(r.first);
  }
}

/// Both factorizations are in flight, the second with other values than the first.
TEST_F(Replay, HandlesNewPointersWhileARefactorizeRuns) {
  Replayed r;
  r.first.refactorize(r.solver);
  r.first.solve(r.solver);
  r.second.refactorize(r.solver);
  r.second.solve(r.solver);
  r.stream.wait();
  EXPECT_LE(r.first.error(), r.first.bound());
  EXPECT_LE(r.second.error(), r.second.bound());
}

TEST_F(Replay, HandlesChangingStreams) {
  Replayed r;
  for (int round = 0; round < 3; ++round) {
    const CallersStream other;
    r.solver.set_stream(other.get());
    r.second.refactorize(r.solver);
    r.second.solve(r.solver);
    other.wait();
    EXPECT_LE(r.second.error(), r.second.bound());
    r.solver.set_stream(r.stream.get());
    r.expect_solved(r.first);
  }
}

/// Two threads create and destroy solvers concurrently: a wait in one thread must not invalidate a capture in the other.
TEST_F(Replay, WorksWhileTwoThreadsCreateSolvers) {
  const auto come_and_go = [] {
    for (int round = 0; round < 6; ++round) {
      Replayed r;
      r.expect_solved(r.second);
    }
  };
  std::thread other(come_and_go);
  come_and_go();
  other.join();
}

TEST_F(Replay, AppliesScaleAndShift) {
  Replayed r;
  for (const double scale : {4.0, 1.0, 0.25}) {
    for (const double shift : {0.0, 2.0}) {
      r.solver.set_shift(shift, scale);
      r.first.refactorize(r.solver);
      io::SymmetricMatrix other = r.first.a;
      for (double& value : other.values) value *= scale;
      for (std::int64_t j = 0; j < other.n; ++j) {
        other.values[static_cast<std::size_t>(other.offsets[static_cast<std::size_t>(j)])] += shift;
      }
      expect_solves(r.solver, other);
    }
  }
  r.solver.set_shift(0.0);
  r.expect_solved(r.first);
}

TEST_F(Replay, WorksBetweenFactorizationsOfHostValues) {
  Replayed r;
  r.solver.factorize(stored<double>(r.second.a).view());
  expect_solves(r.solver, r.second.a);
  r.expect_solved(r.first);
  r.solver.factorize(stored<double>(r.second.a).view());
  expect_solves(r.solver, r.second.a);
}

TEST_F(Replay, FailuresAreReportedAndThenCleared) {
  Replayed r;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::int64_t column : {0, 700, 1727}) {
    for (const double wrong : {-1.0, infinity}) {
      std::vector<double> bad = r.second.a.values;
      const auto entry = static_cast<std::size_t>(r.second.a.offsets[static_cast<std::size_t>(column)]);
      bad[entry] = wrong;
      const DeviceArray<double> values(bad);
      r.solver.refactorize(Span<const double>(values.get(), bad.size()), MemorySpace::device);
      EXPECT_EQ(r.solver.status(), wrong < 0.0 ? Status::not_positive_definite : Status::non_finite_input);
      EXPECT_EQ(r.solver.factor_report().failed_column, column);
      if (wrong > 0.0) {
        EXPECT_EQ(r.solver.factor_report().failed_value, infinity);
      }
      r.expect_solved(r.first);
    }
  }
}

/// Additions occur in one order, whether replayed or not.
TEST_F(Replay, DeterministicFactorHasEqualBits) {
  Replayed r;
  Options options = on_device(CudaSchedule::levels);
  options.deterministic = true;
  Solver<double> solver(options);
  solver.analyze(stored<double>(r.first.a).view());
  std::vector<std::vector<double>> solutions;
  for (int round = 0; round < 4; ++round) {
    r.first.refactorize(solver);
    r.first.solve(solver);
    GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
    solutions.push_back(r.first.x.host());
  }
  for (const std::vector<double>& x : solutions) EXPECT_EQ(x, solutions.front());
}

TEST_F(Replay, WorksInSinglePrecision) {
  Replayed r;
  Solver<float> solver(on_device(CudaSchedule::levels));
  const DeviceSystem<float> system(io::generate("lap2d:40"), 1.0, 3);
  const DeviceSystem<float> other(io::generate("lap2d:40"), 3.0, 3);
  solver.set_stream(r.stream.get());
  solver.analyze(stored<float>(system.a).view());
  for (int round = 0; round < 6; ++round) {
    const DeviceSystem<float>& one = round % 2 == 0 ? system : other;
    one.refactorize(solver);
    one.solve(solver);
    r.stream.wait();
    EXPECT_LE(one.error(), one.bound());
  }
}

}  // namespace
}  // namespace gpusupernodal::test
