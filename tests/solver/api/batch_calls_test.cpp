/// Masks, strides, pointers, wrong input and states of a batch.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/batch_problems.hpp"

namespace gpusupernodal::test::batch {
namespace {

/// A factorized batch of Cholesky with its values and right-hand sides.
struct Factorized {
  Grid<double> grid{Form::llt, 4};
  Values<double> values;
  BatchSolver<double> batch;
  std::vector<double> b;

  explicit Factorized(std::int64_t count, int threads = 2)
      : values(grid, count), batch(options_for(Form::llt, threads)), b(vectors<double>(grid.n * count, 3)) {
    batch.analyze(grid.view(), count);
    batch.refactorize(values.view());
  }
  BatchView<const double> right() const { return {b.data(), grid.n, values.count}; }
  std::vector<double> solution() {
    std::vector<double> x(b.size());
    batch.solve(right(), {x.data(), grid.n, values.count});
    return x;
  }
};

TEST(BatchMask, LeavesOtherSystemsAsTheyAre) {
  Factorized f(5);
  const std::vector<double> before = f.solution();
  const std::vector<unsigned char> wanted = {1, 0, 1, 0, 0};
  f.batch.set_wanted(wanted);
  Values<double> other(f.grid, 5);
  for (std::int64_t s = 0; s < 5; ++s) {
    for (std::int64_t e = 0; e < f.grid.entries(); ++e) other.of(s)[e] *= 4.0;
  }
  f.batch.refactorize(other.view());
  EXPECT_EQ(f.batch.report(0).factorizations, 2);
  EXPECT_EQ(f.batch.report(1).factorizations, 1);
  std::vector<double> x(f.b.size(), 7.0);
  f.batch.solve(f.right(), {x.data(), f.grid.n, 5});
  for (std::int64_t s = 0; s < 5; ++s) {
    const bool is_wanted = wanted[static_cast<std::size_t>(s)] != 0;
    EXPECT_EQ(f.batch.solve_statuses()[static_cast<std::size_t>(s)],
              is_wanted ? BatchStatus::success : BatchStatus::skipped);
    for (std::int64_t i = s * f.grid.n; i < (s + 1) * f.grid.n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (is_wanted) {
        ASSERT_EQ(x[at], 0.25 * before[at]) << "powers of four scale without rounding";
      } else {
        ASSERT_EQ(x[at], 7.0) << "written";
      }
    }
  }
  f.batch.set_wanted({});
  const std::vector<double> after = f.solution();
  EXPECT_TRUE(equal_bits(after.data() + f.grid.n, before.data() + f.grid.n, f.grid.n)) << "the factor of system 1 is kept";
  EXPECT_EQ(after[0], 0.25 * before[0]);
}

/// Then values need no address, and nothing changes.
TEST(BatchMask, MayLeaveOutAllSystems) {
  Factorized f(3);
  const std::vector<double> before = f.solution();
  f.batch.set_wanted(std::vector<unsigned char>(3, 0));
  f.batch.refactorize({nullptr, 0, 3});
  EXPECT_EQ(f.batch.failed(), 0);
  std::vector<double> x(f.b.size(), 7.0);
  f.batch.solve(f.right(), {x.data(), f.grid.n, 3});
  EXPECT_EQ(x, std::vector<double>(x.size(), 7.0));
  for (const BatchStatus status : f.batch.solve_statuses()) EXPECT_EQ(status, BatchStatus::skipped);
  f.batch.set_wanted({});
  EXPECT_EQ(f.solution(), before);
}

TEST(BatchMask, CountsWantedFailuresOnly) {
  Factorized f(3);
  f.values.of(1)[f.grid.diagonal(0)] = -1.0;
  f.batch.refactorize(f.values.view());
  EXPECT_EQ(f.batch.failed(), 1);
  f.batch.set_wanted(std::vector<unsigned char>{1, 0, 1});
  EXPECT_EQ(f.batch.failed(), 0);
  EXPECT_EQ(f.batch.statuses()[1], BatchStatus::not_positive_definite);
  EXPECT_THROW(f.batch.set_wanted(std::vector<unsigned char>{1, 0}), InvalidInput);
}

TEST(BatchStrides, ValuesByPointersNeedNoValuesForOtherSystems) {
  Factorized f(3);
  const std::vector<double> before = f.solution();
  const std::vector<const double*> pointers = {f.values.of(2), nullptr, f.values.of(0)};
  EXPECT_THROW(f.batch.refactorize(Span<const double* const>(pointers)), InvalidInput);
  EXPECT_EQ(f.batch.report(0).factorizations, 1) << "nothing was computed";
  f.batch.set_wanted(std::vector<unsigned char>{1, 0, 1});
  f.batch.refactorize(Span<const double* const>(pointers));
  std::vector<double> x(f.b.size());
  f.b.assign(f.b.size(), 1.0);
  f.batch.set_wanted({});
  f.batch.solve(f.right(), {x.data(), f.grid.n, 3});
  Factorized plain(3);
  plain.b = f.b;
  const std::vector<double> expected = plain.solution();
  EXPECT_TRUE(equal_bits(x.data(), expected.data() + 2 * f.grid.n, f.grid.n));
  EXPECT_TRUE(equal_bits(x.data() + f.grid.n, expected.data() + f.grid.n, f.grid.n));
  EXPECT_TRUE(equal_bits(x.data() + 2 * f.grid.n, expected.data(), f.grid.n));
}

/// The columns of the systems lie side by side, with a gap; b is the same for all systems.
TEST(BatchStrides, InterleavedColumnsAndASharedRightHandSide) {
  Factorized f(3);
  const std::int64_t n = f.grid.n;
  constexpr std::int64_t columns = 2;
  const std::int64_t stride = n + 1;
  const std::int64_t ld = 3 * stride;
  std::vector<double> x(static_cast<std::size_t>(columns * ld), 7.0);
  const std::vector<double> b = vectors<double>(n * columns, 9);
  f.batch.solve({b.data(), n, columns, n, 0, 3}, {x.data(), n, columns, ld, stride, 3});
  std::vector<double> repeated;
  for (int s = 0; s < 3; ++s) repeated.insert(repeated.end(), b.begin(), b.end());
  std::vector<double> expected(repeated.size());
  f.batch.solve({repeated.data(), n, columns, n, n * columns, 3}, {expected.data(), n, columns, n, n * columns, 3});
  for (std::int64_t s = 0; s < 3; ++s) {
    EXPECT_EQ(x[static_cast<std::size_t>(s * stride + n)], 7.0) << "the gap";
    EXPECT_TRUE(equal_bits(x.data() + s * stride, expected.data() + s * n * columns, n)) << s;
    EXPECT_TRUE(equal_bits(x.data() + ld + s * stride, expected.data() + (s * columns + 1) * n, n)) << s;
  }
}

TEST(BatchStrides, XMayBeB) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    const Grid<double> grid(form, 4);
    Values<double> values(grid, 3);
    BatchSolver<double> batch(options_for(form, 2));
    batch.analyze(grid.view(), 3);
    batch.refactorize(values.view());
    const std::vector<double> b = vectors<double>(grid.n * 3, 3);
    std::vector<double> x(b.size());
    batch.solve({b.data(), grid.n, 3}, {x.data(), grid.n, 3});
    std::vector<double> both = b;
    batch.solve({both.data(), grid.n, 3}, {both.data(), grid.n, 3});
    EXPECT_TRUE(equal_bits(both.data(), x.data(), grid.n * 3));
  }
}

TEST(BatchRightHandSide, ThatIsNotFiniteIsRefusedForItsSystemOnly) {
  for (const Form form : {Form::llt, Form::lu}) {
    for (const bool check : {true, false}) {
      const Grid<double> grid(form, 4);
      Values<double> values(grid, 3);
      Options options = options_for(form, 2);
      options.check_right_hand_sides = check;
      BatchSolver<double> batch(options);
      batch.analyze(grid.view(), 3);
      batch.refactorize(values.view());
      std::vector<double> b = vectors<double>(grid.n * 3, 3);
      b[static_cast<std::size_t>(grid.n + 2)] = std::numeric_limits<double>::infinity();
      std::vector<double> x(b.size(), 7.0);
      batch.solve({b.data(), grid.n, 3}, {x.data(), grid.n, 3});
      EXPECT_EQ(batch.solve_statuses()[0], BatchStatus::success);
      EXPECT_EQ(batch.solve_statuses()[2], BatchStatus::success);
      if (check) {
        EXPECT_EQ(batch.solve_statuses()[1], BatchStatus::non_finite_input);
        EXPECT_EQ(x[static_cast<std::size_t>(grid.n)], 7.0) << "written";
      } else if (form == Form::lu) {
        EXPECT_EQ(batch.solve_statuses()[1], BatchStatus::non_finite_input) << "verified";
      }
      EXPECT_EQ(batch.statuses()[1], BatchStatus::success) << "the factor is good";
    }
  }
}

TEST(BatchStates, CallsOutOfOrderAreRefused) {
  const Grid<double> grid(Form::llt, 3);
  const Values<double> values(grid, 2);
  BatchSolver<double> batch(options_for(Form::llt, 1));
  std::vector<double> x(static_cast<std::size_t>(2 * grid.n), 7.0);
  EXPECT_THROW(batch.refactorize(values.view()), InvalidState);
  EXPECT_THROW(batch.set_wanted({}), InvalidState);
  EXPECT_THROW(batch.solve({x.data(), grid.n, 2}, {x.data(), grid.n, 2}), InvalidState);
  EXPECT_EQ(batch.order(), 0);
  EXPECT_EQ(batch.count(), 0);
  EXPECT_TRUE(batch.statuses().empty());
  EXPECT_THROW(batch.report(0), InvalidInput);
  EXPECT_THROW(batch.solve_report(0), InvalidInput);
  batch.analyze(grid.view(), 2);
  EXPECT_THROW(batch.report(0), InvalidState);
  EXPECT_EQ(batch.failed(), 2);
  batch.solve({x.data(), grid.n, 2}, {x.data(), grid.n, 2});
  EXPECT_EQ(batch.solve_statuses()[0], BatchStatus::not_factorized);
  EXPECT_EQ(x[0], 7.0) << "written";
}

TEST(BatchStates, EmptyBatchesAndEmptyMatrices) {
  const Grid<double> grid(Form::llt, 3);
  BatchSolver<double> batch(options_for(Form::llt, 2));
  batch.analyze(grid.view(), 0);
  batch.refactorize({});
  batch.solve({nullptr, grid.n, 0, grid.n, 0, 0}, {nullptr, grid.n, 0, grid.n, 0, 0});
  EXPECT_EQ(batch.failed(), 0);
  MatrixView<double> empty;
  const std::int64_t zero = 0;
  empty.offsets = &zero;
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    BatchSolver<double> of_empty(options_for(form, 2));
    MatrixView<double> view = empty;
    view.part = form == Form::lu ? StoredPart::full : StoredPart::lower;
    of_empty.analyze(view, 3);
    of_empty.refactorize({nullptr, 0, 3});
    EXPECT_EQ(of_empty.failed(), 0);
    of_empty.solve({nullptr, 0, 3}, {nullptr, 0, 3});
    EXPECT_EQ(of_empty.solve_statuses()[2], BatchStatus::success);
  }
}

/// Every pivot is zero. Values need no address.
TEST(BatchStates, MatricesWithoutEntriesFail) {
  const std::vector<std::int64_t> offsets(4, 0);
  const std::vector<const double*> addresses(5, nullptr);
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    MatrixView<double> zero;
    zero.n = 3;
    zero.offsets = offsets.data();
    zero.part = form == Form::lu ? StoredPart::full : StoredPart::lower;
    BatchSolver<double> batch(options_for(form, 1));
    batch.analyze(zero, 5);
    batch.refactorize({nullptr, 0, 5});
    EXPECT_EQ(batch.failed(), 5);
    batch.refactorize(Span<const double* const>(addresses));
    EXPECT_EQ(batch.failed(), 5);
    EXPECT_EQ(batch.statuses()[4], form == Form::llt ? BatchStatus::not_positive_definite : BatchStatus::singular);
  }
}

TEST(BatchInput, WrongCountsAndStridesAreRefused) {
  Factorized f(2);
  const std::int64_t n = f.grid.n;
  std::vector<double> x(static_cast<std::size_t>(4 * n));
  const double* const values = f.values.all.data();
  const auto right = f.right();
  EXPECT_THROW(f.batch.refactorize({values, f.values.stride, 1}), InvalidInput);
  EXPECT_THROW(f.batch.refactorize({values, f.grid.entries() - 1, 2}), InvalidInput);
  EXPECT_THROW(f.batch.refactorize({values, std::numeric_limits<std::int64_t>::max(), 2}), InvalidInput);
  EXPECT_THROW(f.batch.refactorize({nullptr, f.values.stride, 2}), InvalidInput);
  BatchValues<double> on_device = f.values.view();
  on_device.space = MemorySpace::device;
  EXPECT_THROW(f.batch.refactorize(on_device), InvalidInput);
  EXPECT_THROW(f.batch.solve(right, {x.data(), n - 1, 2}), InvalidInput);
  EXPECT_THROW(f.batch.solve(right, {x.data(), n, 3}), InvalidInput);
  EXPECT_THROW(f.batch.solve(right, {x.data(), n, 2, n, 2 * n, 2}), InvalidInput) << "columns of b and x";
  EXPECT_THROW(f.batch.solve(right, {x.data(), n, 1, n, n - 1, 2}), InvalidInput) << "overlapping solutions";
  EXPECT_THROW(f.batch.solve(right, {x.data(), n, 1, n, -n, 2}), InvalidInput);
  EXPECT_THROW(f.batch.solve(right, {x.data(), n, 1, n, std::numeric_limits<std::int64_t>::max() / 2, 2}), InvalidInput);
  EXPECT_THROW(f.batch.solve(right, {nullptr, n, 2}), InvalidInput);
  EXPECT_THROW(f.batch.solve({x.data(), n, 1, n, 0, 2}, {x.data(), n, 2}), InvalidInput) << "one b for all that is also x";
  BatchView<double> x_on_device(x.data(), n, 2);
  x_on_device.space = MemorySpace::device;
  EXPECT_THROW(f.batch.solve(right, x_on_device), InvalidInput);
  EXPECT_THROW(f.batch.solve(right, {x.data(), n, 2}, static_cast<System>(99)), InvalidInput);
  EXPECT_THROW(f.batch.report(2), InvalidInput);
  EXPECT_THROW(f.batch.report(-1), InvalidInput);
  EXPECT_THROW(f.batch.solve_report(2), InvalidInput);
  EXPECT_THROW(f.batch.reserve_right_hand_sides(0), InvalidInput);
  EXPECT_EQ(f.batch.failed(), 0) << "the factors are as they were";
}

TEST(BatchInput, PartsOfASolveAreThoseOfTheForm) {
  Factorized f(2);
  std::vector<double> x(f.b.size());
  f.batch.solve(f.right(), {x.data(), f.grid.n, 2}, System::forward);
  f.batch.solve({x.data(), f.grid.n, 2}, {x.data(), f.grid.n, 2}, System::backward);
  const std::vector<double> expected = f.solution();
  EXPECT_TRUE(equal_bits(x.data(), expected.data(), 2 * f.grid.n));
  const Grid<double> grid(Form::lu, 3);
  BatchSolver<double> lu(options_for(Form::lu, 1));
  lu.analyze(grid.view(), 1);
  EXPECT_THROW(lu.solve({x.data(), grid.n, 1}, {x.data(), grid.n, 1}, System::forward), InvalidInput);
}

TEST(BatchInput, OptionsThatBatchesLackAreRefused) {
  const Grid<double> grid(Form::llt, 3);
  BatchSolver<double> batch;
  Options options;
  options.trace = true;
  EXPECT_THROW(batch.set_options(options), InvalidInput);
  options.trace = false;
  options.factor_progress = [](const Progress&) { return true; };
  EXPECT_THROW(batch.set_options(options), InvalidInput);
  options.factor_progress = nullptr;
  options.threads = -1;
  EXPECT_THROW(batch.set_options(options), InvalidInput);
  options.threads = 1;
  options.backend = Backend::automatic;
  batch.set_options(options);
  batch.analyze(grid.view(), 1);
  EXPECT_EQ(batch.analyze_report().backend, Backend::host) << "a small batch";
  options.backend = Backend::cuda;
  BatchSolver<std::complex<double>> complex(options);
  EXPECT_THROW(complex.analyze(Grid<std::complex<double>>(Form::llt, 3).view(), 1), BackendUnavailable);
  options = options_for(Form::llt, 1);
  options.symmetry = Symmetry::symmetric;
  BatchSolver<std::complex<double>> symmetric(options);
  EXPECT_THROW(symmetric.analyze(Grid<std::complex<double>>(Form::llt, 3).view(), 1), InvalidInput);
}

TEST(BatchInput, DiagonalsMustBeRealBeforeAnythingIsComputed) {
  using T = std::complex<double>;
  const Grid<T> grid(Form::llt, 3);
  Values<T> values(grid, 3);
  BatchSolver<T> batch(options_for(Form::llt, 2));
  batch.analyze(grid.view(), 3);
  values.of(2)[grid.diagonal(4)] = T(5.0, 1.0);
  EXPECT_THROW(batch.refactorize(values.view()), InvalidInput);
  EXPECT_EQ(batch.statuses()[0], BatchStatus::not_factorized);
  batch.set_wanted(std::vector<unsigned char>{1, 1, 0});
  batch.refactorize(values.view());
  EXPECT_EQ(batch.failed(), 0);
}

TEST(BatchStates, AnotherAnalysisReplacesEverything) {
  Factorized f(4);
  const Grid<double> larger(Form::llt, 5);
  Values<double> values(larger, 2);
  EXPECT_THROW(f.batch.analyze(larger.view(), -1), InvalidInput);
  EXPECT_THROW(f.batch.analyze(larger.view(), std::int64_t{1} << 31), InvalidInput);
  EXPECT_EQ(f.batch.count(), 4);
  EXPECT_EQ(f.batch.failed(), 0);
  f.batch.analyze(larger.view(), 2);
  EXPECT_EQ(f.batch.order(), larger.n);
  EXPECT_EQ(f.batch.failed(), 2);
  f.batch.refactorize(values.view());
  BatchSolver<double> moved = std::move(f.batch);
  EXPECT_EQ(moved.failed(), 0);
  EXPECT_EQ(moved.count(), 2);
}

}  // namespace
}  // namespace gpusupernodal::test::batch
