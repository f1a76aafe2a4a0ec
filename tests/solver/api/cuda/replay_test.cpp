/// From the second factorization on, one graph is launched: with other values in other memory, scaled, on other streams,
/// after failures and between factorizations that cannot be replayed.

#include <cmath>
#include <limits>

#include "tests/solver/api/cuda/device_problem.hpp"

namespace gpusupernodal::test {
namespace {

class Replay : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE();
    solver_.set_stream(stream_.get());
    solver_.analyze(stored<double>(first_.a).view());
    for (int i = 0; i < 3; ++i) first_.refactorize(solver_);
    stream_.wait();
  }
  void expect_solved(const DeviceSystem<double>& system) {
    system.refactorize(solver_);
    system.solve(solver_);
    stream_.wait();
    EXPECT_LE(system.error(), system.bound());
    EXPECT_EQ(solver_.status(), Status::success);
  }

  CallersStream stream_;
  Solver<double> solver_{on_device(CudaSchedule::levels)};
  DeviceSystem<double> first_{io::generate("lap3d:12"), 1.0, 3};
  DeviceSystem<double> second_{io::generate("lap3d:12"), 5.0, 4};
};

TEST_F(Replay, OtherMemoryEachTime) {
  for (int round = 0; round < 3; ++round) {
    expect_solved(second_);
    expect_solved(first_);
  }
}

/// Both factorizations are under way when the second is given other values than the first.
TEST_F(Replay, OtherMemoryWhileTheLastIsUnderWay) {
  first_.refactorize(solver_);
  first_.solve(solver_);
  second_.refactorize(solver_);
  second_.solve(solver_);
  stream_.wait();
  EXPECT_LE(first_.error(), first_.bound());
  EXPECT_LE(second_.error(), second_.bound());
}

TEST_F(Replay, OtherStreams) {
  for (int round = 0; round < 3; ++round) {
    const CallersStream other;
    solver_.set_stream(other.get());
    second_.refactorize(solver_);
    second_.solve(solver_);
    other.wait();
    EXPECT_LE(second_.error(), second_.bound());
    solver_.set_stream(stream_.get());
    expect_solved(first_);
  }
}

TEST_F(Replay, ScaledAndShifted) {
  for (const double scale : {4.0, 1.0, 0.25}) {
    for (const double shift : {0.0, 2.0}) {
      solver_.set_shift(shift, scale);
      first_.refactorize(solver_);
      io::SymmetricMatrix other = first_.a;
      for (double& value : other.values) value *= scale;
      for (std::int64_t j = 0; j < other.n; ++j) {
        other.values[static_cast<std::size_t>(other.offsets[static_cast<std::size_t>(j)])] += shift;
      }
      expect_solves(solver_, other);
    }
  }
  solver_.set_shift(0.0);
  expect_solved(first_);
}

TEST_F(Replay, ValuesFromTheHostBetween) {
  solver_.factorize(stored<double>(second_.a).view());
  expect_solves(solver_, second_.a);
  expect_solved(first_);
  solver_.factorize(stored<double>(second_.a).view());
  expect_solves(solver_, second_.a);
}

TEST_F(Replay, FailuresAreToldAndForgotten) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::int64_t column : {0, 700, 1727}) {
    for (const double wrong : {-1.0, infinity}) {
      std::vector<double> bad = second_.a.values;
      const auto entry = static_cast<std::size_t>(second_.a.offsets[static_cast<std::size_t>(column)]);
      bad[entry] = wrong;
      const DeviceArray<double> values(bad);
      solver_.refactorize(Span<const double>(values.get(), bad.size()), MemorySpace::device);
      EXPECT_EQ(solver_.status(), wrong < 0.0 ? Status::not_positive_definite : Status::non_finite_input);
      EXPECT_EQ(solver_.factor_report().failed_column, column);
      if (wrong > 0.0) {
        EXPECT_EQ(solver_.factor_report().failed_value, infinity);
      }
      expect_solved(first_);
    }
  }
}

/// The same additions in the same order, replayed or not.
TEST_F(Replay, TheBitsOfADeterministicFactor) {
  Options options = on_device(CudaSchedule::levels);
  options.deterministic = true;
  Solver<double> solver(options);
  solver.analyze(stored<double>(first_.a).view());
  std::vector<std::vector<double>> solutions;
  for (int round = 0; round < 4; ++round) {
    first_.refactorize(solver);
    first_.solve(solver);
    GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
    solutions.push_back(first_.x.host());
  }
  for (const std::vector<double>& x : solutions) EXPECT_EQ(x, solutions.front());
}

TEST_F(Replay, InSinglePrecision) {
  Solver<float> solver(on_device(CudaSchedule::levels));
  const DeviceSystem<float> system(io::generate("lap2d:40"), 1.0, 3);
  const DeviceSystem<float> other(io::generate("lap2d:40"), 3.0, 3);
  solver.set_stream(stream_.get());
  solver.analyze(stored<float>(system.a).view());
  for (int round = 0; round < 6; ++round) {
    const DeviceSystem<float>& one = round % 2 == 0 ? system : other;
    one.refactorize(solver);
    one.solve(solver);
    stream_.wait();
    EXPECT_LE(one.error(), one.bound());
  }
}

}  // namespace
}  // namespace gpusupernodal::test
