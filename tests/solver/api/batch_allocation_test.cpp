/// What memory a batch takes, and what it does without memory.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/batch_problems.hpp"
#include "tests/solver/api/counted_new.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/support/sanitized.hpp"

namespace gpusupernodal::test::batch {
namespace {

Options counted(Form form, int threads, const std::shared_ptr<CountingAllocator>& allocator) {
  Options options = options_for(form, threads);
  options.host_allocator = allocator;
  return options;
}

TEST(BatchAllocation, RefactorizeAndSolveAllocateNothing) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    const Grid<double> grid(form, 6);
    Values<double> values(grid, 9);
    for (const int threads : {1, 2}) {
      const auto allocator = std::make_shared<CountingAllocator>();
      BatchSolver<double> batch(counted(form, threads, allocator));
      batch.analyze(grid.view(), values.count);
      const std::vector<double> b = vectors<double>(grid.n * values.count, 3);
      std::vector<double> x(b.size());
      const std::int64_t requests = allocator->requests();
      const std::int64_t calls = new_calls();
      for (int repetition = 0; repetition < 3; ++repetition) {
        batch.refactorize(values.view());
        batch.solve({b.data(), grid.n, values.count}, {x.data(), grid.n, values.count});
      }
      EXPECT_EQ(batch.failed(), 0);
      EXPECT_EQ(allocator->requests(), requests);
      if (threads == 1) {
        EXPECT_EQ(new_calls(), calls);
      }
    }
  }
}

/// One request for all systems, whose size does not depend on the workers.
TEST(BatchAllocation, SystemsShareOneArray) {
  const Grid<double> grid(Form::lu, 6);
  std::int64_t requests = -1;
  for (const std::int64_t count : {2, 200}) {
    const auto allocator = std::make_shared<CountingAllocator>();
    BatchSolver<double> batch(counted(Form::lu, 1, allocator));
    batch.analyze(grid.view(), count);
    if (requests < 0) requests = allocator->requests();
    EXPECT_EQ(allocator->requests(), requests);
    batch = BatchSolver<double>();
    EXPECT_EQ(allocator->alive(), 0);
  }
}

/// If any request fails, the batch keeps its old analysis and its factors.
TEST(BatchAllocation, RefusalLeavesTheBatchUnchanged) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    const Grid<double> grid(form, 3);
    const Grid<double> larger(form, 4);
    Values<double> values(grid, 3);
    const auto allocator = std::make_shared<CountingAllocator>();
    BatchSolver<double> batch(counted(form, 2, allocator));
    batch.analyze(grid.view(), 3);
    batch.refactorize(values.view());
    const std::int64_t bytes = allocator->bytes();
    bool done = false;
    int refusals = 0;
    for (; !done && refusals < 200; ++refusals) {
      allocator->refuse_after(allocator->requests() + refusals);
      try {
        batch.analyze(larger.view(), 5);
        done = true;
      } catch (const OutOfMemory& error) {
        EXPECT_GT(error.bytes_needed(), 0);
        EXPECT_EQ(allocator->bytes(), bytes);
        EXPECT_EQ(batch.order(), grid.n);
        EXPECT_EQ(batch.failed(), 0);
      }
    }
    EXPECT_TRUE(done);
    EXPECT_GT(refusals, 3);
    EXPECT_EQ(batch.order(), larger.n);
  }
}

TEST(BatchAllocation, WorkspaceForMoreColumnsIsRefusedBeforeTheSolve) {
  const Grid<double> grid(Form::llt, 4);
  Values<double> values(grid, 3);
  const auto allocator = std::make_shared<CountingAllocator>();
  BatchSolver<double> batch(counted(Form::llt, 2, allocator));
  batch.analyze(grid.view(), 3);
  batch.refactorize(values.view());
  constexpr std::int64_t columns = 5;
  const std::int64_t size = grid.n * columns;
  const std::vector<double> b = vectors<double>(size * 3, 3);
  std::vector<double> x(b.size(), 7.0);
  allocator->refuse_after(allocator->requests());
  const BatchView<const double> right(b.data(), grid.n, columns, grid.n, size, 3);
  const BatchView<double> solutions(x.data(), grid.n, columns, grid.n, size, 3);
  EXPECT_THROW(batch.solve(right, solutions), OutOfMemory);
  EXPECT_EQ(x[0], 7.0);
  EXPECT_EQ(batch.failed(), 0);
  allocator->refuse_after(std::numeric_limits<std::int64_t>::max());
  batch.solve(right, solutions);
  EXPECT_EQ(batch.solve_statuses()[2], BatchStatus::success);
}

/// More systems than any memory holds.
TEST(BatchAllocation, HugeCountsAreOutOfMemory) {
  if (GPUSUPERNODAL_TEST_THREAD_SANITIZED) GTEST_SKIP() << "the sanitizer's own memory for such an array is too large";
  const Grid<double> grid(Form::llt, 60);
  const auto allocator = std::make_shared<CountingAllocator>();
  BatchSolver<double> batch(counted(Form::llt, 1, allocator));
  EXPECT_THROW(batch.analyze(grid.view(), std::numeric_limits<std::int32_t>::max()), OutOfMemory);
  EXPECT_EQ(batch.count(), 0);
  EXPECT_EQ(allocator->alive(), 0);
}

/// Without memory for a plan of its own, a system stays unstable; the others are computed.
TEST(BatchAllocation, SystemsThatCannotExchangeRowsStayUnstable) {
  const Grid<double> grid(Form::lu, 3);
  Values<double> values(grid, 12);
  for (std::int64_t s = 1; s < values.count; s += 2) make_doubtful(grid, values.of(s), 5 * s);
  const auto allocator = std::make_shared<CountingAllocator>();
  BatchSolver<double> batch(counted(Form::lu, 2, allocator));
  batch.analyze(grid.view(), values.count);
  allocator->refuse_after(allocator->requests());
  batch.refactorize(values.view());
  const Span<const BatchStatus> all = batch.statuses();
  const std::vector<BatchStatus> without(all.begin(), all.end());
  allocator->refuse_after(std::numeric_limits<std::int64_t>::max());
  batch.refactorize(values.view());
  std::int64_t helped = 0;
  for (std::int64_t s = 0; s < values.count; ++s) {
    const bool moved = batch.report(s).repivoted > 0;
    const BatchStatus before = without[static_cast<std::size_t>(s)];
    EXPECT_EQ(before, moved ? BatchStatus::unstable : batch.statuses()[static_cast<std::size_t>(s)]) << s;
    helped += moved && batch.report(s).status == Status::success ? 1 : 0;
  }
  EXPECT_GT(helped, 0);
  EXPECT_LT(batch.failed(), values.count / 2);
}

}  // namespace
}  // namespace gpusupernodal::test::batch
