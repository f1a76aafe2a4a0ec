#include <gtest/gtest.h>

#include <algorithm>

#include "tests/solver/api/solvers.hpp"
#include "tests/solver/backend/problem.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using SolverFactor = SolverTest<OnBackend>;
TYPED_TEST_SUITE(SolverFactor, AllBackends, BackendNames);

/// Lower triangle of P A Pᵀ, with the permutation that the solver reports.
Dense permuted(const io::SymmetricMatrix& a, const std::vector<std::int64_t>& old_of_new) {
  std::vector<std::size_t> new_of_old(old_of_new.size());
  for (std::size_t k = 0; k < old_of_new.size(); ++k) new_of_old[static_cast<std::size_t>(old_of_new[k])] = k;
  Dense dense(a.n);
  for (std::size_t j = 0; j < dense.n; ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      const std::size_t row = new_of_old[static_cast<std::size_t>(a.indices[e])];
      const std::size_t column = new_of_old[j];
      dense(std::max(row, column), std::min(row, column)) = a.values[e];
    }
  }
  return dense;
}

template <class T>
Dense dense_of(const FactorMatrix<T>& l) {
  Dense dense(static_cast<std::int64_t>(l.offsets.size()) - 1);
  for (std::size_t j = 0; j < dense.n; ++j) {
    for (auto e = static_cast<std::size_t>(l.offsets[j]); e < static_cast<std::size_t>(l.offsets[j + 1]); ++e) {
      dense(static_cast<std::size_t>(l.rows[e]), j) = static_cast<double>(l.values[e]);
    }
  }
  return dense;
}

TYPED_TEST(SolverFactor, ExtractedFactorReproducesTheMatrix) {
  using T = typename TypeParam::Scalar;
  for (const auto& matrix : small_matrices()) {
    SCOPED_TRACE(matrix.name);
    const io::SymmetricMatrix a = rounded<T>(matrix);
    const StoredMatrix<T> s = stored<T>(a);
    Solver<T> solver(this->options());
    solver.compute(s.view());
    const FactorMatrix<T> l = solver.extract_l();
    ASSERT_EQ(l.offsets.size(), static_cast<std::size_t>(a.n) + 1);
    ASSERT_EQ(l.rows.size(), l.values.size());
    ASSERT_EQ(l.offsets.back(), static_cast<std::int64_t>(l.rows.size()));
    ASSERT_GE(static_cast<std::int64_t>(l.rows.size()), solver.analyze_report().nonzeros_l);
    for (std::int64_t j = 0; j < a.n; ++j) {
      const auto first = l.rows.begin() + l.offsets[static_cast<std::size_t>(j)];
      const auto past = l.rows.begin() + l.offsets[static_cast<std::size_t>(j) + 1];
      ASSERT_EQ(*first, j) << "diagonal first";
      ASSERT_TRUE(std::adjacent_find(first, past, std::greater_equal<>()) == past) << "rows ascend";
    }
    expect_product<T>(permuted(a, solver.old_of_new()), dense_of(l));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(SolverFactor, PartsOfASolveApplyTheFactors) {
  using T = typename TypeParam::Scalar;
  for (const char* spec : {"lap2d:9", "elas:3"}) {
    const io::SymmetricMatrix a = rounded<T>(io::generate(spec));
    const StoredMatrix<T> s = stored<T>(a);
    Solver<T> solver(this->options());
    solver.compute(s.view());
    const std::vector<T> b = right_hand_side<T>(a.n);
    const std::vector<std::int64_t> old_of_new = solver.old_of_new();
    const std::vector<T> p = solution(solver, b, System::p);
    for (std::size_t k = 0; k < p.size(); ++k) ASSERT_EQ(p[k], b[static_cast<std::size_t>(old_of_new[k])]);
    EXPECT_EQ(solution(solver, p, System::pt), b);
    const std::vector<T> forward = solution(solver, b, System::forward);
    const std::vector<T> backward = solution(solver, forward, System::backward);
    // A device adds in any order, so results agree only up to rounding: 4·n·eps of the largest entry.
    const auto same = [&](const std::vector<T>& left, const std::vector<T>& right) {
      if (this->on_host) return left == right;
      double largest = 0.0;
      double difference = 0.0;
      for (std::size_t k = 0; k < left.size(); ++k) {
        largest = std::max(largest, std::abs(static_cast<double>(left[k])));
        difference = std::max(difference, std::abs(static_cast<double>(left[k]) - static_cast<double>(right[k])));
      }
      return difference <= backward_error_bound<T>(a.n) * largest;
    };
    EXPECT_TRUE(same(forward, solution(solver, p, System::l)));
    EXPECT_TRUE(same(backward, solution(solver, solution(solver, forward, System::lt), System::pt)));
    const double error = backward_error(a, {backward.begin(), backward.end()}, {b.begin(), b.end()});
    EXPECT_LE(error, backward_error_bound<T>(a.n));
    if (this->on_host) {
      EXPECT_EQ(backward, solution(solver, b)) << "the same work, to the bit";
    }
  }
}

/// Solves with L and Lᵀ in small integers: L is bidiagonal with ones, so the solution is exact.
TYPED_TEST(SolverFactor, TriangularSystemsInClosedForm) {
  using T = typename TypeParam::Scalar;
  io::SymmetricMatrix a;  // L Lᵀ with ones on and below the diagonal of L.
  a.n = 6;
  for (std::int32_t j = 0; j < 6; ++j) {
    a.indices.push_back(j);
    a.values.push_back(j == 0 ? 1.0 : 2.0);
    if (j < 5) {
      a.indices.push_back(j + 1);
      a.values.push_back(1.0);
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  Options options = this->options();
  options.ordering = Ordering::natural;
  Solver<T> solver(options);
  const StoredMatrix<T> s = stored<T>(a);
  solver.compute(s.view());
  const std::vector<T> b(6, T(1));
  EXPECT_EQ(solution(solver, b, System::l), (std::vector<T>{1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(solution(solver, b, System::lt), (std::vector<T>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(solver.log_determinant(), 0.0);
}

/// |Δ log det| ≤ tr(|A⁻¹| |ΔA|) for the backward error ΔA of the factorization: at most 4 n² eps for second differences.
TYPED_TEST(SolverFactor, LogDeterminantInClosedForm) {
  using T = typename TypeParam::Scalar;
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const std::int64_t n : {1, 2, 3, 10, 100}) {
    io::SymmetricMatrix a = chain_spd(n);
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
        a.values[e] = a.indices[e] == static_cast<std::int32_t>(j) ? 2.0 : -1.0;
      }
    }
    Solver<T> solver(this->options());
    const StoredMatrix<T> s = stored<T>(a);
    solver.compute(s.view());
    const double size = static_cast<double>(n);
    EXPECT_NEAR(solver.log_determinant(), std::log(size + 1.0), 4.0 * size * size * eps);
  }
  const io::SymmetricMatrix diagonal = diagonal_spd(301);
  double expected = 0.0;
  for (double value : diagonal.values) expected += std::log(value);
  Solver<T> solver(this->options());
  const StoredMatrix<T> s = stored<T>(diagonal);
  solver.compute(s.view());
  EXPECT_NEAR(solver.log_determinant(), expected, 4.0 * 301.0 * eps);
}

/// Returns ‖A‖₁ ‖A⁻¹‖₁, computed from every column of the inverse.
double exact_condition(const io::SymmetricMatrix& a) {
  Solver<double> solver(on(Backend::host));
  const StoredMatrix<double> s = stored<double>(a);
  solver.compute(s.view());
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<double> sums(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      const auto i = static_cast<std::size_t>(a.indices[e]);
      sums[j] += std::abs(a.values[e]);
      if (i != j) sums[i] += std::abs(a.values[e]);
    }
  }
  double inverse = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> unit(n, 0.0);
    unit[j] = 1.0;
    double sum = 0.0;
    for (double entry : solution(solver, unit)) sum += std::abs(entry);
    inverse = std::max(inverse, sum);
  }
  return *std::max_element(sums.begin(), sums.end()) * inverse;
}

/// The estimate of ‖A⁻¹‖ is a lower bound. Here it is within a factor of 3, as [Higham02 §15.3] states for nearly all
/// matrices; solves in T add a relative error of n·eps·κ.
TYPED_TEST(SolverFactor, ConditionEstimateIsCloseToTheExactOne) {
  using T = typename TypeParam::Scalar;
  for (const auto& matrix : small_matrices()) {
    if (matrix.n == 0 || matrix.n > 150) continue;
    const io::SymmetricMatrix a = rounded<T>(matrix);
    const StoredMatrix<T> s = stored<T>(a);
    Solver<T> solver(this->options());
    solver.compute(s.view());
    const double estimate = solver.reciprocal_condition(s.view());
    const double exact = 1.0 / exact_condition(a);
    const double slack =
        1.0 + 4.0 * static_cast<double>(a.n) * static_cast<double>(std::numeric_limits<T>::epsilon()) / exact;
    EXPECT_GE(estimate * slack, exact) << a.name;
    EXPECT_LE(estimate, 3.0 * exact * slack) << a.name;
  }
}

TYPED_TEST(SolverFactor, ConditionOfAShiftedMatrix) {
  using T = typename TypeParam::Scalar;
  Solver<T> solver(this->options());
  const StoredMatrix<T> s = stored<T>(diagonal_spd(7));  // 1, 2, …, 7
  solver.set_shift(1.0, 2.0);                            // 3, 5, …, 15
  solver.compute(s.view());
  EXPECT_NEAR(solver.reciprocal_condition(s.view()), 0.2, 8.0 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

}  // namespace
}  // namespace gpusupernodal::test
