/// Tests of calls during a graph capture: a call that cannot be captured says so and leaves the capture intact; after a
/// failed CUDA call, the solver still works. Without a device, on a simulated one.

#include "tests/faults/graph_scene.hpp"
#include "tests/faults/sweep.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

class CallsDuringCapture : public testing::TestWithParam<CudaSchedule> {};

struct Refused {
  const char* name;
  void (*call)(GraphScene&);
};

/// Calls that wait for the device, or allocate or free its memory.
const std::vector<Refused>& refused_calls() {
  static const std::vector<Refused> all{
      {"reserve_right_hand_sides", [](GraphScene& s) { s.solver->reserve_right_hand_sides(16); }},
      {"solve of 16", [](GraphScene& s) { s.solve(16); }},
      {"solve from the host",
       [](GraphScene& s) {
         std::vector<double> x(static_cast<std::size_t>(s.n));
         s.solver->solve(DenseView<const double>(s.right.data(), s.n), DenseView<double>(x.data(), s.n));
       }},
      {"solve to the host",
       [](GraphScene& s) {
         std::vector<double> x(static_cast<std::size_t>(s.n));
         s.solver->solve(DenseView<const double>(s.b.get(), s.n, 1, s.n, MemorySpace::device),
                         DenseView<double>(x.data(), s.n));
       }},
      {"factorize from the host", [](GraphScene& s) { s.solver->factorize(s.subject.stored.view()); }},
      {"factorize with other refinement",
       [](GraphScene& s) {
         Options options = s.options;
         options.refinement.max_steps = 2;
         s.solver->set_options(options);
         s.refactorize();
       }},
      {"analyze", [](GraphScene& s) { s.solver->analyze(s.subject.stored.view()); }},
      {"analyze with a plan", [](GraphScene& s) { s.solver->analyze(s.subject.stored.view(), s.subject.plan); }},
      {"compute", [](GraphScene& s) { s.solver->compute(s.subject.stored.view()); }},
      {"load_plan", [](GraphScene& s) { s.solver->load_plan(s.subject.stored.view(), "/nowhere"); }},
      {"status", [](GraphScene& s) { s.solver->status(); }},
      {"factor_report", [](GraphScene& s) { s.solver->factor_report(); }},
      {"extract_l", [](GraphScene& s) { static_cast<void>(s.solver->extract_l()); }},
      {"log_determinant", [](GraphScene& s) { static_cast<void>(s.solver->log_determinant()); }},
      {"reciprocal_condition",
       [](GraphScene& s) { static_cast<void>(s.solver->reciprocal_condition(s.subject.stored.view())); }},
      {"trace_json", [](GraphScene& s) { static_cast<void>(s.solver->trace_json()); }},
  };
  return all;
}

TEST_P(CallsDuringCapture, WaitingAndAllocatingCallsAreRefused) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  for (const Refused& refused : refused_calls()) {
    SCOPED_TRACE(refused.name);
    GraphScene scene(subject, options);
    scene.allocator->keep_all();
    CapturedGraph graph(scene.stream.get());
    EXPECT_THROW(refused.call(scene), InvalidState);
    EXPECT_TRUE(scene.solver->is_factorized());
    scene.solver->set_options(scene.options);
    scene.refactorize();
    scene.solve();
    EXPECT_EQ(graph.end(), cudaSuccess) << "the capture was invalidated";
    EXPECT_EQ(scene.allocator->lost(), 0);
    if (testing::Test::HasFailure()) return;
    scene.expect_replay(graph);
    EXPECT_EQ(scene.solver->status(), Status::success);
  }
}

TEST_P(CallsDuringCapture, SolveWithRefinementIsRefused) {
  Options options = cuda_options(GetParam());
  options.refinement.max_steps = 2;
  const Subject subject = cuda_subject(options);
  GraphScene scene(subject, options);
  CapturedGraph graph(scene.stream.get());
  scene.refactorize();
  EXPECT_THROW(scene.solve(), InvalidState);
  EXPECT_EQ(graph.end(), cudaSuccess) << "the capture was invalidated";
  scene.solve();
  scene.wait();
  scene.expect_first_column();
}

/// A status that has been read already needs no wait.
TEST_P(CallsDuringCapture, KnownStatusIsReported) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  GraphScene scene(subject, options);
  EXPECT_EQ(scene.solver->status(), Status::success);
  CapturedGraph graph(scene.stream.get());
  EXPECT_EQ(scene.solver->status(), Status::success);
  EXPECT_EQ(graph.end(), cudaSuccess);
}

/// Solvers on streams that are not captured work during a capture of another stream.
TEST_P(CallsDuringCapture, OtherSolversKeepWorking) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  GraphScene scene(subject, options);
  GraphScene other(subject, options);
  other.refactorize();
  other.wait();
  CapturedGraph graph(scene.stream.get());
  scene.refactorize();
  other.refactorize();
  other.solve();
  scene.solve();
  EXPECT_EQ(graph.end(), cudaSuccess);
  other.wait();
  other.expect_first_column();
  scene.expect_replay(graph);
}

/// Each CUDA call of a factorization and a solve fails during a capture. Afterwards the solver works and can be
/// captured in a graph.
TEST_P(CallsDuringCapture, FailedCallLeavesAUsableSolver) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  for (std::int64_t k = 1;; ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    GraphScene scene(subject, options);
    {
      CapturedGraph broken(scene.stream.get());
      cuda_faults(CudaCall::any).arm(k, Lasting::once);
      const Ended ended = attempt([&] {
        scene.refactorize();
        scene.solve();
      });
      cuda_faults(CudaCall::any).disarm();
      if (!cuda_faults(CudaCall::any).fired()) break;
      EXPECT_NE(ended, Ended::other);
    }
    scene.refactorize();
    scene.solve();
    scene.wait();
    scene.expect_first_column();
    EXPECT_EQ(scene.solver->status(), Status::success);
    CapturedGraph graph(scene.stream.get());
    scene.refactorize();
    scene.solve();
    ASSERT_EQ(graph.end(), cudaSuccess);
    scene.expect_replay(graph);
    if (testing::Test::HasFailure()) return;
  }
}

/// Memory for more right-hand sides is refused: the graph continues to work with its vectors.
TEST_P(CallsDuringCapture, GraphStillWorksAfterMoreMemoryIsRefused) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  GraphScene scene(subject, options);
  CapturedGraph graph(scene.stream.get());
  scene.solve();
  ASSERT_EQ(graph.end(), cudaSuccess);
  scene.allocator->keep_all();
  cuda_faults(CudaCall::memory).arm(1, Lasting::from_then_on);
  EXPECT_THROW(scene.solve(16), OutOfMemory);
  EXPECT_THROW(scene.solver->analyze(subject.stored.view(), subject.plan), OutOfMemory);
  cuda_faults(CudaCall::memory).disarm();
  EXPECT_EQ(scene.allocator->lost(), 0);
  scene.expect_replay(graph);
  scene.solve();
  scene.wait();
  scene.expect_first_column();
}

INSTANTIATE_TEST_SUITE_P(Schedules, CallsDuringCapture, testing::Values(CudaSchedule::levels, CudaSchedule::streams),
                         [](const testing::TestParamInfo<CudaSchedule>& schedule) {
                           return schedule.param == CudaSchedule::levels ? "levels" : "streams";
                         });

}  // namespace
}  // namespace gpusupernodal::test
