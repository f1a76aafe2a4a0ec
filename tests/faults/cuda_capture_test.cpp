/// A caller who captures a graph: refactorize and solve go into it, and nothing of ours spoils it.

#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

class Capture {
 public:
  Capture() { GPUSUPERNODAL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Capture() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  template <class Work>
  void record(const Work& work) {
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    work();
    cudaGraph_t graph = nullptr;
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphDestroy(graph));
  }
  void replay() const {
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
};

TEST(Capture, SolveAsksNoEventAndReplaysWithOtherData) {
  SKIP_WITHOUT_DEVICE();
  io::SymmetricMatrix a = io::generate("lap3d:12");
  Options options = on(Backend::cuda);
  Solver<double> solver(options);
  Capture capture;
  solver.set_stream(capture.stream());
  solver.compute(stored<double>(a).view());
  const DeviceArray<double> values(a.values);
  const std::vector<double> right = random_vector(a.n, 3);
  const DeviceArray<double> b(right);
  const DeviceArray<double> x(right);
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
  capture.record([&] {
    solver.refactorize(Span<const double>(values.get(), a.values.size()), MemorySpace::device);
    solver.solve(DenseView<const double>(b.get(), a.n, MemorySpace::device),
                 DenseView<double>(x.get(), a.n, MemorySpace::device));
  });
  for (const double factor : {1.0, 3.0}) {
    for (double& value : a.values) value *= factor;
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpy(values.get(), a.values.data(), a.values.size() * sizeof(double), cudaMemcpyHostToDevice));
    // From pageable memory it may return before the copy has arrived, and the stream does not wait for the default one.
    GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
    capture.replay();
    EXPECT_LE(backward_error(a, x.host(), right), backward_error_bound<double>(a.n));
  }
  EXPECT_EQ(solver.status(), Status::success);
  // Out of the graph the solver goes on as before.
  solver.factorize(stored<double>(a).view());
  EXPECT_EQ(solver.status(), Status::success);
  expect_solves(solver, a);
}

}  // namespace
}  // namespace gpusupernodal::test
