// Tests that a solution of conjugate gradients is one in every row, also where the rows of A have different magnitudes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
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
      // The condition number of the chain with rows of norm 1 is about n²/2. The penalties' own error is 1/penalty·n/2.
      const double condition = 0.5 * static_cast<double>(n * n);
      const double bound = sizeof(T) == 4 ? 1e-4 : 1e-8;  // Of the backward error.
      EXPECT_LE(error_of_penalized(x), 2.0 * condition * bound + static_cast<double>(n) / penalty)
          << name_of(method) << " " << penalty << ": " << report.reason;
    }
  }
}

TEST(SystemRowsReport, NamesWhyTheIterationGaveWay) {
  const Stored<double> a(chain(200, 2.0, 1e12));
  const std::vector<double> b = penalized_side<double>(200, 1e12);
  SystemSolver<double> system(with(Method::automatic));
  system.compute(a.view());
  std::vector<double> x;
  const SystemReport report = solve(system, b, x);
  EXPECT_EQ(report.method, Method::direct);
  EXPECT_NE(report.reason.find("rows of A with small entries"), std::string::npos) << report.reason;
  for (int k = 0; k < 2; ++k) {
    system.update(a.values);
    const SystemReport again = solve(system, b, x);
    EXPECT_EQ(again.method, Method::direct);
    EXPECT_EQ(again.reason.find("pcg gave way"), std::string::npos) << again.reason;
    EXPECT_TRUE(k == 0 || again.iterations == 0) << "nor is mixed: " << again.reason;
  }
}

/// The method pcg has the documented bound, an absolute tolerance is the caller's own.
TEST(SystemRowsReport, LeavesTheBoundsThatWereAskedFor) {
  const Stored<double> a(chain(200, 2.0, 1e12));
  const std::vector<double> b = penalized_side<double>(200, 1e12);
  for (const Method method : {Method::pcg, Method::automatic}) {
    SystemOptions options = with(method);
    if (method == Method::automatic) options.absolute_tolerance = 1e2;
    SystemSolver<double> system(options);
    system.compute(a.view());
    std::vector<double> x;
    const SystemReport report = solve(system, b, x);
    EXPECT_TRUE(report.solved());
    EXPECT_EQ(report.method, Method::pcg) << report.reason;
    EXPECT_LE(residual(a, x, b), 1.01e2);
  }
}

/// Without memory for a factor, x of conjugate gradients is returned, but not called a solution.
TEST(SystemRowsReport, AnXThatMissesRowsIsInaccurateWithoutAFactor) {
  const Stored<double> a(chain(200, 2.0, 1e12));
  const std::vector<double> b = penalized_side<double>(200, 1e12);
  const auto allocator = std::make_shared<FailingAllocator>();
  SystemOptions options = with(Method::automatic);
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
        EXPECT_LE(error_of_penalized(x), 1e-8) << fault << ": " << report.reason;
      } else {
        ++inaccurate;
        EXPECT_EQ(report.status, SystemStatus::inaccurate) << report.reason;
        EXPECT_NE(report.reason.find("rows of A with small entries"), std::string::npos) << report.reason;
      }
    } catch (const OutOfMemory&) {  // Of the vectors of conjugate gradients.
    }
    fired = allocator->faults.fired();
    allocator->faults.disarm();
    EXPECT_TRUE(solve(system, b, x).solved());
    EXPECT_LE(error_of_penalized(x), 1e-8);
  }
  EXPECT_FALSE(fired);
  EXPECT_GT(inaccurate, 0);
}

/// Conjugate gradients solve these well; a factorization must not replace them.
TEST(SystemRowsReport, AcceptsSolutionsOfGradedMatrices) {
  // Diagonal entries over three decades, and b that only the large ones determine.
  io::SymmetricMatrix graded = chain(400, 4.0, 4.0);
  for (std::int64_t j = 0; j < graded.n; ++j)
    graded.values[static_cast<std::size_t>(graded.offsets[static_cast<std::size_t>(j)])] +=
        std::pow(10.0, 0.0075 * static_cast<double>(j));
  const Stored<double> a(graded);
  const std::vector<double> exact = random_side<double>(400);
  SystemSolver<double> system(with(Method::automatic));
  system.compute(a.view());
  std::vector<double> x;
  const SystemReport report = solve(system, product(a, exact), x);
  EXPECT_TRUE(report.solved());
  EXPECT_EQ(report.method, Method::pcg) << report.reason;
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(x[i], exact[i], 1e-7);
}

TEST(SystemRowsReport, AcceptsSolutionsOfWellPosedProblems) {
  for (const double jump : {1.0, 20.0, 1e3}) {
    // Two materials with the ratio `jump`, and a term that keeps the condition number of each small.
    Stored<double> a(chain(400, 4.0, 4.0));
    for (std::int64_t j = 200; j < a.n; ++j) {
      for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
           e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++e)
        a.values[e] *= jump;
    }
    std::vector<double> point(400, 0.0), load(400, 1.0);
    point[300] = 1.0;  // Zero in most rows, and in all rows with small entries.
    for (const std::vector<double>& b : {point, load, random_side<double>(400)}) {
      SystemSolver<double> system(with(Method::automatic));
      system.compute(a.view());
      std::vector<double> x;
      const SystemReport report = solve(system, b, x);
      EXPECT_TRUE(report.solved());
      EXPECT_EQ(report.method, Method::pcg) << jump << ": " << report.reason;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test::system
