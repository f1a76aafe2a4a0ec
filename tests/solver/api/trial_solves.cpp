#include <algorithm>
#include <limits>

#include "tests/solver/api/trial.hpp"

namespace gpusupernodal::test {
namespace {

/// Columns with a leading dimension. The guard values between and behind the columns must not change.
template <class T>
struct Columns {
  static constexpr T guard = T(77);

  Columns(std::int64_t rows, std::int64_t columns, std::int64_t leading)
      : n(rows), count(columns), ld(leading), data(static_cast<std::size_t>(leading * columns + 1), guard) {}
  DenseView<T> view() { return DenseView<T>(data.data(), n, count, ld); }
  T& at(std::int64_t i, std::int64_t c) { return data[static_cast<std::size_t>(i + c * ld)]; }
  std::vector<double> column(std::int64_t c) const { return {data.begin() + c * ld, data.begin() + c * ld + n}; }
  bool guards_are_intact() const {
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(data.size()); ++k) {
      if ((k >= count * ld || k % ld >= n) && data[static_cast<std::size_t>(k)] != guard) return false;
    }
    return true;
  }

  std::int64_t n;
  std::int64_t count;
  std::int64_t ld;
  std::vector<T> data;
};

}  // namespace

template <class T>
Ended Trial<T>::expected_without_factor() const {
  if (!factorized_) return Ended::invalid_state;
  return status_ == Status::success ? Ended::done : Ended::numerical_failure;
}

template <class T>
io::SymmetricMatrix Trial<T>::factorized_matrix() const {
  io::SymmetricMatrix a = matrices_[matrix_];
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      a.values[e] *= known_.factor * shift_.scale;
      if (a.indices[e] == static_cast<std::int32_t>(j)) a.values[e] += shift_.offset;
    }
  }
  return a;
}

/// Solves for any number of right-hand sides with any leading dimensions, in place or not, in one call or in two parts.
template <class T>
void Trial<T>::solve() {
  const std::int64_t n = analyzed_ ? stored_.n : 5;
  const std::int64_t columns = chance(10) ? 70 : number(5);
  const bool nan = chance(15) && n > 0 && columns > 0;
  const bool by_parts = chance(20);
  Columns<T> b(n, columns, std::max<std::int64_t>(n, 1) + number(4));
  for (std::int64_t c = 0; c < columns; ++c) {
    for (std::int64_t i = 0; i < n; ++i) b.at(i, c) = static_cast<T>(static_cast<double>(number(2001) - 1000) * 1e-3);
  }
  if (nan) b.at(number(n), number(columns)) = std::numeric_limits<T>::quiet_NaN();
  const Columns<T> right = b;
  Columns<T> other(n, columns, std::max<std::int64_t>(n, 1) + number(4));
  Columns<T>& x = chance(40) ? b : other;
  const Ended ended = attempt((by_parts ? "parts" : "solve") + std::to_string(columns), [&] {
    solver_.solve(b.view(), x.view(), by_parts ? System::forward : System::a);
    if (by_parts) solver_.solve(x.view(), x.view(), System::backward);
  });
  EXPECT_TRUE(x.guards_are_intact()) << history_;
  if (ended == Ended::no_memory) {
    EXPECT_TRUE(expected_without_factor() == Ended::done && columns > 1) << "more columns than before only" << history_;
    return;
  }
  Ended expected = expected_without_factor();
  if (expected == Ended::done && nan && options_.check_right_hand_sides) expected = Ended::invalid_input;
  EXPECT_EQ(ended, expected) << history_;
  if (ended != Ended::done || n == 0 || columns == 0) return;
  last_solve_ = solver_.solve_report();
  const bool refines = refinement_.max_steps > 0 && !by_parts;
  EXPECT_LE(last_solve_.refinement_steps, refines ? refinement_.max_steps : 0) << history_;
  if (nan) return;
  EXPECT_EQ(last_solve_.backward_error >= 0.0, refines) << history_;
  EXPECT_TRUE(refinement_.backward_error < 1.0 || last_solve_.refinement_steps == 0) << history_;
  const io::SymmetricMatrix a = factorized_matrix();
  for (std::int64_t c = 0; c < columns; ++c) {
    EXPECT_LE(backward_error(a, x.column(c), right.column(c)), backward_error_bound<T>(n)) << history_;
  }
}

/// Calls that inspect the factor and change nothing, not even the report of the last solve.
template <class T>
void Trial<T>::look() {
  MatrixView<T> view = view_of(stored_);
  view.values = values_.data();
  double determinant = 0.0;
  double condition = -1.0;
  FactorMatrix<T> l;
  const Ended expected = expected_without_factor();
  EXPECT_EQ(attempt("extract_l", [&] { l = solver_.extract_l(); }), expected) << history_;
  EXPECT_EQ(attempt("log_determinant", [&] { determinant = solver_.log_determinant(); }), expected) << history_;
  EXPECT_EQ(attempt("reciprocal_condition", [&] { condition = solver_.reciprocal_condition(view); }), expected) << history_;
  EXPECT_EQ(attempt("trace_json", [&] { static_cast<void>(solver_.trace_json()); }),
            analyzed_ && analyzed_options_.trace ? Ended::done : Ended::invalid_state)
      << history_;
  if (expected != Ended::done) return;
  double sum = 0.0;
  for (std::size_t j = 0; j + 1 < l.offsets.size(); ++j)
    sum += std::log(static_cast<double>(l.values[static_cast<std::size_t>(l.offsets[j])]));
  EXPECT_EQ(determinant, 2.0 * sum) << history_;
  EXPECT_TRUE(stored_.n == 0 ? condition == 0.0 : condition > 1e-6 && condition <= 1.001) << condition << history_;
}

template <class T>
void Trial<T>::check_state() {
  EXPECT_EQ(solver_.is_analyzed(), analyzed_);
  EXPECT_EQ(solver_.is_factorized(), factorized_);
  EXPECT_EQ(solver_.order(), analyzed_ ? stored_.n : 0);
  EXPECT_EQ(solver_.options().threads, options_.threads);
  EXPECT_EQ(solver_.plan() != nullptr, analyzed_);
  EXPECT_EQ(solver_.solve_report().seconds, last_solve_.seconds);
  EXPECT_EQ(solver_.solve_report().refinement_steps, last_solve_.refinement_steps);
  EXPECT_EQ(solver_.solve_report().bytes_of_l, last_solve_.bytes_of_l);
  if (!factorized_) return;
  const FactorReport factor = solver_.factor_report();
  EXPECT_EQ(factor.status, status_);
  EXPECT_EQ(factor.factorizations, factorizations_);
  EXPECT_EQ(factor.shift, shift_.offset);
}

template void Trial<float>::solve();
template void Trial<double>::solve();
template void Trial<float>::look();
template void Trial<double>::look();
template void Trial<float>::check_state();
template void Trial<double>::check_state();
template Ended Trial<float>::expected_without_factor() const;
template Ended Trial<double>::expected_without_factor() const;

}  // namespace gpusupernodal::test
