/// A batch gives each system what a Solver gives it, in all forms and scalars.

#include "tests/solver/api/batch_problems.hpp"

namespace gpusupernodal::test::batch {
namespace {

template <class T, Form form_value>
struct Kind {
  using Scalar = T;
  static constexpr Form form = form_value;
};

template <class K>
class BatchOfKind : public testing::Test {};
using Kinds =
    testing::Types<Kind<float, Form::llt>, Kind<double, Form::llt>, Kind<std::complex<float>, Form::llt>,
                   Kind<std::complex<double>, Form::llt>, Kind<float, Form::ldlt>, Kind<double, Form::ldlt>,
                   Kind<std::complex<float>, Form::ldlt>, Kind<std::complex<double>, Form::ldlt>, Kind<float, Form::lu>,
                   Kind<double, Form::lu>, Kind<std::complex<float>, Form::lu>, Kind<std::complex<double>, Form::lu>>;
TYPED_TEST_SUITE(BatchOfKind, Kinds);

/// Expects of each system what a Solver gives, after one refactorize and one solve with three columns.
template <class T>
void expect_solvers(BatchSolver<T>& batch, const Grid<T>& grid, Values<T>& values, System part = System::a) {
  constexpr std::int64_t columns = 3;
  const std::int64_t size = grid.n * columns;
  const std::vector<T> b = vectors<T>(size * values.count, 5);
  std::vector<T> x(b.size(), T(7));
  batch.refactorize(values.view());
  batch.solve({b.data(), grid.n, columns, grid.n, size, values.count},
              {x.data(), grid.n, columns, grid.n, size, values.count}, part);
  for (std::int64_t s = 0; s < values.count; ++s)
    expect_as_solver(batch, grid.view(), s, values.of(s), b.data() + s * size, x.data() + s * size, columns, T(7), part);
}

TYPED_TEST(BatchOfKind, HasTheBitsOfASolverForAnyNumberOfThreads) {
  using T = typename TypeParam::Scalar;
  const Grid<T> grid(TypeParam::form, 6);
  for (const int threads : {1, 2, 5}) {
    Values<T> values(grid, 7, 3);
    BatchSolver<T> batch(options_for(TypeParam::form, threads));
    batch.analyze(grid.view(), values.count);
    EXPECT_EQ(batch.order(), grid.n);
    EXPECT_EQ(batch.count(), values.count);
    EXPECT_EQ(batch.statuses()[0], BatchStatus::not_factorized);
    expect_solvers(batch, grid, values);
    EXPECT_EQ(batch.failed(), 0);
  }
}

/// Systems that fail stand between others, which must not notice.
TYPED_TEST(BatchOfKind, FailedSystemsDoNotAffectOthers) {
  using T = typename TypeParam::Scalar;
  const Grid<T> grid(TypeParam::form, 5);
  for (const int threads : {1, 2}) {
    Values<T> values(grid, 6);
    values.of(1)[grid.diagonal(7)] = number_not_finite<T>();
    if (TypeParam::form == Form::llt) {
      values.of(3)[grid.diagonal(11)] = T(-1);
    } else {
      std::fill_n(values.of(3), grid.entries(), T(0));
    }
    BatchSolver<T> batch(options_for(TypeParam::form, threads));
    batch.analyze(grid.view(), values.count);
    expect_solvers(batch, grid, values);
    EXPECT_EQ(batch.failed(), 2);
    EXPECT_EQ(batch.statuses()[1], BatchStatus::non_finite_input);
    EXPECT_EQ(batch.report(1).failed_column, 7);
    EXPECT_EQ(batch.statuses()[3],
              TypeParam::form == Form::llt ? BatchStatus::not_positive_definite : BatchStatus::singular);
    if (TypeParam::form == Form::llt) {
      EXPECT_EQ(batch.report(3).failed_column, 11);
    }
  }
}

TYPED_TEST(BatchOfKind, SolvesWithTheTransposeAndTheAdjoint) {
  using T = typename TypeParam::Scalar;
  const Grid<T> grid(TypeParam::form, 4);
  Values<T> values(grid, 3);
  for (const System part : {System::transposed, System::adjoint}) {
    BatchSolver<T> batch(options_for(TypeParam::form, 2));
    batch.analyze(grid.view(), values.count);
    expect_solvers(batch, grid, values, part);
  }
}

TYPED_TEST(BatchOfKind, RefinesAsASolver) {
  using T = typename TypeParam::Scalar;
  const Grid<T> grid(TypeParam::form, 4);
  Values<T> values(grid, 3);
  Options options = options_for(TypeParam::form, 2);
  options.refinement.max_steps = 2;
  BatchSolver<T> batch(options);
  batch.analyze(grid.view(), values.count);
  expect_solvers(batch, grid, values);
  EXPECT_GE(batch.solve_report(2).backward_error, 0.0);
}

/// Wide supernodes, which one task of a single matrix does not cover.
TEST(Batch, HasTheBitsOfASolverForLargerSystems) {
  const Grid<double> grid(Form::lu, 60);
  Values<double> values(grid, 2);
  BatchSolver<double> batch(options_for(Form::lu, 2));
  batch.analyze(grid.view(), values.count);
  expect_solvers(batch, grid, values);
}

/// Statuses, exchanged rows and refused solutions are those of a Solver, too.
template <class T>
void expect_equal_statuses(Form form, std::int64_t grid_size) {
  const Grid<T> grid(form, grid_size);
  Values<T> values(grid, 60);
  for (std::int64_t s = 1; s < values.count; ++s) make_doubtful(grid, values.of(s), s);
  BatchSolver<T> batch(options_for(form, 2));
  batch.analyze(grid.view(), values.count);
  expect_solvers(batch, grid, values);
  std::int64_t repivoted = 0;
  for (std::int64_t s = 0; s < values.count; ++s) repivoted += batch.report(s).repivoted;
  if (form == Form::lu) {
    EXPECT_GT(repivoted, 0);
  }
  EXPECT_GT(batch.failed(), 0);
  EXPECT_LT(batch.failed(), values.count / 2);
}

TEST(BatchStatus, IsThatOfASolverForLu) {
  expect_equal_statuses<double>(Form::lu, 3);
  expect_equal_statuses<float>(Form::lu, 3);
}
TEST(BatchStatus, IsThatOfASolverForLdlt) {
  expect_equal_statuses<double>(Form::ldlt, 12);
  expect_equal_statuses<float>(Form::ldlt, 12);
}

/// A system keeps the plan that it got for unstable values, as a Solver does.
TEST(BatchStatus, ExchangedRowsAreKept) {
  const Grid<double> grid(Form::lu, 3);
  Values<double> values(grid, 8);
  for (std::int64_t s = 1; s < values.count; ++s) make_doubtful(grid, values.of(s), 5 * s);
  BatchSolver<double> batch(options_for(Form::lu, 2));
  batch.analyze(grid.view(), values.count);
  batch.refactorize(values.view());
  std::vector<std::int64_t> repivoted;
  for (std::int64_t s = 0; s < values.count; ++s) repivoted.push_back(batch.report(s).repivoted);
  batch.refactorize(values.view());
  std::int64_t moved = 0;
  for (std::int64_t s = 0; s < values.count; ++s) {
    const FactorReport& report = batch.report(s);
    EXPECT_EQ(report.factorizations, 2) << s;
    if (report.status != Status::success) continue;
    moved += report.repivoted > 0 ? 1 : 0;
    EXPECT_EQ(report.repivoted, repivoted[static_cast<std::size_t>(s)]) << s;
  }
  EXPECT_GT(moved, 0);
}

TEST(BatchStatus, UnstableSystemsStayIfAskedTo) {
  const Grid<double> grid(Form::lu, 3);
  Values<double> values(grid, 60);
  for (std::int64_t s = 1; s < values.count; ++s) make_doubtful(grid, values.of(s), s);
  Options options = options_for(Form::lu, 2);
  options.repivot = Repivot::report;
  BatchSolver<double> batch(options);
  batch.analyze(grid.view(), values.count);
  expect_solvers(batch, grid, values);
  for (std::int64_t s = 0; s < values.count; ++s) EXPECT_EQ(batch.report(s).repivoted, 0);
}

/// A right-hand side so large that its backward error overflows: nothing vouches for the solution.
TEST(BatchStatus, SolutionsThatCannotBeTrustedAreNotReturned) {
  for (const Form form : {Form::ldlt, Form::lu}) {
    for (const Repivot repivot : {Repivot::automatic, Repivot::report}) {
      const Grid<double> grid(form, 4);
      Values<double> values(grid, 3);
      Options options = options_for(form, 2);
      options.repivot = repivot;
      BatchSolver<double> batch(options);
      batch.analyze(grid.view(), values.count);
      batch.refactorize(values.view());
      std::vector<double> b = vectors<double>(grid.n * values.count, 3);
      std::fill_n(b.begin() + grid.n, grid.n, 1.5e308);
      std::vector<double> x(b.size(), 7.0);
      batch.solve({b.data(), grid.n, values.count}, {x.data(), grid.n, values.count});
      EXPECT_EQ(batch.solve_statuses()[1], BatchStatus::unstable);
      for (std::int64_t s = 0; s < values.count; ++s)
        expect_as_solver(batch, grid.view(), s, values.of(s), b.data() + s * grid.n, x.data() + s * grid.n, 1, 7.0);
      std::vector<double> both = b;
      batch.solve({both.data(), grid.n, values.count}, {both.data(), grid.n, values.count});
      EXPECT_EQ(batch.solve_statuses()[1], BatchStatus::unstable);
      EXPECT_TRUE(std::isnan(both[static_cast<std::size_t>(grid.n)]));
      EXPECT_EQ(batch.solve_statuses()[2], BatchStatus::success);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test::batch
