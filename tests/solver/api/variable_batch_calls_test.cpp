/// Masks, groups, wrong input and states of systems with several patterns.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/variable_batch_problems.hpp"

namespace gpusupernodal::test::batch {
namespace {

/// Factorized systems with their right-hand sides.
struct FactorizedList {
  GridList<double> list;
  VariableBatchSolver<double> batch;

  explicit FactorizedList(const std::vector<std::int64_t>& sizes, Form form = Form::llt, std::int64_t columns = 1)
      : list(form, sizes, columns), batch(options_for(form, 2)) {
    batch.analyze(list.views());
    list.refactorize(batch);
  }
};

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "was accepted";
}

#define EXPECT_SAYS(call, part) EXPECT_NE(refusal([&] { call; }).find(part), std::string::npos) << refusal([&] { call; })

TEST(VariableBatchMask, LeavesOtherSystemsAsTheyAre) {
  FactorizedList f({4, 2, 4, 3, 2});
  f.list.solve(f.batch);
  const auto before = f.list.x;
  const std::vector<unsigned char> wanted = {1, 0, 0, 1, 1};
  f.batch.set_wanted(wanted);
  for (auto& values : f.list.values) {
    for (double& value : values) value *= 4.0;
  }
  std::vector<const double*> addresses = f.list.addresses();
  addresses[1] = addresses[2] = nullptr;
  f.batch.refactorize(addresses);
  EXPECT_EQ(f.batch.report(0).factorizations, 2);
  EXPECT_EQ(f.batch.report(2).factorizations, 1);
  for (auto& x : f.list.x) std::fill(x.begin(), x.end(), 7.0);
  auto right = f.list.right();
  auto solutions = f.list.solutions();
  right[1] = {};
  solutions[2] = {};
  f.batch.solve(right, solutions);
  for (std::size_t s = 0; s < 5; ++s) {
    EXPECT_EQ(f.batch.solve_statuses()[s], wanted[s] != 0 ? BatchStatus::success : BatchStatus::skipped);
    for (std::size_t i = 0; i < before[s].size(); ++i) {
      ASSERT_EQ(f.list.x[s][i], wanted[s] != 0 ? 0.25 * before[s][i] : 7.0) << "powers of four scale without rounding";
    }
  }
  f.batch.set_wanted({});
  f.list.solve(f.batch);
  EXPECT_EQ(f.list.x[2], before[2]) << "the factor is kept";
  f.list.values[3][0] = -1.0;
  f.list.refactorize(f.batch);
  EXPECT_EQ(f.batch.failed(), 1);
  f.batch.set_wanted(std::vector<unsigned char>{1, 1, 1, 0, 1});
  EXPECT_EQ(f.batch.failed(), 0);
  EXPECT_EQ(f.batch.statuses()[3], BatchStatus::not_positive_definite);
}

TEST(VariableBatchMask, MayLeaveOutAllSystems) {
  FactorizedList f({4, 2, 4});
  f.batch.set_wanted(std::vector<unsigned char>(3, 0));
  f.batch.refactorize(std::vector<const double*>(3, nullptr));
  f.batch.solve(std::vector<DenseView<const double>>(3), std::vector<DenseView<double>>(3));
  for (const BatchStatus status : f.batch.solve_statuses()) EXPECT_EQ(status, BatchStatus::skipped);
  f.batch.set_wanted({});
  EXPECT_EQ(f.batch.failed(), 0);
}

/// Part, compression, order of entries and structure make a pattern; widths of integers and addresses do not.
TEST(VariableBatchGroups, HaveEqualPatterns) {
  const Grid<double> grid(Form::llt, 3);
  const std::vector<std::int32_t> offsets(grid.offsets.begin(), grid.offsets.end());
  const std::vector<std::int32_t> rows(grid.rows.begin(), grid.rows.end());
  std::vector<std::int64_t> swapped = grid.rows;
  std::swap(swapped[0], swapped[1]);
  const std::vector<std::int64_t> copy = grid.rows;
  std::vector<MatrixView<double>> systems(6, grid.view());
  systems[1].offsets = offsets.data();
  systems[1].indices = rows.data();
  systems[2].indices = copy.data();
  systems[3].indices = swapped.data();
  systems[4].part = StoredPart::upper;
  systems[4].compression = Compression::rows;
  VariableBatchSolver<double> batch(options_for(Form::llt, 1));
  batch.analyze(systems);
  EXPECT_EQ(batch.patterns(), 3);
  const std::vector<std::int64_t> expected = {0, 0, 0, 1, 2, 0};
  for (std::int64_t s = 0; s < 6; ++s) EXPECT_EQ(batch.pattern_of(s), expected[static_cast<std::size_t>(s)]) << s;
  Values<double> values(grid, 6);
  std::vector<const double*> addresses;
  for (std::int64_t s = 0; s < 6; ++s) addresses.push_back(values.of(s));
  std::swap(values.of(3)[0], values.of(3)[1]);
  batch.refactorize(addresses);
  EXPECT_EQ(batch.failed(), 0);
}

TEST(VariableBatchGroups, RefusedPatternsNameTheirSystem) {
  FactorizedList f({3, 2});
  const Grid<double> grid(Form::llt, 3);
  std::vector<std::int64_t> wrong = grid.rows;
  wrong[1] = 99;
  std::vector<MatrixView<double>> systems(4, grid.view());
  systems[2].indices = wrong.data();
  EXPECT_SAYS(f.batch.analyze(systems), "system 2: ");
  systems[2].n = -1;
  EXPECT_SAYS(f.batch.analyze(systems), "system 2: ");
  systems[2] = MatrixView<double>();
  systems[2].n = 3;
  EXPECT_SAYS(f.batch.analyze(systems), "system 2: ");
  systems[2] = grid.view();
  systems[3].part = static_cast<StoredPart>(9);
  EXPECT_SAYS(f.batch.analyze(systems), "system 3: ");
  EXPECT_EQ(f.batch.count(), 2) << "the object is unchanged";
  EXPECT_EQ(f.batch.failed(), 0);
}

TEST(VariableBatchStates, CallsOutOfOrderAreRefused) {
  GridList<double> list(Form::llt, {3, 2});
  VariableBatchSolver<double> batch(options_for(Form::llt, 1));
  EXPECT_THROW(list.refactorize(batch), InvalidState);
  EXPECT_THROW(batch.set_wanted({}), InvalidState);
  EXPECT_THROW(list.solve(batch), InvalidState);
  EXPECT_EQ(batch.count(), 0);
  EXPECT_EQ(batch.patterns(), 0);
  EXPECT_TRUE(batch.statuses().empty());
  EXPECT_EQ(batch.failed(), 0);
  EXPECT_THROW(batch.report(0), InvalidInput);
  EXPECT_THROW(batch.solve_report(0), InvalidInput);
  EXPECT_THROW(batch.order(0), InvalidInput);
  batch.reserve_right_hand_sides(2);
  batch.analyze(list.views());
  EXPECT_THROW(batch.report(0), InvalidState);
  EXPECT_EQ(batch.failed(), 2);
  list.solve(batch);
  EXPECT_EQ(batch.solve_statuses()[1], BatchStatus::not_factorized);
  EXPECT_EQ(list.x[0][0], 7.0) << "written";
}

TEST(VariableBatchStates, AnEmptyListHasNoSystems) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    VariableBatchSolver<double> batch(options_for(form, 2));
    batch.analyze({});
    EXPECT_EQ(batch.count(), 0);
    EXPECT_EQ(batch.patterns(), 0);
    batch.refactorize({});
    batch.solve({}, {});
    batch.set_wanted({});
    EXPECT_EQ(batch.failed(), 0);
    EXPECT_THROW(batch.analyze_report(0), InvalidInput);
  }
}

/// Every pivot is zero. Values need no address.
TEST(VariableBatchStates, MatricesWithoutEntriesFail) {
  const std::vector<std::int64_t> offsets(4, 0);
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    std::vector<MatrixView<double>> systems(3);
    for (std::int64_t s = 0; s < 3; ++s) {
      systems[static_cast<std::size_t>(s)].n = s;
      systems[static_cast<std::size_t>(s)].offsets = offsets.data();
      systems[static_cast<std::size_t>(s)].part = form == Form::lu ? StoredPart::full : StoredPart::lower;
    }
    VariableBatchSolver<double> batch(options_for(form, 2));
    batch.analyze(systems);
    batch.refactorize(std::vector<const double*>(3, nullptr));
    EXPECT_EQ(batch.failed(), 2);
    EXPECT_EQ(batch.statuses()[0], BatchStatus::success);
    EXPECT_EQ(batch.statuses()[2], form == Form::llt ? BatchStatus::not_positive_definite : BatchStatus::singular);
  }
}

TEST(VariableBatchStates, AnotherAnalysisReplacesEverything) {
  FactorizedList f({4, 2, 4});
  GridList<double> other(Form::llt, {1, 5});
  f.batch.analyze(other.views());
  EXPECT_EQ(f.batch.count(), 2);
  EXPECT_EQ(f.batch.failed(), 2);
  other.refactorize(f.batch);
  other.solve(f.batch);
  other.expect_solvers(f.batch);
}

/// As a Solver solves in place.
TEST(VariableBatchVectors, XMayBeB) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    FactorizedList f({4, 1, 3, 4}, form, 2);
    auto both = f.list.b;
    std::vector<DenseView<double>> views = f.list.solutions();
    for (std::size_t s = 0; s < views.size(); ++s) views[s].data = both[s].data();
    const std::vector<DenseView<const double>> right(views.begin(), views.end());
    f.batch.solve(right, views);
    for (std::size_t s = 0; s < views.size(); ++s) {
      Solver<double> solver(options_for(form, 1));
      solver.analyze(f.list.first_of_pattern(f.batch, static_cast<std::int64_t>(s)));
      solver.refactorize(f.list.values[s]);
      views[s].data = f.list.b[s].data();
      solver.solve(views[s], views[s]);
      EXPECT_EQ(both[s], f.list.b[s]) << name_of(form) << ", system " << s;
    }
  }
}

TEST(VariableBatchVectors, ThatAreNotFiniteAreRefusedForTheirSystemOnly) {
  FactorizedList f({4, 2, 4}, Form::lu);
  f.list.b[1][2] = std::numeric_limits<double>::infinity();
  f.list.solve(f.batch);
  EXPECT_EQ(f.batch.solve_statuses()[0], BatchStatus::success);
  EXPECT_EQ(f.batch.solve_statuses()[1], BatchStatus::non_finite_input);
  EXPECT_EQ(f.batch.solve_statuses()[2], BatchStatus::success);
  EXPECT_EQ(f.list.x[1][0], 7.0) << "written";
  EXPECT_EQ(f.batch.statuses()[1], BatchStatus::success) << "the factor is good";
}

TEST(VariableBatchVectors, PartsOfASolveAreThoseOfTheForm) {
  FactorizedList f({4, 2, 4});
  f.list.solve(f.batch, System::forward);
  const auto half = f.list.x;
  std::swap(f.list.b, f.list.x);
  f.list.solve(f.batch, System::backward);
  const auto whole = f.list.x;
  f.list.b = GridList<double>(Form::llt, {4, 2, 4}).b;
  f.list.solve(f.batch);
  EXPECT_EQ(f.list.x, whole);
  FactorizedList lu({3, 2}, Form::lu);
  EXPECT_THROW(lu.list.solve(lu.batch, System::forward), InvalidInput);
  EXPECT_THROW(lu.list.solve(lu.batch, static_cast<System>(99)), InvalidInput);
}

TEST(VariableBatchInput, WrongListsAreRefused) {
  FactorizedList f({4, 2, 4});
  const std::vector<const double*> two = {f.list.values[0].data(), f.list.values[1].data()};
  EXPECT_SAYS(f.batch.refactorize(two), "values for 2 systems were given, but the batch has 3");
  std::vector<const double*> addresses = f.list.addresses();
  addresses[1] = nullptr;
  EXPECT_SAYS(f.batch.refactorize(addresses), "system 1 has no values");
  EXPECT_SAYS(f.batch.refactorize(f.list.addresses(), MemorySpace::device), "of system 0: device memory was given");
  EXPECT_SAYS(f.batch.refactorize(f.list.addresses(), static_cast<MemorySpace>(5)), "the values");
  const auto right = f.list.right();
  auto solutions = f.list.solutions();
  const std::vector<DenseView<double>> one(1);
  EXPECT_SAYS(f.batch.solve(right, one), "solutions for 1 systems were given");
  const std::vector<DenseView<const double>> four(4);
  EXPECT_SAYS(f.batch.solve(four, solutions), "right-hand sides for 4 systems were given");
  std::swap(solutions[0], solutions[1]);
  EXPECT_SAYS(f.batch.solve(right, solutions), "system 0: x has 4 rows, but the matrix is of order 16");
  std::swap(solutions[0], solutions[1]);
  solutions[2].space = MemorySpace::device;
  EXPECT_SAYS(f.batch.solve(right, solutions), "x of system 2: device memory was given");
  solutions[2] = DenseView<double>(nullptr, 16);
  EXPECT_SAYS(f.batch.solve(right, solutions), "system 2: x has no data");
  EXPECT_SAYS(f.batch.set_wanted(std::vector<unsigned char>(2, 1)), "entries of a mask");
  EXPECT_SAYS(f.batch.report(3), "there is no system 3; the batch has 3");
  EXPECT_SAYS(f.batch.pattern_of(-1), "there is no system -1");
  EXPECT_SAYS(f.batch.analyze_report(2), "there is no pattern 2; the batch has 2");
  EXPECT_SAYS(f.batch.reserve_right_hand_sides(0), "right-hand sides");
  EXPECT_EQ(f.batch.failed(), 0) << "the factors are as they were";
}

TEST(VariableBatchInput, ColumnsMustAgree) {
  FactorizedList f({4, 2}, Form::llt, 2);
  auto right = f.list.right();
  auto solutions = f.list.solutions();
  solutions[1].cols = 1;
  EXPECT_SAYS(f.batch.solve(right, solutions), "system 1: b has 2 columns, but x has 1");
  right[1].cols = 1;
  EXPECT_SAYS(f.batch.solve(right, solutions), "system 1 has 1 right-hand sides, but system 0 has 2");
  solutions = f.list.solutions();
  right = {solutions.begin(), solutions.end()};
  right[0].cols = solutions[0].cols = 1;
  right[1].cols = solutions[1].cols = 1;
  f.batch.solve(right, solutions);
  right = {solutions.begin(), solutions.end()};
  for (std::size_t s = 0; s < 2; ++s) right[s].cols = solutions[s].cols = 2;
  right[0].ld = 17;
  EXPECT_SAYS(f.batch.solve(right, solutions), "system 0: x is b, but has leading dimension 16 where b has 17");
}

TEST(VariableBatchInput, SystemsNeedDifferentSolutions) {
  FactorizedList f({2, 4, 2}, Form::llt, 2);
  auto solutions = f.list.solutions();
  solutions[2] = solutions[0];
  EXPECT_SAYS(f.batch.solve(f.list.right(), solutions), "systems 0 and 2 have the same x");
  f.batch.set_wanted(std::vector<unsigned char>{1, 1, 0});
  f.batch.solve(f.list.right(), solutions);  // The x of a system that is not wanted is not used.
  EXPECT_EQ(f.batch.failed(), 0);
}

TEST(VariableBatchInput, OptionsThatBatchesLackAreRefused) {
  VariableBatchSolver<double> batch;
  Options options;
  options.trace = true;
  EXPECT_SAYS(batch.set_options(options), "batches keep no trace");
  options.trace = false;
  options.devices = {0, 1};
  EXPECT_SAYS(batch.set_options(options), "a batch runs on one");
  options.devices.clear();
  options.backend = Backend::cuda;
  VariableBatchSolver<std::complex<double>> complex(options);
  EXPECT_THROW(complex.analyze(GridList<std::complex<double>>(Form::llt, {3}).views()), BackendUnavailable);
  options.backend = Backend::automatic;
  batch.set_options(options);
  batch.analyze(GridList<double>(Form::llt, {3, 2}).views());
  EXPECT_EQ(batch.analyze_report(1).backend, Backend::host) << "a small group";
}

TEST(VariableBatchInput, DiagonalsMustBeRealBeforeAnythingIsComputed) {
  using T = std::complex<double>;
  GridList<T> list(Form::llt, {3, 2, 3});
  VariableBatchSolver<T> batch(options_for(Form::llt, 2));
  batch.analyze(list.views());
  list.values[2][list.grids[2]->diagonal(4)] = T(5.0, 1.0);
  EXPECT_SAYS(list.refactorize(batch), "system 2: ");
  EXPECT_EQ(batch.statuses()[0], BatchStatus::not_factorized);
  batch.set_wanted(std::vector<unsigned char>{1, 1, 0});
  list.refactorize(batch);
  EXPECT_EQ(batch.failed(), 0);
}

}  // namespace
}  // namespace gpusupernodal::test::batch
