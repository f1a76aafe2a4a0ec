#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "solver/backend/executor.hpp"
#include "tests/faults/injection.hpp"
#include "tests/solver/api/pcg_faults.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test::pcg {
namespace {

class PcgOnDevice : public testing::Test {
 protected:
  void SetUp() override {
    const CudaAvailability cuda = cuda_availability();
    if (!cuda.available) GTEST_SKIP() << cuda.reason;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    if (stream_ == nullptr) return;
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }
  cudaStream_t stream_ = nullptr;
};

/// A vector in device memory.
class DeviceVector {
 public:
  explicit DeviceVector(const std::vector<double>& host) : size_(host.size()) {
    EXPECT_EQ(cudaMalloc(&data_, size_ * sizeof(double)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, host.data(), size_ * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
    // A copy from pageable memory may still run when cudaMemcpy returns, and stream_ does not wait for it.
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  }
  ~DeviceVector() { cudaFree(data_); }
  DeviceVector(const DeviceVector&) = delete;
  DeviceVector& operator=(const DeviceVector&) = delete;
  double* data() const { return static_cast<double*>(data_); }
  std::vector<double> host() const {
    std::vector<double> copy(size_);
    EXPECT_EQ(cudaMemcpy(copy.data(), data_, size_ * sizeof(double), cudaMemcpyDeviceToHost), cudaSuccess);
    return copy;
  }

 private:
  std::size_t size_;
  void* data_ = nullptr;
};

DenseView<const double> side_of(const DeviceVector& v, std::int64_t n) { return {v.data(), n, MemorySpace::device}; }
DenseView<double> target_of(const DeviceVector& v, std::int64_t n) { return {v.data(), n, MemorySpace::device}; }

TEST_F(PcgOnDevice, SolvesInDeviceMemoryOnTheStreamWithTheBitsOfHostMemory) {
  const Stored<double> a(io::generate("lap3d:12"));
  const std::vector<double> b = random_side<double>(a.n);
  for (const Preconditioner p : preconditioners(Backend::cuda)) {
    const Solved<double> from_host = solve(options_on(Backend::cuda, p), a, b);
    const DeviceVector right(b), x(std::vector<double>(b.size(), -3.0)), values(a.values);
    Pcg<double> pcg(options_on(Backend::cuda, p));
    pcg.set_stream(stream_);
    pcg.analyze(a.view());
    pcg.update(Span<const double>(values.data(), a.values.size()), MemorySpace::device);
    EXPECT_TRUE(pcg.solve(side_of(right, a.n), target_of(x, a.n)).converged()) << name_of(p);
    EXPECT_EQ(x.host(), from_host.x) << name_of(p);
    EXPECT_EQ(pcg.solve(side_of(right, a.n), target_of(x, a.n), true).iterations, 0) << name_of(p);
  }
}

/// The host backend copies vectors in device memory.
TEST_F(PcgOnDevice, TheHostTakesVectorsOfTheDevice) {
  const Stored<double> a(io::generate("lap2d:10"));
  const std::vector<double> b = random_side<double>(a.n);
  const DeviceVector right(b), x(std::vector<double>(b.size(), 0.0));
  Pcg<double> pcg(options_on(Backend::host));
  pcg.compute(a.view());
  EXPECT_TRUE(pcg.solve(side_of(right, a.n), target_of(x, a.n)).converged());
  EXPECT_EQ(x.host(), solve(options_on(Backend::host), a, b).x);
}

/// A = 1 and M = 1 as copies on the stream.
TEST_F(PcgOnDevice, FunctionsRunOnTheStream) {
  const std::int64_t n = 5000;
  const std::vector<double> b = random_side<double>(n);
  const DeviceVector right(b), x(std::vector<double>(b.size(), 0.0));
  int calls = 0;
  const auto copy = [&](const DenseView<const double>& in, const DenseView<double>& out, void* stream) {
    EXPECT_EQ(stream, stream_);
    EXPECT_EQ(in.space, MemorySpace::device);
    ++calls;
    EXPECT_EQ(cudaMemcpyAsync(out.data, in.data, static_cast<std::size_t>(in.rows) * sizeof(double),
                              cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)),
              cudaSuccess);
  };
  Pcg<double> pcg(options_on(Backend::cuda));
  pcg.set_stream(stream_);
  pcg.set_operator(n, copy);
  EXPECT_EQ(pcg.solve(side_of(right, n), target_of(x, n)).iterations, 1);
  EXPECT_EQ(x.host(), b);
  const int products = calls;
  pcg.set_preconditioner(copy);
  EXPECT_EQ(pcg.solve(side_of(right, n), target_of(x, n)).iterations, 1);
  EXPECT_GT(calls, 2 * products);
}

TEST_F(PcgOnDevice, PreconditionsAsTheHost) {
  const Stored<double> a(io::generate("lap2d:11"));
  const std::vector<double> r = random_side<double>(a.n);
  for (const Preconditioner kind : {Preconditioner::none, Preconditioner::jacobi, Preconditioner::block_jacobi,
                                    Preconditioner::fsai, Preconditioner::ssor_ai, Preconditioner::factor}) {
    SCOPED_TRACE(name_of(kind));
    Pcg<double> host(options_on(Backend::host, kind)), pcg(options_on(Backend::cuda, kind));
    pcg.set_stream(stream_);
    host.compute(a.view());
    pcg.compute(a.view());
    std::vector<double> expected(r.size()), z(r.size());
    host.precondition(DenseView<const double>(r.data(), a.n), DenseView<double>(expected.data(), a.n));
    pcg.precondition(DenseView<const double>(r.data(), a.n), DenseView<double>(z.data(), a.n));
    const DeviceVector right(r), target(std::vector<double>(r.size(), 0.0));
    pcg.precondition(side_of(right, a.n), target_of(target, a.n));
    EXPECT_EQ(target.host(), z);
    // c·n·eps: sums are rounded in another order. Entries of z are of order 1, the condition number of A is below 100.
    const double bound = 32.0 * static_cast<double>(a.n) * std::numeric_limits<double>::epsilon();
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(z[i], expected[i], bound) << i;
  }
}

TEST_F(PcgOnDevice, RefusesToBeCaptured) {
  const Stored<double> a(io::generate("lap2d:6"));
  const DeviceVector right(random_side<double>(a.n)), x(std::vector<double>(36, 0.0));
  Pcg<double> pcg(options_on(Backend::cuda));
  pcg.set_stream(stream_);
  pcg.compute(a.view());
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  expect_throw<InvalidState>([&] { pcg.solve(side_of(right, a.n), target_of(x, a.n)); }, {"capture"});
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_TRUE(pcg.solve(side_of(right, a.n), target_of(x, a.n)).converged());
}

TEST_F(PcgOnDevice, Ic0IsRefused) {
  const Stored<double> a(io::generate("lap2d:6"));
  Pcg<double> pcg(options_on(Backend::cuda, Preconditioner::ic0));
  expect_throw<InvalidInput>([&] { pcg.compute(a.view()); }, {"ic0", "host"});
}

/// Device memory that refuses the k-th request.
class FailingDeviceAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    if (faults.fails() || cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
    ++pieces;
    return memory;
  }
  void deallocate(void* pointer, std::size_t, std::size_t) noexcept override {
    --pieces;
    cudaFree(pointer);
  }
  Injection faults;
  int pieces = 0;
};

TEST_F(PcgOnDevice, EveryRefusedAllocationLeavesTheObjectUsable) {
  for (const Preconditioner p : {Preconditioner::block_jacobi, Preconditioner::fsai}) {
    const auto allocator = std::make_shared<FailingDeviceAllocator>();
    PcgOptions options = options_on(Backend::cuda, p);
    options.device_allocator = allocator;
    expect_usable_after_each_fault(options, allocator->faults);
    EXPECT_EQ(allocator->pieces, 0);
  }
}

}  // namespace
}  // namespace gpusupernodal::test::pcg
