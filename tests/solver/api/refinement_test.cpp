#include <gtest/gtest.h>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using SolverRefinement = SolverTest<OnBackend>;
TYPED_TEST_SUITE(SolverRefinement, AllBackends, BackendNames);

template <class T>
double error_of(const io::SymmetricMatrix& a, const std::vector<T>& x, const std::vector<T>& b) {
  return backward_error(a, {x.begin(), x.end()}, {b.begin(), b.end()});
}

/// With residuals in double, the error of a float solution decreases to a few eps for any n [Higham02, Theorem 12.3]. In
/// double, the residual has no extra precision, and each entry of a row adds rounding errors.
template <class T>
double refined_bound() {
  return (sizeof(T) == 4 ? 2.0 : 16.0) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// The reported error is computed in double. Its rounding errors are those of a row of at most 100 terms.
constexpr double report_bound = 100.0 * std::numeric_limits<double>::epsilon();

TYPED_TEST(SolverRefinement, ImprovesAndReports) {
  using T = typename TypeParam::Scalar;
  for (const char* spec : {"lap3d:12", "elas:6", "shell:8"}) {
    SCOPED_TRACE(spec);
    const io::SymmetricMatrix a = rounded<T>(io::generate(spec));
    const StoredMatrix<T> s = stored<T>(a);
    const std::vector<T> b = right_hand_side<T>(a.n);
    Solver<T> plain(this->options());
    plain.compute(s.view());
    const double before = error_of(a, solution(plain, b), b);
    EXPECT_EQ(plain.solve_report().refinement_steps, 0);
    EXPECT_EQ(plain.solve_report().backward_error, -1.0) << "not computed";
    Options options = this->options();
    options.refinement.max_steps = 5;
    Solver<T> refined(options);
    refined.compute(s.view());
    const double after = error_of(a, solution(refined, b), b);
    EXPECT_LE(after, refined_bound<T>());
    EXPECT_LE(after, std::max(before, static_cast<double>(std::numeric_limits<T>::epsilon())));
    EXPECT_GE(refined.solve_report().refinement_steps, 1);
    EXPECT_LE(refined.solve_report().refinement_steps, 5);
    EXPECT_NEAR(refined.solve_report().backward_error, after, report_bound);
  }
}

/// A badly scaled matrix, whose condition leaves few correct digits in float.
TYPED_TEST(SolverRefinement, RepairsAnIllConditionedSolve) {
  using T = typename TypeParam::Scalar;
  io::SymmetricMatrix a = io::generate("lap2d:20");
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      const double row_scale = std::pow(2.0, static_cast<double>(a.indices[e] % 9));
      a.values[e] *= row_scale * std::pow(2.0, static_cast<double>(j % 9));
    }
  }
  a = rounded<T>(a);
  const StoredMatrix<T> s = stored<T>(a);
  const std::vector<T> b = right_hand_side<T>(a.n, 3);
  Options options = this->options();
  options.refinement.max_steps = 10;
  options.refinement.backward_error = refined_bound<T>();
  Solver<T> solver(options);
  solver.compute(s.view());
  std::vector<T> x = b;
  const DenseView<T> view(x.data(), a.n, 3, a.n);
  solver.solve(view, view);
  double worst = 0.0;
  for (std::ptrdiff_t c = 0; c < 3; ++c) {
    const std::ptrdiff_t n = a.n;
    worst = std::max(
        worst, error_of<T>(a, {x.begin() + c * n, x.begin() + (c + 1) * n}, {b.begin() + c * n, b.begin() + (c + 1) * n}));
  }
  EXPECT_LE(worst, refined_bound<T>() + report_bound);
  EXPECT_NEAR(solver.solve_report().backward_error, worst, report_bound) << "the worst of all columns";
}

TYPED_TEST(SolverRefinement, StopsAtTheRequestedAccuracy) {
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(io::generate("lap3d:8"));
  Options options = this->options();
  options.refinement.max_steps = 5;
  options.refinement.backward_error = 1.0;
  Solver<T> solver(options);
  solver.compute(s.view());
  solution(solver, right_hand_side<T>(512));
  EXPECT_EQ(solver.solve_report().refinement_steps, 0);
  EXPECT_GE(solver.solve_report().backward_error, 0.0);
  solution(solver, right_hand_side<T>(512), System::forward);
  EXPECT_EQ(solver.solve_report().backward_error, -1.0) << "only whole solves are refined";
}

TYPED_TEST(SolverRefinement, ZeroRightHandSideGivesZero) {
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(io::generate("lap2d:5"));
  Options options = this->options();
  options.refinement.max_steps = 2;
  Solver<T> solver(options);
  solver.compute(s.view());
  const std::vector<T> zero(25, T(0));
  EXPECT_EQ(solution(solver, zero), zero);
  EXPECT_EQ(solver.solve_report().backward_error, 0.0);
}

}  // namespace
}  // namespace gpusupernodal::test
