/// A loop of new values and solves with data on the device: it waits for nothing and takes nothing. On a simulated device
/// where there is no other.

#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/heap.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

constexpr std::array taking{CudaCall::memory, CudaCall::create};

class CudaLoop : public testing::TestWithParam<CudaSchedule> {};

/// What a time step does; values and right-hand sides are in device memory.
struct Loop {
  Loop(const Subject& subject, const Options& options)
      : solver(options),
        n(subject.a.n),
        entries(subject.a.values.size()),
        values(subject.a.values),
        b(subject.b),
        x(subject.b) {
    solver.analyze(subject.stored.view(), subject.plan);
    solver.reserve_right_hand_sides(Subject::columns);
  }
  void refactorize() { solver.refactorize(Span<const double>(values.get(), entries), MemorySpace::device); }
  void run() {
    refactorize();
    solve(1, System::a);
    solve(Subject::columns, System::a);
    solve(1, System::forward);
    solve(1, System::backward);
  }
  void solve(std::int64_t columns, System part) {
    solver.solve(DenseView<const double>(b.get(), n, columns, n, MemorySpace::device),
                 DenseView<double>(x.get(), n, columns, n, MemorySpace::device), part);
  }

  Solver<double> solver;
  std::int64_t n;
  std::size_t entries;
  DeviceArray<double> values, b, x;
};

TEST_P(CudaLoop, NeitherWaitsNorTakes) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  Loop loop(subject, options);
  for (int warm = 0; warm < 2; ++warm) loop.run();  // The second refactorize records a graph.
  for (const CudaCall call : taking) cuda_faults(call).arm(0, Lasting::once);
  cuda_faults(CudaCall::graph).arm(0, Lasting::once);
  heap_faults().arm(0, Lasting::once);
  const std::int64_t waits = host_waits();
  for (int round = 0; round < 3; ++round) loop.run();
  heap_faults().disarm();
  EXPECT_EQ(host_waits(), waits) << "the host waited for the device";
  for (const CudaCall call : taking) EXPECT_EQ(cuda_faults(call).seen(), 0) << name_of(call);
  EXPECT_EQ(cuda_faults(CudaCall::graph).seen(), 0) << "a graph";
  cuda_faults(CudaCall::graph).disarm();
  EXPECT_EQ(heap_faults().seen(), 0) << "operator new or malloc";
  loop.refactorize();
  loop.solver.status();
  EXPECT_GT(host_waits(), waits) << "the hooks do not see that status waits";
  Loop another(subject, options);
  for (const CudaCall call : taking) {
    EXPECT_GT(cuda_faults(call).seen(), 0) << "the hooks do not see " << name_of(call);
    cuda_faults(call).disarm();
  }
  if (device_is_simulated()) return;
  loop.run();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(loop.solver.status(), Status::success);
}

/// Launches of the k-th refactorize.
TEST(CudaReplay, IsOneLaunchFromTheSecondTimeOn) {
  const Options options = cuda_options(CudaSchedule::levels);
  const Subject subject = cuda_subject(options);
  Loop loop(subject, options);
  std::vector<std::int64_t> launches;
  for (int round = 0; round < 4; ++round) {
    cuda_faults(CudaCall::launch).arm(0, Lasting::once);
    loop.refactorize();
    launches.push_back(cuda_faults(CudaCall::launch).seen());
    cuda_faults(CudaCall::launch).disarm();
  }
  // What is recorded is launched by the same functions.
  EXPECT_GT(launches[0], 1);
  EXPECT_EQ(launches[1], launches[0] + 1);
  EXPECT_EQ(launches[2], 1);
  EXPECT_EQ(launches[3], 1);
}

/// A device without memory for a graph still factorizes, launch by launch.
TEST(CudaReplay, WithoutMemoryForTheGraph) {
  const Options options = cuda_options(CudaSchedule::levels);
  const Subject subject = cuda_subject(options);
  Loop loop(subject, options);
  loop.refactorize();
  cuda_faults(CudaCall::graph).arm(1, Lasting::once);
  loop.refactorize();
  EXPECT_TRUE(cuda_faults(CudaCall::graph).fired());
  cuda_faults(CudaCall::graph).disarm();
  for (int round = 0; round < 2; ++round) {
    cuda_faults(CudaCall::launch).arm(0, Lasting::once);
    loop.refactorize();
    EXPECT_GT(cuda_faults(CudaCall::launch).seen(), 1);
    cuda_faults(CudaCall::launch).disarm();
  }
  EXPECT_EQ(loop.solver.status(), Status::success);
}

INSTANTIATE_TEST_SUITE_P(Schedules, CudaLoop, testing::Values(CudaSchedule::levels, CudaSchedule::streams),
                         [](const testing::TestParamInfo<CudaSchedule>& schedule) {
                           return schedule.param == CudaSchedule::levels ? "levels" : "streams";
                         });

}  // namespace
}  // namespace gpusupernodal::test
