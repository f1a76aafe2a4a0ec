#include "solver/host/run/pivot_monitor.hpp"

#include <gtest/gtest.h>

namespace gpusupernodal::test {
namespace {

TEST(PivotMonitor, StartsWithSuccessAndNoPivots) {
  const FactorOutcome outcome = PivotMonitor(3).outcome();
  EXPECT_EQ(outcome.status, Status::success);
  EXPECT_FALSE(outcome.failed_column.valid());
  EXPECT_EQ(outcome.smallest_pivot, 0.0);
  EXPECT_EQ(outcome.largest_pivot, 0.0);
}

TEST(PivotMonitor, ReportsTheSmallestFailedColumnOfAllWorkers) {
  PivotMonitor monitor(3);
  monitor.pivot_failed(1, NewIndex(9), -1.0);
  monitor.pivot_failed(0, NewIndex(5), -2.0);
  monitor.pivot_failed(0, NewIndex(7), -3.0);
  monitor.pivot_failed(2, NewIndex(6), -4.0);
  const FactorOutcome outcome = monitor.outcome();
  EXPECT_EQ(outcome.status, Status::not_positive_definite);
  EXPECT_EQ(outcome.failed_column.value, 5);
  EXPECT_EQ(outcome.failed_value, -2.0);
}

TEST(PivotMonitor, NonFiniteEntryTakesPrecedenceOverAFailedPivot) {
  PivotMonitor monitor(2);
  monitor.pivot_failed(0, NewIndex(0), -1.0);
  monitor.entry_not_finite(0, 30, 1.0);
  monitor.entry_not_finite(1, 20, 2.0);
  monitor.entry_not_finite(1, 25, 3.0);
  const FactorOutcome outcome = monitor.outcome();
  EXPECT_EQ(outcome.status, Status::non_finite_input);
  EXPECT_EQ(outcome.failed_entry, 20);
  EXPECT_EQ(outcome.failed_value, 2.0);
}

TEST(PivotMonitor, ReportsSquaresOfDiagonalEntries) {
  PivotMonitor monitor(2);
  const float first[] = {3.0F, -100.0F, 0.5F};
  const float second[] = {2.0F, 4.0F};
  monitor.pivots_done(0, first, 2, 2);
  monitor.pivots_done(1, second, 2, 1);
  EXPECT_EQ(monitor.outcome().smallest_pivot, 0.25);
  EXPECT_EQ(monitor.outcome().largest_pivot, 16.0);
  monitor.reset();
  EXPECT_EQ(monitor.outcome().largest_pivot, 0.0);
}

}  // namespace
}  // namespace gpusupernodal::test
