/// SparseProduct and NormalEquations on a device: values, patterns in device memory, captured calls, memory.

#include "gpusupernodal/sparse_product.hpp"

#include <functional>

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/captured_graph.hpp"
#include "tests/solver/api/cuda/device_view.hpp"
#include "tests/solver/sparse/product_problem.hpp"

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

ProductOptions product_on_device(std::shared_ptr<Allocator> memory = nullptr) {
  ProductOptions options;
  options.backend = Backend::cuda;
  options.device_allocator = std::move(memory);
  return options;
}

template <class T>
class CudaProducts : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaProducts, Scalars);

TYPED_TEST(CudaProducts, EqualNaiveOnes) {
  SKIP_WITHOUT_DEVICE();
  expect_products<TypeParam>(product_on_device());
}
TYPED_TEST(CudaProducts, TakeHalvesOfSymmetricMatrices) {
  SKIP_WITHOUT_DEVICE();
  expect_symmetric_products<TypeParam>(product_on_device());
}
TYPED_TEST(CudaProducts, FindBlocks) {
  SKIP_WITHOUT_DEVICE();
  expect_blocks<TypeParam>(product_on_device());
}
TYPED_TEST(CudaProducts, RepeatWithNewValues) {
  SKIP_WITHOUT_DEVICE();
  expect_repeated_products<TypeParam>(product_on_device());
}
TYPED_TEST(CudaProducts, AreAssociative) {
  SKIP_WITHOUT_DEVICE();
  expect_laws<TypeParam>(product_on_device());
}
TYPED_TEST(CudaProducts, SumMoreThan32BitsCount) {
  SKIP_WITHOUT_DEVICE();
  expect_many_products<TypeParam>(product_on_device());
}

/// Patterns on the device, by rows in order and otherwise, give what those on the host do; so does a result as an operand.
TYPED_TEST(CudaProducts, TakePatternsFromTheDevice) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  for (const Entries& a : {random_matrix(700, 700, 9.0, 3), blocked(3, 200, 4, 6), one_dense_row(1500)}) {
    for (const bool shuffled : {false, true}) {
      for (const Compression compression : {Compression::rows, Compression::columns}) {
        const Stored<T> stored = store<T>(a, compression, StoredPart::full, shuffled);
        const OnDevice<T> device(stored);
        SparseProduct<T> product(product_on_device()), expected(product_on_device());
        product.analyze(device.view(), device.view());
        product.compute(device.span(), device.span(), MemorySpace::device);
        const Computed<T> c = multiplied(expected, stored.view(), stored.values.size(), stored.view(), stored.values.size());
        EXPECT_EQ(result_of(product), c) << a.name;
        SparseProduct<T> cube(product_on_device()), expected_cube(product_on_device());
        const SparseView<T> square = product.result();
        EXPECT_EQ(square.pattern_space, MemorySpace::device);
        cube.analyze(square, device.view());
        cube.compute({square.values, c.values.size()}, device.span(), MemorySpace::device);
        EXPECT_EQ(result_of(cube), multiplied(expected_cube, c.view(), c.values.size(), stored.view(), stored.values.size()))
            << a.name;
      }
    }
  }
}

/// Wrong patterns on the device are refused with the sentence of those on the host.
TYPED_TEST(CudaProducts, RefuseWrongPatternsOnTheDevice) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  const Stored<T> good = store<T>(random_matrix(60, 60, 4.0, 3));
  SparseProduct<T> product(product_on_device());
  const auto sentence = [&product](const SparseView<T>& a) -> std::string {
    try {
      product.analyze(a, a);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  for (int change = 0; change < 4; ++change) {
    Stored<T> bad = good;
    if (change == 0) bad.indices[5] = 60;
    if (change == 1) bad.indices[5] = -1;
    if (change == 2) bad.offsets[7] = 1000000;
    if (change == 3) {
      std::size_t row = 0;
      while (bad.offsets[row + 1] - bad.offsets[row] < 2) ++row;
      const auto first = static_cast<std::size_t>(bad.offsets[row]);
      bad.indices[first + 1] = bad.indices[first];
    }
    const OnDevice<T> device(bad);
    EXPECT_NE(sentence(device.view()), "") << change;
    EXPECT_EQ(sentence(device.view()), sentence(bad.view())) << change;
  }
  product.analyze(good.view(), good.view());
}

/// The host backend takes patterns and values on a device, too.
TYPED_TEST(CudaProducts, TakeDeviceDataOnTheHost) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  const Stored<T> stored = store<T>(random_matrix(300, 300, 5.0, 3));
  const OnDevice<T> device(stored);
  ProductOptions options;
  options.backend = Backend::host;
  SparseProduct<T> product(options), expected(options);
  product.analyze(device.view(), device.view());
  product.compute(device.span(), device.span(), MemorySpace::device);
  EXPECT_EQ(result_of(product),
            multiplied(expected, stored.view(), stored.values.size(), stored.view(), stored.values.size()));
}

/// With values on the device compute takes no memory, and a graph repeats it with the current values.
TYPED_TEST(CudaProducts, CanBeCaptured) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  for (const Entries& a : {random_matrix(700, 700, 9.0, 3), blocked(3, 200, 4, 6), one_dense_row(1500)}) {
    const Stored<T> stored = store<T>(a, Compression::columns, StoredPart::full, true);
    const auto memory = std::make_shared<LimitedDeviceMemory>();
    const CallersStream stream;
    SparseProduct<T> product(product_on_device(memory)), expected(product_on_device());
    product.set_stream(stream.get());
    product.analyze(stored.view(), stored.view());
    const DeviceArray<T> values(std::vector<T>(stored.values.size(), T(1))), later(stored.values);
    const Span<const T> span(values.get(), stored.values.size());
    product.compute(span, span, MemorySpace::device);
    const std::int64_t requests = memory->requests;
    const CapturedGraph graph(stream, [&] {
      product.compute(span, span, MemorySpace::device);
      EXPECT_THROW(product.analyze(stored.view(), stored.view()), InvalidState);
      EXPECT_THROW(product.compute(stored.values, stored.values), InvalidState);
      EXPECT_THROW(result_of(product), InvalidState);
    });
    EXPECT_EQ(memory->requests, requests);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(values.get(), later.get(), stored.values.size() * sizeof(T),
                                             cudaMemcpyDeviceToDevice, stream.get()));
    graph.launch();
    EXPECT_EQ(result_of(product),
              multiplied(expected, stored.view(), stored.values.size(), stored.view(), stored.values.size()))
        << a.name;
  }
}

/// Refused memory: OutOfMemory where CUDA was requested by name, and the host where it was not. Nothing stays taken.
TYPED_TEST(CudaProducts, SurviveRefusedMemory) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  for (const Entries& a : {one_dense_row(1500), blocked(3, 60, 3, 2)}) {
    const Stored<T> stored = store<T>(a);
    const auto memory = std::make_shared<LimitedDeviceMemory>();
    SparseProduct<T> product(product_on_device(memory));
    std::int64_t granted = 0;
    for (;; ++granted) {
      memory->refused_from = memory->requests + granted + 1;
      try {
        product.analyze(stored.view(), stored.view());
        break;
      } catch (const OutOfMemory&) {
        EXPECT_EQ(memory->alive, 0) << granted;
        EXPECT_FALSE(product.is_analyzed());
      }
    }
    EXPECT_GT(granted, 8);
    memory->refused_from = 1000000;
    product.compute(stored.values, stored.values);
    SparseProduct<T> other(product_on_device());
    EXPECT_EQ(result_of(product),
              multiplied(other, stored.view(), stored.values.size(), stored.view(), stored.values.size()));
    const auto none = std::make_shared<LimitedDeviceMemory>();
    none->refused_from = 0;
    ProductOptions either = product_on_device(none);
    either.backend = Backend::automatic;
    SparseProduct<T> on_host(either);
    on_host.analyze(stored.view(), stored.view());
    EXPECT_EQ(on_host.report().backend, Backend::host);
    EXPECT_NE(on_host.report().backend_reason.find("bytes were refused"), std::string::npos);
  }
}

/// What analyze holds at its peak, with A, B and C, is at most 1.3 times A, B and C where rows are sorted.
TEST(CudaProduct, KeepsItsBoundOfMemory) {
  SKIP_WITHOUT_DEVICE();
  for (const char* name : {"lap3d:30", "lap27:30", "elas:20", "lap2d:200", "shell:60"}) {
    const io::SymmetricMatrix matrix = io::generate(name);
    Entries a{name, matrix.n, matrix.n, {}};
    for (std::int64_t j = 0; j < matrix.n; ++j) {
      for (auto e = matrix.offsets[static_cast<std::size_t>(j)]; e < matrix.offsets[static_cast<std::size_t>(j) + 1]; ++e)
        a(matrix.indices[static_cast<std::size_t>(e)], j) = a(j, matrix.indices[static_cast<std::size_t>(e)]) = 1.0;
    }
    const Stored<double> stored = store<double>(a);
    SparseProduct<double> product(product_on_device());
    product.analyze(stored.view(), stored.view());
    const ProductReport& report = product.report();
    const auto values =
        static_cast<std::int64_t>(16 * stored.values.size());  // Bytes of the values of A and B, which the caller holds.
    EXPECT_LE(report.peak_bytes + values, report.reference_bytes * 13 / 10 + (1 << 20)) << name;
  }
}

TYPED_TEST(CudaProducts, OfNormalEquationsEqualNaiveOnes) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  for (const Entries& a : constraint_matrices()) {
    for (const Compression compression : {Compression::rows, Compression::columns}) {
      const Stored<T> stored = store<T>(a, compression);
      NormalEquations<T> normal(product_on_device());
      normal.analyze(stored.view());
      for (const MemorySpace space : {MemorySpace::host, MemorySpace::device}) {
        const std::vector<T> d = vector_of_size<T>(a.columns, 4);
        const DeviceArray<T> device_d(d);
        const T* const data = space == MemorySpace::host ? d.data() : device_d.get();
        const T shift = space == MemorySpace::host ? T(0) : T(0.25);
        normal.compute({data, d.size()}, space, shift);
        const auto count = static_cast<std::size_t>(normal.report().entries);
        std::vector<T> values(count);
        GPUSUPERNODAL_CUDA_CHECK(
            cudaMemcpy(values.data(), normal.matrix().values, count * sizeof(T), cudaMemcpyDeviceToHost));
        EXPECT_EQ(normal_difference(a, d, shift, lower_of(normal, values)), "") << a.name;
      }
    }
  }
}

/// From D to the solution without a trip to the host, on the caller's stream.
TEST(CudaProduct, OfNormalEquationsGoesIntoASolver) {
  SKIP_WITHOUT_DEVICE();
  const Entries a = constraint_matrices().back();
  const Stored<double> stored = store<double>(a, Compression::columns);
  const CallersStream stream;
  NormalEquations<double> normal(product_on_device());
  normal.set_stream(stream.get());
  normal.analyze(stored.view());
  Solver<double> solver(on(Backend::cuda));
  solver.set_stream(stream.get());
  solver.analyze(normal.matrix());
  const std::vector<double> b = vector_of_size<double>(a.rows, 9);
  const DeviceArray<double> device_b(b), x(b);
  for (const std::uint64_t step : {1, 2, 3}) {
    std::vector<double> d = vector_of_size<double>(a.columns, step);
    for (double& weight : d) weight = std::exp(6.0 * weight);
    const DeviceArray<double> device_d(d);
    normal.compute({device_d.get(), d.size()}, MemorySpace::device, 1e-10);
    const MatrixView<double> m = normal.matrix();
    const auto count = static_cast<std::size_t>(normal.report().entries);
    step == 1 ? solver.factorize(m) : solver.refactorize({m.values, count}, MemorySpace::device);
    solver.solve(DenseView<const double>(device_b.get(), a.rows, MemorySpace::device),
                 DenseView<double>(x.get(), a.rows, MemorySpace::device));
    stream.wait();
    std::vector<double> values(count);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(values.data(), m.values, count * sizeof(double), cudaMemcpyDeviceToHost));
    const std::vector<double> solution = x.host();
    std::vector<double> r = b, size(b.size(), 0.0);
    double worst = 0.0, largest = 0.0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t e = m.offsets[i]; e < m.offsets[i + 1]; ++e) {
        const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(m.indices[e]);
        const double value = values[static_cast<std::size_t>(e)];
        r[row] -= value * solution[column];
        size[row] += std::abs(value * solution[column]);
        if (row == column) continue;
        r[column] -= value * solution[row];
        size[column] += std::abs(value * solution[row]);
      }
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      worst = std::max(worst, std::abs(r[i]));
      largest = std::max(largest, size[i] + std::abs(b[i]));
    }
    const double bound = 4.0 * static_cast<double>(a.rows) * std::numeric_limits<double>::epsilon() * largest;
    EXPECT_LE(worst, bound) << step;
  }
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
