#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
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

}  // namespace
}  // namespace gpusupernodal::test::system
