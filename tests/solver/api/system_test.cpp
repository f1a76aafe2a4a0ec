#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpusupernodal/system_solver.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/solver/api/system_problems.hpp"

namespace gpusupernodal::test::system {
namespace {

template <class T>
class System : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(System, Scalars);

TYPED_TEST(System, EveryMethodSolves) {
  using T = TypeParam;
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-10;
  for (const char* const spec : {"lap2d:25", "lap3d:9", "elas:4", "shell:5"}) {
    const Stored<T> a(io::generate(spec));
    const std::vector<T> b = random_side<T>(a.n * 2);
    for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
      SystemSolver<T> system(with(method));
      system.compute(a.view());
      std::vector<T> x;
      const SystemReport report = solve(system, b, x);
      ASSERT_TRUE(report.solved()) << spec << " " << name_of(method) << ": " << report.reason;
      EXPECT_FALSE(report.reason.empty());
      for (std::ptrdiff_t c = 0; c < 2; ++c) {
        const std::vector<T> column(x.begin() + c * a.n, x.begin() + (c + 1) * a.n);
        const std::vector<T> side(b.begin() + c * a.n, b.begin() + (c + 1) * a.n);
        // Computed here in double: what rounding in T adds is c·eps·(‖A‖‖x‖ + ‖b‖), with c = 1000 for these matrices.
        const double rounding = 1000.0 * std::numeric_limits<T>::epsilon() * norm(side);
        EXPECT_LE(residual(a, column, side), tolerance * norm(side) + rounding) << spec << " " << name_of(method);
      }
      if (method == Method::direct || method == Method::pcg) {
        EXPECT_EQ(report.method, method);
      }
      EXPECT_EQ(report.solves, 2);
      EXPECT_GT(report.memory, 0);
      EXPECT_GT(report.seconds_solve, 0.0);
    }
  }
}

TYPED_TEST(System, MixedIsDirectForFloatsAndAFloatFactorForDoubles) {
  using T = TypeParam;
  const Stored<T> a(io::generate("lap2d:30"));
  SystemSolver<T> system(with(Method::mixed));
  system.compute(a.view());
  std::vector<T> x;
  const SystemReport report = solve(system, random_side<T>(a.n), x);
  EXPECT_TRUE(report.solved());
  EXPECT_EQ(report.method, sizeof(T) == 4 ? Method::direct : Method::mixed);
  if (report.method == Method::mixed) {
    EXPECT_GE(report.iterations, 1);
    EXPECT_LE(report.iterations, 4);
  }
  EXPECT_EQ(report.factorizations, 1);
}

TYPED_TEST(System, SaysThatAMatrixIsNotPositiveDefinite) {
  using T = TypeParam;
  const Stored<T> a(diagonal({1.0, 2.0, -1.0, 3.0}));
  for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
    SystemSolver<T> system(with(method));
    system.compute(a.view());
    std::vector<T> x;
    const SystemReport report = solve(system, std::vector<T>(4, T(1)), x);
    EXPECT_EQ(report.status, SystemStatus::not_positive_definite) << name_of(method) << ": " << report.reason;
    EXPECT_EQ(report.failed_column, 2) << name_of(method);
    EXPECT_EQ(x, std::vector<T>(4, T(-7))) << name_of(method);
    EXPECT_EQ(report.residual, -1.0);
    EXPECT_EQ(report.backward_error, -1.0);
  }
}

/// The first column is solved before the iteration breaks down in the second one.
TYPED_TEST(System, LeavesEveryColumnOfXIfTheMatrixIsNotPositiveDefinite) {
  using T = TypeParam;
  std::vector<double> entries(40, 1.0);
  entries[7] = -3.0;
  const Stored<T> a(diagonal(entries));
  std::vector<T> b(80, T(1));
  b[7] = T(0);
  for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
    SystemOptions options = with(method);
    options.preconditioner = Preconditioner::none;
    SystemSolver<T> system(options);
    system.compute(a.view());
    std::vector<T> x;
    const SystemReport report = solve(system, b, x);
    EXPECT_EQ(report.status, SystemStatus::not_positive_definite) << name_of(method) << ": " << report.reason;
    EXPECT_EQ(x, std::vector<T>(80, T(-7))) << name_of(method);
    EXPECT_EQ(report.residual, -1.0) << name_of(method);
  }
}

TYPED_TEST(System, RefusesNumbersThatAreNotFiniteAndLeavesX) {
  using T = TypeParam;
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
    for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
      Stored<T> a(io::generate("lap2d:6"));
      SystemSolver<T> system(with(method));
      system.compute(a.view());
      std::vector<T> b = random_side<T>(36), x;
      b[17] = bad;
      SystemReport report = solve(system, b, x);
      EXPECT_EQ(report.status, SystemStatus::not_finite);
      EXPECT_NE(report.reason.find("row 17"), std::string::npos) << report.reason;
      EXPECT_EQ(x, std::vector<T>(36, T(-7)));
      a.values[4] = bad;
      system.update(a.values);
      report = solve(system, random_side<T>(36), x);
      EXPECT_EQ(report.status, SystemStatus::not_finite);
      EXPECT_EQ(x, std::vector<T>(36, T(-7)));
    }
  }
}

TYPED_TEST(System, OrdersZeroAndOne) {
  using T = TypeParam;
  for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
    SystemSolver<T> system(with(method));
    std::vector<T> x;
    system.compute(Stored<T>(diagonal({})).view());
    EXPECT_TRUE(solve(system, std::vector<T>{}, x).solved());
    const Stored<T> four(diagonal({4.0}));
    system.compute(four.view());
    EXPECT_TRUE(solve(system, std::vector<T>{T(2)}, x).solved());
    EXPECT_EQ(x, std::vector<T>{T(0.5)});
    EXPECT_TRUE(solve(system, std::vector<T>{T(0)}, x).solved());
    EXPECT_EQ(x, std::vector<T>{T(0)});
  }
}

/// A chain of 20,000: thousands of iterations, but a factorization of milliseconds.
TEST(SystemChoice, TakesTheFactorizationWhereIterationsAreMany) {
  const Stored<double> a(hard_chain(20000));
  SystemSolver<double> system(with(Method::automatic, 10));
  system.compute(a.view());
  std::vector<double> x;
  const std::vector<double> b = random_side<double>(a.n);
  const SystemReport report = solve(system, b, x);
  ASSERT_TRUE(report.solved()) << report.reason;
  EXPECT_EQ(report.method, Method::direct) << report.reason;
  EXPECT_GE(report.probe_iterations, 8);
  EXPECT_GT(report.forecast_iterations, 20.0);
  EXPECT_LT(report.forecast_direct, report.forecast_pcg);
  EXPECT_GT(report.smallest_ritz, 0.0);
  EXPECT_LE(report.largest_ritz, 2.0 * (1.0 + 1e-3));  // Of D⁻¹A.
  EXPECT_NE(report.reason.find("direct is forecast to end first for 10 solves"), std::string::npos) << report.reason;
  const SystemReport again = solve(system, b, x);
  EXPECT_EQ(again.factorizations, 1);
  EXPECT_EQ(again.solves, 2);
}

/// D⁻¹A has its eigenvalues close to 1: a few iterations are enough, before there is a forecast.
TEST(SystemChoice, EndsWhereTheFirstIterationsConverge) {
  const Stored<double> a(chain(5000, 20.0, 20.0));
  SystemSolver<double> system(with(Method::automatic));
  system.compute(a.view());
  std::vector<double> x;
  const std::vector<double> b = random_side<double>(a.n);
  const SystemReport report = solve(system, b, x);
  EXPECT_TRUE(report.solved());
  EXPECT_EQ(report.method, Method::pcg);
  EXPECT_LT(report.iterations, 30);
  EXPECT_EQ(report.factorizations, 0);
  EXPECT_LE(residual(a, x, b), 1.01e-10 * norm(b));
}

/// Squares of such values are 0 or infinite.
TEST(SystemChoice, EndsForMatricesWithTinyAndHugeValues) {
  for (const double scale : {1e-300, 1e-160, 1e160}) {
    Stored<double> a(io::generate("lap2d:20"));
    for (double& value : a.values) value *= scale;
    SystemOptions options = with(Method::automatic);
    options.preconditioner = Preconditioner::none;
    SystemSolver<double> system(options);
    system.compute(a.view());
    std::vector<double> x;
    const std::vector<double> b = random_side<double>(a.n);
    const SystemReport report = solve(system, b, x);
    EXPECT_TRUE(report.solved()) << scale << ": " << name_of(report.status) << ", " << report.reason;
    EXPECT_LE(residual(a, x, b), 1.01e-10 * norm(b)) << scale;
  }
}

TEST(SystemChoice, IsRevisedForNewValues) {
  Stored<double> easy(chain(20000, 20.0, 20.0));
  const Stored<double> hard(hard_chain(20000));
  SystemSolver<double> system(with(Method::automatic, 5));
  std::vector<double> x;
  const std::vector<double> b = random_side<double>(easy.n);
  system.compute(easy.view());
  EXPECT_EQ(solve(system, b, x).method, Method::pcg);
  system.update(hard.values);
  const SystemReport direct = solve(system, b, x);
  EXPECT_EQ(direct.method, Method::direct) << direct.reason;
  EXPECT_EQ(direct.solves, 1);
  ASSERT_TRUE(direct.solved());
  system.update(easy.values);
  const SystemReport back = solve(system, b, x);
  EXPECT_TRUE(back.solved());
  EXPECT_LE(residual(easy, x, b), 1.01e-10 * norm(b));
}

/// The iteration cannot reach 1e-15; the factorization's backward error is accepted.
TEST(SystemFallback, IterationsThatStagnateGiveWay) {
  const Stored<double> a(hard_chain(3000));
  for (const Method method : {Method::automatic, Method::mixed}) {
    SystemOptions options = with(method);
    options.tolerance = 1e-16;
    SystemSolver<double> system(options);
    system.compute(a.view());
    std::vector<double> x;
    const std::vector<double> b = random_side<double>(a.n);
    const SystemReport report = solve(system, b, x);
    EXPECT_TRUE(report.solved()) << report.reason;
    EXPECT_GE(report.backward_error, 0.0);
    EXPECT_LE(report.backward_error, 100.0 * std::sqrt(3000.0) * std::numeric_limits<double>::epsilon());
  }
}

/// Condition 1e12 and more: a factor in single precision has no correct digits.
TEST(SystemFallback, AFactorInSinglePrecisionGivesWay) {
  Stored<double> a(chain(200, 2.0, 2.0));
  for (std::int64_t j = 0; j < a.n; ++j) {  // S·A·S with scales over 20 decades.
    for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
         e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++e)
      a.values[e] *= std::pow(10.0, -static_cast<double>(j + a.indices[e]) / 10.0);
  }
  SystemOptions options = with(Method::mixed);
  options.max_iterations = 50;
  SystemSolver<double> system(options);
  system.compute(a.view());
  std::vector<double> x;
  const SystemReport report = solve(system, random_side<double>(a.n), x);
  EXPECT_TRUE(report.solved()) << report.reason;
  EXPECT_EQ(report.method, Method::direct);
  EXPECT_NE(report.reason.find("gave way"), std::string::npos) << report.reason;
}

/// x = b / d overflows: no method may call that a solution.
TEST(SystemFallback, ASolutionThatOverflowsIsInaccurate) {
  const Stored<double> a(diagonal({1e-300, 1e-300, 1e-300}));
  for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
    SystemSolver<double> system(with(method));
    system.compute(a.view());
    std::vector<double> x;
    const SystemReport report = solve(system, std::vector<double>(3, 1e20), x);
    EXPECT_FALSE(report.solved()) << name_of(method);
    if (method == Method::direct) {
      EXPECT_EQ(report.status, SystemStatus::inaccurate);
      EXPECT_EQ(report.refinement_steps, 3);
      EXPECT_NE(report.reason.find("backward error of right-hand side 0"), std::string::npos) << report.reason;
    }
  }
}

TEST(SystemFallback, PcgAloneSaysThatItDidNotConverge) {
  const Stored<double> a(hard_chain(2000));
  SystemOptions options = with(Method::pcg);
  options.max_iterations = 10;
  SystemSolver<double> system(options);
  system.compute(a.view());
  std::vector<double> x;
  const std::vector<double> b = random_side<double>(2 * a.n);
  const SystemReport report = solve(system, b, x);
  EXPECT_EQ(report.status, SystemStatus::not_converged);
  EXPECT_EQ(report.iterations, 10);
  double largest = 0.0;
  for (std::ptrdiff_t c = 0; c < 2; ++c) {
    const std::vector<double> column(x.begin() + c * a.n, x.begin() + (c + 1) * a.n);
    const std::vector<double> side(b.begin() + c * a.n, b.begin() + (c + 1) * a.n);
    largest = std::max(largest, residual(a, column, side) / norm(side));
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_NEAR(report.residual, largest, 1e-10);
  EXPECT_GT(report.backward_error, 1e-6);
  EXPECT_NE(report.reason.find("max_iterations after 10 iterations"), std::string::npos) << report.reason;
}

/// Sets of values that change more and more, solved with factors of earlier ones. `pause` makes iterations look slow.
std::vector<std::vector<double>> lagged_solutions(double pause, std::vector<std::int64_t>& factorizations) {
  Stored<double> a(io::generate("lap3d:14"));
  SystemOptions options = with(Method::mixed);
  options.progress = [pause](const Progress& at) {
    if (std::string(at.phase) == "iterate" && pause > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    return true;
  };
  SystemSolver<double> system(options);
  system.analyze(a.view());
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<std::vector<double>> solutions;
  for (int k = 0; k < 5; ++k) {
    system.update(a.values);
    factorizations.push_back(solve(system, b, solutions.emplace_back()).factorizations);
    for (std::int64_t j = 0; j < a.n; ++j)
      a.values[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)])] *= 1.0 + 0.02 * static_cast<double>(j % 9);
  }
  return solutions;
}

TEST(SystemSequence, MeasuredTimesDoNotDecideWhenAFactorIsRenewed) {
  std::vector<std::int64_t> of_fast, of_slow;
  const std::vector<std::vector<double>> fast = lagged_solutions(0.0, of_fast), slow = lagged_solutions(0.005, of_slow);
  EXPECT_EQ(of_fast, of_slow);
  EXPECT_EQ(fast, slow);
}

TEST(SystemSequence, ALaggedFactorIsKeptForSimilarValuesAndRenewedForOthers) {
  Stored<double> a(io::generate("lap3d:16"));
  SystemSolver<double> system(with(Method::mixed));
  std::vector<double> x;
  const std::vector<double> b = random_side<double>(a.n);
  system.compute(a.view());
  EXPECT_EQ(solve(system, b, x).factorizations, 1);
  for (int k = 0; k < 2; ++k) {
    for (double& value : a.values) value *= 1.0 + 1e-6;
    system.update(a.values);
    const SystemReport report = solve(system, b, x);
    EXPECT_TRUE(report.solved());
    EXPECT_EQ(report.factorizations, 1);  // The factor of the first values serves.
  }
  std::vector<double> changed = a.values;
  for (std::int64_t j = 0; j < a.n; ++j)  // Over eight decades: the old factor is of no use.
    changed[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)])] *= std::pow(10.0, static_cast<double>(j % 9));
  a.values = changed;
  for (int k = 0; k < 3; ++k) {
    system.update(a.values);
    const SystemReport report = solve(system, b, x);
    EXPECT_TRUE(report.solved());
    EXPECT_LE(residual(a, x, b), 1.01e-10 * norm(b));
  }
  EXPECT_GE(system.report().factorizations, 2);
}

}  // namespace
}  // namespace gpusupernodal::test::system
