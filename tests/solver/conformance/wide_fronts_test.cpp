/// Supernodes of several block columns: their factor agrees with that of a dense reference, and solves.

#include <cmath>
#include <limits>
#include <utility>

#include "tests/solver/conformance/subject.hpp"
#include "tests/support/every.hpp"
#include "tests/support/random_patterns.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using WideFronts = ExecutorTest<OnBackend>;
TYPED_TEST_SUITE(WideFronts, AllExecutors, BackendNames);

/// Plain Cholesky, column by column; column j begins at j·n.
std::vector<double> reference_factor(const Dense& a) {
  const std::size_t n = a.n;
  std::vector<double> l(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) l[j * n + i] = a(i, j);
  }
  for (std::size_t j = 0; j < n; ++j) {
    double* const column = l.data() + j * n;
    const double root = std::sqrt(column[j]);
    for (std::size_t i = j; i < n; ++i) column[i] /= root;
    for (std::size_t k = j + 1; k < n; ++k) {
      const double factor = column[k];
      double* const later = l.data() + k * n;
      for (std::size_t i = k; i < n && factor != 0.0; ++i) later[i] -= column[i] * factor;
    }
  }
  return l;
}

template <class T>
void expect_reference(const Dense& l, const std::vector<double>& expected) {
  double largest = 0.0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  const double bound = 8.0 * static_cast<double>(l.n) * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
  for (std::size_t j = 0; j < l.n; ++j) {
    for (std::size_t i = j; i < l.n; ++i) ASSERT_NEAR(l(i, j), expected[j * l.n + i], bound) << i << ", " << j;
  }
}

/// Dense matrices of two and of three block columns, and a source of three that updates a target of two.
std::vector<io::SymmetricMatrix> wide_matrices() { return {dense_spd(700, 3), dense_spd(1500, 4), single_front(1100, 700)}; }

PlanOptions natural_order() {
  PlanOptions options;
  options.symbolic.ordering = Ordering::natural;
  options.symbolic.merging = Merging::none;
  return options;
}

/// The default cut, everything in one leaf subtree, and block columns that are cut at borders of the storage alone, or
/// between them too.
std::vector<PlanOptions> cuts_of_wide(Backend backend) {
  std::vector<PlanOptions> cuts(backend == Backend::host ? 4 : 2, natural_order());
  cuts[1].block_width = 65536;
  if (backend == Backend::host) {
    cuts[2].block_width = 200;
    cuts[3].host_schedule = ScheduleOptions();
    cuts[3].host_schedule->max_subtree_flops = std::numeric_limits<double>::infinity();
  }
  return cuts;
}

TYPED_TEST(WideFronts, AgreeWithADenseFactor) {
  using T = typename TypeParam::Scalar;
  Thinned cases;
  for (const io::SymmetricMatrix& a : wide_matrices()) {
    std::vector<double> expected;
    for (const PlanOptions& options : cuts_of_wide(TypeParam::backend)) {
      if (!cases.takes_next()) continue;
      SCOPED_TRACE(a.name + ": " + describe(options));
      if (expected.empty()) expected = reference_factor(Problem<T>(a, natural_order()).permuted());
      const Problem<T> problem(a, options);
      const auto executor = this->make(problem.plan);
      executor->factorization().factorize(problem.input());
      ASSERT_EQ(executor->factorization().outcome().status, Status::success);
      const Dense l = dense_factor(*problem.plan, *executor);
      expect_reference<T>(l, expected);
      std::vector<T> diagonal(problem.order());
      executor->factorization().copy_diagonal(diagonal);
      for (std::size_t j = 0; j < l.n; ++j) ASSERT_EQ(static_cast<double>(diagonal[j]), l(j, j)) << "column " << j;
      for (const std::int64_t columns : {1, 3, 17}) expect_solutions(problem, *executor, columns);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// A pivot that fails in a later block column is found, and the shift reaches every block column.
TYPED_TEST(WideFronts, FailAndShiftInEveryBlockColumn) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = dense_spd(1500, 4);
  Thinned cases;
  for (const PlanOptions& options : cuts_of_wide(TypeParam::backend)) {
    if (!cases.takes_next()) continue;
    SCOPED_TRACE(describe(options));
    Problem<T> problem(a, options);
    const auto executor = this->make(problem.plan);
    for (const std::int32_t column : {100, 511, 512, 1024, 1499}) {
      T& entry = problem.values[problem.diagonal_entry(NewIndex(column))];
      const T before = std::exchange(entry, T(-1));
      executor->factorization().factorize(problem.input());
      ASSERT_EQ(executor->factorization().outcome().status, Status::not_positive_definite);
      ASSERT_EQ(executor->factorization().outcome().failed_column, NewIndex(column));
      FactorInput<T> shifted = problem.input();
      shifted.shift = T(4000);
      executor->factorization().factorize(shifted);
      ASSERT_EQ(executor->factorization().outcome().status, Status::success);
      entry = before;
    }
  }
}

/// With a fixed order of additions, two factorizations of wide fronts have equal bits.
TEST(DeterministicWideFronts, HaveEqualBits) {
  const CudaAvailability cuda = cuda_availability();
  if (!cuda.available) GTEST_SKIP() << cuda.reason;
  const Problem<double> problem(single_front(1100, 700), natural_order());
  CudaPlanOptions options;
  options.deterministic = true;
  const auto executor = make_cuda_executor<double>(with_cuda(problem.plan, options, 1)->cuda_plan(), ExecutorOptions());
  std::vector<double> first(static_cast<std::size_t>(problem.plan->panels.values()));
  std::vector<double> second = first;
  executor->factorization().factorize(problem.input());
  executor->factorization().copy_panels(first);
  executor->factorization().factorize(problem.input());
  executor->factorization().copy_panels(second);
  EXPECT_EQ(first, second);
  expect_reference<double>(dense_factor(*problem.plan, first), reference_factor(problem.permuted()));
}

}  // namespace
}  // namespace gpusupernodal::test
