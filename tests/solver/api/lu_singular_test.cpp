/// Status of LU for singular matrices: refinement tells them from unstable factorizations.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/solver/api/lu_problems.hpp"

namespace gpusupernodal::test {
namespace {

/// Refinement stalls in the null space, which tells these from factorizations that are merely unstable.
TEST(LuSingular, IsDistinguishedFromUnstable) {
  GeneralEntries rank_one{3, {}};
  GeneralEntries empty_column{3, {}};
  GeneralEntries counting{6, {}};  // Rows 0, 1 and 2 are in arithmetic progression.
  GeneralEntries large = random_entries(300, 3, 4.0, 9);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) rank_one(i, j) = 1.0;
    empty_column(i, i == 1 ? 0 : i) = 1.0;
  }
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 6; ++j)
      counting(i, j) = i < 3 ? static_cast<double>(6 * i + j + 1) : std::cos(static_cast<double>(7 * i + 3 * j));
  }
  for (std::int64_t j = 0; j < 300; ++j) {
    if (large.entries.count({17, j}) != 0 || large.entries.count({203, j}) != 0) large(203, j) = 2.0 * large(17, j);
  }
  for (const GeneralEntries& a : {rank_one, empty_column, counting, large}) {
    for (const MatchingRule matching : {MatchingRule::product, MatchingRule::none}) {
      const StoredGeneral<double> stored = store_general<double>(a);
      Options options = lu_options(1);
      options.matching = matching;
      Solver<double> solver(options);
      solver.compute(stored.view());
      EXPECT_EQ(solver.status(), Status::singular) << a.n << ", growth " << solver.factor_report().growth;
    }
  }
  // Well conditioned; but with all pivots replaced, refinement diverges.
  GeneralEntries circulant{3, {}};
  for (std::int64_t i = 0; i < 3; ++i) {
    circulant(i, i) = 1.0;
    circulant(i, (i + 1) % 3) = 5.0;
    circulant(i, (i + 2) % 3) = -7.0;
  }
  Options options = lu_options(1);
  options.perturbation = 1.0;
  Solver<double> solver(options);
  solver.compute(store_general<double>(circulant).view());
  EXPECT_EQ(solver.status(), Status::unstable);
}

}  // namespace
}  // namespace gpusupernodal::test
