/// Solvers that load their plans from files.

#include <functional>

#include "io/generators.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
class LoadPlan : public SolverTest<OnBackend> {};
TYPED_TEST_SUITE(LoadPlan, AllBackends, BackendNames);

/// Only the host guarantees bitwise equal results; on a device, the order of additions depends on timing.
TYPED_TEST(LoadPlan, GivesTheFactorAndSolutionOfTheSavedPlan) {
  using T = typename TypeParam::Scalar;
  const TemporaryFile file({}, ".plan");
  for (const char* name : {"lap3d:11", "elas:6"}) {
    const io::SymmetricMatrix a = rounded<T>(io::load(name));
    const StoredMatrix<T> matrix = stored<T>(a);
    Solver<T> first(TestFixture::options());
    first.compute(matrix.view());
    save_plan(*first.plan(), file.path());
    Options other = TestFixture::options();
    other.ordering = Ordering::natural;
    Solver<T> second(other);
    second.load_plan(matrix.view(), file.path());
    EXPECT_EQ(second.analyze_report().plan_source, PlanSource::file);
    EXPECT_EQ(second.analyze_report().seconds_ordering, 0.0);
    EXPECT_EQ(second.analyze_report().ordering, first.analyze_report().ordering);
    EXPECT_EQ(second.analyze_report().stored_l, first.analyze_report().stored_l);
    EXPECT_EQ(second.analyze_report().tasks, first.analyze_report().tasks);
    EXPECT_EQ(second.old_of_new(), first.old_of_new());
    second.factorize(matrix.view());
    expect_solves(second, a);
    if (!TestFixture::on_host) continue;
    EXPECT_EQ(second.extract_l().values, first.extract_l().values);
    const std::vector<T> b = right_hand_side<T>(a.n, 3);
    EXPECT_EQ(solution(second, b), solution(first, b));
  }
}

TEST(LoadPlanOutcome, RefusedFileLeavesTheSolverUnchanged) {
  const TemporaryFile file({}, ".plan");
  const io::SymmetricMatrix a = io::load("lap2d:7");
  const StoredMatrix<double> matrix = stored<double>(a);
  Solver<double> solver(on(Backend::host));
  solver.compute(matrix.view());
  const auto plan = solver.plan();
  save_plan(*plan, file.path());
  const StoredMatrix<double> other = stored<double>(chain_spd(49));
  expect_throw<InvalidInput>([&] { solver.load_plan(other.view(), file.path()); }, {file.path(), "stored for"});
  expect_throw<InvalidInput>([&] { solver.load_plan(matrix.view(), "/nowhere/plan"); }, {"/nowhere/plan"});
  EXPECT_EQ(solver.plan(), plan);
  expect_solves(solver, a);
}

TEST(LoadPlanOutcome, EveryStepCanBeCancelled) {
  const TemporaryFile file({}, ".plan");
  const StoredMatrix<double> matrix = stored<double>(io::load("lap2d:7"));
  Solver<double> solver(on(Backend::host));
  solver.analyze(matrix.view());
  save_plan(*solver.plan(), file.path());
  int cancelled = 0;
  for (int step = 0;; ++step) {
    int seen = 0;
    Options options = on(Backend::host);
    options.progress = [&](const Progress&) { return seen++ != step; };
    Solver<double> loading(options);
    try {
      loading.load_plan(matrix.view(), file.path());
      break;
    } catch (const Cancelled&) {
      ++cancelled;
      EXPECT_FALSE(loading.is_analyzed());
    }
  }
  EXPECT_GE(cancelled, 3);
}

}  // namespace
}  // namespace gpusupernodal::test
