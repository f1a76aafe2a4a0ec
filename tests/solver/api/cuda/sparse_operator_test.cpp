/// SparseOperator on a device: data in both memories, captured calls, memory.

#include "gpusupernodal/sparse_operator.hpp"

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/captured_graph.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

/// Counts requests for device memory, and refuses those after a given number.
class LimitedDeviceMemory final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t) override {
    if (++requests >= refused_from) return nullptr;
    void* memory = nullptr;
    GPUSUPERNODAL_CUDA_CHECK(cudaMalloc(&memory, bytes));
    ++alive;
    return memory;
  }
  void deallocate(void* pointer, std::size_t, std::size_t) noexcept override {
    static_cast<void>(cudaFree(pointer));
    --alive;
  }
  std::int64_t requests = 0, alive = 0, refused_from = 1000000;
};

OperatorOptions operator_on_device(std::shared_ptr<Allocator> memory = nullptr, Format format = Format::automatic) {
  OperatorOptions options;
  options.backend = Backend::cuda;
  options.format = format;
  options.transposed = true;
  options.device_allocator = std::move(memory);
  return options;
}

template <class T>
class CudaOperators : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaOperators, Scalars);

/// Values, x and y in host and in device memory, in all combinations; Aᵀ too.
TYPED_TEST(CudaOperators, TakeDataInBothMemories) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  const Entries a = random_matrix(700, 900, 9.0, 3);
  const Stored<T> stored = store<T>(a, Compression::columns, StoredPart::full, true);
  const std::vector<T> x = vector_of_size<T>(a.columns, 1), before = vector_of_size<T>(a.rows, 2);
  const Expected<T> expected(a, 2.0, x.data(), -1.0, before.data());
  const DeviceArray<T> values(stored.values), device_x(x);
  for (const Tuning tuning : {Tuning::model, Tuning::measured}) {
    for (const MemorySpace space : {MemorySpace::host, MemorySpace::device}) {
      OperatorOptions options = operator_on_device();
      options.tuning = tuning;
      SparseOperator<T> op(options);
      SparseView<T> view = stored.view();
      view.value_space = space;
      if (space == MemorySpace::device) view.values = values.get();
      op.analyze(view);
      EXPECT_EQ(op.report().backend, Backend::cuda);
      for (const bool x_on_device : {false, true}) {
        for (const bool y_on_device : {false, true}) {
          std::vector<T> y = before;
          const DeviceArray<T> device_y(before);
          op.multiply(
              x_on_device ? DenseView<const T>(device_x.get(), a.columns, MemorySpace::device)
                          : DenseView<const T>(x.data(), a.columns),
              y_on_device ? DenseView<T>(device_y.get(), a.rows, MemorySpace::device) : DenseView<T>(y.data(), a.rows), T(2),
              T(-1));
          EXPECT_EQ(expected.wrong_row((y_on_device ? device_y.host() : y).data()), -1);
        }
      }
      const Entries t = transposed_entries(a);
      std::vector<T> z(static_cast<std::size_t>(t.rows));
      op.multiply_transposed(DenseView<const T>(before.data(), t.columns), DenseView<T>(z.data(), t.rows));
      EXPECT_EQ(Expected<T>(t, 1.0, before.data(), 0.0, nullptr).wrong_row(z.data()), -1);
    }
  }
}

/// The host backend takes data on a device, too.
TYPED_TEST(CudaOperators, HostOperatorsTakeDeviceData) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  const Entries a = random_matrix(300, 300, 5.0, 3);
  const Stored<T> stored = store<T>(a);
  const std::vector<T> x = vector_of_size<T>(a.columns, 1);
  const DeviceArray<T> values(stored.values), device_x(x), y(std::vector<T>(x.size(), T(9)));
  OperatorOptions options = operator_on_device();
  options.backend = Backend::host;
  SparseOperator<T> op(options);
  op.analyze(stored.view());
  op.update(Span<const T>(values.get(), stored.values.size()), MemorySpace::device);
  op.multiply(DenseView<const T>(device_x.get(), a.columns, MemorySpace::device),
              DenseView<T>(y.get(), a.rows, MemorySpace::device));
  EXPECT_EQ(Expected<T>(a, 1.0, x.data(), 0.0, nullptr).wrong_row(y.host().data()), -1);
}

/// After analyze, updates from the device and products take no memory, and a graph repeats them with the current values.
TYPED_TEST(CudaOperators, CaptureUpdatesAndProducts) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  const Entries a = blocked(3, 300, 4, 6);
  const Stored<T> stored = store<T>(a, Compression::columns, StoredPart::lower);
  const std::vector<T> x = vector_of_size<T>(a.columns, 1);
  for (const Format format : {Format::automatic, Format::csr, Format::sell, Format::block, Format::coo, Format::hyb}) {
    const auto memory = std::make_shared<LimitedDeviceMemory>();
    const CallersStream stream;
    SparseOperator<T> op(operator_on_device(memory, format));
    op.set_stream(stream.get());
    op.analyze(stored.view());
    const std::int64_t requests = memory->requests;
    const DeviceArray<T> values(std::vector<T>(stored.values.size(), T(0))), later(stored.values), device_x(x),
        y(std::vector<T>(x.size(), T(1)));
    std::vector<T> host_y(x.size());
    const CapturedGraph graph(stream, [&] {
      op.update(Span<const T>(values.get(), stored.values.size()), MemorySpace::device);
      op.multiply(DenseView<const T>(device_x.get(), a.columns, MemorySpace::device),
                  DenseView<T>(y.get(), a.rows, MemorySpace::device));
      EXPECT_THROW(op.analyze(stored.view()), InvalidState);
      EXPECT_THROW(op.update(stored.values), InvalidState);
      EXPECT_THROW(op.multiply(DenseView<const T>(x.data(), a.columns), DenseView<T>(host_y.data(), a.rows)), InvalidState);
    });
    EXPECT_EQ(memory->requests, requests);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(values.get(), later.get(), stored.values.size() * sizeof(T),
                                             cudaMemcpyDeviceToDevice, stream.get()));
    graph.launch();
    EXPECT_EQ(Expected<T>(a, 1.0, x.data(), 0.0, nullptr).wrong_row(y.host().data()), -1) << op.report().kernel;
  }
}

/// Refused memory: OutOfMemory where CUDA was requested by name, and the host where it was not. Nothing stays taken.
TYPED_TEST(CudaOperators, SurviveRefusedMemory) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  const Stored<T> stored = store<T>(one_dense_row(900));
  const auto memory = std::make_shared<LimitedDeviceMemory>();
  SparseOperator<T> op(operator_on_device(memory, Format::csr));
  for (std::int64_t granted = 0; granted < 2; ++granted) {
    memory->refused_from = memory->requests + granted + 1;
    EXPECT_THROW(op.analyze(stored.view()), OutOfMemory);
    EXPECT_EQ(memory->alive, 0);
    EXPECT_FALSE(op.is_analyzed());
  }
  memory->refused_from = 0;
  OperatorOptions either = operator_on_device(memory);
  either.backend = Backend::automatic;
  op.set_options(either);
  op.analyze(stored.view());
  EXPECT_EQ(op.report().backend, Backend::host);
  EXPECT_NE(op.report().backend_reason.find("bytes were refused"), std::string::npos);
  EXPECT_EQ(memory->alive, 0);
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
