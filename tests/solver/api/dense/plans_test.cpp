/// Plans for LU on dense storage: when the library chooses them, their reports, limits and memory.

#include <memory>
#include <string>

#include "gpusupernodal/error.hpp"
#include "solver/plan/column_plan.hpp"
#include "solver/plan/dense_plan.hpp"
#include "solver/plan/general_plan.hpp"
#include "solver/plan/plan_cost.hpp"
#include "tests/solver/api/dense/dense_systems.hpp"
#include "tests/solver/backend/counting_allocator.hpp"

namespace gpusupernodal::test {
namespace {

Options of_schedule(LuSchedule schedule) {
  Options options = lu_options(1);
  options.lu_schedule = schedule;
  return options;
}

TEST(LuDensePlans, AutomaticTakesThemForFullMatricesAndNotForSparseOnes) {
  Solver<double> solver(of_schedule(LuSchedule::automatic));
  const DenseSystem<double> full(300, 1.0, 1);
  solver.compute(full.view());
  EXPECT_EQ(solver.analyze_report().lu_schedule, LuSchedule::dense);
  expect_all_solves(solver, full, 2, "full");
  const GeneralEntries grid = convection(7, 0.4);
  solver.compute(store_general<double>(grid).view());
  EXPECT_EQ(solver.analyze_report().lu_schedule, LuSchedule::supernodes);
  expect_solves(solver, grid, "grid");
  const DenseSystem<double> small(20, 1.0, 1);
  solver.compute(small.view());
  EXPECT_EQ(solver.analyze_report().lu_schedule, LuSchedule::supernodes) << "all schedules take microseconds";
}

/// With a device to choose, dense storage is not considered.
TEST(LuDensePlans, AutomaticDoesNotTakeThemWhereADeviceMayBeChosen) {
  const DenseSystem<double> full(300, 1.0, 1);
  const MatrixView<double> view = full.view();
  const PatternView pattern{view.n, view.offsets, view.indices, view.part, view.compression};
  PlanOptions options;
  options.symbolic.for_device = true;
  options.cuda.emplace();
  options.cuda->form = gpusupernodal::Form::lu;
  const auto plan = make_cheaper_lu_plan(pattern, full.values.data(), MatchingRule::automatic, options);
  EXPECT_EQ(plan->structure().lu_schedule(), LuSchedule::supernodes);
  options.symbolic.for_device = false;
  options.cuda.reset();
  options.symbolic.threads = 1;
  const auto on_host = make_cheaper_lu_plan(pattern, full.values.data(), MatchingRule::automatic, options);
  EXPECT_EQ(on_host->structure().lu_schedule(), LuSchedule::dense);
  for (const MatchingRule rule : {MatchingRule::product, MatchingRule::none}) {
    const auto plan_of_rule = make_cheaper_lu_plan(pattern, full.values.data(), rule, options);
    EXPECT_NE(plan_of_rule->structure().lu_schedule(), LuSchedule::dense) << "the exchange of rows is prescribed";
  }
}

/// The model compares dense storage with supernodes alike for real and complex scalars.
TEST(LuDensePlans, CostsGrowAlikeForComplexScalars) {
  const DenseSystem<double> full(900, 1.0, 1);
  const MatrixView<double> view = full.view();
  const PatternView pattern{view.n, view.offsets, view.indices, view.part, view.compression};
  PlanOptions options;
  options.symbolic.threads = 1;
  const auto supernodes = make_general_plan(pattern, nullptr, MatchingRule::none, options);
  const auto dense = make_dense_plan(pattern, nullptr, options);
  for (const int threads : {1, 4}) {
    const auto ratio = [&](ScalarType scalar) {
      return estimate_cost(*dense, CostModel(), threads, scalar).host /
             estimate_cost(*supernodes, CostModel(), threads, scalar).host;
    };
    constexpr double rest = 0.1;  // Cost of what is no operation, such as values and lists of supernodes.
    EXPECT_NEAR(ratio(ScalarType::complex_double) / ratio(ScalarType::real_double), 1.0, rest);
    EXPECT_NEAR(ratio(ScalarType::complex_single) / ratio(ScalarType::real_single), 1.0, rest);
  }
}

/// Returns how often an analysis for a device orders the matrix: once for supernodes, and again for columns.
template <class T>
int orderings_on_a_device(const PatternView& pattern, const std::vector<T>& values) {
  PlanOptions options;
  options.symbolic.for_device = true;
  options.symbolic.allow_host = false;
  options.cuda.emplace();
  options.cuda->form = gpusupernodal::Form::lu;
  int orderings = 0;
  const auto count = [&](const Progress& progress) {
    orderings += std::string(progress.phase) == "ordering" && progress.fraction == 0.0 ? 1 : 0;
    return true;
  };
  const auto plan = make_cheaper_lu_plan(pattern, values.data(), MatchingRule::automatic, options, count);
  if (ScalarTraits<T>::is_complex) {
    EXPECT_EQ(plan->structure().lu_schedule(), LuSchedule::supernodes);
  }
  return orderings;
}

/// There are no kernels for columns of complex scalars, so no plan is made for them.
TEST(LuDensePlans, ColumnsAreNotAnalyzedForComplexScalarsOnADevice) {
  const DenseSystem<double> sparse(400, 0.01, 1);
  const PatternView pattern{sparse.n, sparse.view().offsets, sparse.view().indices, StoredPart::full, Compression::columns};
  const std::vector<std::complex<double>> values(sparse.values.begin(), sparse.values.end());
  EXPECT_GT(orderings_on_a_device(pattern, sparse.values), 1);
  EXPECT_EQ(orderings_on_a_device(pattern, values), 1);
}

/// Dense storage is measured up to order 1000.
TEST(LuDensePlans, AutomaticDoesNotTakeThemForOrdersThatAreNotMeasured) {
  for (const std::int64_t n : {1000, 1001}) {
    const DenseSystem<double> full(n, 1.0, 1);
    const MatrixView<double> view = full.view();
    PlanOptions options;
    options.symbolic.threads = 1;
    const PatternView pattern{view.n, view.offsets, view.indices, view.part, view.compression};
    const auto plan = make_cheaper_lu_plan(pattern, full.values.data(), MatchingRule::automatic, options);
    EXPECT_EQ(plan->structure().lu_schedule() == LuSchedule::dense, n == 1000) << n;
  }
}

/// The largest order is taken, and the next one refused with the numbers.
TEST(LuDensePlans, RefuseLargeMatrices) {
  StoredGeneral<double> identity;
  identity.n = 3001;
  for (std::int64_t i = 0; i < identity.n; ++i) {
    identity.indices.push_back(i);
    identity.values.push_back(1.0);
    identity.offsets.push_back(i + 1);
  }
  MatrixView<double> view = identity.view();
  try {
    Solver<double>::preview(view, lu_options());
    FAIL() << "order 3001 was taken";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("order 3001; dense storage is for orders up to 3000"), std::string::npos)
        << error.what();
  }
  view.n = 3000;
  const AnalyzeReport report = Solver<double>::preview(view, lu_options()).report;
  EXPECT_EQ(report.lu_schedule, LuSchedule::dense);
  EXPECT_GE(report.memory.factor, std::int64_t{3000} * 3000 * 8);
}

TEST(LuDensePlans, RunOnTheHostOnly) {
  const DenseSystem<double> a(30, 0.5, 1);
  Options options = lu_options();
  options.backend = Backend::cuda;
  try {
    Solver<double>(options).compute(a.view());
    FAIL() << "the CUDA backend was taken";
  } catch (const BackendUnavailable& error) {
    EXPECT_NE(std::string(error.what()).find("LU on dense storage (lu_schedule is dense) runs on the host only"),
              std::string::npos)
        << error.what();
  }
  options.backend = Backend::automatic;
  Solver<double> solver(options);
  solver.compute(a.view());
  EXPECT_EQ(solver.analyze_report().backend, Backend::host);
  EXPECT_EQ(solver.analyze_report().backend_reason, "LU on dense storage (lu_schedule is dense) runs on the host only");
}

/// Counts as if there were no zeros; the same fields as by other schedules.
TEST(LuDensePlans, ReportsCountAllEntries) {
  const std::int64_t n = 100;
  const DenseSystem<double> a(n, 0.5, 1);
  Solver<double> solver(lu_options(1));
  solver.compute(a.view());
  const AnalyzeReport report = solver.analyze_report();
  EXPECT_EQ(report.n, n);
  EXPECT_EQ(report.nonzeros_a, static_cast<std::int64_t>(a.values.size()));
  EXPECT_EQ(report.nonzeros_l, n * (n + 1) / 2);
  double flops = 0.0;
  for (std::int64_t below = 0; below < n; ++below) flops += static_cast<double>(below * (1 + 2 * below));
  EXPECT_EQ(report.flops, flops);
  EXPECT_EQ(report.supernodes, 0);
  EXPECT_EQ(report.largest_front, n);
  EXPECT_EQ(report.tree_height, 1);
  EXPECT_GT(report.tasks, 1);
  EXPECT_GT(report.critical_path_flops, 0.0);
  EXPECT_LE(report.critical_path_flops, report.flops);
  const FactorReport factor = solver.factor_report();
  EXPECT_EQ(factor.form, gpusupernodal::Form::lu);
  EXPECT_GT(factor.smallest_pivot, 0.0);
  EXPECT_GE(factor.largest_pivot, factor.smallest_pivot);
  EXPECT_GT(factor.growth, 0.0);
  EXPECT_NE(plan_json(*solver.plan()).find("\"dense\""), std::string::npos);
  Solver<double> other(of_schedule(LuSchedule::automatic));
  other.analyze(a.view(), solver.plan());
  EXPECT_EQ(other.analyze_report().lu_schedule, LuSchedule::dense);
  other.factorize(a.view());
  expect_all_solves(other, a, 1, "a plan of another solver");
}

template <class T>
class LuDenseMemory : public ::testing::Test {};
using MemoryScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LuDenseMemory, MemoryScalars);

TYPED_TEST(LuDenseMemory, IsThatOfTheAnnouncementToTheByte) {
  for (const std::int64_t n : {1, 7, 64, 100, 260}) {
    for (const int threads : {1, 3}) {
      const DenseSystem<TypeParam> a(n, 0.5, 1);
      const auto memory = std::make_shared<CountingAllocator>();
      Options options = lu_options(threads);
      options.host_allocator = memory;
      Solver<TypeParam> solver(options);
      solver.compute(a.view());
      const MemoryEstimate announced = solver.analyze_report().memory;
      EXPECT_EQ(memory->bytes(), announced.factor + announced.workspace) << n << ", " << threads << " threads";
      EXPECT_EQ(Solver<TypeParam>::preview(a.view(), options).report.memory.total(), announced.total());
    }
  }
}

/// Every request for memory is refused once: the solver throws, gives back what it took, and works afterwards.
TYPED_TEST(LuDenseMemory, RefusalsLeaveAUsableSolver) {
  const DenseSystem<TypeParam> a(70, 0.5, 1);
  const auto memory = std::make_shared<CountingAllocator>();
  {
    Options options = lu_options(2);
    options.host_allocator = memory;
    Solver<TypeParam> solver(options);
    bool worked = false;
    for (int granted = 0; granted < 60 && !worked; ++granted) {
      memory->refuse_after(memory->requests() + granted);
      try {
        solver.compute(a.view());
        worked = true;
      } catch (const OutOfMemory&) {
        EXPECT_EQ(memory->alive(), 0) << granted;
        EXPECT_THROW(solver.refactorize(a.values), InvalidState);
      }
    }
    ASSERT_TRUE(worked);
    memory->refuse_after(std::numeric_limits<std::int64_t>::max());
    expect_all_solves(solver, a, 3, "after refusals");
  }
  EXPECT_EQ(memory->alive(), 0);
}

}  // namespace
}  // namespace gpusupernodal::test
