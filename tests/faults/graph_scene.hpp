#pragma once

/// \file
/// A solver on a stream from which graphs are captured, with an allocator that detects memory freed too early.

#include <set>
#include <vector>

#include "solver/cuda/run/device.hpp"
#include "tests/faults/capture_watch.hpp"
#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/stream_watch.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {

/// An allocator of device memory that records its allocations.
class WatchedAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t) override {
    void* pointer = nullptr;
    if (cudaMalloc(&pointer, bytes) != cudaSuccess) return nullptr;
    pieces_.insert(pointer);
    return pointer;
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t) noexcept override {
    lost_ += seen_.count(pointer) > 0 ? 1 : 0;
    early_ += stream_watch().unsettled() > 0 ? 1 : 0;
    pieces_.erase(pointer);
    freed_.push_back(bytes);
    static_cast<void>(cudaFree(pointer));
  }
  /// From now on, no current allocation may be freed.
  void keep_all() { seen_ = pieces_; }
  void keep_none() { seen_.clear(); }
  std::size_t pieces() const { return pieces_.size(); }
  int lost() const { return lost_; }    ///< Number of allocations freed despite keep_all().
  int early() const { return early_; }  ///< Number of allocations freed while work was running; simulated device only.
  const std::vector<std::size_t>& freed() const { return freed_; }

 private:
  std::set<void*> pieces_;
  std::set<void*> seen_;
  std::vector<std::size_t> freed_;
  int lost_ = 0;
  int early_ = 0;
};

/// The graph captured between construction and end().
class CapturedGraph {
 public:
  explicit CapturedGraph(cudaStream_t stream) : stream_(stream) {
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  }
  ~CapturedGraph() {
    if (!ended_) static_cast<void>(end());
    if (exec_ != nullptr) static_cast<void>(cudaGraphExecDestroy(exec_));
    if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
    static_cast<void>(cudaGetLastError());
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  cudaError_t end() {
    ended_ = true;
    return cudaStreamEndCapture(stream_, &graph_);
  }
  void launch() {
    if (exec_ == nullptr) GPUSUPERNODAL_CUDA_CHECK(cudaGraphInstantiate(&exec_, graph_, 0));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(exec_, stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  bool ended_ = false;
};

/// A solver with a factor, its stream, and values and vectors in device memory.
struct GraphScene {
  static constexpr std::int64_t max_columns = 16;

  GraphScene(const Subject& of, Options with)
      : subject(of),
        options(std::move(with)),
        n(of.a.n),
        right(right_hand_side<double>(n, max_columns)),
        values(of.a.values),
        b(right),
        x(right) {
    options.device_allocator = allocator;
    solver.emplace(options);
    solver->set_stream(stream.get());
    solver->analyze(subject.stored.view(), subject.plan);
    refactorize();
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
  }
  void refactorize() { solver->refactorize(Span<const double>(values.get(), subject.a.values.size()), MemorySpace::device); }
  void solve(std::int64_t columns = 1) {
    solver->solve(DenseView<const double>(b.get(), n, columns, n, MemorySpace::device),
                  DenseView<double>(x.get(), n, columns, n, MemorySpace::device));
  }
  void wait() const { GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream.get())); }

  /// Launches a graph that solves for the first column, and checks the result. Freed memory holds NaN meanwhile.
  void expect_replay(CapturedGraph& graph) {
    std::vector<std::unique_ptr<DeviceArray<double>>> others;
    if (!device_is_simulated()) {
      for (const std::size_t bytes : allocator->freed()) others.push_back(not_numbers(bytes));
      GPUSUPERNODAL_CUDA_CHECK(cudaMemset(x.get(), 0xff, static_cast<std::size_t>(n) * sizeof(double)));
      GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
    }
    graph.launch();
    wait();
    expect_first_column();
  }
  void expect_first_column() const {
    if (device_is_simulated()) return;
    std::vector<double> solution = x.host();
    solution.resize(static_cast<std::size_t>(n));
    EXPECT_LE(backward_error(subject.a, solution, {right.begin(), right.begin() + n}), backward_error_bound<double>(n));
  }
  static std::unique_ptr<DeviceArray<double>> not_numbers(std::size_t bytes) {
    return std::make_unique<DeviceArray<double>>(
        std::vector<double>(bytes / sizeof(double) + 1, std::numeric_limits<double>::quiet_NaN()));
  }

  const Subject& subject;
  Options options;
  std::shared_ptr<WatchedAllocator> allocator = std::make_shared<WatchedAllocator>();
  cuda::Stream stream{0};
  std::optional<Solver<double>> solver;
  std::int64_t n;
  std::vector<double> right;
  DeviceArray<double> values, b, x;
};

}  // namespace gpusupernodal::test
