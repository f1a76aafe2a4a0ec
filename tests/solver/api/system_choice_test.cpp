#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "gpusupernodal/system_solver.hpp"
#include "tests/solver/api/system_problems.hpp"

namespace gpusupernodal::test::system {
namespace {

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
  EXPECT_LE(report.largest_ritz, 2.0 * (1.0 + 1e-3));  // The largest eigenvalue of D⁻¹A is below 2.
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
