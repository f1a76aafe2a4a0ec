// Tests that a solution of conjugate gradients is one in every row, also where the rows of A have different magnitudes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "tests/faults/failing_allocator.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/solver/api/system_problems.hpp"

namespace gpusupernodal::test::system {
namespace {

/// A chain whose ends are fixed by a penalty, x_0 = 1 and x_{n−1} = 0, under the load 1.
template <class T>
std::vector<T> penalized_side(std::int64_t n, double penalty) {
  std::vector<T> b(static_cast<std::size_t>(n), T(1));
  b.front() = static_cast<T>(penalty);
  return b;
}

/// Largest error of x against the solution of that chain, relative to its largest entry.
template <class T>
double error_of_penalized(const std::vector<T>& x) {
  const auto last = static_cast<double>(x.size() - 1);
  double error = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<double>(i);
    const double exact = 1.0 - at / last + at * (last - at) / 2.0;
    error = std::max(error, std::abs(static_cast<double>(x[i]) - exact));
    largest = std::max(largest, exact);
  }
  return error / largest;
}

/// Condition number of a chain of n entries whose rows are divided by their norms: about n²/2.
double condition_of_chain(std::int64_t n) { return 0.5 * static_cast<double>(n * n); }

/// Bound of the penalties' own error, which is n / (2·penalty).
double error_of_penalty(std::int64_t n, double penalty) { return static_cast<double>(n) / penalty; }

/// Bound of error_of_penalized for an x by a factorization in double: that of the penalties, and the condition number times
/// the backward error, 10·n·eps.
double factor_bound(std::int64_t n, double penalty) {
  const double backward_error = 10.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  return condition_of_chain(n) * backward_error + error_of_penalty(n, penalty);
}

template <class T>
class SystemPenalty : public testing::Test {};
using PenaltyScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SystemPenalty, PenaltyScalars);

/// ‖b − A x‖₂ ≤ tolerance·‖b‖₂ holds for x that is wrong in all rows without a penalty.
TYPED_TEST(SystemPenalty, IsSolvedInAllRows) {
  using T = TypeParam;
  const std::int64_t n = sizeof(T) == 4 ? 20 : 200;
  for (const double penalty : {1e4, 1e8, 1e12, 1e20}) {
    const Stored<T> a(chain(n, 2.0, penalty));
    const std::vector<T> b = penalized_side<T>(n, penalty);
    for (const Method method : {Method::automatic, Method::direct, Method::mixed}) {
      SystemSolver<T> system(with(method));
      system.compute(a.view());
      std::vector<T> x;
      const SystemReport report = solve(system, b, x);
      EXPECT_TRUE(report.solved()) << report.reason;
      // The documented bound of the backward error in all rows: 100·tolerance, at most 1e-4.
      const double bound = sizeof(T) == 4 ? 1e-4 : 1e-8;
      EXPECT_LE(error_of_penalized(x), 2.0 * condition_of_chain(n) * bound + error_of_penalty(n, penalty))
          << name_of(method) << " " << penalty << ": " << report.reason;
    }
  }
}

/// Conjugate gradients that end before their eighth iteration, which is the first that `automatic` compares with a
/// factorization. So measured times do not matter.
SystemOptions with_few_iterations(double tolerance) {
  SystemOptions options = with(Method::automatic);
  options.tolerance = tolerance;
  return options;
}

bool gave_way(const SystemReport& report, const std::string& method) {
  return report.reason.find(method + " gave way") != std::string::npos;
}

TEST(SystemRowsReport, NamesWhyTheIterationGaveWay) {
  const Stored<double> a(chain(200, 2.0, 1e12));
  const std::vector<double> b = penalized_side<double>(200, 1e12);
  SystemSolver<double> system(with_few_iterations(1e-6));
  system.compute(a.view());
  std::vector<double> x;
  const SystemReport report = solve(system, b, x);
  EXPECT_TRUE(report.solved()) << report.reason;
  EXPECT_NE(report.method, Method::pcg);  // Which factor replaces it depends on measured times.
  EXPECT_LE(error_of_penalized(x), factor_bound(a.n, 1e12)) << report.reason;
  EXPECT_NE(report.reason.find("rows of A with small entries"), std::string::npos) << report.reason;
  EXPECT_TRUE(gave_way(report, "pcg")) << report.reason;
  int mixed = 0;
  for (int k = 0; k < 3; ++k) {
    system.update(a.values);
    const SystemReport again = solve(system, b, x);
    EXPECT_FALSE(gave_way(again, "pcg")) << "tried again: " << again.reason;
    mixed += gave_way(again, "mixed") ? 1 : 0;
  }
  EXPECT_LE(mixed, 1);
}

/// The method pcg has the documented bound, an absolute tolerance is the caller's own.
TEST(SystemRowsReport, LeavesTheBoundsThatWereAskedFor) {
  const Stored<double> a(chain(200, 2.0, 1e12));
  const std::vector<double> b = penalized_side<double>(200, 1e12);
  for (const Method method : {Method::pcg, Method::automatic}) {
    SystemOptions options = with(method);
    // The default tolerance for this b, and one that few iterations reach.
    const double bound = method == Method::pcg ? 1e2 : 1e6;
    if (method == Method::automatic) options.absolute_tolerance = bound;
    SystemSolver<double> system(options);
    system.compute(a.view());
    std::vector<double> x;
    const SystemReport report = solve(system, b, x);
    EXPECT_TRUE(report.solved());
    EXPECT_EQ(report.method, Method::pcg) << report.reason;
    EXPECT_LE(residual(a, x, b), 1.01 * bound);
    if (method == Method::automatic) {
      EXPECT_LT(report.iterations, 8);
    }
  }
}

/// Without memory for a factor, x of conjugate gradients is returned, but not called a solution.
TEST(SystemRowsReport, AnXThatMissesRowsIsInaccurateWithoutAFactor) {
  const Stored<double> a(chain(200, 2.0, 1e12));
  const std::vector<double> b = penalized_side<double>(200, 1e12);
  const auto allocator = std::make_shared<FailingAllocator>();
  SystemOptions options = with_few_iterations(1e-6);
  options.host_allocator = allocator;
  int inaccurate = 0;
  bool fired = true;
  for (int fault = 1; fired && fault < 200; ++fault) {
    SystemSolver<double> system(options);
    system.compute(a.view());
    std::vector<double> x;
    allocator->faults.arm(fault, Lasting::once);
    try {
      const SystemReport report = solve(system, b, x);
      if (report.solved()) {
        EXPECT_LE(error_of_penalized(x), factor_bound(a.n, 1e12)) << fault << ": " << report.reason;
      } else {
        ++inaccurate;
        EXPECT_EQ(report.status, SystemStatus::inaccurate) << report.reason;
        EXPECT_NE(report.reason.find("rows of A with small entries"), std::string::npos) << report.reason;
      }
    } catch (const OutOfMemory&) {  // No memory for the vectors of conjugate gradients.
    }
    fired = allocator->faults.fired();
    allocator->faults.disarm();
    EXPECT_TRUE(solve(system, b, x).solved());
    EXPECT_LE(error_of_penalized(x), factor_bound(a.n, 1e12));
  }
  EXPECT_FALSE(fired);
  EXPECT_GT(inaccurate, 0);
}

/// Conjugate gradients solve these well. Slow iterations may be left for a factorization, but not because of their x.
template <class Problem>
void expect_accepted(const Problem& a, const std::vector<double>& b, double few, const std::string& what) {
  std::vector<double> x;
  SystemSolver<double> exact(with(Method::automatic));
  exact.compute(a.view());
  const SystemReport report = solve(exact, b, x);
  EXPECT_TRUE(report.solved()) << what;
  EXPECT_FALSE(gave_way(report, "pcg")) << what << ": " << report.reason;
  SystemSolver<double> rough(with_few_iterations(few));
  rough.compute(a.view());
  const SystemReport quick = solve(rough, b, x);
  EXPECT_EQ(quick.method, Method::pcg) << what << ": " << quick.reason;
  EXPECT_LT(quick.iterations, 8) << what;
}

TEST(SystemRowsReport, AcceptsSolutionsOfGradedMatrices) {
  // Diagonal entries over three decades, and b that only the large ones determine.
  io::SymmetricMatrix graded = chain(400, 4.0, 4.0);
  for (std::int64_t j = 0; j < graded.n; ++j)
    graded.values[static_cast<std::size_t>(graded.offsets[static_cast<std::size_t>(j)])] +=
        std::pow(10.0, 0.0075 * static_cast<double>(j));
  const Stored<double> a(graded);
  expect_accepted(a, product(a, random_side<double>(400)), 1e-5, "graded");
}

TEST(SystemRowsReport, AcceptsSolutionsOfWellPosedProblems) {
  for (const double jump : {1.0, 20.0, 1e3}) {
    // Two materials with the ratio `jump`, and a term that keeps the condition number of each small.
    Stored<double> a(chain(400, 8.0, 8.0));
    for (std::int64_t j = 200; j < a.n; ++j) {
      for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
           e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++e)
        a.values[e] *= jump;
    }
    std::vector<double> point(400, 0.0), load(400, 1.0);
    point[300] = 1.0;  // Zero in most rows, and in all rows with small entries.
    for (const std::vector<double>& b : {point, load, random_side<double>(400)})
      expect_accepted(a, b, 1e-5, std::to_string(jump));
  }
}

}  // namespace
}  // namespace gpusupernodal::test::system
