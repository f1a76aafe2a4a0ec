/// Order and progress: solvers make progress whatever else runs on the device, and wait for the caller's earlier work.

#include <cmath>
#include <string>
#include <thread>

#include "tests/solver/api/cuda/beside.hpp"
#include "tests/solver/api/cuda/counted_graphs.hpp"
#include "tests/solver/api/cuda/delayed_launches.hpp"
#include "tests/solver/api/cuda/device_problem.hpp"

namespace gpusupernodal::test {
namespace {

/// The first has enough products to use side streams.
constexpr std::array matrices{"lap3d:24", "lap2d:70", "elas:6"};

class SolverOnStreams : public testing::TestWithParam<CudaSchedule> {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
  static Options options() { return on_device(GetParam()); }
};

std::string schedule_name(const testing::TestParamInfo<CudaSchedule>& schedule) {
  return schedule.param == CudaSchedule::levels ? "levels" : "streams";
}

/// Alternates new values and solves on a separate stream. Returns an error message, empty if each round was correct.
template <class T>
std::string work(const Options& options, const char* matrix, std::shared_ptr<const FactorPlan> plan, int rounds) {
  try {
    const io::SymmetricMatrix a = rounded<T>(io::generate(matrix));
    const StoredMatrix<T> s = stored<T>(a);
    const CallersStream stream;
    Solver<T> solver(options);
    solver.set_stream(stream.get());
    plan ? solver.analyze(s.view(), plan) : solver.analyze(s.view());
    const DeviceSystem<T> first(a, 1.0, 3);
    const DeviceSystem<T> second(a, 3.0, 4, 5);
    solver.reserve_right_hand_sides(5);
    for (int round = 0; round < rounds; ++round) {
      const DeviceSystem<T>& system = round % 2 == 0 ? first : second;
      system.refactorize(solver);
      system.solve(solver);
      stream.wait();
      if (!(system.error() <= system.bound())) return "round " + std::to_string(round) + " of " + matrix + " is wrong";
    }
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST_P(SolverOnStreams, TwoThreadsUseSeparateSolvers) {
  Solver<double> planner(on(Backend::host));
  const io::SymmetricMatrix shared = io::generate(matrices[0]);
  planner.analyze(shared.view());
  std::string of_doubles;
  std::string of_floats;
  std::string of_others;
  std::thread doubles([&] { of_doubles = work<double>(options(), matrices[0], planner.plan(), 25); });
  std::thread floats([&] { of_floats = work<float>(options(), matrices[0], planner.plan(), 25); });
  of_others = work<double>(options(), matrices[1], nullptr, 25);
  doubles.join();
  floats.join();
  EXPECT_EQ(of_doubles, "");
  EXPECT_EQ(of_floats, "");
  EXPECT_EQ(of_others, "");
}

TEST_P(SolverOnStreams, WorksBesideAKernelThatFillsTheDevice) {
  constexpr double max_seconds = 8.0;
  for (const char* matrix : matrices) {
    const io::SymmetricMatrix a = io::generate(matrix);
    const CallersStream stream;
    Solver<double> solver(options());
    solver.set_stream(stream.get());
    solver.analyze(a.view());
    const DeviceSystem<double> one(a, 1.0, 5);
    const DeviceSystem<double> many(a, 1.0, 6, 6);
    solver.reserve_right_hand_sides(6);
    const auto both = [&] {
      one.refactorize(solver);
      one.solve(solver);
      many.solve(solver);
    };
    both();  // CUDA loads code at its first launch, which may wait for the device.
    stream.wait();
    for (const int left_free : {2, multiprocessors() / 2}) {
      const DeviceOccupant occupant(left_free, max_seconds);
      both();
      stream.wait();
      EXPECT_TRUE(occupant.holds()) << matrix << ": did not go on with " << left_free << " multiprocessors";
      EXPECT_LE(one.error(), one.bound()) << matrix;
      EXPECT_LE(many.error(), many.bound()) << matrix;
    }
    // With no multiprocessor free, all work is queued and runs after the release.
    DeviceOccupant occupant(0, max_seconds);
    both();
    occupant.release();
    stream.wait();
    EXPECT_LE(one.error(), one.bound()) << matrix;
    EXPECT_LE(many.error(), many.bound()) << matrix;
  }
}

TEST_P(SolverOnStreams, HandlesDelayedLaunches) {
  for (const char* matrix : matrices) {
    const io::SymmetricMatrix a = io::generate(matrix);
    const CallersStream stream;
    const DeviceSystem<double> one(a, 1.0, 7);
    const DeviceSystem<double> many(a, 5.0, 8, 6);
    std::shared_ptr<const FactorPlan> plan;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      // A new solver each time, so that the sequence covers direct launches, recording and replay of the graph.
      Solver<double> solver(options());
      solver.set_stream(stream.get());
      plan ? solver.analyze(a.view(), plan) : solver.analyze(a.view());
      plan = solver.plan();
      solver.reserve_right_hand_sides(6);
      // Either many short delays, or a few that hold a stream back for as long as a factorization takes.
      const DelayedLaunches delays(seed % 2 == 0 ? 3 : 20, seed % 2 == 0 ? 30.0 : 1000.0, seed);
      one.refactorize(solver);
      one.solve(solver);
      many.refactorize(solver);
      many.solve(solver);
      one.refactorize(solver);
      one.solve(solver);
      stream.wait();
      EXPECT_LE(one.error(), one.bound()) << matrix << ", seed " << seed;
      EXPECT_LE(many.error(), many.bound()) << matrix << ", seed " << seed;
      EXPECT_GT(delays.count(), 0) << "the hook does not see launches";
    }
  }
}

/// Before each call, the caller's stream runs a long kernel and a copy of the inputs; right after the call, it overwrites
/// the inputs with NaN. All work is on one stream and the host does not wait within a round.
TEST_P(SolverOnStreams, IsOrderedWithTheCallersStream) {
  const io::SymmetricMatrix a = io::generate(matrices[0]);
  const CallersStream stream;
  Solver<double> solver(options());
  solver.set_stream(stream.get());
  solver.analyze(a.view());
  const DeviceSystem<double> source(a, 1.0, 9);
  const DeviceSystem<double> system(a, 1.0, 9);
  const auto bytes = [](std::size_t count) { return count * sizeof(double); };
  const auto bring = [&](const DeviceArray<double>& to, const DeviceArray<double>& from, std::size_t count) {
    delay(stream.get(), 3000.0);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(to.get(), from.get(), bytes(count), cudaMemcpyDeviceToDevice, stream.get()));
  };
  const auto spoil = [&](const DeviceArray<double>& array, std::size_t count) {
    GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(array.get(), 0xff, bytes(count), stream.get()));
  };
  const DeviceArray<double> result(system.right);
  for (int round = 0; round < 3; ++round) {
    spoil(system.values, a.values.size());
    spoil(system.b, system.right.size());
    stream.wait();
    bring(system.values, source.values, a.values.size());
    system.refactorize(solver);
    spoil(system.values, a.values.size());
    bring(system.b, source.b, system.right.size());
    system.solve(solver);
    spoil(system.b, system.right.size());
    bring(result, system.x, system.right.size());
    spoil(system.x, system.right.size());
    stream.wait();
    EXPECT_LE(backward_error(a, result.host(), system.right), system.bound()) << "round " << round;
  }
}

/// A, b and x have different addresses in each call.
TEST_P(SolverOnStreams, HandlesChangingPointers) {
  for (const char* matrix : matrices) {
    const io::SymmetricMatrix a = io::generate(matrix);
    const CallersStream stream;
    Solver<double> solver(options());
    solver.set_stream(stream.get());
    solver.analyze(a.view());
    solver.reserve_right_hand_sides(3);
    std::vector<std::unique_ptr<DeviceSystem<double>>> systems;
    for (const int k : {1, 2, 3, 4}) systems.push_back(std::make_unique<DeviceSystem<double>>(a, k, 10 + k, 1 + k % 3));
    for (int round = 0; round < 12; ++round) {
      const DeviceSystem<double>& system = *systems[static_cast<std::size_t>(round * 3 % 4)];
      system.refactorize(solver);
      system.solve(solver);
      if (round % 4 == 3) {
        stream.wait();
        for (const auto& each : systems) EXPECT_LE(each->error(), each->bound()) << matrix << ", round " << round;
      }
    }
  }
}

/// A solver captures each graph once, even if the pointers change later.
TEST_P(SolverOnStreams, ChangingPointersNeedNoNewGraph) {
  const io::SymmetricMatrix a = io::generate(matrices[0]);
  const CallersStream stream;
  Solver<double> solver(options());
  solver.set_stream(stream.get());
  solver.analyze(a.view());
  const DeviceSystem<double> first(a, 1.0, 11);
  const DeviceSystem<double> second(a, 2.0, 12);
  const auto work = [&](const DeviceSystem<double>& system) {
    system.refactorize(solver);
    system.solve(solver);
  };
  for (int warm = 0; warm < 3; ++warm) work(first);
  const std::int64_t graphs = graph_instantiations();
  for (int round = 0; round < 4; ++round) work(round % 2 == 0 ? second : first);
  stream.wait();
  EXPECT_EQ(graph_instantiations(), graphs);
  EXPECT_LE(first.error(), first.bound());
  EXPECT_LE(second.error(), second.bound());
}

INSTANTIATE_TEST_SUITE_P(Schedules, SolverOnStreams, testing::Values(CudaSchedule::levels, CudaSchedule::streams),
                         schedule_name);

}  // namespace
}  // namespace gpusupernodal::test
