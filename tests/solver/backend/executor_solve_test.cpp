#include <gtest/gtest.h>

#include "tests/solver/backend/backends.hpp"
#include "tests/solver/backend/problem.hpp"
#include "tests/support/data.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Tests skip larger matrices from GPUSUPERNODAL_TEST_DATA; benchmarks cover them.
constexpr std::int64_t largest_order = 20'000;

template <class OnBackend>
using ExecutorSolve = ExecutorTest<OnBackend>;
TYPED_TEST_SUITE(ExecutorSolve, AllExecutors, BackendNames);

template <class T>
void expect_solution(const Problem<T>& problem, const T* x, const T* b) {
  const auto error = backward_error(problem.a, widened(x, problem.order()), widened(b, problem.order()));
  ASSERT_LE(error, backward_error_bound<T>(problem.a.n));
}

/// Solves for `columns` right-hand sides, stored with a gap after each column, and checks that the gaps stay unchanged.
template <class T>
void solve_and_check(const Problem<T>& problem, Executor<T>& executor, std::int64_t columns) {
  constexpr std::int64_t gap = 3;
  constexpr T untouched = T(-77);
  const std::int64_t ld = problem.a.n + gap;
  const auto size = static_cast<std::size_t>(ld * columns);
  const std::vector<T> b = rounded<T>(random_vector(ld * columns, 11));
  std::vector<T> x(size, untouched);
  executor.factorization().solve(SolveSteps(), DenseView<const T>(b.data(), problem.a.n, columns, ld),
                                 DenseView<T>(x.data(), problem.a.n, columns, ld));
  for (std::int64_t c = 0; c < columns; ++c) {
    expect_solution(problem, x.data() + c * ld, b.data() + c * ld);
    for (std::int64_t i = problem.a.n; i < ld; ++i) ASSERT_EQ(x[static_cast<std::size_t>(c * ld + i)], untouched);
  }
}

TYPED_TEST(ExecutorSolve, SmallMatrices) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    for (const PlanOptions& options : cuts_of(TypeParam::backend)) {
      SCOPED_TRACE(a.name + ": " + describe(options));
      const Problem<T> problem(a, options);
      const auto executor = this->make(problem.plan);
      executor->factorization().factorize(problem.input());
      for (const std::int64_t columns : {1, 3, 17}) {
        solve_and_check(problem, *executor, columns);
        if (testing::Test::HasFatalFailure()) return;
        executor->factorization().reserve_right_hand_sides(columns + 1);
      }
    }
  }
}

TYPED_TEST(ExecutorSolve, LastRowsAreSolvedLikeOthers) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : {io::generate("lap2d:30"), io::generate("elas:5"), random_spd(400, 700, 5), arrowhead_spd(200)}) {
    std::vector<std::vector<std::int64_t>> last_rows(3);
    for (std::int64_t row = 0; row < a.n; ++row) {
      if (row % 6 == 1) last_rows[static_cast<std::size_t>(row % 3)].push_back(row);
      if (row % 60 == 33) last_rows[2].push_back(row);
    }
    for (PlanOptions options : cuts_of(TypeParam::backend)) {
      SCOPED_TRACE(a.name + ": " + describe(options));
      options.symbolic.last_rows = last_rows;
      const Problem<T> problem(a, options);
      const auto executor = this->make(problem.plan);
      for (int round = 0; round < 2; ++round) executor->factorization().factorize(problem.input());
      for (const std::int64_t columns : {1, 5}) {
        solve_and_check(problem, *executor, columns);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(ExecutorSolve, ManyRightHandSidesForEveryReservation) {
  using T = typename TypeParam::Scalar;
  const Problem<T> problem(io::generate("elas:4"));
  for (const std::int64_t reserved : {1, 2, 64, 100}) {
    const auto executor = this->make(problem.plan);
    executor->factorization().reserve_right_hand_sides(reserved);
    executor->factorization().factorize(problem.input());
    for (const std::int64_t columns : {0, 1, 63, 64, 65, 130}) solve_and_check(problem, *executor, columns);
  }
}

TYPED_TEST(ExecutorSolve, RealMatrices) {
  using T = typename TypeParam::Scalar;
  if (sizeof(T) == 4) GTEST_SKIP() << "some of them are not positive definite any more when rounded to float";
  std::vector<std::string> paths = project_matrices();
  for (const auto& path : further_matrices()) paths.push_back(path);
  for (const auto& path : paths) {
    SCOPED_TRACE(path);
    io::SymmetricMatrix a = io::read_matrix_market(path);
    if (a.n > largest_order) continue;
    const Problem<T> problem(std::move(a));
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    ASSERT_EQ(executor->factorization().outcome().status, Status::success);
    solve_and_check(problem, *executor, 2);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(ExecutorSolve, GeneratedMatrices) {
  using T = typename TypeParam::Scalar;
  for (const char* spec : {"lap2d:60", "lap3d:14", "lap27:10", "elas:7", "shell:14"}) {
    SCOPED_TRACE(spec);
    const Problem<T> problem(io::generate(spec));
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    ASSERT_EQ(executor->factorization().outcome().status, Status::success);
    solve_and_check(problem, *executor, 2);
  }
}

TYPED_TEST(ExecutorSolve, InPlace) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    SCOPED_TRACE(a.name);
    const Problem<T> problem(a);
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    const std::vector<T> b = rounded<T>(random_vector(3 * a.n, 2));
    std::vector<T> x = b;
    const DenseView<T> view(x.data(), a.n, 3, std::max<std::int64_t>(a.n, 1));
    executor->factorization().solve(SolveSteps(), view, view);
    for (std::size_t c = 0; c < 3; ++c)
      expect_solution(problem, x.data() + c * problem.order(), b.data() + c * problem.order());
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class T>
std::vector<T> run_steps(Executor<T>& executor, const SolveSteps& steps, const std::vector<T>& b) {
  std::vector<T> x(b.size());
  const auto n = static_cast<std::int64_t>(b.size());
  executor.factorization().solve(steps, DenseView<const T>(b.data(), n), DenseView<T>(x.data(), n));
  return x;
}

constexpr SolveSteps copy_only{false, false, false, false};
constexpr SolveSteps permute_in_only{true, false, false, false};
constexpr SolveSteps forward_only{false, true, false, false};
constexpr SolveSteps backward_only{false, false, true, false};
constexpr SolveSteps permute_out_only{false, false, false, true};

TYPED_TEST(ExecutorSolve, PermutesAsPlanned) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    const Problem<T> problem(a);
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    const std::vector<T> b = rounded<T>(random_vector(a.n, 2));
    EXPECT_EQ(run_steps(*executor, copy_only, b), b);
    const std::vector<T> in = run_steps(*executor, permute_in_only, b);
    const auto& old_of_new = problem.plan->symbolic.permutation.old_of_new;
    for (NewIndex k : old_of_new.ids()) {
      ASSERT_EQ(in[static_cast<std::size_t>(k.value)], b[static_cast<std::size_t>(old_of_new[k].value)]);
    }
    EXPECT_EQ(run_steps(*executor, permute_out_only, in), b);
  }
}

/// Expects ‖b − L y‖ to be small relative to |L| |y|, row by row: (L + ΔL) y = b with |ΔL| ≤ γ(n) |L| [Higham02,
/// Theorem 8.5]. The bound has slack for inverted diagonal blocks.
template <class T>
void expect_triangular(const Dense& l, const std::vector<T>& y, const std::vector<T>& b, bool transposed) {
  std::vector<double> residual(b.begin(), b.end());
  std::vector<double> magnitude(b.size(), 0.0);
  for (std::size_t j = 0; j < l.n; ++j) {
    for (std::size_t i = j; i < l.n; ++i) {
      const std::size_t row = transposed ? j : i;
      const double term = l(i, j) * static_cast<double>(y[transposed ? i : j]);
      residual[row] -= term;
      magnitude[row] += std::abs(term);
    }
  }
  const double c = 4.0 * static_cast<double>(l.n + 1) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::size_t i = 0; i < l.n; ++i)
    ASSERT_LE(std::abs(residual[i]), c * (magnitude[i] + std::abs(static_cast<double>(b[i]))));
}

TYPED_TEST(ExecutorSolve, StepsComposeToTheWhole) {
  using T = typename TypeParam::Scalar;
  for (const auto& a : small_matrices()) {
    SCOPED_TRACE(a.name);
    const Problem<T> problem(a);
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    const Dense l = dense_factor(*problem.plan, *executor);
    const std::vector<T> b = rounded<T>(random_vector(a.n, 2));
    const std::vector<T> in = run_steps(*executor, permute_in_only, b);
    const std::vector<T> y = run_steps(*executor, forward_only, in);
    const std::vector<T> z = run_steps(*executor, backward_only, y);
    expect_triangular(l, y, in, false);
    expect_triangular(l, z, y, true);
    const std::vector<T> x = run_steps(*executor, permute_out_only, z);
    if (problem.order() > 0) expect_solution(problem, x.data(), b.data());
    if (this->on_host) {
      EXPECT_EQ(x, run_steps(*executor, SolveSteps(), b)) << "the same work, to the bit";
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Copies `v` into scratch memory of the executor, on the host or on a device.
template <class T>
DenseView<T> upload(Executor<T>& executor, int slot, const std::vector<T>& v) {
  const auto n = static_cast<std::int64_t>(v.size());
  const DenseView<T> view = executor.vectors().scratch(slot, n, 1);
  executor.vectors().copy(DenseView<const T>(v.data(), n), view);
  return view;
}

template <class T>
std::vector<T> download(Executor<T>& executor, const DenseView<T>& view) {
  std::vector<T> v(static_cast<std::size_t>(view.rows));
  executor.vectors().copy(view, DenseView<T>(v.data(), view.rows));
  return v;
}

/// Matrix of small integers, so that residuals and norms are exact.
io::SymmetricMatrix integer_matrix(std::int64_t n, bool with_diagonal) {
  const io::SymmetricMatrix pattern = random_spd(n, 3 * n, 8);
  io::SymmetricMatrix a;
  a.n = n;
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    for (auto e = static_cast<std::size_t>(pattern.offsets[j]); e < static_cast<std::size_t>(pattern.offsets[j + 1]); ++e) {
      const bool diagonal = pattern.indices[e] == static_cast<std::int32_t>(j);
      if (diagonal && !with_diagonal && j % 2 == 0) continue;
      a.indices.push_back(pattern.indices[e]);
      a.values.push_back(diagonal ? 40.0 : std::trunc(4.0 * pattern.values[e]));
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  return a;
}

template <class T>
void expect_exact_residual(const Problem<T>& problem, Executor<T>& executor, double scale, double shift) {
  executor.factorization().factorize(
      {problem.values.data(), MemorySpace::host, static_cast<T>(scale), static_cast<T>(shift)});
  std::vector<T> b;
  std::vector<T> x;
  for (std::size_t i = 0; i < problem.order(); ++i) {
    b.push_back(static_cast<T>(static_cast<int>(i % 11) - 5));
    x.push_back(static_cast<T>(static_cast<int>(i % 7) - 3));
  }
  std::vector<double> expected(b.begin(), b.end());
  std::vector<double> row_sum(problem.order(), 0.0);
  Dense dense(problem.a.n);
  for (std::size_t j = 0; j < problem.order(); ++j) {
    for (auto e = static_cast<std::size_t>(problem.a.offsets[j]); e < static_cast<std::size_t>(problem.a.offsets[j + 1]);
         ++e) {
      const auto i = static_cast<std::size_t>(problem.a.indices[e]);
      dense(i, j) = dense(j, i) = scale * problem.a.values[e];
    }
  }
  for (std::size_t i = 0; i < problem.order(); ++i) dense(i, i) += shift;
  for (std::size_t j = 0; j < problem.order(); ++j) {
    for (std::size_t i = 0; i < problem.order(); ++i) {
      expected[i] -= dense(i, j) * static_cast<double>(x[j]);
      row_sum[i] += std::abs(dense(i, j));
    }
  }
  const DenseView<T> residual = executor.vectors().scratch(2, problem.a.n, 1);
  const auto norms = executor.matrix().residual(upload(executor, 0, b), upload(executor, 1, x), residual);
  EXPECT_EQ(download(executor, residual), rounded<T>(expected));
  double largest = 0.0;
  for (double r : expected) largest = std::max(largest, std::abs(r));
  EXPECT_EQ(norms.r, largest);
  EXPECT_EQ(norms.a, *std::max_element(row_sum.begin(), row_sum.end()));
  EXPECT_EQ(norms.x, 3.0);
  EXPECT_EQ(norms.b, 5.0);
  const DenseView<T> product = executor.vectors().scratch(3, problem.a.n, 1);
  executor.matrix().apply(upload(executor, 1, x), product);
  std::vector<T> difference = download(executor, product);
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = b[i] - difference[i];
  EXPECT_EQ(difference, rounded<T>(expected)) << "r = b - A x";
}

TYPED_TEST(ExecutorSolve, ResidualIsThatOfTheScaledAndShiftedMatrix) {
  using T = typename TypeParam::Scalar;
  ExecutorOptions options;
  options.keep_a = true;
  for (const bool with_diagonal : {true, false}) {
    const Problem<T> problem(integer_matrix(120, with_diagonal));
    const auto executor = this->make(problem.plan, options);
    SCOPED_TRACE(with_diagonal ? "whole diagonal stored" : "half of the diagonal stored");
    if (with_diagonal) expect_exact_residual(problem, *executor, 1.0, 0.0);
    expect_exact_residual(problem, *executor, 1.0, 64.0);
    expect_exact_residual(problem, *executor, 2.0, 128.0);
  }
}

TYPED_TEST(ExecutorSolve, AddsMultiples) {
  using T = typename TypeParam::Scalar;
  const Problem<T> problem(chain_spd(301));
  const auto executor = this->make(problem.plan);
  const std::vector<T> d = rounded<T>(random_vector(301, 1));
  for (const T alpha : {T(1), T(-4)}) {  // Powers of two: the product is exact.
    std::vector<T> x = rounded<T>(random_vector(301, 2));
    const DenseView<T> sum = upload(*executor, 1, x);
    executor->vectors().axpy(alpha, upload(*executor, 0, d), sum);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += alpha * d[i];
    EXPECT_EQ(download(*executor, sum), x);
  }
}

TYPED_TEST(ExecutorSolve, MaxNormIsThatOfTheLargestEntryOrNaN) {
  using T = typename TypeParam::Scalar;
  ExecutorOptions options;
  options.keep_a = true;
  const Problem<T> problem(chain_spd(301));
  const auto executor = this->make(problem.plan, options);
  std::vector<T> x = rounded<T>(random_vector(301, 2));
  x[200] = T(-17);
  EXPECT_EQ(executor->vectors().max_norm(upload(*executor, 0, x)), 17.0);
  x[100] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(std::isnan(executor->vectors().max_norm(upload(*executor, 0, x))));
  EXPECT_EQ(executor->vectors().max_norm(upload(*executor, 0, std::vector<T>(301, T(0)))), 0.0);
}

}  // namespace
}  // namespace gpusupernodal::test
