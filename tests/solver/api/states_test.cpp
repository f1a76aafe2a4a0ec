#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using SolverStates = SolverTest<OnBackend>;
TYPED_TEST_SUITE(SolverStates, AllBackends, BackendNames);

TYPED_TEST(SolverStates, NothingBeforeAnalyze) {
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(chain_spd(5));
  Solver<T> solver(this->options());
  EXPECT_FALSE(solver.is_analyzed());
  EXPECT_FALSE(solver.is_factorized());
  EXPECT_EQ(solver.order(), 0);
  EXPECT_EQ(solver.plan(), nullptr);
  std::vector<T> x(5, T(1));
  const DenseView<T> view(x.data(), 5);
  expect_throw<InvalidState>([&] { solver.factorize(s.view()); }, {"factorize", "analyze"});
  expect_throw<InvalidState>([&] { solver.refactorize(s.values); }, {"refactorize", "analyze"});
  expect_throw<InvalidState>([&] { solver.solve(view, view); }, {"solve", "analyze"});
  expect_throw<InvalidState>([&] { solver.status(); });
  expect_throw<InvalidState>([&] { solver.factor_report(); });
  expect_throw<InvalidState>([&] { solver.old_of_new(); });
  expect_throw<InvalidState>([&] { solver.extract_l(); });
  expect_throw<InvalidState>([&] { solver.log_determinant(); });
  expect_throw<InvalidState>([&] { solver.reciprocal_condition(s.view()); });
}

TYPED_TEST(SolverStates, NoSolveBeforeFactorize) {
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(chain_spd(5));
  Solver<T> solver(this->options());
  solver.analyze(s.view());
  EXPECT_TRUE(solver.is_analyzed());
  EXPECT_FALSE(solver.is_factorized());
  EXPECT_EQ(solver.order(), 5);
  EXPECT_EQ(solver.backend(), TypeParam::backend);
  EXPECT_EQ(solver.old_of_new().size(), 5U);
  std::vector<T> x(5, T(1));
  const DenseView<T> view(x.data(), 5);
  expect_throw<InvalidState>([&] { solver.solve(view, view); }, {"solve", "factorize"});
  expect_throw<InvalidState>([&] { solver.status(); });
  expect_throw<InvalidState>([&] { solver.extract_l(); });
  expect_throw<InvalidState>([&] { solver.log_determinant(); });
  expect_throw<InvalidState>([&] { solver.reciprocal_condition(s.view()); });
  solver.factorize(s.view());
  EXPECT_TRUE(solver.is_factorized());
  solver.analyze(s.view());
  EXPECT_FALSE(solver.is_factorized()) << "a new analysis holds no factor";
}

/// A working solver, to check that refused calls leave it unchanged.
template <class T>
struct Working {
  io::SymmetricMatrix a = rounded<T>(random_spd(30, 70, 6));
  StoredMatrix<T> s = stored<T>(a);
  Solver<T> solver;

  explicit Working(const Options& options) : solver(options) { solver.compute(s.view()); }
  void expect_as_before() {
    EXPECT_TRUE(solver.is_factorized());
    EXPECT_EQ(solver.order(), 30);
    EXPECT_EQ(solver.status(), Status::success);
    expect_solves(solver, a);
  }
};

TYPED_TEST(SolverStates, RefusesSizesOfSolve) {
  using T = typename TypeParam::Scalar;
  Working<T> working(this->options());
  Solver<T>& solver = working.solver;
  std::vector<T> data(200, T(1));
  const auto view = [&](std::int64_t rows, std::int64_t cols, std::int64_t ld) {
    return DenseView<T>(data.data(), rows, cols, ld);
  };
  expect_throw<InvalidInput>([&] { solver.solve(view(29, 1, 29), view(30, 1, 30)); }, {"b", "29", "30"});
  expect_throw<InvalidInput>([&] { solver.solve(view(30, 1, 30), view(31, 1, 31)); }, {"x", "31", "30"});
  expect_throw<InvalidInput>([&] { solver.solve(view(30, 2, 30), view(30, 3, 30)); }, {"2", "3"});
  expect_throw<InvalidInput>([&] { solver.solve(view(30, 2, 29), view(30, 2, 30)); }, {"29", "30"});
  expect_throw<InvalidInput>([&] { solver.solve(view(30, -1, 30), view(30, -1, 30)); }, {"-1"});
  expect_throw<InvalidInput>([&] { solver.solve(DenseView<const T>(nullptr, 30), view(30, 1, 30)); }, {"b", "null"});
  expect_throw<InvalidInput>([&] { solver.reserve_right_hand_sides(0); }, {"0"});
  solver.solve(view(30, 0, 30), view(30, 0, 30));
  working.expect_as_before();
}

TYPED_TEST(SolverStates, RefusesOtherPatternsAndSizes) {
  using T = typename TypeParam::Scalar;
  Working<T> working(this->options());
  Solver<T>& solver = working.solver;
  const std::string entries = std::to_string(working.s.values.size());
  expect_throw<InvalidInput>([&] { solver.factorize(stored<T>(chain_spd(29)).view()); }, {"29", "30"});
  expect_throw<InvalidInput>([&] { solver.factorize(stored<T>(diagonal_spd(30)).view()); }, {"30", entries});
  auto moved = working.s;
  std::swap(moved.narrow_indices[0], moved.narrow_indices[1]);
  expect_throw<InvalidInput>([&] { solver.factorize(moved.view()); }, {"pattern"});
  expect_throw<InvalidInput>([&] { solver.refactorize(moved.view()); }, {"pattern"});
  expect_throw<InvalidInput>([&] { solver.reciprocal_condition(moved.view()); }, {"pattern"});
  auto upper = working.s;
  upper.form.part = StoredPart::upper;
  expect_throw<InvalidInput>([&] { solver.factorize(upper.view()); }, {"pattern"});
  std::vector<T> few(working.s.values.size() - 1, T(1));
  expect_throw<InvalidInput>([&] { solver.refactorize(few); }, {std::to_string(few.size()), entries});
  MatrixView<T> no_values = working.s.view();
  no_values.values = nullptr;
  expect_throw<InvalidInput>([&] { solver.factorize(no_values); }, {"values"});
  MatrixView<T> no_pattern = working.s.view();
  no_pattern.indices = IndexArray();
  expect_throw<InvalidInput>([&] { solver.factorize(no_pattern); }, {"indices"});
  MatrixView<T> device_pattern = working.s.view();
  device_pattern.pattern_space = MemorySpace::device;
  expect_throw<InvalidInput>([&] { solver.factorize(device_pattern); }, {"device"});
  expect_throw<InvalidInput>([&] { solver.analyze(device_pattern); }, {"device"});
  expect_throw<InvalidInput>([&] { solver.set_shift(std::nan("")); }, {"finite"});
  expect_throw<InvalidInput>([&] { solver.set_shift(0.0, HUGE_VAL); }, {"finite"});
  working.expect_as_before();
}

TYPED_TEST(SolverStates, FailedAnalyzeChangesNothing) {
  using T = typename TypeParam::Scalar;
  Working<T> working(this->options());
  Solver<T>& solver = working.solver;
  auto bad = working.s;
  bad.narrow_indices[3] = 99;
  expect_throw<InvalidInput>([&] { solver.analyze(bad.view()); }, {"99"});
  expect_throw<InvalidInput>([&] { solver.compute(bad.view()); }, {"99"});
  expect_throw<InvalidInput>([&] { solver.analyze(working.s.view(), nullptr); }, {"null"});
  Solver<T> other(this->options());
  other.analyze(stored<T>(chain_spd(30)).view());
  expect_throw<InvalidInput>([&] { solver.analyze(working.s.view(), other.plan()); }, {"pattern"});
  working.expect_as_before();
}

TYPED_TEST(SolverStates, CancelledAnalyzeChangesNothing) {
  using T = typename TypeParam::Scalar;
  Working<T> working(this->options());
  Options options = this->options();
  int steps = 0;
  options.progress = [&](const Progress& progress) {
    EXPECT_NE(std::string(progress.phase), "");
    return ++steps < 3;
  };
  working.solver.set_options(options);
  expect_throw<Cancelled>([&] { working.solver.analyze(stored<T>(chain_spd(9)).view()); }, {"cancelled"});
  EXPECT_EQ(steps, 3);
  working.expect_as_before();
  options.progress = [](const Progress&) -> bool { throw std::runtime_error("the caller's own"); };
  working.solver.set_options(options);
  EXPECT_THROW(working.solver.analyze(stored<T>(chain_spd(9)).view()), std::runtime_error);
  working.expect_as_before();
}

TYPED_TEST(SolverStates, MovesWithItsFactor) {
  using T = typename TypeParam::Scalar;
  Working<T> working(this->options());
  Solver<T> second(std::move(working.solver));
  expect_solves(second, working.a);
  Solver<T> third;
  third = std::move(second);
  expect_solves(third, working.a);
  working.solver = Solver<T>(this->options());
  EXPECT_FALSE(working.solver.is_analyzed());
}

TYPED_TEST(SolverStates, SharesAPlan) {
  using T = typename TypeParam::Scalar;
  Working<T> working(this->options());
  Solver<T> second(this->options());
  second.analyze(working.s.view(), working.solver.plan());
  EXPECT_EQ(second.plan(), working.solver.plan());
  second.factorize(working.s.view());
  expect_solves(second, working.a);
  working.expect_as_before();
  EXPECT_GE(working.solver.plan().use_count(), 3) << "the plan itself, not a copy";
}

TYPED_TEST(SolverStates, ReportsWhatItDid) {
  using T = typename TypeParam::Scalar;
  Options options = this->options();
  options.plan_cache = false;
  Working<T> working(options);
  const AnalyzeReport& report = working.solver.analyze_report();
  EXPECT_EQ(report.n, 30);
  EXPECT_EQ(report.backend, TypeParam::backend);
  EXPECT_FALSE(report.backend_reason.empty());
  EXPECT_FALSE(report.device.empty());
  EXPECT_GE(report.nonzeros_l, report.nonzeros_a);
  EXPECT_GE(report.stored_l, report.nonzeros_l);
  EXPECT_GE(report.stored_flops, report.flops);
  EXPECT_GE(report.largest_front, report.largest_width);
  EXPECT_GT(report.supernodes, 0);
  EXPECT_GT(report.tasks, 0);
  EXPECT_GT(report.critical_path_flops, 0.0);
  EXPECT_GT(report.memory.total(), 0);
  EXPECT_GT(report.seconds_total, 0.0);
  EXPECT_GE(report.seconds_total, report.seconds_ordering);
  std::set<std::string> steps;
  for (const AnalysisStep& step : report.steps) {
    EXPECT_TRUE(steps.insert(step.name).second) << step.name;
    EXPECT_GE(step.seconds, 0.0);
    EXPECT_LE(step.seconds, report.seconds_total);
    EXPECT_GE(step.bytes, 0);
  }
  for (const char* name : {"adjacency", "ordering", "supernodes", "row structures", "assembly map", "host schedule"})
    EXPECT_EQ(steps.count(name), 1U) << name;
  EXPECT_EQ(working.solver.factor_report().factorizations, 1);
  EXPECT_GT(working.solver.factor_report().seconds, 0.0);
}

/// Refinement takes effect with the next factorize. The analysis and its report stay.
TYPED_TEST(SolverStates, TurningRefinementOnKeepsTheAnalysis) {
  using T = typename TypeParam::Scalar;
  Working<T> working(this->options());
  const double seconds = working.solver.analyze_report().seconds_total;
  const auto plan = working.solver.plan();
  Options options = this->options();
  options.refinement.max_steps = 1;
  working.solver.set_options(options);
  working.expect_as_before();
  working.solver.factorize(working.s.view());
  working.expect_as_before();
  EXPECT_GE(working.solver.solve_report().backward_error, 0.0);
  EXPECT_EQ(working.solver.plan(), plan);
  EXPECT_EQ(working.solver.analyze_report().seconds_total, seconds);
  EXPECT_EQ(working.solver.factor_report().factorizations, 2) << "with this analysis";
}

}  // namespace
}  // namespace gpusupernodal::test
