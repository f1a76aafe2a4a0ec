#include "gpusupernodal/sparse_product.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/solver/sparse/product_problem.hpp"
#include "tests/support/data.hpp"
#include "tests/support/every.hpp"
#include "tests/support/sanitized.hpp"

namespace gpusupernodal::test::sparse {
namespace {

template <class T>
class Products : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Scalars);

TYPED_TEST(Products, EqualNaiveOnes) { expect_products<TypeParam>(product_on_host(), static_cast<std::size_t>(every())); }
TYPED_TEST(Products, TakeHalvesOfSymmetricMatrices) { expect_symmetric_products<TypeParam>(product_on_host()); }
TYPED_TEST(Products, FindBlocks) { expect_blocks<TypeParam>(product_on_host()); }
TYPED_TEST(Products, RepeatWithNewValues) { expect_repeated_products<TypeParam>(product_on_host()); }
TYPED_TEST(Products, AreAssociative) { expect_laws<TypeParam>(product_on_host()); }

TEST(Product, SumsMoreThan32BitsCount) {
  if (GPUSUPERNODAL_TEST_THREAD_SANITIZED) GTEST_SKIP() << "this many products take ten minutes with the sanitizer";
  expect_many_products<double>(product_on_host());
}

/// Real patterns, with values that are small integers: every sum is exact.
TEST(Product, OfRealMatricesIsExact) {
  Thinned cases;
  for (const std::string& path : project_matrices()) {
    if (!cases.takes_next()) continue;
    const io::SymmetricMatrix matrix = io::read_matrix_market(path);
    Entries a{matrix.name, matrix.n, matrix.n, {}};
    for (std::int64_t j = 0; j < matrix.n; ++j) {
      for (auto e = matrix.offsets[static_cast<std::size_t>(j)]; e < matrix.offsets[static_cast<std::size_t>(j) + 1]; ++e) {
        const std::int64_t i = matrix.indices[static_cast<std::size_t>(e)];
        a(i, j) = a(j, i) = static_cast<double>((i + j) % 7 - 3);
      }
    }
    const Stored<double> stored = store<double>(a, Compression::columns, StoredPart::lower);
    SparseProduct<double> product(product_on_host());
    const Computed<double> c = multiplied(product, stored.view(), stored.values.size(), stored.view(), stored.values.size());
    const LongProduct expected = LongProduct::make(a, a, static_cast<const std::vector<double>*>(nullptr), 0.0);
    ASSERT_EQ(expected.of.size(), c.values.size()) << a.name;
    std::size_t e = 0;
    for (const auto& [place, sum] : expected.of) ASSERT_EQ(static_cast<long double>(c.values[e++]), sum.value) << a.name;
  }
}

TEST(Product, HasEqualBitsForAnyNumberOfThreads) {
  for (const Entries& a : {one_dense_row(1500), blocked(6, 300, 4, 6), random_matrix(4000, 4000, 20.0, 1)}) {
    const Stored<double> stored = store<double>(a);
    SparseProduct<double> one(product_on_host(1)), many(product_on_host(7));
    const std::size_t n = stored.values.size();
    EXPECT_EQ(multiplied(one, stored.view(), n, stored.view(), n), multiplied(many, stored.view(), n, stored.view(), n));
  }
}

/// Galerkin: Pᵀ·(A·P) of aggregates of three points keeps the row sums of A.
TEST(Product, MakesGalerkinMatrices) {
  const Entries a = banded(300, 300, {-17, -1, 0, 1, 17});
  Entries p{"aggregates", 300, 100, {}};
  for (std::int64_t i = 0; i < 300; ++i) p(i, i / 3) = 1.0;
  const Stored<double> sa = store<double>(a), sp = store<double>(p);
  SparseProduct<double> ap(product_on_host()), ptap(product_on_host());
  const Computed<double> middle = multiplied(ap, sa.view(), sa.values.size(), sp.view(), sp.values.size());
  const Computed<double> coarse =
      multiplied(ptap, transposed(sp.view()), sp.values.size(), middle.view(), middle.values.size());
  EXPECT_EQ(coarse.rows, 100);
  EXPECT_EQ(coarse.columns, 100);
  std::vector<double> fine(100, 0.0);
  for (const auto& [place, value] : a.of) fine[static_cast<std::size_t>(place.first / 3)] += value;
  for (std::size_t i = 0; i < 100; ++i) {
    double sum = 0.0;
    for (auto e = coarse.offsets[i]; e < coarse.offsets[i + 1]; ++e) sum += coarse.values[static_cast<std::size_t>(e)];
    const double bound = 4.0 * 15.0 * std::numeric_limits<double>::epsilon();  // c·n·eps: at most 15 entries are added.
    EXPECT_NEAR(sum, fine[i], bound * std::abs(fine[i]));
  }
  EXPECT_EQ(ptap.result().rows, 100);
  EXPECT_EQ(ptap.result().values[0], coarse.values[0]);
  EXPECT_EQ(ptap.result().pattern_space, MemorySpace::host);
}

/// What analyze holds at its peak, with A, B and C, is at most 1.3 times A, B and C where rows are sorted.
TEST(Product, KeepsItsBoundOfMemory) {
  for (const char* name : {"lap3d:20", "lap27:16", "elas:9", "lap2d:90", "shell:24"}) {
    const io::SymmetricMatrix matrix = io::generate(name);
    Entries a{name, matrix.n, matrix.n, {}};
    for (std::int64_t j = 0; j < matrix.n; ++j) {
      for (auto e = matrix.offsets[static_cast<std::size_t>(j)]; e < matrix.offsets[static_cast<std::size_t>(j) + 1]; ++e)
        a(matrix.indices[static_cast<std::size_t>(e)], j) = a(j, matrix.indices[static_cast<std::size_t>(e)]) = 1.0;
    }
    const Stored<double> stored = store<double>(a);
    const auto memory = std::make_shared<CountingAllocator>();
    SparseProduct<double> product(product_on_host(2, memory));
    product.analyze(stored.view(), stored.view());
    const ProductReport& report = product.report();
    const auto values =
        static_cast<std::int64_t>(16 * stored.values.size());  // Bytes of the values of A and B, which the caller holds.
    EXPECT_LE(report.peak_bytes + values, report.reference_bytes * 13 / 10 + 4096) << name;
    EXPECT_LE(report.memory_bytes, report.peak_bytes) << name;
    EXPECT_LE(memory->bytes(), report.memory_bytes) << name;
  }
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Product, SaysWhatIsWrong) {
  const Stored<double> a = store<double>(random_matrix(6, 9, 2.0, 1)), b = store<double>(random_matrix(9, 4, 2.0, 2));
  SparseProduct<double> product(product_on_host());
  const std::vector<double> few(3);
  EXPECT_EQ(refusal([&] { product.compute(a.values, b.values); }), "compute needs an analyzed matrix; call analyze first");
  EXPECT_EQ(refusal([&] { static_cast<void>(product.result()); }), "result needs an analyzed matrix; call analyze first");
  EXPECT_EQ(refusal([&] { product.analyze(a.view(), a.view()); }),
            "A is 6 by 9 and B is 6 by 9; a product needs as many rows of B as A has columns");
  product.analyze(a.view(), b.view());
  std::vector<double> room(static_cast<std::size_t>(product.report().entries));
  EXPECT_EQ(refusal([&] { product.copy_values(room); }), "copy_values needs the values of C; call compute first");
  EXPECT_EQ(refusal([&] { product.compute(few, b.values); }),
            "3 numbers were given for A, but the analyzed patterns need " + std::to_string(a.values.size()));
  EXPECT_EQ(refusal([&] { product.compute(a.values, {nullptr, b.values.size()}); }), "the numbers for B are a null pointer");
  product.compute(a.values, b.values);
  std::vector<std::int64_t> offsets(3);
  std::vector<std::int32_t> indices(room.size());
  EXPECT_EQ(refusal([&] { product.copy_pattern(offsets, indices); }),
            "the arrays hold 3 offsets and " + std::to_string(indices.size()) + " indices, but C has 7 and " +
                std::to_string(indices.size()));
  room.pop_back();
  EXPECT_NE(refusal([&] { product.copy_values(room); }).find("the arrays hold"), std::string::npos);
  SparseView<double> wrong = a.view();
  std::vector<std::int32_t> outside = a.indices;
  outside[0] = 9;
  wrong.indices = outside.data();
  EXPECT_THROW(product.analyze(wrong, b.view()), InvalidInput);
  EXPECT_EQ(product.columns(), 4) << "the analysis before is kept";
  ProductOptions options = product_on_host();
  options.threads = -1;
  EXPECT_THROW(product.set_options(options), InvalidInput);
  NormalEquations<double> normal(product_on_host());
  EXPECT_EQ(refusal([&] { normal.compute(few); }), "compute needs an analyzed matrix; call analyze first");
  EXPECT_EQ(refusal([&] { static_cast<void>(normal.matrix()); }), "matrix needs an analyzed matrix; call analyze first");
  SparseView<double> pattern = a.view();
  pattern.values = nullptr;
  normal.analyze(pattern);
  EXPECT_EQ(refusal([&] { normal.compute(std::vector<double>(9)); }),
            "compute needs the values of the matrix; call update first");
  normal.update(a.values);
  EXPECT_EQ(refusal([&] { normal.compute(few); }),
            "3 numbers were given for the diagonal of D, but the analyzed patterns need 9");
}

/// Arrays that are no pattern are refused, whatever they hold.
TEST(Product, RefusesArraysThatAreNoPattern) {
  std::mt19937_64 random(5);
  SparseProduct<double> product(product_on_host());
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Stored<double> a = store<double>(random_matrix(12, 12, 3.0, random()));
    if (a.indices.empty()) continue;
    for (int change = static_cast<int>(random() % 3); change >= 0; --change) {
      if (random() % 2 == 0) {
        a.indices[random() % a.indices.size()] = static_cast<std::int32_t>(random() % 40) - 20;
      } else {
        const std::size_t at = random() % (a.offsets.size() - 1);
        a.offsets[at] = static_cast<std::int64_t>(random() % (a.indices.size() + 1));
      }
    }
    try {
      product.analyze(a.view(), transposed(a.view()));
      product.compute(a.values, a.values);
    } catch (const InvalidInput&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

/// Memory is refused at each request in turn: analyze throws OutOfMemory, gives everything back, and keeps what was there.
TEST(Product, SurvivesRefusedMemory) {
  for (const Entries& a : {one_dense_row(400), blocked(3, 60, 3, 2)}) {
    const Stored<double> stored = store<double>(a, Compression::rows, StoredPart::full, true);
    const auto memory = std::make_shared<CountingAllocator>();
    SparseProduct<double> product(product_on_host(1, memory));
    std::int64_t granted = 0;
    for (;; ++granted) {
      memory->refuse_after(memory->requests() + granted);
      try {
        product.analyze(stored.view(), stored.view());
        break;
      } catch (const OutOfMemory& error) {
        EXPECT_GT(error.bytes_needed(), 0);
        EXPECT_EQ(memory->alive(), 0);
        EXPECT_FALSE(product.is_analyzed());
      }
    }
    EXPECT_GE(granted, 3) << a.name;
    for (granted = 0; granted < 2; ++granted) {  // Copies of values in another order.
      memory->refuse_after(memory->requests() + granted);
      EXPECT_THROW(product.compute(stored.values, stored.values), OutOfMemory);
      EXPECT_EQ(refusal([&] { product.copy_values({}); }), "copy_values needs the values of C; call compute first");
      break;
    }
    memory->refuse_after(memory->requests() + 2);
    product.compute(stored.values, stored.values);
    const Computed<double> before = result_of(product);
    memory->refuse_after(memory->requests());
    EXPECT_THROW(product.analyze(stored.view(), stored.view()), OutOfMemory);
    EXPECT_EQ(result_of(product), before);
  }
}

TYPED_TEST(Products, OfNormalEquationsEqualNaiveOnes) {
  using T = TypeParam;
  for (const Entries& a : constraint_matrices()) {
    for (const Compression compression : {Compression::rows, Compression::columns}) {
      const Stored<T> stored = store<T>(a, compression);
      NormalEquations<T> normal(product_on_host());
      normal.analyze(stored.view());
      for (const std::uint64_t seed : {1, 2}) {
        const std::vector<T> d = vector_of_size<T>(a.columns, seed);
        const T shift = seed == 1 ? T(0) : T(0.25);
        normal.compute(d, MemorySpace::host, shift);
        const auto count = static_cast<std::size_t>(normal.report().entries);
        const std::vector<T> values(normal.matrix().values, normal.matrix().values + count);
        EXPECT_EQ(normal_difference(a, d, shift, lower_of(normal, values)), "") << a.name;
      }
    }
  }
}

/// Steps of an interior point method: values of D change, the factorization follows.
TEST(Product, OfNormalEquationsGoesIntoASolver) {
  const Entries a = constraint_matrices().back();
  const Stored<double> stored = store<double>(a, Compression::columns);
  NormalEquations<double> normal(product_on_host());
  normal.analyze(stored.view());
  Options options;
  options.backend = Backend::host;
  Solver<double> solver(options);
  solver.analyze(normal.matrix());
  const auto n = static_cast<std::size_t>(a.rows);
  for (const std::uint64_t step : {1, 2, 3}) {
    std::vector<double> d = vector_of_size<double>(a.columns, step), x(n);
    for (double& weight : d) weight = std::exp(6.0 * weight);
    normal.compute(d, MemorySpace::host, 1e-10);
    const MatrixView<double> m = normal.matrix();
    const auto count = static_cast<std::size_t>(normal.report().entries);
    step == 1 ? solver.factorize(m) : solver.refactorize({m.values, count});
    const std::vector<double> b = vector_of_size<double>(a.rows, 9);
    solver.solve(DenseView<const double>(b.data(), a.rows), DenseView<double>(x.data(), a.rows));
    std::vector<double> r = b, size(n, 0.0);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t e = m.offsets[i]; e < m.offsets[i + 1]; ++e) {
        const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(m.indices[e]);
        r[row] -= m.values[e] * x[column];
        size[row] += std::abs(m.values[e] * x[column]);
        if (row == column) continue;
        r[column] -= m.values[e] * x[row];
        size[column] += std::abs(m.values[e] * x[row]);
      }
    }
    double worst = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      worst = std::max(worst, std::abs(r[i]));
      largest = std::max(largest, size[i] + std::abs(b[i]));
    }
    EXPECT_LE(worst, 4.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * largest) << step;
  }
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
