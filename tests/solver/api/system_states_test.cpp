#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "solver/api/background_plan.hpp"
#include "solver/api/system_prices.hpp"
#include "tests/faults/failing_allocator.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/solver/api/system_problems.hpp"

namespace gpusupernodal::test::system {
namespace {

TEST(SystemStates, RefusesCallsOutOfOrderAndBadInput) {
  const Stored<double> a(io::generate("lap2d:5"));
  SystemSolver<double> system(with(Method::automatic));
  std::vector<double> b(25, 1.0), x(25);
  const DenseView<const double> side(b.data(), 25);
  const DenseView<double> target(x.data(), 25);
  expect_throw<InvalidState>([&] { system.solve(side, target); }, {"before analyze"});
  expect_throw<InvalidState>([&] { system.update(a.values); }, {"before analyze"});
  system.analyze(a.view());
  expect_throw<InvalidState>([&] { system.solve(side, target); }, {"before update"});
  expect_throw<InvalidInput>([&] { system.update(Span<const double>(a.values.data(), 3)); }, {"3 values"});
  system.update(a.values);
  expect_throw<InvalidInput>([&] { system.solve(DenseView<const double>(b.data(), 24), target); }, {"24"});
  expect_throw<InvalidInput>([&] { system.solve(DenseView<const double>(x.data(), 25), target); }, {"overlap"});
  EXPECT_TRUE(system.solve(side, target).solved());
  const auto refused = [](auto change, const char* word) {
    SystemOptions options;
    change(options);
    expect_throw<InvalidInput>([&] { SystemSolver<double>{options}; }, {word});
  };
  refused([](SystemOptions& o) { o.expected_solves = 0; }, "expected_solves");
  refused([](SystemOptions& o) { o.expected_factorizations = 0; }, "expected_factorizations");
  refused([](SystemOptions& o) { o.tolerance = 2.0; }, "tolerance");
  refused([](SystemOptions& o) { o.method = static_cast<Method>(9); }, "method");
  refused([](SystemOptions& o) { o.ordering = Ordering::user; }, "permutation");
  refused([](SystemOptions& o) { o.preconditioner = Preconditioner::factor; }, "mixed");
  refused([](SystemOptions& o) { o.threads = -1; }, "threads");
  Stored<double> wrong = a;
  wrong.indices[1] = 77;
  expect_throw<InvalidInput>([&] { system.analyze(wrong.view()); }, {"77"});
  EXPECT_TRUE(system.solve(side, target).solved());
}

TEST(SystemStates, TheStatusSaysWhetherThereWasASolve) {
  const Stored<double> a(io::generate("lap2d:20"));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x;
  for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
    SystemOptions options = with(method);
    SystemSolver<double> system(options);
    const auto is_unsolved = [&] {
      return system.report().status == SystemStatus::not_solved && !system.report().solved() &&
             system.report().residual == -1.0;
    };
    EXPECT_TRUE(is_unsolved());
    system.compute(a.view());
    EXPECT_TRUE(is_unsolved());
    EXPECT_TRUE(solve(system, b, x).solved());
    EXPECT_TRUE(system.report().solved());
    EXPECT_THROW(system.solve(DenseView<const double>(b.data(), 3), DenseView<double>(x.data(), a.n)), InvalidInput);
    EXPECT_TRUE(is_unsolved());
    options.progress = [](const Progress&) { return false; };
    system.set_options(options);
    system.update(a.values);
    EXPECT_THROW(solve(system, b, x), Cancelled);
    EXPECT_EQ(system.report().status, SystemStatus::not_solved) << name_of(method);
    options.progress = nullptr;
    system.set_options(options);
    EXPECT_TRUE(solve(system, b, x).solved());
    system.analyze(a.view());
    EXPECT_TRUE(is_unsolved());
  }
}

TEST(SystemStates, TheMovedObjectSolves) {
  const Stored<double> a(io::generate("lap2d:20"));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x;
  SystemSolver<double> first(with(Method::automatic));
  first.compute(a.view());
  SystemSolver<double> second(std::move(first));
  EXPECT_TRUE(solve(second, b, x).solved());
  first = std::move(second);
  EXPECT_TRUE(solve(first, b, x).solved());
}

TEST(SystemFaults, EveryRefusedAllocationLeavesTheObjectUsable) {
  constexpr int enough = 200;
  for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
    const auto allocator = std::make_shared<FailingAllocator>();
    SystemOptions options = with(method);
    options.host_allocator = allocator;
    const Stored<double> a(hard_chain(300));
    const std::vector<double> b = random_side<double>(a.n);
    bool done = false;
    for (int fault = 1; !done && fault < enough; ++fault) {
      SystemSolver<double> system(options);
      system.compute(a.view());
      std::vector<double> x;
      allocator->faults.arm(fault, Lasting::once);
      try {
        EXPECT_TRUE(solve(system, b, x).solved()) << name_of(method);
      } catch (const OutOfMemory& error) {
        EXPECT_GT(error.bytes_needed(), 0);
      }
      done = !allocator->faults.fired();
      allocator->faults.disarm();
      EXPECT_TRUE(solve(system, b, x).solved()) << name_of(method) << " " << fault;
    }
    EXPECT_TRUE(done);
    EXPECT_EQ(allocator->pieces(), 0);
  }
}

TEST(SystemPrices, TheCheapestMethodDependsOnTheSolves) {
  SystemPrices prices;
  prices.direct = {12.0, 0.1, 0.1};
  prices.mixed = {4.0, 1.0, 1.0};
  prices.pcg = {0.0, 2.0, 3.0};
  EXPECT_EQ(cheapest(prices, 1.0), Method::pcg);
  EXPECT_EQ(cheapest(prices, 4.0), Method::mixed);
  EXPECT_EQ(cheapest(prices, 6.0), Method::direct);  // Mixed takes 10.0 then, direct 12.5: too close.
  EXPECT_EQ(cheapest(prices, 100.0), Method::direct);
  prices.direct = prices.mixed = impossible;
  EXPECT_EQ(cheapest(prices, 100.0), Method::pcg);
  EXPECT_EQ(
      forecast_sentence(prices, 1.0, 7.0, Method::pcg),
      "pcg is forecast to end first for 1 solve: direct not possible, mixed not possible, pcg 2 s (7 iterations each)");
}

TEST(SystemPrices, ReadRatesDoNotCountTheWakingOfWorkers) {
  EXPECT_DOUBLE_EQ(read_rate(1e9, 0.5, 1), 2e9);
  EXPECT_NEAR(read_rate(1e9, 0.5, 16), 2e9, 1e6);
  EXPECT_GT(read_rate(1e6, 2e-4, 16), 1.5 * read_rate(1e6, 2e-4, 1));
  EXPECT_DOUBLE_EQ(read_rate(1e6, 1e-6, 16), 4e12);  // At least a quarter of the time is reading.
}

TEST(SystemPrices, IterationsOnADeviceReadTheMatrix) {
  const CudaFigures figures;
  const double small = device_iteration(figures, 1e4, 1e5, ScalarType::real_double);
  const double large = device_iteration(figures, 1e6, 1e8, ScalarType::real_double);
  EXPECT_GT(small, 1e-6);
  EXPECT_GT(large, 10.0 * small);
  EXPECT_LT(device_iteration(figures, 1e6, 1e8, ScalarType::real_single), large);
  EXPECT_GT(host_iteration(HostFigures(), 1e6, 1e8, ScalarType::real_double, 2), large);
  EXPECT_GT(device_setup_of_pcg(1e6), host_setup_of_pcg(1e6));
}

TEST(SystemPrices, GershgorinsCirclesBoundTheIterations) {
  EXPECT_EQ(most_iterations_by_jacobi(0.0, 1e6, 1e-10), 1.0);
  EXPECT_TRUE(std::isinf(most_iterations_by_jacobi(1.0, 1.0, 1e-10)));
  EXPECT_TRUE(std::isinf(most_iterations_by_jacobi(std::numeric_limits<double>::infinity(), 1.0, 1e-10)));
  EXPECT_LT(most_iterations_by_jacobi(0.9, 1.0, 1e-10), most_iterations_by_jacobi(0.9, 1e12, 1e-10));
  EXPECT_LT(most_iterations_by_jacobi(0.1, 1.0, 1e-10), most_iterations_by_jacobi(0.9, 1.0, 1e-10));
  const Stored<double> a(chain(5000, 20.0, 20.0));  // Each row has 20 on the diagonal and at most 2 beside it.
  SystemSolver<double> pcg(with(Method::pcg));
  pcg.compute(a.view());
  std::vector<double> x;
  const SystemReport report = solve(pcg, random_side<double>(a.n), x);
  ASSERT_TRUE(report.solved());
  constexpr double spread = 22.0 / 21.0;
  EXPECT_LE(static_cast<double>(report.iterations), most_iterations_by_jacobi(2.0 / 20.0, spread, 1e-10));
}

TEST(SystemPrices, AFactorInSinglePrecisionNeedsAModerateCondition) {
  EXPECT_EQ(mixed_iterations({1.0, 1.0}, 1e-6), 2.0);
  EXPECT_LT(mixed_iterations({1.0, 1e2}, 1e-10), mixed_iterations({1.0, 1e4}, 1e-10));
  EXPECT_TRUE(std::isinf(mixed_iterations({1.0, 1e6}, 1e-10)));
}

TEST(SystemBackgroundPlan, KeepsFailuresAndStops) {
  BackgroundPlan plan;
  EXPECT_FALSE(plan.started());
  EXPECT_FALSE(plan.ended());
  plan.start([](const auto&) -> Preview { throw InvalidInput("mine", __FILE__, __LINE__); });
  expect_throw<InvalidInput>([&] { static_cast<void>(plan.get()); }, {"mine"});
  EXPECT_TRUE(plan.ended());
  EXPECT_FALSE(plan.ready());
  EXPECT_FALSE(plan.stopped());
  plan.start([](const auto& progress) {
    while (progress(Progress{})) {
    }
    return Preview();
  });
  EXPECT_FALSE(plan.wait_for(0.001));
  plan.join();
  EXPECT_FALSE(plan.started());
  plan.start([](const auto&) { return Preview(); });
  EXPECT_EQ(plan.get().plan, nullptr);
  EXPECT_TRUE(plan.ready());
  EXPECT_FALSE(plan.stopped());
}

TEST(SystemBackgroundPlan, TellsAStopFromAFailure) {
  BackgroundPlan plan;
  plan.start([](const auto& progress) -> Preview {
    while (progress(Progress{})) {
    }
    throw Cancelled("stopped", __FILE__, __LINE__);
  });
  plan.stop();
  expect_throw<Cancelled>([&] { static_cast<void>(plan.get()); }, {"stopped"});
  EXPECT_TRUE(plan.stopped());
  EXPECT_FALSE(plan.ready());
  plan.start([](const auto& progress) -> Preview {
    while (progress(Progress{})) {
    }
    throw InvalidInput("mine", __FILE__, __LINE__);
  });
  EXPECT_FALSE(plan.stopped());
  plan.stop();
  expect_throw<InvalidInput>([&] { static_cast<void>(plan.get()); }, {"mine"});
  EXPECT_FALSE(plan.stopped());
}

TEST(SystemBackgroundPlan, MakesAPlanInTheCallingThread) {
  BackgroundPlan plan;
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id maker;
  plan.make_here([&](const auto&) {
    maker = std::this_thread::get_id();
    return Preview();
  });
  EXPECT_EQ(maker, caller);
  EXPECT_TRUE(plan.started());
  EXPECT_TRUE(plan.ready());
  plan.make_here([](const auto&) -> Preview { throw InvalidInput("mine", __FILE__, __LINE__); });
  EXPECT_FALSE(plan.ready());
  expect_throw<InvalidInput>([&] { static_cast<void>(plan.get()); }, {"mine"});
}

/// A maker of plans for whose copies there is no memory.
struct MakerWithoutCopies {
  MakerWithoutCopies() = default;
  MakerWithoutCopies(const MakerWithoutCopies& /*other*/) { throw std::bad_alloc(); }
  MakerWithoutCopies(MakerWithoutCopies&&) noexcept = default;
  Preview operator()(const std::function<bool(const Progress&)>& /*progress*/) const { return Preview(); }
};

TEST(SystemBackgroundPlan, NeedsNoCopyOfTheMaker) {
  BackgroundPlan plan;
  EXPECT_NO_THROW(plan.start(BackgroundPlan::Make(MakerWithoutCopies())));
  ASSERT_TRUE(plan.started());
  EXPECT_EQ(plan.get().plan, nullptr);
}

}  // namespace
}  // namespace gpusupernodal::test::system
