#pragma once

/// \file
/// A matrix and right-hand sides in device memory, and a stream of the caller's for the solver.

#include <vector>

#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {

/// A stream that does not synchronize with the default stream, so only the solver's own ordering makes results correct.
class CallersStream {
 public:
  CallersStream() { GPUSUPERNODAL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~CallersStream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  CallersStream(const CallersStream&) = delete;
  CallersStream& operator=(const CallersStream&) = delete;
  cudaStream_t get() const { return stream_; }
  void wait() const { GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Values, b and x in device memory. Precondition: no work that uses them is in flight at destruction.
template <class T>
struct DeviceSystem {
  DeviceSystem(const io::SymmetricMatrix& matrix, double factor, std::uint64_t seed, std::int64_t right_hand_sides = 1)
      : a(scaled(matrix, factor)),
        columns(right_hand_sides),
        right(narrowed(random_vector(a.n * columns, seed))),
        values(narrowed(a.values)),
        b(right),
        x(std::vector<T>(right.size(), T(-1))) {}

  void refactorize(Solver<T>& solver) const {
    solver.refactorize(Span<const T>(values.get(), a.values.size()), MemorySpace::device);
  }
  void solve(Solver<T>& solver) const {
    solver.solve(DenseView<const T>(b.get(), a.n, columns, a.n, MemorySpace::device),
                 DenseView<T>(x.get(), a.n, columns, a.n, MemorySpace::device));
  }
  /// Largest backward error of x. Precondition: the solve has completed.
  double error() const {
    const std::vector<T> all = x.host();
    double largest = 0.0;
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto begin = static_cast<std::ptrdiff_t>(c * a.n);
      const auto end = static_cast<std::ptrdiff_t>((c + 1) * a.n);
      const double error =
          backward_error(a, {all.begin() + begin, all.begin() + end}, {right.begin() + begin, right.begin() + end});
      if (!(error <= largest)) largest = error;
    }
    return largest;
  }
  double bound() const { return backward_error_bound<T>(a.n); }

  static std::vector<T> narrowed(const std::vector<double>& v) { return {v.begin(), v.end()}; }
  static io::SymmetricMatrix scaled(io::SymmetricMatrix matrix, double factor) {
    for (double& value : matrix.values) value = static_cast<double>(static_cast<T>(value * factor));
    return matrix;
  }

  io::SymmetricMatrix a;
  std::int64_t columns;
  std::vector<T> right;
  DeviceArray<T> values, b, x;
};

/// Expects that factorize and solve refuse to be captured, with this reason, and leave the caller's capture and the factor
/// as they are.
template <class T>
void expect_no_capture(Solver<T>& solver, const io::SymmetricMatrix& a, const std::string& reason) {
  const CallersStream stream;
  solver.set_stream(stream.get());
  const DeviceSystem<T> system(a, 1.0, 1);
  system.refactorize(solver);
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  expect_throw<InvalidState>([&] { system.refactorize(solver); }, {"while a graph is captured", reason});
  expect_throw<InvalidState>([&] { system.solve(solver); }, {"while a graph is captured", reason});
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  static_cast<void>(cudaGraphDestroy(graph));
  system.solve(solver);
  stream.wait();
  EXPECT_LE(system.error(), system.bound());
  solver.set_stream(nullptr);
}

inline Options on_device(CudaSchedule schedule) {
  Options options = on(Backend::cuda);
  options.cuda_schedule = schedule;
  return options;
}

}  // namespace gpusupernodal::test
