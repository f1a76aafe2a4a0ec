#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "tests/solver/api/pcg_problems.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test::pcg {
namespace {

template <class OnBackend>
class Conjugate : public ExecutorTest<OnBackend> {
 protected:
  using Real = typename OnBackend::Scalar;
  static constexpr bool is_float = sizeof(Real) == 4;
  static constexpr double tolerance = is_float ? 1e-5 : 1e-10;
  static PcgOptions with(Preconditioner preconditioner) { return options_on(OnBackend::backend, preconditioner); }
  static std::vector<Preconditioner> all() { return preconditioners(OnBackend::backend); }
};

TYPED_TEST_SUITE(Conjugate, AllBackends, BackendNames);

TYPED_TEST(Conjugate, SolvesWithEveryPreconditioner) {
  using T = typename TestFixture::Real;
  for (const char* const spec : {"lap2d:30", "lap3d:9", "elas:4", "shell:5"}) {
    const Stored<T> a(io::generate(spec));
    const std::vector<T> b = random_side<T>(a.n);
    for (const Preconditioner p : TestFixture::all()) {
      const Solved<T> solved = solve(TestFixture::with(p), a, b);
      EXPECT_EQ(solved.report.status, PcgStatus::converged) << spec << " " << name_of(p);
      // The report's residual is computed in T: c·eps·(‖A‖‖x‖ + ‖b‖) with c = 100 covers what the norms of these matrices
      // add.
      const double rounding = 100.0 * std::numeric_limits<T>::epsilon() * norm(b);
      EXPECT_LE(residual(a, solved.x, b), TestFixture::tolerance * norm(b) + rounding) << spec << " " << name_of(p);
      EXPECT_NEAR(solved.report.residual, residual(a, solved.x, b), rounding + 0.01 * solved.report.residual);
      // Sums over vectors are accumulated in double, also those of floats.
      const double summation = 4.0 * std::sqrt(static_cast<double>(a.n)) * std::numeric_limits<double>::epsilon();
      EXPECT_NEAR(solved.report.right_hand_side, norm(b), summation * norm(b));
      EXPECT_EQ(solved.report.preconditioner, p == Preconditioner::automatic ? Preconditioner::fsai : p);
    }
  }
}

TYPED_TEST(Conjugate, AgreesWithTheDirectSolver) {
  using T = typename TestFixture::Real;
  const Stored<T> a(random_spd(400, 1500, 3));
  const std::vector<T> b = random_side<T>(a.n);
  Options options;
  options.backend = Backend::host;
  Solver<T> direct(options);
  direct.compute(a.view());
  std::vector<T> exact(b.size());
  direct.solve(DenseView<const T>(b.data(), a.n), DenseView<T>(exact.data(), a.n));
  const Solved<T> solved = solve(TestFixture::with(Preconditioner::fsai), a, b);
  // The matrix is diagonally dominant by 1, so ‖A⁻¹‖∞ ≤ 1 and ‖A⁻¹‖₂ ≤ 1: the error is at most the residuals' sum.
  double difference = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i)
    difference = std::max(difference, std::abs(static_cast<double>(exact[i] - solved.x[i])));
  EXPECT_LE(difference, 2.0 * TestFixture::tolerance * norm(b));
}

TYPED_TEST(Conjugate, TakesAsManyIterationsAsThereAreEigenvalues) {
  using T = typename TestFixture::Real;
  for (int distinct = 1; distinct <= 6; ++distinct) {
    std::vector<double> entries(2000);
    for (std::size_t i = 0; i < entries.size(); ++i)
      entries[i] = 1.0 + static_cast<double>(i % static_cast<std::size_t>(distinct));
    const Stored<T> a(diagonal(entries));
    const Solved<T> solved = solve(TestFixture::with(Preconditioner::none), a, random_side<T>(a.n));
    EXPECT_TRUE(solved.report.converged());
    EXPECT_EQ(solved.report.iterations, distinct);
    EXPECT_EQ(solve(TestFixture::with(Preconditioner::jacobi), a, random_side<T>(a.n)).report.iterations, 1);
  }
}

TYPED_TEST(Conjugate, ExactPreconditionersTakeOneIteration) {
  using T = typename TestFixture::Real;
  const Stored<T> blocks(blocks_spd(50, 6, 4));
  PcgOptions by_six = TestFixture::with(Preconditioner::block_jacobi);
  EXPECT_EQ(solve(by_six, blocks, random_side<T>(blocks.n)).report.block_size, 6);
  EXPECT_LE(solve(by_six, blocks, random_side<T>(blocks.n)).report.iterations, 2);
  EXPECT_LE(solve(TestFixture::with(Preconditioner::fsai), blocks, random_side<T>(blocks.n)).report.iterations, 2);
  EXPECT_LE(solve(TestFixture::with(Preconditioner::factor), Stored<T>(io::generate("lap2d:20")), random_side<T>(400))
                .report.iterations,
            2);
}

TYPED_TEST(Conjugate, BlocksOfEveryOrderSolve) {
  using T = typename TestFixture::Real;
  const Stored<T> a(random_spd(301, 900, 9));  // 301 = 7·43: other orders leave a short last block.
  for (int size = 1; size <= 8; ++size) {
    PcgOptions options = TestFixture::with(Preconditioner::block_jacobi);
    options.block_size = size;
    const Solved<T> solved = solve(options, a, random_side<T>(a.n));
    EXPECT_TRUE(solved.report.converged()) << size;
    EXPECT_EQ(solved.report.block_size, size);
    EXPECT_LE(solved.report.iterations, 60) << size;
  }
}

TYPED_TEST(Conjugate, NoticesIndefiniteMatrices) {
  using T = typename TestFixture::Real;
  const Stored<T> a(diagonal({1.0, 2.0, -1.0, 3.0}));
  const std::vector<T> b(4, T(1));
  for (const Preconditioner p : TestFixture::all()) {
    const Solved<T> solved = solve(TestFixture::with(p), a, b);
    EXPECT_EQ(solved.report.status, PcgStatus::breakdown) << name_of(p);
    EXPECT_EQ(solved.report.bad_row, p == Preconditioner::none ? -1 : 2) << name_of(p);
    for (const T value : solved.x) EXPECT_TRUE(std::isfinite(value));
  }
}

/// Positive on the diagonal, but (1, −1) has negative energy. The start vector meets it in the first step.
TYPED_TEST(Conjugate, NoticesNegativeEnergyBeforeXIsSpoilt) {
  using T = typename TestFixture::Real;
  io::SymmetricMatrix a;
  a.n = 2;
  a.offsets = {0, 2, 3};
  a.indices = {0, 1, 1};
  a.values = {1.0, 2.0, 1.0};
  const std::vector<T> b{T(1), T(-1)};
  const Solved<T> solved = solve(TestFixture::with(Preconditioner::jacobi), Stored<T>(a), b);
  EXPECT_EQ(solved.report.status, PcgStatus::breakdown);
  EXPECT_EQ(solved.report.iterations, 0);
  EXPECT_EQ(solved.x, std::vector<T>(2, T(0)));
}

/// The graph Laplacian of a chain: its null space is the constant vector; b is orthogonal to it.
TYPED_TEST(Conjugate, SolvesSingularConsistentSystems) {
  using T = typename TestFixture::Real;
  const Stored<T> a(chain(20, 2.0, 1.0));
  std::vector<T> b(20, T(0));
  b.front() = T(1);
  b.back() = T(-1);
  for (const Preconditioner p : {Preconditioner::none, Preconditioner::jacobi, Preconditioner::fsai}) {
    const Solved<T> solved = solve(TestFixture::with(p), a, b);
    EXPECT_TRUE(solved.report.converged()) << name_of(p) << " " << name_of(solved.report.status);
    EXPECT_LE(residual(a, solved.x, b), 2.0 * TestFixture::tolerance * norm(b)) << name_of(p);
    EXPECT_NEAR(static_cast<double>(solved.x.front() - solved.x.back()), 19.0, 19.0 * 20.0 * TestFixture::tolerance);
  }
}

TYPED_TEST(Conjugate, AnInconsistentSystemNeverConverges) {
  using T = typename TestFixture::Real;
  const Stored<T> a(chain(40, 2.0, 1.0));
  PcgOptions options = TestFixture::with(Preconditioner::jacobi);
  options.max_iterations = 500;
  EXPECT_FALSE(solve(options, a, std::vector<T>(40, T(1))).report.converged());
}

TYPED_TEST(Conjugate, AZeroRightHandSideGivesZero) {
  using T = typename TestFixture::Real;
  const Stored<T> a(io::generate("lap2d:10"));
  const Solved<T> solved =
      solve(TestFixture::with(Preconditioner::jacobi), a, std::vector<T>(100, T(0)), std::vector<T>(100, T(3)));
  EXPECT_TRUE(solved.report.converged());
  EXPECT_EQ(solved.report.iterations, 0);
  EXPECT_EQ(solved.x, std::vector<T>(100, T(0)));
}

TYPED_TEST(Conjugate, RefusesNonFiniteNumbersAndLeavesX) {
  using T = typename TestFixture::Real;
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
    Stored<T> a(io::generate("lap2d:10"));
    std::vector<T> b = random_side<T>(100);
    b[57] = bad;
    const std::vector<T> start(100, T(3));
    const Solved<T> of_b = solve(TestFixture::with(Preconditioner::jacobi), a, b, start);
    EXPECT_EQ(of_b.report.status, PcgStatus::not_finite);
    EXPECT_EQ(of_b.x, start);
    a.values[20] = bad;
    const Solved<T> of_a = solve(TestFixture::with(Preconditioner::jacobi), a, random_side<T>(100), start);
    EXPECT_EQ(of_a.report.status, PcgStatus::not_finite);
    EXPECT_EQ(of_a.x, start);
  }
}

TYPED_TEST(Conjugate, StopsAtTheLimitWithTheTrueResidual) {
  using T = typename TestFixture::Real;
  const Stored<T> a(io::generate("lap2d:30"));
  const std::vector<T> b = random_side<T>(a.n);
  for (const std::int64_t limit : {1, 2, 7, 8, 9, 17}) {
    PcgOptions options = TestFixture::with(Preconditioner::jacobi);
    options.max_iterations = limit;
    const Solved<T> solved = solve(options, a, b);
    EXPECT_EQ(solved.report.status, PcgStatus::max_iterations);
    EXPECT_EQ(solved.report.iterations, limit);
    const double rounding = 50.0 * std::numeric_limits<T>::epsilon();  // Error of the residual in T, relative to ‖b‖.
    EXPECT_NEAR(solved.report.residual, residual(a, solved.x, b), rounding * norm(b));
  }
}

/// 1e-15 (1e-7) relative is below what rounding leaves on this matrix of condition about 1.6e6.
TYPED_TEST(Conjugate, SaysThatItStagnatesInsteadOfConverging) {
  using T = typename TestFixture::Real;
  const Stored<T> a(chain(2000, 2.0, 2.0));
  PcgOptions options = TestFixture::with(Preconditioner::none);
  options.tolerance = TestFixture::is_float ? 1e-7 : 1e-15;
  const std::vector<T> b = random_side<T>(a.n);
  const Solved<T> solved = solve(options, a, b);
  EXPECT_EQ(solved.report.status, PcgStatus::stagnated);
  EXPECT_LE(solved.report.recursive_residual, options.tolerance * norm(b));
  EXPECT_GT(solved.report.residual, options.tolerance * norm(b));
}

TYPED_TEST(Conjugate, StartsFromX) {
  using T = typename TestFixture::Real;
  const Stored<T> a(io::generate("lap2d:20"));
  const std::vector<T> b = random_side<T>(a.n);
  const PcgOptions options = TestFixture::with(Preconditioner::fsai);
  const Solved<T> first = solve(options, a, b);
  EXPECT_EQ(solve(options, a, b, first.x).report.iterations, 0);
}

TYPED_TEST(Conjugate, ScalesThatWouldOverflowSolve) {
  using T = typename TestFixture::Real;
  const Stored<T> a(io::generate("lap2d:12"));
  for (const double scale : {static_cast<double>(std::numeric_limits<T>::max()) / 1e4,
                             static_cast<double>(std::numeric_limits<T>::min()) * 1e4}) {
    std::vector<T> b = random_side<T>(a.n);
    for (T& value : b) value = static_cast<T>(static_cast<double>(value) * scale);
    const Solved<T> solved = solve(TestFixture::with(Preconditioner::jacobi), a, b);
    EXPECT_TRUE(solved.report.converged()) << scale << " " << name_of(solved.report.status);
    std::vector<double> x, side;
    for (std::size_t i = 0; i < b.size(); ++i)
      x.push_back(static_cast<double>(solved.x[i]) / scale), side.push_back(static_cast<double>(b[i]) / scale);
    EXPECT_LE(residual(Stored<double>(io::generate("lap2d:12")), x, side), 3.0 * TestFixture::tolerance * norm(side))
        << scale;
  }
}

/// A = d·I for a d that makes x = b / d too large or subnormal: x is not what the residual of the scaled system says.
TYPED_TEST(Conjugate, SolutionsOutsideOfTheRangeDoNotConverge) {
  using T = typename TestFixture::Real;
  using Limits = std::numeric_limits<T>;
  for (const bool large : {true, false}) {
    Stored<T> a(io::generate("lap2d:4"));
    const auto d = static_cast<T>(large ? 1e-8 : 1e8);
    for (T& value : a.values) value *= d;
    const std::vector<T> b(static_cast<std::size_t>(a.n), large ? Limits::max() / T(100) : Limits::min() * T(100));
    const Solved<T> solved = solve(TestFixture::with(Preconditioner::jacobi), a, b);
    EXPECT_EQ(solved.report.status, large ? PcgStatus::not_finite : PcgStatus::stagnated);
  }
}

/// Large enough for several threads on the host.
TYPED_TEST(Conjugate, GivesEqualBitsEachTime) {
  using T = typename TestFixture::Real;
  const Stored<T> a(io::generate("lap2d:180"));
  const std::vector<T> b = random_side<T>(a.n);
  for (const Preconditioner p : TestFixture::all()) {
    PcgOptions options = TestFixture::with(p);
    options.max_iterations = 20;  // Bits differ early or never, and the thread sanitizer is slow.
    const Solved<T> first = solve(options, a, b);
    Thinned cases;
    for (const int threads : {3, 1, 2, 5}) {
      if (!cases.takes_next()) continue;
      options.threads = threads;
      const Solved<T> again = solve(options, a, b);
      EXPECT_EQ(again.x, first.x) << name_of(p) << " with " << threads << " threads";
      EXPECT_EQ(again.report.iterations, first.report.iterations);
    }
  }
}

TYPED_TEST(Conjugate, SolvesManyColumnsAndNewValues) {
  using T = typename TestFixture::Real;
  Stored<T> a(io::generate("lap2d:15"));
  Pcg<T> pcg(TestFixture::with(Preconditioner::fsai));
  pcg.compute(a.view());
  const std::vector<T> b = random_side<T>(a.n * 3);
  for (const T factor : {T(1), T(4)}) {
    for (T& value : a.values) value *= factor;
    pcg.update(a.values);
    std::vector<T> x(b.size());
    const PcgReport worst = pcg.solve(DenseView<const T>(b.data(), a.n, 3, a.n), DenseView<T>(x.data(), a.n, 3, a.n));
    EXPECT_TRUE(worst.converged());
    ASSERT_EQ(pcg.reports().size(), 3u);
    for (std::ptrdiff_t c = 0; c < 3; ++c) {
      EXPECT_GE(worst.iterations, pcg.reports()[static_cast<std::size_t>(c)].iterations);
      const std::vector<T> column(x.begin() + c * a.n, x.begin() + (c + 1) * a.n);
      const std::vector<T> side(b.begin() + c * a.n, b.begin() + (c + 1) * a.n);
      EXPECT_LE(residual(a, column, side), 3.0 * TestFixture::tolerance * norm(side));
    }
  }
}

TYPED_TEST(Conjugate, ASinglePrecisionFactorIsAPreconditioner) {
  using T = typename TestFixture::Real;
  const Stored<T> a(io::generate("lap2d:25"));
  PcgOptions options = TestFixture::with(Preconditioner::factor);
  options.factor_precision = FactorPrecision::single;
  const Solved<T> solved = solve(options, a, random_side<T>(a.n));
  EXPECT_TRUE(solved.report.converged());
  EXPECT_LE(solved.report.iterations, 4);
}

TYPED_TEST(Conjugate, MatricesOfOrderZeroAndOne) {
  using T = typename TestFixture::Real;
  for (const Preconditioner p : TestFixture::all()) {
    EXPECT_TRUE(solve(TestFixture::with(p), Stored<T>(diagonal({})), std::vector<T>{}).report.converged()) << name_of(p);
    const Solved<T> one = solve(TestFixture::with(p), Stored<T>(diagonal({4.0})), std::vector<T>{T(2)});
    EXPECT_TRUE(one.report.converged()) << name_of(p);
    EXPECT_EQ(one.x, std::vector<T>{T(0.5)}) << name_of(p);
  }
}

}  // namespace
}  // namespace gpusupernodal::test::pcg
