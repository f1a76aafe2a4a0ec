#include <gtest/gtest.h>

#include "tests/solver/backend/backends.hpp"
#include "tests/solver/backend/problem.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using ExecutorFailure = ExecutorTest<OnBackend>;
TYPED_TEST_SUITE(ExecutorFailure, AllExecutors, BackendNames);

/// Matrices that are small enough for one factorization per column and poked value.
std::vector<io::SymmetricMatrix> victims() {
  std::vector<io::SymmetricMatrix> all{chain_spd(17), arrowhead_spd(20), dense_spd(33, 2), blocks_spd(5, 7, 3),
                                       random_spd(40, 120, 4)};
  for (const char* spec : {"lap2d:6", "elas:2"}) all.push_back(io::generate(spec));
  return all;
}

std::vector<PlanOptions> few_cuts(Backend backend) {
  std::vector<PlanOptions> cuts = cuts_of(backend);
  if (cuts.size() > 3) cuts = {cuts[0], cuts[1], cuts[2]};
  return cuts;
}

/// Value that replaces the diagonal entry of a column to make its pivot fail.
enum class Poke { negative, zero, not_a_number };

template <class T>
T poked(Poke poke) {
  switch (poke) {
    case Poke::negative:
      return T(-1);
    case Poke::zero:
      return T(0);
    case Poke::not_a_number:
      return std::numeric_limits<T>::quiet_NaN();
  }
  return T(0);
}

template <class T>
void expect_failed_pivot(const FactorOutcome& outcome, const DenseOutcome& expected, double largest, std::int64_t n) {
  ASSERT_EQ(outcome.status, Status::not_positive_definite);
  ASSERT_EQ(outcome.failed_column.value, expected.failed);
  if (std::isnan(expected.pivot)) {
    ASSERT_TRUE(std::isnan(outcome.failed_value));
  } else {
    // The pivot is a difference of sums that are bounded by the largest diagonal entry.
    const double bound = 4.0 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
    ASSERT_NEAR(outcome.failed_value, expected.pivot, bound);
  }
}

TYPED_TEST(ExecutorFailure, NamesAFailedColumnAtEveryPosition) {
  using T = typename TypeParam::Scalar;
  ExecutorOptions unchecked;
  unchecked.check_finite = false;
  for (const auto& a : victims()) {
    const double largest = *std::max_element(a.values.begin(), a.values.end());
    for (const PlanOptions& options : few_cuts(TypeParam::backend)) {
      Problem<T> problem(a, options);
      const auto executor = this->make(problem.plan, unchecked);
      for (std::int64_t k = 0; k < a.n; ++k) {
        for (const Poke poke : {Poke::negative, Poke::zero, Poke::not_a_number}) {
          SCOPED_TRACE(a.name + ": " + describe(options) + ", position " + std::to_string(k));
          const std::size_t entry = problem.diagonal_entry(NewIndex(k));
          const T sound = problem.values[entry];
          problem.values[entry] = poked<T>(poke);
          executor->factorization().factorize(problem.input());
          expect_failed_pivot<T>(executor->factorization().outcome(), dense_cholesky(problem.permuted()), largest, a.n);
          problem.values[entry] = sound;
          if (testing::Test::HasFatalFailure()) return;
        }
      }
      executor->factorization().factorize(problem.input());
      ASSERT_EQ(executor->factorization().outcome().status, Status::success) << "nothing of a failure stays";
      expect_product<T>(problem.permuted(), dense_factor(*problem.plan, *executor));
    }
  }
}

TYPED_TEST(ExecutorFailure, ReportsTheEarlierOfTwoFailedColumns) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : victims()) {
    for (const PlanOptions& options : few_cuts(TypeParam::backend)) {
      const Problem<T> problem(a, options);
      const auto executor = this->make(problem.plan);
      for (std::int64_t k = 0; k + 1 < a.n; k += 3) {
        std::vector<T> values = problem.values;
        values[problem.diagonal_entry(NewIndex(k))] = T(-1);
        values[problem.diagonal_entry(NewIndex(a.n - 1))] = T(-1);
        executor->factorization().factorize({values.data(), MemorySpace::host, T(1), T(0)});
        ASSERT_EQ(executor->factorization().outcome().failed_column.value, k) << a.name;
      }
    }
  }
}

TYPED_TEST(ExecutorFailure, SolvesToNaN) {
  using T = typename TypeParam::Scalar;
  Problem<T> problem(io::generate("lap2d:6"));
  const T sound = problem.values[0];
  problem.values[0] = T(-1);
  const auto executor = this->make(problem.plan);
  executor->factorization().factorize(problem.input());
  const std::vector<T> b(problem.order() * 2, T(1));
  std::vector<T> x(b.size(), T(0));
  const DenseView<const T> right(b.data(), problem.a.n, 2, problem.a.n);
  const DenseView<T> left(x.data(), problem.a.n, 2, problem.a.n);
  for (const SolveSteps& steps :
       {SolveSteps(), SolveSteps{false, true, false, false}, SolveSteps{false, false, true, false}}) {
    std::fill(x.begin(), x.end(), T(0));
    executor->factorization().solve(steps, right, left);
    for (T value : x) ASSERT_TRUE(std::isnan(value));
  }
  executor->factorization().solve(SolveSteps{true, false, false, true}, right, left);
  EXPECT_EQ(x, b) << "permutations need no factor";
  problem.values[0] = sound;
  executor->factorization().factorize(problem.input());
  executor->factorization().solve(SolveSteps(), right, left);
  EXPECT_LE(backward_error(problem.a, widened(x.data(), problem.order()), widened(b.data(), problem.order())),
            backward_error_bound<T>(problem.a.n));
}

TYPED_TEST(ExecutorFailure, NamesEveryNonFiniteEntry) {
  using T = typename TypeParam::Scalar;
  const std::vector<T> bad{std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity()};
  for (const auto& a : victims()) {
    for (const PlanOptions& options : few_cuts(TypeParam::backend)) {
      const Problem<T> problem(a, options);
      const auto executor = this->make(problem.plan);
      const std::size_t step = std::max<std::size_t>(1, problem.values.size() / 60);
      for (std::size_t e = 0; e < problem.values.size(); e += step) {
        std::vector<T> values = problem.values;
        values[e] = bad[e % 3];
        values.back() = bad[0];
        executor->factorization().factorize({values.data(), MemorySpace::host, T(1), T(0)});
        const FactorOutcome outcome = executor->factorization().outcome();
        ASSERT_EQ(outcome.status, Status::non_finite_input) << a.name;
        ASSERT_EQ(outcome.failed_entry, static_cast<std::int64_t>(e)) << a.name << ": the first in the caller's order";
        ASSERT_FALSE(std::isfinite(outcome.failed_value));
      }
      executor->factorization().factorize(problem.input());
      ASSERT_EQ(executor->factorization().outcome().status, Status::success);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
