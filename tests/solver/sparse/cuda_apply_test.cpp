#include <gtest/gtest.h>

#include "gpusupernodal/error.hpp"
#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/sparse/apply_checks.hpp"

namespace gpusupernodal::test::sparse {
namespace {

/// Vectors in device memory.
template <class T>
struct DeviceMemory {
  using Array = DeviceArray<T>;
  class Sums : public DeviceArray<double> {
   public:
    explicit Sums(std::int32_t count) : DeviceArray<double>(std::vector<double>(static_cast<std::size_t>(count), -1.0)) {}
  };
};

template <class T>
class CudaApply : public ::testing::Test {
 protected:
  /// Products in every format with values from the host, then with other values from the device.
  static void expect_every_format(const Entries& a, const Stored<T>& stored, const std::string& what) {
    Entries halved = a;
    for (auto& entry : halved.of) entry.second *= 0.5;
    std::vector<T> half = stored.values;
    for (T& value : half) value *= T(0.5);
    const DeviceArray<T> device_half(half);
    for_each_layout(make_row_pattern(stored.pattern()), sizeof(T),
                    [&](const SparseLayout& layout, const std::string& kernel) {
                      const auto apply = make_cuda_apply<T>(layout, {});
                      apply->update(stored.values.data(), MemorySpace::host);
                      expect_products<T>(*apply, a, DeviceMemory<T>(), what + ", " + kernel);
                      apply->update(device_half.get(), MemorySpace::device);
                      expect_products<T>(*apply, halved, DeviceMemory<T>(), what + ", updated, " + kernel);
                    });
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaApply, Scalars);

TYPED_TEST(CudaApply, MultipliesInEveryFormat) {
  SKIP_WITHOUT_DEVICE();
  for (const Entries& a : general_matrices())
    this->expect_every_format(a, store<TypeParam>(a, Compression::rows, StoredPart::full, true), a.name);
}

TYPED_TEST(CudaApply, MultipliesSymmetricHalves) {
  SKIP_WITHOUT_DEVICE();
  for (const Entries& a : symmetric_matrices())
    this->expect_every_format(a, store<TypeParam>(a, Compression::columns, StoredPart::lower), a.name + ", half");
}

/// More slices, rows and chunks than a CTA has warps, and than products with partial sums have CTAs.
TYPED_TEST(CudaApply, MultipliesLargeMatrices) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  const Entries a = banded(300000, 300000, {-517, -1, 0, 1, 517});
  const Stored<T> stored = store<T>(a);
  const std::vector<T> x = vector_of_size<T>(a.columns, 1);
  const Expected<T> expected(a, 1.0, x.data(), 0.0, nullptr);
  const DeviceArray<T> device_x(x), y(std::vector<T>(x.size(), T(-1)));
  for_each_layout(make_row_pattern(stored.pattern()), sizeof(T), [&](const SparseLayout& layout, const std::string& kernel) {
    const auto apply = make_cuda_apply<T>(layout, {});
    apply->update(stored.values.data(), MemorySpace::host);
    apply->multiply(T(1), DenseView<const T>(device_x.get(), a.columns, MemorySpace::device), T(0),
                    DenseView<T>(y.get(), a.rows, MemorySpace::device));
    EXPECT_EQ(expected.wrong_row(y.host().data()), -1) << kernel;
    const DeviceArray<double> partials(std::vector<double>(static_cast<std::size_t>(apply->dot_partials())));
    apply->multiply_dot(device_x.get(), y.get(), partials.get());
    EXPECT_EQ(expected.wrong_row(y.host().data()), -1) << kernel << ", with dot product";
  });
}

TYPED_TEST(CudaApply, RepeatsACapturedUpdateAndProduct) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  const Entries a = one_dense_row(4000);
  const Stored<T> stored = store<T>(a, Compression::columns);
  const std::vector<T> x = vector_of_size<T>(a.columns, 1);
  const DeviceArray<T> values(stored.values);
  for_each_layout(make_row_pattern(stored.pattern()), sizeof(T), [&](const SparseLayout& layout, const std::string& kernel) {
    cudaStream_t stream = nullptr;
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const auto apply = make_cuda_apply<T>(layout, {});
    apply->set_stream(stream);
    const DeviceArray<T> device_x(x), y(std::vector<T>(x.size(), T(0)));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t runnable = nullptr;
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    apply->update(values.get(), MemorySpace::device);
    apply->multiply(T(1), DenseView<const T>(device_x.get(), a.columns, MemorySpace::device), T(1),
                    DenseView<T>(y.get(), a.rows, MemorySpace::device));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphInstantiate(&runnable, graph, 0));
    for (int k = 0; k < 2; ++k) GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(runnable, stream));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT_EQ(Expected<T>(a, 2.0, x.data(), 0.0, nullptr).wrong_row(y.host().data()), -1) << kernel;
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphExecDestroy(runnable));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphDestroy(graph));
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamDestroy(stream));
  });
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
