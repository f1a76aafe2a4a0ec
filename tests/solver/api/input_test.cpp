#include <gtest/gtest.h>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using SolverInput = SolverTest<OnBackend>;
TYPED_TEST_SUITE(SolverInput, AllBackends, BackendNames);

TYPED_TEST(SolverInput, AcceptsEveryStorageForm) {
  using T = typename TypeParam::Scalar;
  for (const auto& matrix : {random_spd(60, 150, 5), io::generate("elas:3"), arrowhead_spd(33)}) {
    const io::SymmetricMatrix a = rounded<T>(matrix);
    for (const Form& form : all_forms()) {
      SCOPED_TRACE(matrix.name + " " + form.name());
      const StoredMatrix<T> s = store<T>(a, form);
      Solver<T> solver(this->options());
      solver.analyze(s.view());
      EXPECT_EQ(solver.analyze_report().nonzeros_a, static_cast<std::int64_t>(a.values.size()));
      solver.factorize(s.view());
      ASSERT_EQ(solver.status(), Status::success) << "the other half of a full matrix is not read";
      expect_solves(solver, a);
      solver.refactorize(s.values);
      expect_solves(solver, a);
    }
  }
}

TYPED_TEST(SolverInput, SmallMatricesOfEveryKind) {
  using T = typename TypeParam::Scalar;
  for (const auto& matrix : small_matrices()) {
    SCOPED_TRACE(matrix.name);
    const io::SymmetricMatrix a = rounded<T>(matrix);
    const StoredMatrix<T> s = stored<T>(a);
    Solver<T> solver(this->options());
    solver.compute(s.view());
    ASSERT_EQ(solver.status(), Status::success);
    EXPECT_EQ(solver.order(), a.n);
    expect_solves(solver, a);
  }
}

TYPED_TEST(SolverInput, AcceptsAnEmptyMatrix) {
  using T = typename TypeParam::Scalar;
  Solver<T> solver(this->options());
  solver.compute(MatrixView<T>());
  EXPECT_EQ(solver.status(), Status::success);
  EXPECT_EQ(solver.order(), 0);
  EXPECT_EQ(solver.log_determinant(), 0.0);
  EXPECT_TRUE(solver.old_of_new().empty());
  EXPECT_EQ(solver.extract_l().offsets, std::vector<std::int64_t>{0});
  solver.solve(DenseView<const T>(nullptr, 0, 3, 1), DenseView<T>(nullptr, 0, 3, 1));
  solver.refactorize(Span<const T>());
}

TYPED_TEST(SolverInput, SolvesAnOneByOneMatrix) {
  using T = typename TypeParam::Scalar;
  Solver<T> solver(this->options());
  const std::int32_t offsets[] = {0, 1};
  const std::int32_t indices[] = {0};
  const T values[] = {T(4)};
  MatrixView<T> a;
  a.n = 1;
  a.offsets = offsets;
  a.indices = indices;
  a.values = values;
  solver.compute(a);
  EXPECT_EQ(solution(solver, std::vector<T>{T(6)}), std::vector<T>{T(1.5)});
  EXPECT_EQ(solver.extract_l().values, std::vector<T>{T(2)});
  EXPECT_EQ(solver.reciprocal_condition(a), 1.0);
}

TYPED_TEST(SolverInput, SolvesWithEveryOrderingAndMerging) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(io::generate("shell:6"));
  const StoredMatrix<T> s = stored<T>(a);
  Options options = this->options();
  for (std::int64_t i = 0; i < a.n; ++i) options.permutation.push_back((i * 5 + 3) % a.n);
  ASSERT_NE(a.n % 5, 0) << "a permutation";
  for (const Ordering ordering : {Ordering::automatic, Ordering::metis, Ordering::amd, Ordering::natural, Ordering::user}) {
    for (const Merging merging : {Merging::none, Merging::narrow, Merging::bounded}) {
      options.ordering = ordering;
      options.merging = merging;
      Solver<T> solver(options);
      solver.compute(s.view());
      if (ordering != Ordering::automatic) {
        EXPECT_EQ(solver.analyze_report().ordering, ordering);
      }
      EXPECT_FALSE(solver.analyze_report().ordering_reason.empty());
      expect_solves(solver, a);
    }
  }
}

TYPED_TEST(SolverInput, SolvesManyColumnsWithGapsAndInPlace) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:6"));
  const StoredMatrix<T> s = stored<T>(a);
  Solver<T> solver(this->options());
  solver.compute(s.view());
  const std::int64_t ld = a.n + 5;
  for (const std::int64_t columns : {1, 2, 64, 65, 150}) {
    const std::vector<T> b = right_hand_side<T>(ld, columns);
    std::vector<T> x = b;
    const DenseView<T> view(x.data(), a.n, columns, ld);
    solver.solve(view, view);
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto first = static_cast<std::ptrdiff_t>(c * ld);
      const auto past = first + static_cast<std::ptrdiff_t>(a.n);
      EXPECT_LE(backward_error(a, {x.begin() + first, x.begin() + past}, {b.begin() + first, b.begin() + past}),
                backward_error_bound<T>(a.n));
      for (std::ptrdiff_t i = past; i < first + static_cast<std::ptrdiff_t>(ld); ++i) {
        ASSERT_EQ(x[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(i)]) << "gaps are not written";
      }
    }
  }
}

TYPED_TEST(SolverInput, RefactorizesWithNewValuesAndShifts) {
  using T = typename TypeParam::Scalar;
  io::SymmetricMatrix a = rounded<T>(io::generate("lap2d:10"));
  const StoredMatrix<T> s = stored<T>(a);
  Solver<T> solver(this->options());
  solver.analyze(s.view());
  for (int step = 1; step <= 4; ++step) {
    std::vector<T> values = s.values;
    for (T& value : values) value *= static_cast<T>(step);
    a.values.assign(values.begin(), values.end());
    solver.refactorize(values);
    expect_solves(solver, a);
    EXPECT_EQ(solver.factor_report().factorizations, step);
  }
  solver.set_shift(8.0, 0.25);
  expect_solves(solver, a);  // The shift applies from the next factorize on.
  solver.factorize(s.view());
  EXPECT_EQ(solver.factor_report().shift, 8.0);
  a = rounded<T>(io::generate("lap2d:10"));
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      a.values[e] = 0.25 * a.values[e] + (a.indices[e] == static_cast<std::int32_t>(j) ? 8.0 : 0.0);
    }
  }
  expect_solves(solver, a);
}

/// Diagonal entries that are not stored are zero. A shift makes the matrix positive definite.
TYPED_TEST(SolverInput, ShiftsADiagonalThatIsNotStored) {
  using T = typename TypeParam::Scalar;
  const std::int32_t offsets[] = {0, 1, 2, 2};
  const std::int32_t indices[] = {1, 2};
  const T values[] = {T(1), T(1)};
  MatrixView<T> a;
  a.n = 3;
  a.offsets = offsets;
  a.indices = indices;
  a.values = values;
  Options options = this->options();
  options.refinement.max_steps = 2;
  Solver<T> solver(options);
  solver.compute(a);
  EXPECT_EQ(solver.status(), Status::not_positive_definite);
  solver.set_shift(4.0);
  solver.factorize(a);
  ASSERT_EQ(solver.status(), Status::success);
  EXPECT_NEAR(solver.log_determinant(), std::log(56.0), 16.0 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  // [4 1 0; 1 4 1; 0 1 4] [1 2 3]ᵀ
  const std::vector<T> x = solution(solver, std::vector<T>{T(6), T(12), T(14)});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(x[i]), static_cast<double>(i + 1),
                64.0 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  }
  EXPECT_LE(solver.solve_report().backward_error, backward_error_bound<T>(3));
}

}  // namespace
}  // namespace gpusupernodal::test
