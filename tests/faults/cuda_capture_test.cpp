/// Tests of a caller who captures a graph: factorize, refactorize and solve can be captured, and no call of the library
/// invalidates the capture.

#include <cmath>

#include "tests/solver/api/cuda/device_problem.hpp"

namespace gpusupernodal::test {
namespace {

class Graph {
 public:
  /// Graph of the work that `work` enqueues on the stream.
  template <class Work>
  Graph(const CallersStream& stream, cudaStreamCaptureMode mode, const Work& work) : stream_(stream) {
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), mode));
    work();
    cudaGraph_t graph = nullptr;
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphDestroy(graph));
  }
  ~Graph() { static_cast<void>(cudaGraphExecDestroy(graph_)); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void replay() const {
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(graph_, stream_.get()));
    stream_.wait();
  }

 private:
  const CallersStream& stream_;
  cudaGraphExec_t graph_ = nullptr;
};

template <class T>
void upload(const DeviceArray<T>& to, const std::vector<T>& from) {
  GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(to.get(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  // A copy from pageable memory may return before it has arrived, and no stream here waits for the default stream.
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
}

/// An analyzed solver and its system on the device.
template <class T>
struct Captured {
  explicit Captured(const char* matrix, CudaSchedule schedule, std::int64_t columns = 1)
      : solver(on_device(schedule)), system(io::generate(matrix), 1.0, 3, columns) {
    const StoredMatrix<T> s = stored<T>(system.a);
    solver.set_stream(stream.get());
    solver.analyze(s.view());
    solver.reserve_right_hand_sides(columns);
  }
  void scale(double factor) {
    for (double& value : system.a.values) value *= factor;
    upload(system.values, DeviceSystem<T>::narrowed(system.a.values));
  }
  void expect_solved() const { EXPECT_LE(system.error(), system.bound()); }

  CallersStream stream;
  Solver<T> solver;
  DeviceSystem<T> system;
};

/// Replays a graph with new values in the same memory.
template <class T>
void replay_with_new_values(CudaSchedule schedule, cudaStreamCaptureMode mode, bool factorized_before,
                            std::int64_t columns) {
  Captured<T> captured("lap3d:12", schedule, columns);
  if (factorized_before) captured.system.refactorize(captured.solver);
  captured.stream.wait();
  const Graph graph(captured.stream, mode, [&] {
    captured.system.refactorize(captured.solver);
    captured.system.solve(captured.solver);
  });
  for (int round = 0; round < 6; ++round) {
    graph.replay();
    captured.expect_solved();
    captured.scale(round % 2 == 0 ? 4.0 : 0.5);
  }
  EXPECT_EQ(captured.solver.status(), Status::success);
  // Outside the graph the solver works as before, and the graph can be replayed afterwards.
  captured.solver.factorize(stored<T>(captured.system.a).view());
  EXPECT_EQ(captured.solver.status(), Status::success);
  expect_solves(captured.solver, captured.system.a);
  graph.replay();
  captured.expect_solved();
}

class Capture : public testing::TestWithParam<CudaSchedule> {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_P(Capture, GraphReadsNewValuesFromTheSameMemory) {
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    replay_with_new_values<double>(GetParam(), mode, true, 1);
  }
  replay_with_new_values<double>(GetParam(), cudaStreamCaptureModeGlobal, true, 5);
  replay_with_new_values<float>(GetParam(), cudaStreamCaptureModeGlobal, true, 2);
}

/// No earlier call has prepared anything outside the graph.
TEST_P(Capture, FirstFactorizationCanBeCaptured) {
  replay_with_new_values<double>(GetParam(), cudaStreamCaptureModeGlobal, false, 1);
}

TEST_P(Capture, RefactorizeAndSolveInSeparateGraphs) {
  Captured<double> captured("lap2d:40", GetParam());
  captured.system.refactorize(captured.solver);
  captured.stream.wait();
  const Graph refactorize(captured.stream, cudaStreamCaptureModeGlobal,
                          [&] { captured.system.refactorize(captured.solver); });
  const Graph solve(captured.stream, cudaStreamCaptureModeGlobal, [&] { captured.system.solve(captured.solver); });
  for (int round = 0; round < 4; ++round) {
    captured.scale(3.0);
    // Alternately in a graph and on the stream.
    round % 2 == 0 ? refactorize.replay() : captured.system.refactorize(captured.solver);
    round < 2 ? solve.replay() : captured.system.solve(captured.solver);
    captured.stream.wait();
    captured.expect_solved();
  }
}

TEST_P(Capture, FailureInsideTheGraphIsReported) {
  Captured<double> captured("lap2d:30", GetParam());
  captured.system.refactorize(captured.solver);
  captured.stream.wait();
  const Graph graph(captured.stream, cudaStreamCaptureModeGlobal, [&] {
    captured.system.refactorize(captured.solver);
    captured.system.solve(captured.solver);
  });
  for (const std::int64_t column : {0, 450, 899}) {
    std::vector<double> bad = captured.system.a.values;
    bad[static_cast<std::size_t>(captured.system.a.offsets[static_cast<std::size_t>(column)])] = -1.0;
    upload(captured.system.values, bad);
    graph.replay();
    for (const double entry : captured.system.x.host()) ASSERT_TRUE(std::isnan(entry));
    EXPECT_EQ(captured.solver.status(), Status::not_positive_definite);
    EXPECT_EQ(captured.solver.factor_report().failed_column, column);
    upload(captured.system.values, captured.system.a.values);
    graph.replay();
    captured.expect_solved();
    EXPECT_EQ(captured.solver.status(), Status::success);
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, Capture, testing::Values(CudaSchedule::levels, CudaSchedule::streams),
                         [](const testing::TestParamInfo<CudaSchedule>& schedule) {
                           return schedule.param == CudaSchedule::levels ? "levels" : "streams";
                         });

}  // namespace
}  // namespace gpusupernodal::test
