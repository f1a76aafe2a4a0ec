/// Solver<T> with A, b and x in device memory, on the caller's stream.

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "tests/solver/api/cuda/device_problem.hpp"

namespace {

std::atomic<int> device_allocations{0};

/// Returns the CUDA runtime's function that a counting function here replaces.
template <class Function>
Function* real_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The counting functions precede those of the CUDA runtime in symbol resolution.
extern "C" cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  ++device_allocations;
  return real_function<cudaError_t(void**, std::size_t)>("cudaMalloc")(pointer, bytes);
}
extern "C" cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  ++device_allocations;
  return real_function<cudaError_t(void**, std::size_t, cudaStream_t)>("cudaMallocAsync")(pointer, bytes, stream);
}
extern "C" cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  ++device_allocations;
  return real_function<cudaError_t(void**, std::size_t, unsigned)>("cudaHostAlloc")(pointer, bytes, flags);
}
extern "C" cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  ++device_allocations;
  return real_function<cudaError_t(void**, std::size_t)>("cudaMallocHost")(pointer, bytes);
}

namespace gpusupernodal::test {
namespace {

class SolverOnDevice : public testing::TestWithParam<std::tuple<Backend, CudaSchedule>> {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }

  static Options options() {
    Options options;
    options.backend = std::get<0>(GetParam());
    options.cuda_schedule = std::get<1>(GetParam());
    return options;
  }
  static DenseView<const double> in(const DeviceArray<double>& v, std::int64_t n) {
    return {v.get(), n, MemorySpace::device};
  }
  static DenseView<double> out(const DeviceArray<double>& v, std::int64_t n) { return {v.get(), n, MemorySpace::device}; }
};

TEST_P(SolverOnDevice, RefactorizesAndSolvesWithoutWaitingInBetween) {
  const io::SymmetricMatrix a = io::generate("lap3d:14");
  const CallersStream stream;
  Solver<double> solver(options());
  solver.set_stream(stream.get());
  solver.analyze(a.view());
  const DeviceArray<double> values(a.values);
  const std::vector<double> right = random_vector(a.n, 3);
  const DeviceArray<double> b(right);
  const DeviceArray<double> x(std::vector<double>(right.size(), -1.0));
  for (int step = 0; step < 5; ++step) {
    solver.refactorize(Span<const double>(values.get(), a.values.size()), MemorySpace::device);
    solver.solve(in(b, a.n), out(x, a.n));
  }
  stream.wait();
  EXPECT_EQ(solver.status(), Status::success);
  EXPECT_LE(backward_error(a, x.host(), right), backward_error_bound<double>(a.n));
}

/// Values and right-hand sides change on the caller's stream just before the calls.
TEST_P(SolverOnDevice, FollowsTheCallersStream) {
  io::SymmetricMatrix a = io::generate("lap2d:60");
  const CallersStream stream;
  Solver<double> solver(options());
  solver.set_stream(stream.get());
  solver.analyze(a.view());
  std::vector<double> scaled = a.values;
  for (double& value : scaled) value *= 4.0;
  const DeviceArray<double> values(std::vector<double>(a.values.size(), std::nan("")));
  const DeviceArray<double> source(scaled);
  const std::vector<double> right = random_vector(a.n, 5);
  const DeviceArray<double> b(std::vector<double>(right.size(), std::nan("")));
  const DeviceArray<double> right_source(right);
  const auto copy = [&](const DeviceArray<double>& to, const DeviceArray<double>& from, std::size_t count) {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpyAsync(to.get(), from.get(), count * sizeof(double), cudaMemcpyDeviceToDevice, stream.get()));
  };
  copy(values, source, scaled.size());
  solver.refactorize(Span<const double>(values.get(), scaled.size()), MemorySpace::device);
  copy(b, right_source, right.size());
  solver.solve(in(b, a.n), out(b, a.n));  // x is b.
  stream.wait();
  a.values = scaled;
  EXPECT_LE(backward_error(a, b.host(), right), backward_error_bound<double>(a.n));
}

TEST_P(SolverOnDevice, MixesMemorySpaces) {
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  Solver<double> solver(options());
  solver.compute(a.view());
  const std::vector<double> right = random_vector(a.n, 7);
  const DeviceArray<double> b(right);
  const DeviceArray<double> device_x(right);
  std::vector<double> x(right.size());
  solver.solve(in(b, a.n), DenseView<double>(x.data(), a.n));
  EXPECT_LE(backward_error(a, x, right), backward_error_bound<double>(a.n));
  solver.solve(DenseView<const double>(right.data(), a.n), out(device_x, a.n));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_LE(backward_error(a, device_x.host(), right), backward_error_bound<double>(a.n));
}

TEST_P(SolverOnDevice, SolvesToNaNAfterAnUnreadFailure) {
  io::SymmetricMatrix a = io::generate("lap2d:20");
  Solver<double> solver(options());
  solver.analyze(a.view());
  std::vector<double> bad = a.values;
  bad[0] = -1.0;
  const DeviceArray<double> values(bad);
  const DeviceArray<double> b(random_vector(a.n, 9));
  solver.refactorize(Span<const double>(values.get(), bad.size()), MemorySpace::device);
  try {
    solver.solve(in(b, a.n), out(b, a.n));
    GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
    for (double entry : b.host()) ASSERT_TRUE(std::isnan(entry));
  } catch (const NumericalFailure&) {
    // The device was fast: the failure was known before the solve.
  }
  EXPECT_EQ(solver.status(), Status::not_positive_definite);
  EXPECT_EQ(solver.factor_report().failed_column, 0);
  solver.factorize(a.view());
  EXPECT_EQ(solver.status(), Status::success);
}

TEST_P(SolverOnDevice, RefactorizeAndSolveAllocateNothing) {
  if (std::get<0>(GetParam()) == Backend::host) GTEST_SKIP() << "the host backend copies device data";
  const io::SymmetricMatrix a = io::generate("lap3d:12");
  Solver<double> solver(options());
  solver.analyze(a.view());
  const DeviceArray<double> values(a.values);
  const DeviceArray<double> b(random_vector(a.n, 11));
  const auto once = [&] {
    solver.refactorize(Span<const double>(values.get(), a.values.size()), MemorySpace::device);
    solver.solve(in(b, a.n), out(b, a.n));
  };
  const int hooked = device_allocations;
  EXPECT_GT(hooked, 0) << "the hook does not see allocations";
  once();
  EXPECT_EQ(device_allocations, hooked) << "the first factorization allocated";
  for (int step = 0; step < 3; ++step) once();
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQ(device_allocations, hooked);
}

TEST_P(SolverOnDevice, LeavesTheCallersErrorsAndDeviceAlone) {
  const io::SymmetricMatrix a = io::generate("lap2d:12");
  Solver<double> solver(options());
  static_cast<void>(cudaSetDevice(9999));  // An error that no one has fetched.
  EXPECT_NO_THROW(solver.compute(a.view()));
  int device = -1;
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, SolverOnDevice,
                         testing::Values(std::tuple(Backend::host, CudaSchedule::levels),
                                         std::tuple(Backend::cuda, CudaSchedule::levels),
                                         std::tuple(Backend::cuda, CudaSchedule::streams)));

TEST(SolverAutomatic, TakesCudaForALargeMatrixAndTheHostForASmallOne) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix small = io::generate("lap2d:10");
  const io::SymmetricMatrix large = io::generate("lap3d:30");
  Options options;
  options.ordering = Ordering::amd;
  Solver<double> solver(options);
  solver.analyze(small.view());
  EXPECT_EQ(solver.backend(), Backend::host) << solver.analyze_report().backend_reason;
  solver.analyze(large.view());
  EXPECT_EQ(solver.backend(), Backend::cuda) << solver.analyze_report().backend_reason;
}

}  // namespace
}  // namespace gpusupernodal::test
