#include <gtest/gtest.h>

#include "tests/solver/api/counted_new.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/solver/backend/counting_allocator.hpp"

namespace gpusupernodal::test {
namespace {

struct Case {
  const char* matrix;
  int threads;
  int refinement_steps;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* matrix : {"lap2d:30", "lap3d:10", "elas:5"}) {
    for (const int threads : {1, 2}) {
      for (const int steps : {0, 2}) all.push_back({matrix, threads, steps});
    }
  }
  return all;
}

Options counted_options(const std::shared_ptr<CountingAllocator>& allocator, const Case& c) {
  Options options = on(Backend::host);
  options.host_allocator = allocator;
  options.threads = c.threads;
  options.refinement.max_steps = c.refinement_steps;
  return options;
}

/// One iteration of a loop of new values and solves.
template <class T>
void loop(Solver<T>& solver, const std::vector<T>& values, const std::vector<T>& b, std::vector<T>& x,
          std::int64_t columns) {
  solver.refactorize(values);
  if (solver.status() != Status::success) return;
  const std::int64_t n = solver.order();
  solver.solve(DenseView<const T>(b.data(), n, columns, n), DenseView<T>(x.data(), n, columns, n));
  solver.solve(DenseView<const T>(b.data(), n, 1, n), DenseView<T>(x.data(), n, 1, n), System::forward);
}

/// Expects that no loop requests memory from the allocator and that, on one thread, none calls operator new. (On several
/// threads, oneTBB allocates its tasks and std::thread its threads.)
template <class T>
void expect_no_allocation(const Case& c) {
  const StoredMatrix<T> s = stored<T>(io::generate(c.matrix));
  const auto allocator = std::make_shared<CountingAllocator>();
  Solver<T> solver(counted_options(allocator, c));
  solver.analyze(s.view());
  const std::int64_t requests = allocator->requests();
  const std::vector<T> b = right_hand_side<T>(s.n, 5);
  std::vector<T> x(b.size());
  const std::int64_t calls = new_calls();
  for (int repetition = 0; repetition < 3; ++repetition) loop(solver, s.values, b, x, 1);
  EXPECT_EQ(allocator->requests(), requests) << "from the first factorize on, nothing is taken";
  if (c.threads == 1) {
    EXPECT_EQ(new_calls(), calls);
  }
  solver.reserve_right_hand_sides(5);
  const std::int64_t reserved = allocator->requests();
  const std::int64_t calls_reserved = new_calls();
  for (int repetition = 0; repetition < 3; ++repetition) loop(solver, s.values, b, x, 5);
  EXPECT_EQ(allocator->requests(), reserved);
  if (c.threads == 1) {
    EXPECT_EQ(new_calls(), calls_reserved);
  }
}

TEST(SolverAllocation, RefactorizeAndSolveAllocateNothing) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(std::string(c.matrix) + ", " + std::to_string(c.threads) + " threads, " +
                 std::to_string(c.refinement_steps) + " steps");
    expect_no_allocation<float>(c);
    expect_no_allocation<double>(c);
  }
}

template <class T>
void expect_announced(const Case& c) {
  const StoredMatrix<T> s = stored<T>(io::generate(c.matrix));
  const auto allocator = std::make_shared<CountingAllocator>();
  {
    Solver<T> solver(counted_options(allocator, c));
    solver.compute(s.view());
    solution(solver, right_hand_side<T>(s.n));
    const MemoryEstimate& memory = solver.analyze_report().memory;
    EXPECT_EQ(allocator->bytes(), memory.factor + memory.workspace) << c.matrix << ", " << c.refinement_steps << " steps";
  }
  EXPECT_EQ(allocator->alive(), 0);
}

TEST(SolverAllocation, AllocatesTheReportedMemory) {
  for (const Case& c : cases()) {
    expect_announced<float>(c);
    expect_announced<double>(c);
  }
}

/// If analyze runs out of memory at any request, the solver keeps its old analysis and factor.
TEST(SolverAllocation, RefusalLeavesTheSolverUnchanged) {
  const io::SymmetricMatrix a = io::generate("lap2d:9");
  const StoredMatrix<double> s = stored<double>(a);
  const StoredMatrix<double> other = stored<double>(io::generate("lap2d:12"));
  const auto allocator = std::make_shared<CountingAllocator>();
  Solver<double> solver(counted_options(allocator, {"", 1, 2}));
  solver.compute(s.view());
  const std::int64_t bytes = allocator->bytes();
  for (std::int64_t granted = 0;; ++granted) {
    ASSERT_LT(granted, 100);
    allocator->refuse_after(allocator->requests() + granted);
    try {
      solver.analyze(other.view());
      break;
    } catch (const OutOfMemory& error) {
      EXPECT_GT(error.bytes_needed(), 0);
    }
    EXPECT_EQ(allocator->bytes(), bytes);
    EXPECT_EQ(solver.order(), a.n);
    expect_solves(solver, a);
  }
  EXPECT_EQ(solver.order(), other.n);
}

TEST(SolverAllocation, TooManyColumnsForTheMemoryAreRefused) {
  const io::SymmetricMatrix a = io::generate("lap2d:9");
  const StoredMatrix<double> s = stored<double>(a);
  const auto allocator = std::make_shared<CountingAllocator>();
  Solver<double> solver(counted_options(allocator, {"", 1, 0}));
  solver.compute(s.view());
  allocator->refuse_after(allocator->requests());
  EXPECT_THROW(solver.reserve_right_hand_sides(7), OutOfMemory);
  const std::vector<double> b = right_hand_side<double>(a.n, 7);
  EXPECT_THROW(solution(solver, b), OutOfMemory);
  expect_solves(solver, a);
}

}  // namespace
}  // namespace gpusupernodal::test
