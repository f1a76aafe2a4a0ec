#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "tests/fuzz/byte_source.hpp"
#include "tests/fuzz/solver_input.hpp"
#include "tests/fuzz/solver_oracle.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::fuzz {
namespace {

constexpr int max_calls = 8;

void expect(bool holds, const char* what) {
  if (!holds) throw Finding(what);
}

template <class T>
MatrixInput<T> good_matrix() {
  const io::SymmetricMatrix a = test::random_spd(7, 11, 3);
  MatrixInput<T> good;
  good.n = a.n;
  good.narrow_offsets.assign(a.offsets.begin(), a.offsets.end());
  good.narrow_indices = a.indices;
  good.values.assign(a.values.begin(), a.values.end());
  return good;
}

/// A solver and the expected state.
template <class T>
class Subject {
 public:
  /// Makes the call that the bytes select. If it throws an Error, nothing may have changed.
  void call(ByteSource& source) {
    const bool was_analyzed = solver_.is_analyzed();
    const bool was_factorized = solver_.is_factorized();
    const std::int64_t order = solver_.order();
    try {
      choose(source);
    } catch (const Error& error) {
      expect(*error.what() != '\0' && error.line() > 0, "an error without a sentence or a place");
      expect(solver_.is_analyzed() == was_analyzed && solver_.order() == order, "a refused call changed the analysis");
      expect(solver_.is_factorized() == was_factorized, "a refused call changed the factor");
      if (factored_) expect_still_solves();
    }
  }

  /// Whatever happened before, a good system must be solved.
  void expect_usable() {
    static const MatrixInput<T> good = good_matrix<T>();
    matrix_ = good;
    solver_.set_options(good_options());
    solver_.set_shift(0.0);
    solver_.reserve_right_hand_sides(1);
    solver_.compute(good.view());
    expect(solver_.status() == Status::success, "a good system is not factorized");
    factored_.emplace(good.view(), good.values, 1.0, 0.0);
    well_conditioned_ = true;
    expect_still_solves();
  }

 private:
  void choose(ByteSource& source) {
    switch (source.take() % 12) {
      case 0:
        return compute(take_matrix<T>(source));
      case 1:
        return solve(source);
      case 2:
        return analyze(take_matrix<T>(source));
      case 3:
        return factorize(source);
      case 4:
        return set_options(take_options(source));
      case 5:
        return refactorize(source);
      case 6:
        return set_shift(source);
      case 7:
        return solver_.reserve_right_hand_sides(
            source.one_of(std::array<std::int64_t, 7>{1, 3, 65, 0, -1, 65537, 1LL << 62}));
      case 8:
        return factorize_another(take_matrix<T>(source));
      case 9:
        return ask(source);
      case 10:
        return analyze_with_plan(take_matrix<T>(source), source);
      default:
        return expect_usable_on_the_way();
    }
  }

  /// Analyzes the matrix, which must be accepted or refused according to the docs.
  template <class Call>
  void judged(const MatrixInput<T>& matrix, bool with_values, Call call) {
    const Options& options = solver_.options();
    const bool sound = is_sound_pattern(matrix.view(), largest_order) &&
                       (options.ordering != Ordering::user || is_permutation(options.permutation, matrix.n)) &&
                       are_last_rows(options, matrix.n) && (!with_values || matrix.with_values || matrix.values.empty());
    try {
      call();
    } catch (const InvalidInput&) {
      expect(!sound, "sound input is refused");
      throw;
    }
    expect(sound, "input that is not sound is taken");
    expect(has_last_rows(solver_.old_of_new(), options), "rows that were to be last are not");
  }

  void compute(MatrixInput<T> matrix) {
    judged(matrix, true, [&] { solver_.compute(matrix.view()); });
    matrix_ = std::move(matrix);
    note_factorization(matrix_.values);
  }

  void analyze(MatrixInput<T> matrix) {
    judged(matrix, false, [&] { solver_.analyze(matrix.view()); });
    matrix_ = std::move(matrix);
    factored_.reset();
  }

  void set_options(const Options& options) {
    try {
      solver_.set_options(options);
    } catch (const InvalidInput&) {
      expect(!are_sound(options), "sound options are refused");
      throw;
    }
    expect(are_sound(options), "options that are not sound are taken");
  }

  void analyze_with_plan(MatrixInput<T> matrix, ByteSource& source) {
    Solver<T> peer(good_options());
    std::shared_ptr<const FactorPlan> plan = solver_.plan();
    if (source.flag()) {
      peer.analyze(matrix.view());
      plan = peer.plan();
    }
    solver_.analyze(matrix.view(), plan);
    expect(is_sound_pattern(matrix.view(), largest_order), "a pattern that is not sound is taken");
    expect(has_last_rows(solver_.old_of_new(), solver_.options()), "a plan without the last rows is taken");
    matrix_ = std::move(matrix);
    factored_.reset();
  }

  void factorize(ByteSource& source) {
    if (source.flag()) {
      for (T& value : matrix_.values) value = take_value<T>(source);
    }
    solver_.factorize(matrix_.view());
    note_factorization(matrix_.values);
  }

  void factorize_another(const MatrixInput<T>& other) {
    // A matrix without arrays claims an order above that of any analysis, so factorize refuses it unread.
    solver_.factorize(other.view());
    matrix_ = other;
    note_factorization(matrix_.values);
  }

  void refactorize(ByteSource& source) {
    std::vector<T> values = matrix_.values;
    for (T& value : values) value += take_value<T>(source);
    if (source.flag(8)) values.resize(values.size() + 1);
    if (source.flag(8)) values.resize(values.size() / 2);
    solver_.refactorize(values);
    matrix_.values = values;
    note_factorization(values);
  }

  void set_shift(ByteSource& source) {
    const auto offset = static_cast<double>(take_value<T>(source));
    const double scale = source.flag() ? static_cast<double>(take_value<T>(source)) : 1.0;
    solver_.set_shift(offset, scale);
    offset_ = offset;
    scale_ = scale;
  }

  void ask(ByteSource& source) {
    switch (source.take() % 6) {
      case 0:
        return void(solver_.extract_l());
      case 1:
        return void(solver_.log_determinant());
      case 2:
        return void(solver_.reciprocal_condition(matrix_.view()));
      case 3:
        return void(solver_.old_of_new());
      case 4:
        return void(solver_.factor_report());
      default:
        return void(solver_.plan() ? plan_json(*solver_.plan()) + plan_graphviz(*solver_.plan()) : std::string());
    }
  }

  void expect_usable_on_the_way() {
    const Options options = solver_.options();
    expect_usable();
    offset_ = 0.0;
    scale_ = 1.0;
    solver_.set_options(options);
  }

  /// Remembers the factorized matrix if its numbers are such that only a bug can spoil the factor.
  void note_factorization(const std::vector<T>& values) {
    factored_.reset();
    const DenseSymmetric a(matrix_.view(), values, static_cast<double>(static_cast<T>(scale_)),
                           static_cast<double>(static_cast<T>(offset_)));
    const FactorReport report = solver_.factor_report();
    if (!a.is_moderate()) return;
    if (a.is_dominant()) expect(report.status == Status::success, "a positive definite matrix is not factorized");
    if (report.status != Status::success) return;
    expect(a.order() == 0 || report.smallest_pivot > 0.0, "a pivot that is not positive");
    expect(report.largest_pivot <= 1e13, "a pivot larger than the diagonal entry");
    factored_ = a;
    well_conditioned_ = a.is_dominant();
  }

  void solve(ByteSource& source) {
    RightHandSide<T> r = take_right_hand_side<T>(source, solver_.order());
    const System part = source.one_of(std::array{System::a, System::a, System::a, System::l, System::lt, System::p,
                                                 System::pt, System::forward, System::backward});
    const std::vector<T> b = r.b;
    solver_.solve(DenseView<const T>(r.b_view), r.x_view, part);
    expect(are_sound(r.b_view, r.x_view, solver_.order()), "b and x that are not sound are taken");
    const bool permutes_only = part == System::p || part == System::pt;
    if (solver_.order() == 0 || r.b_view.cols == 0) return;
    expect(permutes_only || solver_.status() == Status::success, "a solve with a factorization that failed");
    for (std::int64_t c = 0; c < r.b_view.cols; ++c) {
      const T* const column = &b[static_cast<std::size_t>(c * r.b_view.ld)];
      const bool finite = std::all_of(column, column + r.b_view.rows, [](T value) { return std::isfinite(value); });
      expect(finite || !solver_.options().check_right_hand_sides, "a right-hand side that is not finite is taken");
      if (factored_ && part == System::a) expect_solution(r.x_view.data + c * r.x_view.ld, column);
    }
  }

  void expect_solution(const T* x, const T* b) {
    const std::int64_t n = factored_->order();
    for (std::int64_t i = 0; i < n; ++i) {
      if (!is_moderate(static_cast<double>(b[i]))) return;
    }
    const double error = backward_error(*factored_, x, b);
    // The solution of a nearly singular system may overflow.
    if (std::isnan(error) && !well_conditioned_) return;
    expect(error <= worst_backward_error<T>(n), "a large backward error without a word");
  }

  void expect_still_solves() {
    const std::vector<T> b(static_cast<std::size_t>(solver_.order()), T(1));
    std::vector<T> x(b.size());
    solver_.solve(DenseView<const T>(b.data(), solver_.order()), DenseView<T>(x.data(), solver_.order()));
    if (!b.empty()) expect_solution(x.data(), b.data());
  }

  Solver<T> solver_{good_options()};
  MatrixInput<T> matrix_;                   ///< The analyzed matrix with the last values.
  std::optional<DenseSymmetric> factored_;  ///< The factorized matrix; empty if it cannot be judged.
  bool well_conditioned_ = true;
  double offset_ = 0.0;
  double scale_ = 1.0;
};

template <class T>
void run(ByteSource& source) {
  Subject<T> subject;
  for (int count = 0; count < max_calls && !source.empty(); ++count) subject.call(source);
  subject.expect_usable();
}

}  // namespace

void fuzz_solver(std::span<const std::uint8_t> bytes) {
  ByteSource source(bytes);
  source.flag() ? run<float>(source) : run<double>(source);
}

}  // namespace gpusupernodal::fuzz
