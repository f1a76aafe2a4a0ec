/// Tests of every call of a solver after a graph has captured its factorization and solve: everything the graph uses
/// stays, or the call refuses. Without a device, on a simulated one.

#include "tests/faults/graph_scene.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

/// A call made while the graph exists, and whether it replaces memory that the graph uses.
struct CallDuringGraph {
  const char* name;
  void (*call)(GraphScene&);
  bool replaces = false;
};

Options changed(const GraphScene& scene, void (*change)(Options&)) {
  Options options = scene.options;
  change(options);
  return options;
}

void analyze_with(GraphScene& scene, void (*change)(Options&)) {
  scene.solver->set_options(changed(scene, change));
  scene.solver->analyze(scene.subject.stored.view(), scene.subject.plan);
}

/// All calls that allocate, free or wait.
const std::vector<CallDuringGraph>& calls_during_graph() {
  static const std::vector<CallDuringGraph> all{
      {"refactorize and solve", [](GraphScene& s) { s.refactorize(), s.solve(); }},
      {"reserve_right_hand_sides", [](GraphScene& s) { s.solver->reserve_right_hand_sides(16); }, true},
      {"solve of 16", [](GraphScene& s) { s.solve(16); }, true},
      {"solve of 5, then of 16", [](GraphScene& s) { s.solve(5), s.solve(16); }, true},
      {"factorize from the host", [](GraphScene& s) { s.solver->factorize(s.subject.stored.view()); }},
      {"analyze", [](GraphScene& s) { analyze_with(s, [](Options&) {}); }, true},
      {"analyze with a trace", [](GraphScene& s) { analyze_with(s, [](Options& o) { o.trace = true; }); }, true},
      {"analyze with refinement", [](GraphScene& s) { analyze_with(s, [](Options& o) { o.refinement.max_steps = 2; }); },
       true},
      {"analyze for the host", [](GraphScene& s) { analyze_with(s, [](Options& o) { o.backend = Backend::host; }); }, true},
      {"analyze another matrix", [](GraphScene& s) { s.solver->analyze(s.subject.stored_other.view()); }, true},
      {"compute", [](GraphScene& s) { s.solver->compute(s.subject.stored_twice.view()); }, true},
      {"load_plan",
       [](GraphScene& s) {
         const TemporaryFile file({}, ".plan");
         save_plan(*s.solver->plan(), file.path());
         s.solver->load_plan(s.subject.stored.view(), file.path());
       },
       true},
      {"set_stream",
       [](GraphScene& s) {
         const cuda::Stream other(0);
         s.solver->set_stream(other.get());
         s.refactorize(), s.solve(16);
         GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(other.get()));
         s.solver->set_stream(s.stream.get());
       },
       true},
      {"move",
       [](GraphScene& s) {
         Solver<double> moved(std::move(*s.solver));
         moved.reserve_right_hand_sides(16);
         *s.solver = std::move(moved);
       },
       true},
      {"status, extract_l, log_determinant, reciprocal_condition",
       [](GraphScene& s) {
         s.refactorize();
         static_cast<void>(s.solver->status());
         static_cast<void>(s.solver->extract_l());
         static_cast<void>(s.solver->log_determinant());
         static_cast<void>(s.solver->reciprocal_condition(s.subject.stored.view()));
       }},
      {"factorize another pattern",
       [](GraphScene& s) { EXPECT_THROW(s.solver->factorize(s.subject.stored_other.view()), InvalidInput); }},
      {"a change of refinement",
       [](GraphScene& s) {
         s.solver->set_options(changed(s, [](Options& o) { o.refinement.max_steps = 2; }));
         EXPECT_THROW(s.refactorize(), InvalidState);
         EXPECT_TRUE(s.solver->is_factorized()) << "the factor is lost";
         s.solver->set_options(s.options);
       }},
  };
  return all;
}

class CudaGraphs : public testing::TestWithParam<CudaSchedule> {};

TEST_P(CudaGraphs, KeepTheirMemoryDuringEveryCall) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  for (const CallDuringGraph& call : calls_during_graph()) {
    SCOPED_TRACE(call.name);
    GraphScene scene(subject, options);
    CapturedGraph graph(scene.stream.get());
    scene.refactorize();
    scene.solve();
    ASSERT_EQ(graph.end(), cudaSuccess);
    scene.expect_replay(graph);
    scene.allocator->keep_all();
    const std::size_t pieces = scene.allocator->pieces();
    for (int round = 0; round < 2; ++round) {
      call.call(scene);
      scene.wait();
      scene.expect_replay(graph);
    }
    EXPECT_EQ(scene.allocator->lost(), 0) << "the graph uses memory that was given back";
    EXPECT_GE(scene.allocator->pieces(), pieces);
    scene.allocator->keep_none();
    scene.solver.reset();
    EXPECT_EQ(scene.allocator->pieces(), 0U) << "memory was leaked";
  }
}

/// Without a graph, these calls free the memory that they replace.
TEST_P(CudaGraphs, WithoutAGraphReplacedMemoryIsFreed) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  for (const CallDuringGraph& call : calls_during_graph()) {
    if (!call.replaces) continue;
    SCOPED_TRACE(call.name);
    GraphScene scene(subject, options);
    scene.allocator->keep_all();
    call.call(scene);
    scene.wait();
    EXPECT_GT(scene.allocator->lost(), 0) << "memory of no use is kept";
    EXPECT_EQ(scene.allocator->early(), 0) << "memory was given back while kernels used it";
  }
}

/// A graph with only a solve uses the factor that exists when it is launched.
TEST_P(CudaGraphs, SolveGraphsSeeLaterFactorizations) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  GraphScene scene(subject, options);
  scene.solver->set_shift(0.0, 3.0);
  scene.refactorize();
  CapturedGraph graph(scene.stream.get());
  scene.solve();
  ASSERT_EQ(graph.end(), cudaSuccess);
  scene.solve(16);
  scene.solver->set_shift(0.0, 1.0);
  scene.refactorize();
  scene.expect_replay(graph);
}

/// Refinement that is switched off and on again is unchanged and therefore not refused.
TEST_P(CudaGraphs, AllowRefinementToBeSwitchedBack) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  GraphScene scene(subject, options);
  CapturedGraph graph(scene.stream.get());
  scene.refactorize();
  ASSERT_EQ(graph.end(), cudaSuccess);
  scene.solver->set_options(changed(scene, [](Options& o) { o.refinement.max_steps = 2; }));
  EXPECT_THROW(scene.refactorize(), InvalidState);
  scene.solver->set_options(scene.options);
  EXPECT_NO_THROW(scene.refactorize());
  scene.solver->set_options(changed(scene, [](Options& o) { o.refinement.max_steps = 2; }));
  scene.solver->analyze(subject.stored.view(), subject.plan);
  EXPECT_NO_THROW(scene.refactorize()) << "no graph has captured a call since analyze";
  scene.wait();
}

/// A graph still runs when its solver is destroyed or assigned to.
TEST_P(CudaGraphs, FinishBeforeMemoryIsFreed) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  for (const bool assigned : {false, true}) {
    for (const bool solves : {false, true}) {
      GraphScene scene(subject, options);
      CapturedGraph graph(scene.stream.get());
      solves ? scene.solve() : scene.refactorize();
      ASSERT_EQ(graph.end(), cudaSuccess);
      scene.solve(16);
      for (int round = 0; round < 20; ++round) graph.launch();
      assigned ? static_cast<void>(*scene.solver = Solver<double>()) : scene.solver.reset();
      EXPECT_EQ(scene.allocator->early(), 0) << "memory was given back under the graph";
      EXPECT_EQ(scene.allocator->pieces(), 0U);
      GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
    }
  }
}

/// One graph captures two solvers, each of which grows its workspace afterwards.
TEST_P(CudaGraphs, OneGraphMayHoldTwoSolvers) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  GraphScene first(subject, options);
  GraphScene second(subject, options);
  second.solver->set_stream(first.stream.get());
  CapturedGraph graph(first.stream.get());
  for (GraphScene* const scene : {&first, &second}) scene->refactorize(), scene->solve();
  ASSERT_EQ(graph.end(), cudaSuccess);
  first.allocator->keep_all();
  second.allocator->keep_all();
  for (int round = 0; round < 3; ++round) {
    first.expect_replay(graph);
    second.expect_first_column();
    round == 0 ? first.solve(16) : second.solve(16);
    first.wait();
  }
  EXPECT_EQ(first.allocator->lost() + second.allocator->lost(), 0);
  second.solver.reset();  // The graph is not launched again.
  EXPECT_NO_THROW(first.refactorize());
  first.wait();
}

INSTANTIATE_TEST_SUITE_P(Schedules, CudaGraphs, testing::Values(CudaSchedule::levels, CudaSchedule::streams),
                         [](const testing::TestParamInfo<CudaSchedule>& schedule) {
                           return schedule.param == CudaSchedule::levels ? "levels" : "streams";
                         });

}  // namespace
}  // namespace gpusupernodal::test
