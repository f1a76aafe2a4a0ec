#include <gtest/gtest.h>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using SolverCondition = SolverTest<OnBackend>;
TYPED_TEST_SUITE(SolverCondition, AllBackends, BackendNames);

/// Bound for diagonal matrices, whose estimates are exact up to rounding.
template <class T>
constexpr double diagonal_bound = 8.0 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// set_shift applies from the next factorize on; the estimate is for the current factor.
TYPED_TEST(SolverCondition, IgnoresAShiftNotYetFactorized) {
  using T = typename TypeParam::Scalar;
  Solver<T> solver(this->options());
  const StoredMatrix<T> s = stored<T>(diagonal_spd(7));  // 1, 2, …, 7
  solver.compute(s.view());
  solver.set_shift(1.0, 2.0);
  EXPECT_NEAR(solver.reciprocal_condition(s.view()), 1.0 / 7.0, diagonal_bound<T>);
  solver.factorize(s.view());  // 3, 5, …, 15
  solver.set_shift(100.0, 0.0);
  EXPECT_NEAR(solver.reciprocal_condition(s.view()), 3.0 / 15.0, diagonal_bound<T>);
  MatrixView<T> no_values = s.view();
  no_values.values = nullptr;
  expect_throw<InvalidInput>([&] { solver.factorize(no_values); });
  EXPECT_NEAR(solver.reciprocal_condition(s.view()), 3.0 / 15.0, diagonal_bound<T>) << "the factor was kept";
}

TYPED_TEST(SolverCondition, LeavesTheReportOfTheLastSolve) {
  using T = typename TypeParam::Scalar;
  Options options = this->options();
  options.refinement.max_steps = 2;
  Solver<T> solver(options);
  const StoredMatrix<T> s = stored<T>(io::generate("lap2d:12"));
  solver.compute(s.view());
  solver.reciprocal_condition(s.view());
  EXPECT_EQ(solver.solve_report().bytes_of_l, 0.0) << "there was no solve";
  solution(solver, right_hand_side<T>(s.n));
  const SolveReport before = solver.solve_report();
  ASSERT_GE(before.backward_error, 0.0);
  solver.reciprocal_condition(s.view());
  solver.extract_l();
  solver.log_determinant();
  EXPECT_EQ(solver.solve_report().backward_error, before.backward_error);
  EXPECT_EQ(solver.solve_report().refinement_steps, before.refinement_steps);
  EXPECT_EQ(solver.solve_report().seconds, before.seconds);
  EXPECT_EQ(solver.solve_report().bytes_of_l, before.bytes_of_l);
}

/// Returns 1 / (‖A‖₁ ‖A⁻¹‖₁), computed from every column of the inverse.
double exact_reciprocal(Solver<double>& solver, const io::SymmetricMatrix& a) {
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<double> sums(n, 0.0);
  double inverse = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      const auto i = static_cast<std::size_t>(a.indices[e]);
      sums[j] += std::abs(a.values[e]);
      if (i != j) sums[i] += std::abs(a.values[e]);
    }
    std::vector<double> unit(n, 0.0);
    unit[j] = 1.0;
    double sum = 0.0;
    for (const double entry : solution(solver, unit)) sum += std::abs(entry);
    inverse = std::max(inverse, sum);
  }
  return 1.0 / (*std::max_element(sums.begin(), sums.end()) * inverse);
}

/// Returns A = L Lᵀ with all entries stored, where L has a unit diagonal and entries −1, 0 and 1. For one such matrix in
/// five hundred, the estimate is wrong by more than a factor of 3, for some by more than 10.
io::SymmetricMatrix misleading_spd(std::int64_t n, std::uint64_t seed) {
  io::SymmetricMatrix a = dense_spd(n, seed);
  const std::vector<double> entries = random_vector(n * n, seed);
  const auto size = static_cast<std::size_t>(n);
  const auto l = [&](std::size_t i, std::size_t j) { return i == j ? 1.0 : std::round(1.5 * entries[i + j * size]); };
  for (std::size_t j = 0; j < size; ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      const auto i = static_cast<std::size_t>(a.indices[e]);
      a.values[e] = 0.0;
      for (std::size_t k = 0; k <= j; ++k) a.values[e] += l(i, k) * l(j, k);
    }
  }
  return a;
}

/// For matrices of up to 11 rows, the estimate may use enough solves to compute every column of the inverse.
TEST(SmallMatrixCondition, IsExact) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const io::SymmetricMatrix a = misleading_spd(1 + static_cast<std::int64_t>(seed % 11), seed);
    const StoredMatrix<double> s = stored<double>(a);
    Solver<double> solver(on(Backend::host));
    solver.compute(s.view());
    ASSERT_EQ(solver.status(), Status::success);
    const double exact = exact_reciprocal(solver, a);
    EXPECT_NEAR(solver.reciprocal_condition(s.view()), exact,
                4.0 * static_cast<double>(a.n) * std::numeric_limits<double>::epsilon() * exact)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
