#include <gtest/gtest.h>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using SolverFailure = SolverTest<OnBackend>;
TYPED_TEST_SUITE(SolverFailure, AllBackends, BackendNames);

std::size_t diagonal_entry(const io::SymmetricMatrix& a, std::size_t j) { return static_cast<std::size_t>(a.offsets[j]); }

/// With a single bad diagonal entry all pivots before it are positive, so it fails first in any ordering.
TYPED_TEST(SolverFailure, NamesTheColumnInTheCallersNumbering) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap2d:7"));
  for (const Ordering ordering : {Ordering::metis, Ordering::amd, Ordering::natural}) {
    Options options = this->options();
    options.ordering = ordering;
    Solver<T> solver(options);
    StoredMatrix<T> s = stored<T>(a);
    solver.analyze(s.view());
    for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
      s.values[diagonal_entry(a, j)] = T(-1);
      solver.refactorize(s.values);
      ASSERT_EQ(solver.status(), Status::not_positive_definite);
      ASSERT_EQ(solver.factor_report().failed_column, static_cast<std::int64_t>(j));
      ASSERT_LE(solver.factor_report().failed_value, -1.0);
      s.values[diagonal_entry(a, j)] = static_cast<T>(a.values[diagonal_entry(a, j)]);
    }
  }
}

TYPED_TEST(SolverFailure, RefusesToSolveAndRecovers) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap2d:7"));
  StoredMatrix<T> s = stored<T>(a);
  Solver<T> solver(this->options());
  solver.analyze(s.view());
  std::vector<T> values = s.values;
  values[diagonal_entry(a, 5)] = T(-8);
  solver.refactorize(values);
  ASSERT_EQ(solver.status(), Status::not_positive_definite);
  std::vector<T> x(static_cast<std::size_t>(a.n), T(1));
  const DenseView<T> view(x.data(), a.n);
  expect_throw<NumericalFailure>([&] { solver.solve(view, view); }, {"positive definite", "column 5"});
  expect_throw<NumericalFailure>([&] { solver.extract_l(); }, {"column 5"});
  expect_throw<NumericalFailure>([&] { solver.log_determinant(); }, {"column 5"});
  expect_throw<NumericalFailure>([&] { solver.reciprocal_condition(s.view()); }, {"column 5"});
  EXPECT_EQ(x, std::vector<T>(x.size(), T(1))) << "nothing written";
  solver.set_shift(20.0);
  solver.refactorize(values);
  EXPECT_EQ(solver.status(), Status::success) << "shifted until it is";
  solver.set_shift(0.0);
  solver.refactorize(s.values);
  ASSERT_EQ(solver.status(), Status::success);
  EXPECT_EQ(solver.factor_report().failed_column, -1);
  expect_solves(solver, a);
}

/// The reported row and column are those of the caller's storage, not those of the elimination order.
TYPED_TEST(SolverFailure, NamesANonFiniteEntry) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(random_spd(25, 60, 9));
  for (const Form& form : all_forms()) {
    StoredMatrix<T> s = store<T>(a, form);
    Solver<T> solver(this->options());
    solver.analyze(s.view());
    for (std::int64_t outer = 0; outer < a.n; ++outer) {
      for (auto e = s.offsets[static_cast<std::size_t>(outer)]; e < s.offsets[static_cast<std::size_t>(outer) + 1]; ++e) {
        const std::int64_t inner = s.indices[static_cast<std::size_t>(e)];
        const bool columns = form.compression == Compression::columns;
        const std::int64_t row = columns ? inner : outer;
        const std::int64_t column = columns ? outer : inner;
        if (form.part == StoredPart::full && row < column) continue;
        T& value = s.values[static_cast<std::size_t>(e)];
        const T sound = std::exchange(value, std::numeric_limits<T>::infinity());
        solver.refactorize(s.values);
        value = sound;
        const FactorReport report = solver.factor_report();
        ASSERT_EQ(report.status, Status::non_finite_input) << form.name();
        ASSERT_EQ(report.failed_row, row) << form.name();
        ASSERT_EQ(report.failed_column, column) << form.name();
        ASSERT_TRUE(std::isinf(report.failed_value));
      }
    }
    std::vector<T> x(25, T(1));
    const DenseView<T> view(x.data(), 25);
    expect_throw<NumericalFailure>([&] { solver.solve(view, view); }, {"inf", "row", "column"});
  }
}

TYPED_TEST(SolverFailure, ReportsThePivots) {
  using T = typename TypeParam::Scalar;
  StoredMatrix<T> s = stored<T>(diagonal_spd(20));  // 1, …, 7, 1, …
  Solver<T> solver(this->options());
  solver.compute(s.view());
  const double close = 4.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(solver.factor_report().smallest_pivot, 1.0, close);
  EXPECT_NEAR(solver.factor_report().largest_pivot, 7.0, 7.0 * close);
}

}  // namespace
}  // namespace gpusupernodal::test
