/// What memory systems with several patterns take, and what happens without memory.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/counted_new.hpp"
#include "tests/solver/api/variable_batch_problems.hpp"
#include "tests/solver/backend/counting_allocator.hpp"

namespace gpusupernodal::test::batch {
namespace {

Options options_with(Form form, int threads, const std::shared_ptr<CountingAllocator>& allocator) {
  Options options = options_for(form, threads);
  options.host_allocator = allocator;
  return options;
}

TEST(VariableBatchAllocation, RefactorizeAndSolveAllocateNothing) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    GridList<double> list(form, {6, 2, 1, 6, 4, 2, 6});
    for (const int threads : {1, 2}) {
      const auto allocator = std::make_shared<CountingAllocator>();
      VariableBatchSolver<double> batch(options_with(form, threads, allocator));
      batch.analyze(list.views());
      const auto addresses = list.addresses();
      const auto right = list.right();
      const auto solutions = list.solutions();
      const std::int64_t requests = allocator->requests();
      const std::int64_t calls = new_calls();
      for (int repetition = 0; repetition < 3; ++repetition) {
        batch.refactorize(addresses);
        batch.solve(right, solutions);
      }
      EXPECT_EQ(batch.failed(), 0);
      EXPECT_EQ(allocator->requests(), requests);
      if (threads == 1) {
        EXPECT_EQ(new_calls(), calls);
      }
    }
  }
}

/// If any request fails, the object keeps its old analysis and its factors, and nothing leaks.
TEST(VariableBatchAllocation, RefusalLeavesTheObjectUnchanged) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    GridList<double> list(form, {3, 2, 3});
    const GridList<double> larger(form, {4, 2, 1, 4});
    const auto allocator = std::make_shared<CountingAllocator>();
    VariableBatchSolver<double> batch(options_with(form, 2, allocator));
    batch.analyze(list.views());
    list.refactorize(batch);
    const std::int64_t bytes = allocator->bytes();
    bool done = false;
    int refusals = 0;
    for (; !done && refusals < 400; ++refusals) {
      allocator->refuse_after(allocator->requests() + refusals);
      try {
        batch.analyze(larger.views());
        done = true;
      } catch (const OutOfMemory& error) {
        EXPECT_GT(error.bytes_needed(), 0);
        EXPECT_EQ(allocator->bytes(), bytes);
        EXPECT_EQ(batch.count(), 3);
        EXPECT_EQ(batch.failed(), 0);
      }
    }
    EXPECT_TRUE(done);
    EXPECT_GT(refusals, 9) << "requests of three groups";
    EXPECT_EQ(batch.count(), 4);
    batch = VariableBatchSolver<double>();
    EXPECT_EQ(allocator->alive(), 0);
  }
}

TEST(VariableBatchAllocation, WorkspaceForMoreColumnsIsRefusedBeforeTheSolve) {
  GridList<double> list(Form::llt, {4, 2, 4}, 5);
  const auto allocator = std::make_shared<CountingAllocator>();
  VariableBatchSolver<double> batch(options_with(Form::llt, 2, allocator));
  batch.analyze(list.views());
  list.refactorize(batch);
  list.columns = 1;
  list.solve(batch);
  EXPECT_EQ(batch.solve_statuses()[0], BatchStatus::success);
  list.columns = 5;
  allocator->refuse_after(allocator->requests() + 1);
  EXPECT_THROW(list.solve(batch), OutOfMemory);
  EXPECT_EQ(list.x[0][0], 7.0);
  for (const BatchStatus status : batch.solve_statuses()) EXPECT_EQ(status, BatchStatus::not_factorized);
  EXPECT_EQ(batch.failed(), 0);
  allocator->refuse_after(std::numeric_limits<std::int64_t>::max());
  list.solve(batch);
  list.expect_solvers(batch);
}

/// Without memory for a plan of its own, a system stays unstable; the others are computed.
TEST(VariableBatchAllocation, SystemsThatCannotExchangeRowsStayUnstable) {
  GridList<double> list(Form::lu, {3, 4, 3, 4, 3, 4, 3, 4});
  const auto allocator = std::make_shared<CountingAllocator>();
  VariableBatchSolver<double> batch(options_with(Form::lu, 2, allocator));
  batch.analyze(list.views());
  for (std::size_t s = 2; s < 6; ++s) make_doubtful(*list.grids[s], list.values[s].data(), static_cast<std::int64_t>(5 * s));
  allocator->refuse_after(allocator->requests());
  list.refactorize(batch);
  const std::int64_t without = batch.failed();
  allocator->refuse_after(std::numeric_limits<std::int64_t>::max());
  list.refactorize(batch);
  EXPECT_GT(without, 0) << "no request was refused";
  EXPECT_LT(batch.failed(), without);
  EXPECT_EQ(batch.statuses()[0], BatchStatus::success);
  EXPECT_EQ(batch.statuses()[7], BatchStatus::success);
}

}  // namespace
}  // namespace gpusupernodal::test::batch
