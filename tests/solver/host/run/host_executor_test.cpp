#include <gtest/gtest.h>

#include "gpusupernodal/error.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/solver/backend/problem.hpp"
#include "tests/support/allow_threads.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/tall_trees.hpp"

namespace gpusupernodal::test {
namespace {

struct Bits {
  std::vector<double> factor;
  std::vector<double> solution;
  bool operator==(const Bits&) const = default;
};

/// Enough columns that several workers pay off in the solve, too.
constexpr std::int64_t columns = 48;

Bits run(const Problem<double>& problem, int threads) {
  allow_threads(4);
  ExecutorOptions options;
  options.threads = threads;
  const auto executor = make_host_executor<double>(problem.plan->host_plan(), options);
  executor->factorization().reserve_right_hand_sides(columns);
  executor->factorization().factorize(problem.input());
  Bits bits;
  bits.factor = dense_factor(*problem.plan, *executor).entries;
  const std::vector<double> b = random_vector(columns * problem.a.n, 1);
  bits.solution.resize(b.size());
  executor->factorization().solve(SolveSteps(), DenseView<const double>(b.data(), problem.a.n, columns, problem.a.n),
                                  DenseView<double>(bits.solution.data(), problem.a.n, columns, problem.a.n));
  return bits;
}

TEST(HostExecutor, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const char* spec : {"lap2d:24", "lap3d:9", "elas:5", "shell:9"}) {
    for (const PlanOptions& options : host_cuts()) {
      SCOPED_TRACE(std::string(spec) + ": " + describe(options));
      const Problem<double> problem(io::generate(spec), options);
      const Bits one = run(problem, 1);
      EXPECT_EQ(one, run(problem, 2));
      EXPECT_EQ(one, run(problem, 4));
    }
  }
}

/// Tall trees: chains that wait for subtrees and for other chains, with one column or many.
TEST(HostExecutor, GivesTheSameBitsOfTallTreesForAnyNumberOfThreads) {
  std::int64_t chains = 0;
  for (const auto& a : tall_trees(400)) {
    for (PlanOptions options : host_cuts()) {
      options.symbolic.ordering = Ordering::natural;
      SCOPED_TRACE(a.name + ": " + describe(options));
      const Problem<double> problem(a, options);
      chains += problem.plan->host().schedule.chains;
      const Bits one = run(problem, 1);
      EXPECT_EQ(one, run(problem, 2));
      EXPECT_EQ(one, run(problem, 4));
    }
  }
  EXPECT_GT(chains, 500);
}

/// Long vectors that several workers permute in pieces: there and back, then one way only.
TEST(HostExecutor, PermutesLongVectorsOnSeveralThreads) {
  allow_threads(4);
  const Problem<double> problem(io::generate("lap2d:150"));
  ExecutorOptions options;
  options.threads = 4;
  const auto executor = make_host_executor<double>(problem.plan->host_plan(), options);
  constexpr std::int64_t several = 5;
  executor->factorization().reserve_right_hand_sides(several);
  const std::int64_t n = problem.a.n;
  const std::vector<double> b = random_vector(several * n, 1);
  std::vector<double> x(b.size());
  const DenseView<const double> b_view(b.data(), n, several, n);
  SolveSteps steps;
  steps.forward = steps.backward = false;
  executor->factorization().solve(steps, b_view, DenseView<double>(x.data(), n, several, n));
  EXPECT_EQ(x, b);
  steps.permute_out = false;
  executor->factorization().solve(steps, b_view, DenseView<double>(x.data(), n, several, n));
  for (std::int64_t i = 0; i < several * n; ++i) {
    const NewIndex row(i % n);
    ASSERT_EQ(x[static_cast<std::size_t>(i)],
              b[static_cast<std::size_t>(i - row.value + problem.plan->symbolic.permutation.old_of_new[row].value)]);
  }
}

TEST(HostExecutor, NamesTheSameFailureForAnyNumberOfThreads) {
  allow_threads(4);
  Problem<double> problem(io::generate("lap3d:7"), host_cuts()[1]);
  problem.values[problem.diagonal_entry(NewIndex(100))] = -1.0;
  problem.values[problem.diagonal_entry(NewIndex(200))] = -1.0;
  for (const int threads : {1, 2, 4}) {
    ExecutorOptions options;
    options.threads = threads;
    const auto executor = make_host_executor<double>(problem.plan->host_plan(), options);
    for (int repetition = 0; repetition < 5; ++repetition) {
      executor->factorization().factorize(problem.input());
      ASSERT_EQ(executor->factorization().outcome().failed_column.value, 100);
    }
  }
}

TEST(HostExecutor, RefusesDeviceMemory) {
  const Problem<double> problem(chain_spd(4));
  const auto executor = make_host_executor<double>(problem.plan->host_plan(), {});
  FactorInput<double> input = problem.input();
  input.space = MemorySpace::device;
  EXPECT_THROW(executor->factorization().factorize(input), InvalidInput);
  executor->factorization().factorize(problem.input());
  std::vector<double> x(4, 1.0);
  const DenseView<double> here(x.data(), 4);
  const DenseView<double> there(x.data(), 4, MemorySpace::device);
  EXPECT_THROW(executor->factorization().solve(SolveSteps(), there, here), InvalidInput);
  EXPECT_THROW(executor->factorization().solve(SolveSteps(), here, there), InvalidInput);
}

ExecutorOptions with(const std::shared_ptr<CountingAllocator>& allocator, bool keep_a) {
  ExecutorOptions options;
  options.allocator = allocator;
  options.keep_a = keep_a;
  options.threads = 2;
  return options;
}

/// Each request is refused in turn: every refusal throws OutOfMemory and leaves nothing allocated.
TEST(HostExecutor, LeaksNothingIfAnyAllocationIsRefused) {
  const Problem<double> problem(io::generate("lap2d:8"));
  for (std::int64_t granted = 0;; ++granted) {
    const auto allocator = std::make_shared<CountingAllocator>();
    allocator->refuse_after(granted);
    try {
      const auto executor = make_host_executor<double>(problem.plan->host_plan(), with(allocator, true));
      EXPECT_GT(granted, 0);
      return;
    } catch (const OutOfMemory& error) {
      EXPECT_GT(error.bytes_needed(), 0);
    }
    ASSERT_EQ(allocator->alive(), 0) << "after " << granted << " requests";
    ASSERT_LT(granted, 100);
  }
}

TEST(HostExecutor, KeepsItsMemoryIfMoreIsRefused) {
  const Problem<double> problem(io::generate("lap2d:8"));
  const auto allocator = std::make_shared<CountingAllocator>();
  const auto executor = make_host_executor<double>(problem.plan->host_plan(), with(allocator, false));
  executor->factorization().factorize(problem.input());
  const std::int64_t before = allocator->bytes();
  allocator->refuse_after(allocator->requests());
  EXPECT_THROW(executor->factorization().reserve_right_hand_sides(9), OutOfMemory);
  EXPECT_EQ(allocator->bytes(), before);
  const std::vector<double> b = random_vector(problem.a.n * 9, 1);
  std::vector<double> x(b.size());
  executor->factorization().solve(SolveSteps(), DenseView<const double>(b.data(), problem.a.n, 9, problem.a.n),
                                  DenseView<double>(x.data(), problem.a.n, 9, problem.a.n));
  EXPECT_LE(backward_error(problem.a, widened(x.data(), problem.order()), widened(b.data(), problem.order())),
            backward_error_bound<double>(problem.a.n));
}

/// The executor requests exactly the bytes that FactorPlan::memory announces.
template <class T>
void expect_announced(const io::SymmetricMatrix& a) {
  const Problem<T> problem(a);
  for (const bool keep_a : {false, true}) {
    const auto allocator = std::make_shared<CountingAllocator>();
    const auto executor = make_host_executor<T>(problem.plan->host_plan(), with(allocator, keep_a));
    for (int slot = 0; keep_a && slot < refinement_vectors; ++slot) executor->vectors().scratch(slot, problem.a.n, 1);
    const MemoryEstimate announced = problem.plan->memory(Backend::host, scalar_type_of<T>, keep_a, 2);
    EXPECT_EQ(allocator->bytes(), announced.factor + announced.workspace) << a.name << (keep_a ? ", keeping A" : "");
  }
}

TEST(HostExecutor, AllocatesThePlannedMemory) {
  for (const auto& a : small_matrices()) {
    expect_announced<float>(a);
    expect_announced<double>(a);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
