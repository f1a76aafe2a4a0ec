#include "gpusupernodal/galerkin_product.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/solver/sparse/galerkin_problem.hpp"
#include "tests/solver/sparse/product_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

template <class T>
class GalerkinProducts : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GalerkinProducts, Scalars);

TYPED_TEST(GalerkinProducts, EqualNaiveOnes) { expect_galerkin_products<TypeParam>(product_on_host()); }

/// A half means the whole matrix, and all of C is stored.
TYPED_TEST(GalerkinProducts, TakeHalvesOfSymmetricMatrices) {
  using T = TypeParam;
  const Entries a = blocked(2, 60, 3, 7), p = random_matrix(120, 40, 2.0, 8);
  const Stored<T> half = store<T>(a, Compression::columns, StoredPart::lower), sp = store<T>(p);
  GalerkinProduct<T> product(product_on_host());
  product.analyze(half.view(), sp.view());
  product.compute(half.values, sp.values);
  EXPECT_EQ(long_galerkin<T>(a, p).difference(result_of(product)), "");
}

/// New values give the bits of a new product, for any number of threads.
TYPED_TEST(GalerkinProducts, RepeatWithNewValues) {
  using T = TypeParam;
  for (const auto& [a, p] : galerkin_problems()) {
    const Stored<T> sa = store<T>(a), sp = store<T>(p);
    const auto other_a = vector_of_size<T>(static_cast<std::int64_t>(sa.values.size()), 8);
    const auto other_p = vector_of_size<T>(static_cast<std::int64_t>(sp.values.size()), 9);
    GalerkinProduct<T> product(product_on_host(1)), fresh(product_on_host(7));
    product.analyze(sa.view(), sp.view());
    product.compute(sa.values, sp.values);
    const Computed<T> first = result_of(product);
    product.compute(other_a, other_p);
    fresh.analyze(sa.view(), sp.view());
    fresh.compute(other_a, other_p);
    EXPECT_EQ(result_of(product), result_of(fresh)) << a.name;
    product.compute(sa.values, sp.values);
    EXPECT_EQ(result_of(product), first) << a.name;
  }
}

/// The report counts both products.
TEST(GalerkinProduct, ReportsBothProducts) {
  const Entries a = blocked(3, 40, 3, 4), p = blocked(3, 40, 2, 5);
  const Stored<double> sa = store<double>(a), sp = store<double>(p);
  const auto memory = std::make_shared<CountingAllocator>();
  GalerkinProduct<double> product(product_on_host(2, memory));
  product.analyze(sa.view(), sp.view());
  SparseProduct<double> ap(product_on_host()), ptap(product_on_host());
  const Computed<double> middle = multiplied(ap, sa.view(), sa.values.size(), sp.view(), sp.values.size());
  ptap.analyze(transposed(sp.view()), middle.view());
  const ProductReport& report = product.report();
  EXPECT_EQ(report.products, ap.report().products + ptap.report().products);
  EXPECT_EQ(report.entries, ptap.report().entries);
  EXPECT_EQ(report.rows, 120);
  EXPECT_EQ(report.columns, 120);
  EXPECT_EQ(report.block, 3);
  EXPECT_EQ(report.backend_reason, "requested");
  EXPECT_EQ(report.memory_bytes, ap.report().memory_bytes + ptap.report().memory_bytes);
  EXPECT_GE(report.peak_bytes, report.memory_bytes);
  EXPECT_LE(memory->bytes(), report.memory_bytes);
  EXPECT_GT(report.reference_bytes, ap.report().reference_bytes);
}

std::string refusal_of_galerkin(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GalerkinProduct, SaysWhatIsWrong) {
  const Stored<double> a = store<double>(random_matrix(6, 6, 2.0, 1)), p = store<double>(random_matrix(6, 4, 2.0, 2));
  const Stored<double> wide = store<double>(random_matrix(6, 9, 2.0, 1));
  const std::vector<double> few(3);
  GalerkinProduct<double> product(product_on_host());
  EXPECT_EQ(refusal_of_galerkin([&] { product.compute(a.values, p.values); }),
            "compute needs an analyzed matrix; call analyze first");
  EXPECT_EQ(refusal_of_galerkin([&] { static_cast<void>(product.result()); }),
            "result needs an analyzed matrix; call analyze first");
  const std::string shapes = "A is 6 by 9 and P is 6 by 4; Pᵀ·A·P needs a square A with as many columns as P has rows";
  EXPECT_EQ(refusal_of_galerkin([&] { product.analyze(wide.view(), p.view()); }), shapes);
  EXPECT_FALSE(product.is_analyzed());
  product.analyze(a.view(), p.view());
  EXPECT_EQ(refusal_of_galerkin([&] { product.analyze(wide.view(), p.view()); }), shapes);
  EXPECT_EQ(product.columns(), 4) << "the analysis before is kept";
  std::vector<double> room(static_cast<std::size_t>(product.report().entries));
  EXPECT_EQ(refusal_of_galerkin([&] { product.copy_values(room); }),
            "copy_values needs the values of C; call compute first");
  EXPECT_EQ(refusal_of_galerkin([&] { product.compute(few, p.values); }),
            "3 numbers were given for A, but the analyzed patterns need " + std::to_string(a.values.size()));
  EXPECT_EQ(refusal_of_galerkin([&] { product.compute(a.values, few); }),
            "3 numbers were given for P, but the analyzed patterns need " + std::to_string(p.values.size()));
  product.compute(a.values, p.values);
  product.copy_values(room);
  ProductOptions options = product_on_host();
  options.threads = -1;
  EXPECT_THROW(product.set_options(options), InvalidInput);
}

/// Memory is refused at each request in turn: analyze throws OutOfMemory and keeps what was there.
TEST(GalerkinProduct, SurvivesRefusedMemory) {
  const Stored<double> a = store<double>(one_dense_row(100)), p = store<double>(random_matrix(100, 30, 2.0, 2));
  const auto memory = std::make_shared<CountingAllocator>();
  GalerkinProduct<double> product(product_on_host(1, memory));
  std::int64_t granted = 0;
  for (;; ++granted) {
    memory->refuse_after(memory->requests() + granted);
    try {
      product.analyze(a.view(), p.view());
      break;
    } catch (const OutOfMemory&) {
      EXPECT_EQ(memory->alive(), 0);
      EXPECT_FALSE(product.is_analyzed());
    }
  }
  EXPECT_GE(granted, 6);
  memory->refuse_after(memory->requests() + 1000);
  product.compute(a.values, p.values);
  const Computed<double> before = result_of(product);
  memory->refuse_after(memory->requests() + 4);
  EXPECT_THROW(product.analyze(a.view(), p.view()), OutOfMemory);
  EXPECT_EQ(result_of(product), before);
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
