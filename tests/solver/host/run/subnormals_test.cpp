#include "solver/host/run/subnormals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/solver/backend/problem.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
bool negligible(const FactorPlan& plan, const FactorInput<T>& input, int threads = 1) {
  WorkerTeam team(threads);
  return subnormals_are_negligible(plan.host(), input, team);
}

/// A matrix like a mass matrix, with entries of magnitude `size`: fill decays by a constant factor from row to row.
io::SymmetricMatrix decaying(double size) {
  io::SymmetricMatrix a = io::generate("lap2d:18");
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t e = a.offsets[static_cast<std::size_t>(j)]; e < a.offsets[static_cast<std::size_t>(j) + 1]; ++e) {
      const bool diagonal = a.indices[static_cast<std::size_t>(e)] == j;
      a.values[static_cast<std::size_t>(e)] = size * (diagonal ? 1.0 : 1e-4);
    }
  }
  return a;
}

std::int64_t subnormals_in_factor(const Problem<float>& problem, double& error) {
  ExecutorOptions options;
  options.threads = 2;
  const auto executor = make_host_executor<float>(problem.plan->host_plan(), options);
  executor->factorization().factorize(problem.input());
  EXPECT_EQ(executor->factorization().outcome().status, Status::success);
  const Dense l = dense_factor(*problem.plan, *executor);
  const Dense a = problem.permuted();
  std::int64_t count = 0;
  error = 0.0;
  for (std::size_t j = 0; j < l.n; ++j) {
    for (std::size_t i = j; i < l.n; ++i) {
      if (std::fpclassify(static_cast<float>(l(i, j))) == FP_SUBNORMAL) ++count;
      double sum = 0.0;
      for (std::size_t k = 0; k <= j; ++k) sum += l(i, k) * l(j, k);
      error = std::max(error, std::abs(sum - a(i, j)) / std::sqrt(a(i, i) * a(j, j)));
    }
  }
  return count;
}

TEST(Subnormals, AreFlushedIfNegligible) {
  constexpr double eps = std::numeric_limits<float>::epsilon();
  double error = 0.0;
  const Problem<float> usual(decaying(1e-13));
  EXPECT_TRUE(negligible(*usual.plan, usual.input()));
  EXPECT_EQ(subnormals_in_factor(usual, error), 0);
  EXPECT_LE(error, 10 * eps);
}

/// Off-diagonal entries of A are subnormal: flushing them to zero would cause an error of 1e-4.
TEST(Subnormals, AreKeptIfNotNegligible) {
  constexpr double eps = std::numeric_limits<float>::epsilon();
  double error = 0.0;
  const Problem<float> tiny(decaying(1e-34));
  EXPECT_FALSE(negligible(*tiny.plan, tiny.input()));
  static_cast<void>(subnormals_in_factor(tiny, error));
  // Products of entries have the absolute accuracy of subnormal numbers.
  EXPECT_LE(error, 10 * (eps + static_cast<double>(std::numeric_limits<float>::denorm_min()) / 1e-34));
}

TEST(Subnormals, AreKeptForSmallMissingOrNonFiniteDiagonals) {
  io::SymmetricMatrix a = decaying(1.0);
  a.values[static_cast<std::size_t>(a.offsets[7])] = 1e-33;  // The diagonal comes first in a column.
  const Problem<float> graded(a);
  EXPECT_FALSE(negligible(*graded.plan, graded.input()));
  FactorInput<float> shifted = graded.input();
  shifted.shift = 1.0F;
  EXPECT_TRUE(negligible(*graded.plan, shifted));
  a.values[static_cast<std::size_t>(a.offsets[7])] = std::numeric_limits<double>::quiet_NaN();
  const Problem<float> bad(a);
  EXPECT_FALSE(negligible(*bad.plan, bad.input()));
  const Problem<double> twice(decaying(1.0));
  EXPECT_FALSE(negligible(*twice.plan, twice.input()));
}

/// Enough entries that several workers scan them.
TEST(Subnormals, ScanFindsOneSmallEntryAmongMany) {
  const Problem<float> all(io::generate("lap2d:200"));
  Problem<float> one = all;
  for (const std::int64_t place : {std::int64_t{0}, all.a.n / 2, all.a.n - 1}) {
    const std::size_t entry = one.diagonal_entry(NewIndex(place));
    const float before = one.values[entry];
    one.values[entry] = 1e-33F;
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(negligible(*all.plan, all.input(), threads));
      EXPECT_FALSE(negligible(*one.plan, one.input(), threads));
    }
    one.values[entry] = before;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
