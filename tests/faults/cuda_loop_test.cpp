/// Tests of a loop of new values and solves with data on the device: it neither waits nor allocates. Without a device,
/// on a simulated one.

#include "tests/faults/capture_watch.hpp"
#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/heap.hpp"
#include "tests/faults/stream_watch.hpp"
#include "tests/faults/sweep.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

constexpr std::array taking{CudaCall::memory, CudaCall::create};

class CudaLoop : public testing::TestWithParam<CudaSchedule> {};

/// The calls of a time step; values and right-hand sides are in device memory.
struct Loop {
  Loop(const Subject& of, const Options& options)
      : subject(of),
        solver(options),
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

  /// Checks the solution after a factorization; skipped on a simulated device, which solves nothing.
  void expect_solved() {
    solve(1, System::a);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    if (!device_is_simulated()) expect_solves(solver, subject.a);
  }

  const Subject& subject;
  Solver<double> solver;
  std::int64_t n;
  std::size_t entries;
  DeviceArray<double> values, b, x;
};

TEST_P(CudaLoop, NeitherSynchronizesNorAllocates) {
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

/// Counts the launches of the k-th refactorize.
TEST(CudaReplay, IsOneLaunchAfterTheRecording) {
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
  // The recorded work uses the same launch functions.
  EXPECT_GT(launches[0], 1);
  EXPECT_EQ(launches[1], launches[0] + 1);
  EXPECT_EQ(launches[2], 1);
  EXPECT_EQ(launches[3], 1);
}

/// If memory for a graph is refused, factorizations are launched kernel by kernel.
TEST(CudaReplay, FallsBackIfMemoryForTheGraphIsRefused) {
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

/// Number of launches in a refactorize, which must not throw.
std::int64_t launches_of(Loop& loop) {
  cuda_faults(CudaCall::launch).arm(0, Lasting::once);
  EXPECT_NO_THROW(loop.refactorize());
  cuda_faults(CudaCall::launch).disarm();
  return cuda_faults(CudaCall::launch).seen();
}

/// Each call that records, instantiates or launches a graph fails once, and so does each call of the launches that
/// follow. A failed graph is not a failed factorization, which is then permanently launched piece by piece.
TEST(CudaReplay, FailedGraphCallsFallBackToLaunches) {
  const Options options = cuda_options(CudaSchedule::levels);
  const Subject subject = cuda_subject(options);
  for (std::int64_t k = 1;; ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    Loop loop(subject, options);
    loop.refactorize();
    cuda_faults(CudaCall::any).arm(k, Lasting::once);
    const Ended ended = attempt([&] { loop.refactorize(); });
    cuda_faults(CudaCall::any).disarm();
    if (!cuda_faults(CudaCall::any).fired()) break;
    EXPECT_TRUE(ended == Ended::well || !graph_was_refused()) << "a refactorize threw that would have worked in pieces";
    launches_of(loop);  // Records a graph if the failure came before that.
    const std::int64_t next = launches_of(loop);
    EXPECT_EQ(next > 1, graph_was_refused()) << "launches: " << next;
    EXPECT_EQ(loop.solver.status(), Status::success);
    loop.expect_solved();
    if (testing::Test::HasFailure()) return;
  }
}

/// A driver that refuses to record any launch.
TEST(CudaReplay, FallsBackIfLaunchesCannotBeRecorded) {
  const Options options = cuda_options(CudaSchedule::levels);
  const Subject subject = cuda_subject(options);
  Loop loop(subject, options);
  loop.refactorize();
  launches_fail_in_recordings() = true;
  for (int round = 0; round < 4; ++round) {
    EXPECT_GT(launches_of(loop), 1);
    EXPECT_EQ(loop.solver.status(), Status::success);
    loop.expect_solved();
  }
  launches_fail_in_recordings() = false;
  EXPECT_EQ(stream_watch().is_recording(), false) << "the recording was not ended";
}

/// A recording that another thread invalidated is repeated in the next factorization.
TEST(CudaReplay, InvalidatedRecordingIsRepeated) {
  if (!device_is_simulated()) GTEST_SKIP() << "Replay.WorksWhileTwoThreadsCreateSolvers does it on a device";
  const Options options = cuda_options(CudaSchedule::levels);
  const Subject subject = cuda_subject(options);
  for (const bool at_its_end : {false, true}) {
    SCOPED_TRACE(at_its_end ? "invalidated while it is ended" : "invalidated from its beginning");
    Loop loop(subject, options);
    loop.refactorize();
    if (at_its_end) {
      capture_watch().invalidate_next_end();
    } else {
      capture_watch().invalidate_next();
    }
    EXPECT_GT(launches_of(loop), 1);
    EXPECT_GT(launches_of(loop), 1) << "recorded, and launched as a whole";
    EXPECT_EQ(launches_of(loop), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, CudaLoop, testing::Values(CudaSchedule::levels, CudaSchedule::streams),
                         [](const testing::TestParamInfo<CudaSchedule>& schedule) {
                           return schedule.param == CudaSchedule::levels ? "levels" : "streams";
                         });

}  // namespace
}  // namespace gpusupernodal::test
