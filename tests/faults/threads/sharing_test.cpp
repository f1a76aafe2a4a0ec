/// Tests of everything that threads may share (solver.hpp), used concurrently; meant for the thread sanitizer.

#include <mutex>
#include <thread>

#include "tests/solver/api/solvers.hpp"
#include "tests/solver/backend/counting_allocator.hpp"

namespace gpusupernodal::test {
namespace {

constexpr int many = 8;

template <class Work>
void on_threads(const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < many; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

Options host_options(int threads) {
  Options options = on(Backend::host);
  options.threads = threads;
  return options;
}

/// a with its values multiplied by i + 1, rounded to T.
template <class T>
io::SymmetricMatrix scaled(const io::SymmetricMatrix& a, int i) {
  io::SymmetricMatrix result = a;
  for (double& value : result.values) value = static_cast<double>(static_cast<T>(value * (i + 1)));
  return result;
}

/// Factorizes its own values with a plan from another solver.
template <class T>
void solve_with_plan(const io::SymmetricMatrix& a, const std::shared_ptr<const FactorPlan>& plan, int i) {
  const io::SymmetricMatrix mine = scaled<T>(a, i);
  const StoredMatrix<T> stored_mine = stored<T>(mine);
  Solver<T> solver(host_options(1 + i % 2));
  solver.analyze(stored_mine.view(), plan);
  for (int repetition = 0; repetition < 3; ++repetition) {
    solver.refactorize(stored_mine.values);
    expect_solves(solver, mine);
  }
}

TEST(Sharing, ThreadsUseSeparateSolvers) {
  const char* const specs[] = {"lap3d:6", "lap2d:12", "elas:3", "lap2d:1"};
  on_threads([&](int i) {
    const io::SymmetricMatrix a = io::generate(specs[i % 4]);
    const StoredMatrix<double> s = stored<double>(a);
    Options options = host_options(1 + i % 3);
    options.ordering = i % 2 == 0 ? Ordering::metis : Ordering::automatic;
    options.refinement.max_steps = i % 2;
    for (int repetition = 0; repetition < 3; ++repetition) {
      Solver<double> solver(options);
      solver.compute(s.view());
      expect_solves(solver, a);
      EXPECT_GT(solver.reciprocal_condition(s.view()), 0.0);
    }
  });
}

/// A plan has no scalar type: solvers of both precisions use it concurrently, and it outlives the solver that made it.
TEST(Sharing, ThreadsShareAPlan) {
  const io::SymmetricMatrix a = io::generate("elas:4");
  std::shared_ptr<const FactorPlan> plan;
  {
    Solver<double> first(host_options(1));
    first.analyze(stored<double>(a).view());
    plan = first.plan();
  }
  on_threads([&](int i) {
    if (i % 2 == 0) {
      solve_with_plan<double>(a, plan, i);
    } else {
      solve_with_plan<float>(a, plan, i);
    }
  });
}

TEST(Sharing, ThreadsShareThePlanOfABusySolver) {
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  const StoredMatrix<double> s = stored<double>(a);
  Solver<double> first(host_options(2));
  first.analyze(s.view());
  const std::shared_ptr<const FactorPlan> plan = first.plan();
  on_threads([&](int i) {
    if (i > 0) return solve_with_plan<double>(a, plan, i);
    for (int repetition = 0; repetition < 5; ++repetition) {
      first.factorize(s.view());
      expect_solves(first, a);
    }
  });
}

TEST(Sharing, ThreadsCallConstMembersOfOneSolver) {
  const io::SymmetricMatrix a = io::generate("lap2d:15");
  const StoredMatrix<double> s = stored<double>(a);
  Solver<double> analyzed(host_options(2));
  analyzed.compute(s.view());
  const Solver<double>& solver = analyzed;
  on_threads([&](int i) {
    EXPECT_EQ(solver.order(), a.n);
    EXPECT_TRUE(solver.is_analyzed() && solver.is_factorized());
    EXPECT_EQ(solver.backend(), Backend::host);
    EXPECT_EQ(solver.analyze_report().n, a.n);
    EXPECT_EQ(solver.solve_report().refinement_steps, 0);
    EXPECT_EQ(solver.options().threads, 2);
    EXPECT_EQ(solver.old_of_new().size(), static_cast<std::size_t>(a.n));
    EXPECT_FALSE(plan_json(*solver.plan()).empty());
    EXPECT_FALSE(plan_graphviz(*solver.plan()).empty());
    solve_with_plan<double>(a, solver.plan(), i);
  });
}

/// One object by one thread at a time: a caller's lock suffices, and the threads need not include the one that created
/// it.
TEST(Sharing, ThreadsUseOneSolverUnderALock) {
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  const StoredMatrix<double> s = stored<double>(a);
  std::mutex mutex;
  Solver<double> solver(host_options(2));
  solver.analyze(s.view());
  on_threads([&](int i) {
    const io::SymmetricMatrix mine = scaled<double>(a, i);
    for (int repetition = 0; repetition < 3; ++repetition) {
      const std::lock_guard lock(mutex);
      solver.refactorize(mine.values);
      expect_solves(solver, mine);
    }
  });
}

TEST(Sharing, ThreadsShareAnAllocator) {
  const io::SymmetricMatrix a = io::generate("lap2d:12");
  const StoredMatrix<double> s = stored<double>(a);
  const auto allocator = std::make_shared<CountingAllocator>();
  on_threads([&](int) {
    Options options = host_options(2);
    options.host_allocator = allocator;
    Solver<double> solver(options);
    solver.compute(s.view());
    expect_solves(solver, a);
  });
  EXPECT_EQ(allocator->alive(), 0);
}

}  // namespace
}  // namespace gpusupernodal::test
