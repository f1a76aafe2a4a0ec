#include <gtest/gtest.h>

#include "tests/solver/backend/backends.hpp"
#include "tests/solver/backend/problem.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using ExecutorFactor = ExecutorTest<OnBackend>;
TYPED_TEST_SUITE(ExecutorFactor, AllExecutors, BackendNames);

TYPED_TEST(ExecutorFactor, ProductOfTheFactorIsTheMatrix) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    for (const PlanOptions& options : cuts_of(TypeParam::backend)) {
      SCOPED_TRACE(a.name + ": " + describe(options));
      const Problem<T> problem(a, options);
      const auto executor = this->make(problem.plan);
      executor->factorization().factorize(problem.input());
      ASSERT_EQ(executor->factorization().outcome().status, Status::success);
      EXPECT_TRUE(executor->factorization().outcome_known());
      expect_product<T>(problem.permuted(), dense_factor(*problem.plan, *executor));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ExecutorFactor, EveryMergingGivesAFactor) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    for (Merging merging : all_mergings()) {
      SCOPED_TRACE(a.name);
      const Problem<T> problem(a, plan_options(Ordering::amd, merging));
      const auto executor = this->make(problem.plan);
      executor->factorization().factorize(problem.input());
      expect_product<T>(problem.permuted(), dense_factor(*problem.plan, *executor));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Returns A = L Lᵀ and sets `l` to L: small integers with powers of two on the diagonal, so every intermediate result is
/// exact.
io::SymmetricMatrix integer_product(std::int64_t n, std::int64_t band, Dense& l) {
  std::vector<double> noise = random_vector(n * n, 5);
  for (std::size_t j = 0; j < l.n; ++j) {
    l(j, j) = static_cast<double>(1 << (j % 3));
    for (std::size_t i = j + 1; i < l.n && i <= j + static_cast<std::size_t>(band); ++i) {
      l(i, j) = std::trunc(3.0 * noise[i * l.n + j]);
      if (l(i, j) == 0.0) l(i, j) = 1.0;
    }
  }
  io::SymmetricMatrix a;
  a.n = n;
  for (std::size_t j = 0; j < l.n; ++j) {
    for (std::size_t i = j; i < l.n && i <= j + static_cast<std::size_t>(band); ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k <= j; ++k) sum += l(i, k) * l(j, k);
      a.indices.push_back(static_cast<std::int32_t>(i));
      a.values.push_back(sum);
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  return a;
}

TYPED_TEST(ExecutorFactor, FactorsOfIntegerMatricesAreExact) {
  using T = typename TypeParam::Scalar;
  for (const std::int64_t n : {1, 2, 7, 40, 150}) {
    for (const std::int64_t band : {std::int64_t{1}, std::int64_t{5}, n}) {
      // CUDA multiplies by inverses of blocks. Their entries grow with the band beyond what T represents exactly.
      if (TypeParam::backend == Backend::cuda && band > 1 && n > 7) continue;
      Dense expected(n);
      const io::SymmetricMatrix a = integer_product(n, band, expected);
      for (PlanOptions options : cuts_of(TypeParam::backend)) {
        SCOPED_TRACE("n " + std::to_string(n) + ", band " + std::to_string(band) + ": " + describe(options));
        options.symbolic.ordering = Ordering::natural;
        const Problem<T> problem(a, options);
        for (NewIndex k : problem.plan->symbolic.permutation.old_of_new.ids()) {
          ASSERT_EQ(problem.plan->symbolic.permutation.old_of_new[k].value, k.value) << "a band is in postorder";
        }
        const auto executor = this->make(problem.plan);
        executor->factorization().factorize(problem.input());
        ASSERT_EQ(executor->factorization().outcome().status, Status::success);
        ASSERT_EQ(dense_factor(*problem.plan, *executor).entries, expected.entries);
        EXPECT_EQ(executor->factorization().outcome().smallest_pivot, 1.0);
        EXPECT_EQ(executor->factorization().outcome().largest_pivot, n == 1 ? 1.0 : n == 2 ? 4.0 : 16.0);
      }
    }
  }
}

/// The host must reproduce the factor bitwise. A device may add in any order, so only the product L Lᵀ is compared.
TYPED_TEST(ExecutorFactor, NewValuesGiveTheFactorOfANewExecutor) {
  using T = typename TypeParam::Scalar;
  for (const char* spec : {"lap2d:12", "lap27:6", "elas:4"}) {
    const Problem<T> problem(io::generate(spec));
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    const Dense first = dense_factor(*problem.plan, *executor);
    std::vector<T> other = problem.values;
    for (T& value : other) value *= T(3);
    executor->factorization().factorize({other.data(), MemorySpace::host, T(1), T(0)});
    executor->factorization().factorize(problem.input());
    const Dense again = dense_factor(*problem.plan, *executor);
    if (this->on_host) {
      EXPECT_EQ(first.entries, again.entries);
    } else {
      expect_product<T>(problem.permuted(), again);
    }
  }
}

/// A → 4 A gives L → 2 L: scaling by powers of two causes no rounding.
TYPED_TEST(ExecutorFactor, ScalesByPowersOfTwo) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    const Problem<T> problem(a);
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    Dense twice = dense_factor(*problem.plan, *executor);
    for (double& entry : twice.entries) entry *= 2.0;
    FactorInput<T> scaled = problem.input();
    scaled.scale = T(4);
    executor->factorization().factorize(scaled);
    const Dense by_scale = dense_factor(*problem.plan, *executor);
    std::vector<T> four = problem.values;
    for (T& value : four) value *= T(4);
    executor->factorization().factorize({four.data(), MemorySpace::host, T(1), T(0)});
    const Dense by_values = dense_factor(*problem.plan, *executor);
    if (this->on_host) {
      EXPECT_EQ(by_scale.entries, twice.entries) << a.name;
      EXPECT_EQ(by_values.entries, twice.entries) << a.name;
    } else {
      Dense expected = problem.permuted();
      for (double& entry : expected.entries) entry *= 4.0;
      expect_product<T>(expected, by_scale);
      expect_product<T>(expected, by_values);
    }
  }
}

TYPED_TEST(ExecutorFactor, AddsAShiftToTheDiagonal) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    const Problem<T> problem(a);
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize({problem.values.data(), MemorySpace::host, T(0.5), T(8)});
    ASSERT_EQ(executor->factorization().outcome().status, Status::success);
    Dense expected = problem.permuted();
    for (double& entry : expected.entries) entry *= 0.5;
    for (std::size_t i = 0; i < expected.n; ++i) expected(i, i) += 8.0;
    SCOPED_TRACE(a.name);
    expect_product<T>(expected, dense_factor(*problem.plan, *executor));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(ExecutorFactor, CopiesTheDiagonal) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    const Problem<T> problem(a);
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    std::vector<T> diagonal(problem.order());
    executor->factorization().copy_diagonal(diagonal);
    const Dense l = dense_factor(*problem.plan, *executor);
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::size_t i = 0; i < problem.order(); ++i) {
      ASSERT_EQ(static_cast<double>(diagonal[i]), l(i, i)) << a.name;
      smallest = std::min(smallest, l(i, i) * l(i, i));
      largest = std::max(largest, l(i, i) * l(i, i));
    }
    if (problem.order() == 0) continue;
    // The reported pivot is the value before the square root or the root squared. They differ by at most 2 eps.
    const double close = 2.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
    EXPECT_NEAR(executor->factorization().outcome().smallest_pivot, smallest, close * smallest);
    EXPECT_NEAR(executor->factorization().outcome().largest_pivot, largest, close * largest);
  }
}

TYPED_TEST(ExecutorFactor, NamesItsDevice) {
  using T = typename TypeParam::Scalar;
  const Problem<T> problem(chain_spd(3));
  const auto executor = this->make(problem.plan);
  EXPECT_FALSE(executor->context().device_name().empty());
  EXPECT_EQ(executor->vectors().space(), this->on_host ? MemorySpace::host : MemorySpace::device);
}

}  // namespace
}  // namespace gpusupernodal::test
