/// Plans for LU by columns: when the library chooses them, their limits, and what a given plan decides.

#include <functional>
#include <memory>
#include <new>

#include "gpusupernodal/error.hpp"
#include "solver/host/plan/column_workers.hpp"
#include "solver/plan/column_plan.hpp"
#include "tests/solver/api/lu_problems.hpp"

namespace gpusupernodal::test {
namespace {

Options with_schedule(LuSchedule schedule) {
  Options options = lu_options();
  options.lu_schedule = schedule;
  options.backend = Backend::host;
  return options;
}

/// Random entries above the diagonal, and pairs of rows that depend on one another: L + U has hardly any fill in its blocks
/// of two columns, and the symmetrized pattern is that of a random graph, which no order keeps sparse.
GeneralEntries almost_triangular(std::int64_t n) {
  GeneralEntries a{n, {}};
  std::mt19937_64 random(5);
  for (std::int64_t j = 0; j < n; ++j) {
    a(j, j) = 4.0;
    if (j % 2 == 1) a(j, j - 1) = 1.0;
    for (int k = 0; k < 4 && j > 0; ++k) a(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(j)), j) = 0.5;
  }
  return a;
}

TEST(LuColumnPlans, AutomaticTakesThemWhereSymmetrizationFillsTooMuch) {
  Solver<double> solver(with_schedule(LuSchedule::automatic));
  const GeneralEntries wide = almost_triangular(1500);
  solver.compute(store_general<double>(wide).view());
  const auto entries = [&] { return static_cast<double>(solver.analyze_report().nonzeros_l); };
  const double chosen = entries();
  EXPECT_EQ(solver.analyze_report().lu_schedule, LuSchedule::columns);
  expect_solves(solver, wide, "almost triangular");
  solver.set_options(with_schedule(LuSchedule::supernodes));
  solver.compute(store_general<double>(wide).view());
  EXPECT_GT(entries(), 3.0 * chosen);
  expect_solves(solver, wide, "supernodes");
  solver.set_options(with_schedule(LuSchedule::automatic));
  const GeneralEntries grid = convection(7, 0.4);
  solver.compute(store_general<double>(grid).view());
  EXPECT_EQ(solver.analyze_report().lu_schedule, LuSchedule::supernodes);
  expect_solves(solver, grid, "grid");
}

/// A ladder of conductances with a source at every tenth node: nearly symmetric, and its supernodes are tiny.
GeneralEntries ladder(std::int64_t n) {
  GeneralEntries a{n, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    a(i, i) = 3.0;
    if (i > 0) a(i, i - 1) = a(i - 1, i) = -1.0;
    if (i % 10 == 5 && i > 20) a(i, i - 20) = 0.5;
  }
  return a;
}

TEST(LuColumnPlans, TheHostTakesThemForNearlySymmetricCircuitsIfThereAreManyFactorizations) {
  const GeneralEntries a = ladder(2000);
  const StoredGeneral<double> stored = store_general<double>(a);
  Options options = with_schedule(LuSchedule::automatic);
  for (const int factorizations : {1, 1000}) {
    options.expected_factorizations = factorizations;
    Solver<double> solver(options);
    solver.compute(stored.view());
    const LuSchedule expected = factorizations == 1 ? LuSchedule::supernodes : LuSchedule::columns;
    EXPECT_EQ(solver.analyze_report().lu_schedule, expected) << factorizations;
    expect_solves(solver, a, "ladder");
  }
}

PatternView pattern_of(const StoredGeneral<double>& a) {
  const MatrixView<double> view = a.view();
  return {view.n, view.offsets, view.indices, view.part, view.compression};
}

/// With few factorizations, a second analysis does not pay.
TEST(LuColumnPlans, AutomaticTakesSupernodesForFewFactorizations) {
  const StoredGeneral<double> stored = store_general<double>(almost_triangular(1500));
  for (const int factorizations : {1, 9, 10}) {
    PlanOptions options;
    options.symbolic.expected_factorizations = factorizations;
    const auto plan = make_cheaper_lu_plan(pattern_of(stored), stored.values.data(), MatchingRule::automatic, options);
    EXPECT_EQ(plan->structure().columns != nullptr, factorizations == 10) << factorizations;
  }
}

/// Calls `act` when the analysis by columns begins, which is after that by supernodes.
std::shared_ptr<const FactorPlan> plan_with_an_event(const std::function<bool()>& act) {
  const StoredGeneral<double> stored = store_general<double>(almost_triangular(1500));
  bool has_layout = false;
  const auto progress = [&](const Progress& step) {
    if (std::string(step.phase) == "layout") has_layout = true;
    return !(has_layout && std::string(step.phase) == "ordering") || act();
  };
  return make_cheaper_lu_plan(pattern_of(stored), stored.values.data(), MatchingRule::automatic, {}, progress);
}

TEST(LuColumnPlans, AutomaticTakesSupernodesWhereMemoryForColumnsIsLacking) {
  EXPECT_NE(plan_with_an_event([] { return true; })->structure().columns, nullptr);
  EXPECT_EQ(plan_with_an_event([]() -> bool { throw std::bad_alloc(); })->structure().columns, nullptr);
  const auto refuse = []() -> bool { throw OutOfMemory("8 bytes were refused", __FILE__, __LINE__, 8, 0); };
  EXPECT_EQ(plan_with_an_event(refuse)->structure().columns, nullptr);
  EXPECT_THROW(plan_with_an_event([] { return false; }), Cancelled);
}

TEST(LuColumnPlans, AreRefusedBeyondALimitOfOperations) {
  const StoredGeneral<double> stored = store_general<double>(convection(6, 0.4));
  const auto plan_within = [&](double flops, const double* values) {
    return make_column_plan(pattern_of(stored), values, MatchingRule::automatic, {}, {}, flops);
  };
  for (const double* const values : {stored.values.data(), static_cast<const double*>(nullptr)}) {
    EXPECT_EQ(plan_within(1000.0, values), nullptr);
    EXPECT_NE(plan_within(1e9, values), nullptr);
  }
}

/// 30 dense blocks of order 2 take 3 operations each; all entries above them are nonzero.
TEST(LuColumnPlans, EntriesAboveTheDiagonalBlocksTakeNoOperations) {
  GeneralEntries a{60, {}};
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t i = 0; i < j / 2 * 2; ++i) a(i, j) = 0.5;
    a(j, j) = 4.0;
    a(j ^ 1, j) = 1.0;
  }
  const StoredGeneral<double> stored = store_general<double>(a);
  const auto plan_within = [&](double flops) {
    return make_column_plan(pattern_of(stored), stored.values.data(), MatchingRule::automatic, {}, {}, flops);
  };
  EXPECT_EQ(plan_within(89.0), nullptr);
  const auto plan = plan_within(90.0);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->structure().columns->flops, 90.0);
}

TEST(LuColumnPlans, AnOrderingThatIsNamedIsTaken) {
  GeneralEntries a = random_entries(300, 2, 0.0, 1);
  for (std::int64_t i = 0; i < a.n; ++i) a(i, (i + 1) % a.n) += 3.0;
  const StoredGeneral<double> stored = store_general<double>(a);
  Options options = with_schedule(LuSchedule::columns);
  Solver<double> solver(options);
  solver.analyze(stored.view());
  EXPECT_NE(solver.analyze_report().ordering_reason.find("B'B"), std::string::npos) << "far from symmetric";
  for (const Ordering ordering : {Ordering::nested_dissection, Ordering::amd}) {
    options.ordering = ordering;
    solver.set_options(options);
    solver.compute(stored.view());
    EXPECT_EQ(solver.analyze_report().ordering, ordering);
    EXPECT_EQ(solver.analyze_report().ordering_reason.find("B'B"), std::string::npos);
    expect_solves(solver, a, "named ordering");
  }
}

/// The plan, not the option lu_schedule, says whether CUDA has equal bits.
TEST(LuColumnPlans, AGivenPlanDecidesWhetherEqualBitsNeedTheHost) {
  const StoredGeneral<double> stored = store_general<double>(convection(4, 0.4));
  for (const LuSchedule made : {LuSchedule::supernodes, LuSchedule::columns}) {
    Solver<double> maker(with_schedule(made));
    maker.analyze(stored.view());
    for (const LuSchedule asked : {LuSchedule::automatic, LuSchedule::supernodes, LuSchedule::columns}) {
      Options options = with_schedule(asked);
      options.deterministic = true;
      options.backend = Backend::automatic;
      Solver<double> solver(options);
      solver.analyze(stored.view(), maker.plan());
      const std::string& reason = solver.analyze_report().backend_reason;
      EXPECT_EQ(reason.find("equal bits") != std::string::npos, made == LuSchedule::supernodes) << reason;
      options.backend = Backend::cuda;
      solver.set_options(options);
      try {
        solver.analyze(stored.view(), maker.plan());
        EXPECT_EQ(made, LuSchedule::columns);
      } catch (const BackendUnavailable& error) {  // There may be no device.
        const bool for_bits = std::string(error.what()).find("equal bits") != std::string::npos;
        EXPECT_EQ(for_bits, made == LuSchedule::supernodes) << error.what();
      }
    }
  }
}

/// A dense row for each of 128 threads would take more than L and U.
TEST(LuColumnPlans, ThreadsTakeNoMoreMemoryThanTheFactor) {
  ColumnStructure structure;
  structure.n = 5000000;
  structure.columns.resize(30000000);
  EXPECT_EQ(column_workers(structure, 128), 6);
  EXPECT_EQ(column_workers(structure, 4), 4);
  structure.columns.resize(0);
  EXPECT_EQ(column_workers(structure, 128), 1);
  structure.n = 1000;
  EXPECT_EQ(column_workers(structure, 128), 128);
  structure.n = 0;
  EXPECT_EQ(column_workers(structure, 2), 2);
}

}  // namespace
}  // namespace gpusupernodal::test
