#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/stopwatch.hpp"
#include "gpusupernodal/solver.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "solver/api/background_plan.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/solver/api/system_problems.hpp"

namespace gpusupernodal::test::system {
namespace {

TEST(SystemCancellation, ACancelledSolveLeavesTheObjectUsable) {
  const Stored<double> a(hard_chain(20000));
  const std::vector<double> b = random_side<double>(a.n);
  for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
    for (int after = 0; after < 3; ++after) {
      SystemOptions options = with(method);
      int calls = 0;
      options.progress = [&](const Progress&) { return calls++ < after; };
      SystemSolver<double> system(options);
      system.compute(a.view());
      std::vector<double> x;
      bool cancelled = false;
      try {
        solve(system, b, x);
      } catch (const Cancelled&) {
        cancelled = true;
      }
      EXPECT_TRUE(cancelled) << name_of(method) << " " << after;
      EXPECT_EQ(calls, after + 1) << name_of(method);  // The refusal was the last call.
      options.method = Method::direct;
      options.progress = nullptr;
      system.set_options(options);
      EXPECT_TRUE(solve(system, b, x).solved()) << name_of(method);
    }
  }
}

/// The function is called for every iteration, so that each one may be the last.
TEST(SystemCancellation, EveryIterationMayBeCancelled) {
  const Stored<double> a(io::generate("lap2d:30"));
  const std::vector<double> b = random_side<double>(a.n);
  for (const Method method : {Method::automatic, Method::pcg}) {
    SystemOptions options = with(method);
    std::int64_t calls = 0, allowed = 100000;
    options.progress = [&](const Progress& at) { return std::string(at.phase) != "iterate" || ++calls <= allowed; };
    SystemSolver<double> system(options);
    system.compute(a.view());
    std::vector<double> x;
    const SystemReport report = solve(system, b, x);
    EXPECT_GE(calls, method == Method::pcg ? report.iterations : report.probe_iterations) << name_of(method);
    SystemSolver<double> another(options);
    another.compute(a.view());
    calls = 0;
    allowed = 3;
    EXPECT_THROW(solve(another, b, x), Cancelled) << name_of(method);
    EXPECT_EQ(calls, 4) << name_of(method);
  }
}

/// An ordering that takes long: four dissections are compared.
SystemOptions with_long_ordering() {
  SystemOptions options = with(Method::direct);
  options.expected_factorizations = 1000000;
  options.threads = 1;
  return options;
}

/// The first solve is cancelled while it waits for the ordering. The second one waits until that has ended, begins a new
/// one, and may be cancelled while it waits for that.
TEST(SystemCancellation, ASolveThatWaitsForASecondPlanMayBeCancelled) {
  const Stored<double> a(io::generate("lap3d:22"));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x;
  SystemSolver<double> system(with_long_ordering());
  system.compute(a.view());
  const SystemReport whole = solve(system, b, x);
  ASSERT_TRUE(whole.solved());
  SystemOptions options = with_long_ordering();
  double allowed = 0.0;
  Stopwatch watch;
  options.progress = [&](const Progress& at) { return std::string(at.phase) != "analyze" || watch.seconds() <= allowed; };
  system.set_options(options);
  system.compute(a.view());
  EXPECT_THROW(solve(system, b, x), Cancelled);
  allowed = 0.35 * whole.seconds_analysis;  // The first ordering has ended then, but not the second one.
  watch.lap();
  EXPECT_THROW(solve(system, b, x), Cancelled);
  allowed = 1e9;
  const SystemReport report = solve(system, b, x);
  EXPECT_TRUE(report.solved());
  EXPECT_LE(residual(a, x, b), 1.01e-10 * norm(b));
}

TEST(SystemCancellation, TheDestructorEndsAnOrderingWithinItsSteps) {
  const Stored<double> a(io::generate("lap3d:22"));
  Stopwatch watch;
  {
    BackgroundPlan plan;
    Options options;
    options.threads = 1;
    options.backend = Backend::host;
    options.expected_factorizations = 1000000;
    plan.start([&a, options](const std::function<bool(const Progress&)>& progress) {
      Options watched = options;
      watched.progress = progress;
      return Solver<double>::preview(a.view(), watched);
    });
    static_cast<void>(plan.get());
  }
  const double whole = watch.lap();
  double least = whole;
  for (const double part : {0.02, 0.3, 0.55}) {
    SystemSolver<double> system(with_long_ordering());
    system.compute(a.view());
    std::this_thread::sleep_for(std::chrono::duration<double>(part * whole));
    watch.lap();
    system = SystemSolver<double>();
    least = std::min(least, watch.seconds());
  }
  EXPECT_LT(least, 0.1 * whole);  // Each of the four dissections takes 0.25.
}

}  // namespace
}  // namespace gpusupernodal::test::system
