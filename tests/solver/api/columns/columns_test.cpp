/// LU by columns against LU by supernodes: block triangular forms, complex matrices, repeated factorizations.

#include <complex>

#include "gpusupernodal/batch.hpp"
#include "solver/plan/factor_plan.hpp"
#include "tests/solver/api/lu_problems.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

Options with_schedule(LuSchedule schedule) {
  Options options = lu_options();
  options.lu_schedule = schedule;
  options.backend = Backend::host;
  return options;
}

TEST(LuColumns, AgreesWithSupernodesOnRandomMatrices) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto n = static_cast<std::int64_t>(5 + 11 * seed);
    GeneralEntries a = random_entries(n, 2, seed % 2 == 0 ? 3.0 : 0.0, seed);
    for (std::int64_t i = 0; i < n; ++i) a(i, (3 * i + 1) % n) += 2.0;
    const StoredGeneral<double> stored = store_general<double>(a);
    Solver<double> columns(with_schedule(LuSchedule::columns)), supernodes(with_schedule(LuSchedule::supernodes));
    columns.compute(stored.view());
    supernodes.compute(stored.view());
    ASSERT_EQ(columns.status(), supernodes.status()) << seed;
    EXPECT_EQ(columns.analyze_report().lu_schedule, LuSchedule::columns);
    EXPECT_EQ(supernodes.analyze_report().lu_schedule, LuSchedule::supernodes);
    if (columns.status() != Status::success) continue;
    expect_solves(columns, a, "seed " + std::to_string(seed));
    if (columns.factor_report().perturbed_pivots > 0 || supernodes.factor_report().perturbed_pivots > 0) continue;
    EXPECT_EQ(columns.determinant_sign(), supernodes.determinant_sign()) << seed;
    EXPECT_NEAR(columns.log_determinant(), supernodes.log_determinant(), log_determinant_bound(n)) << seed;
  }
}

/// Triangular matrices of blocks: entries above the blocks enter solves, but cause no fill.
TEST(LuColumns, EntriesAboveTheDiagonalBlocksEnterTheSolve) {
  constexpr std::int64_t blocks = 12, width = 9;
  GeneralEntries a{blocks * width, {}};
  for (std::int64_t k = 0; k < blocks; ++k) {
    for (std::int64_t i = 0; i < width; ++i) {
      a(k * width + i, k * width + i) = 5.0;
      a(k * width + i, k * width + (i + 1) % width) = 1.5;
      if (k + 1 < blocks) a(k * width + i, (k + 1) * width + (3 * i) % width) = -2.0;
      if (k + 4 < blocks) a(k * width + i, (k + 4) * width) = 0.5;
    }
  }
  Solver<double> solver(with_schedule(LuSchedule::columns));
  const StoredGeneral<double> stored = store_general<double>(a);
  solver.compute(stored.view());
  EXPECT_EQ(solver.plan()->structure().columns->block_ends.size(), static_cast<std::size_t>(blocks));
  expect_solves(solver, a, "blocks");
  Options natural = with_schedule(LuSchedule::columns);
  natural.ordering = Ordering::natural;
  Solver<double> in_order(natural);
  in_order.compute(stored.view());
  EXPECT_EQ(in_order.plan()->structure().columns->block_ends.size(), 1U) << "a prescribed order has no blocks";
  expect_solves(in_order, a, "natural order");
}

/// A singular block leaves a row over for another block.
TEST(LuColumns, SingularBlocksDoNotMixRowsOfBlocks) {
  GeneralEntries a{6, {}};
  for (std::int64_t i = 0; i < 6; ++i) a(i, i) = 2.0;
  a(0, 1) = a(1, 0) = a(0, 0) = a(1, 1) = 1.0;  // Singular.
  a(1, 4) = 3.0;
  Solver<double> solver(with_schedule(LuSchedule::columns));
  solver.compute(store_general<double>(a).view());
  EXPECT_EQ(solver.status(), Status::singular);
}

template <class T>
class LuColumnsComplex : public ::testing::Test {};
using ComplexScalars = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LuColumnsComplex, ComplexScalars);

TYPED_TEST(LuColumnsComplex, SolvesWithTheMatrixItsTransposeAndItsAdjoint) {
  using Real = typename TypeParam::value_type;
  GeneralEntries a = random_entries(160, 2, 0.0, 3);
  for (std::int64_t i = 0; i < a.n; ++i) a(i, (i + 2) % a.n) += 3.0;
  StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  for (std::size_t e = 0; e < stored.values.size(); ++e) stored.values[e] *= std::polar(Real(1), static_cast<Real>(e % 7));
  Solver<TypeParam> solver(with_schedule(LuSchedule::columns));
  solver.compute(stored.view());
  ASSERT_EQ(solver.status(), Status::success);
  std::vector<TypeParam> b(static_cast<std::size_t>(a.n), TypeParam(1, Real(0.5))), x(b.size());
  for (const System part : {System::a, System::transposed, System::adjoint}) {
    solver.solve(DenseView<const TypeParam>(b.data(), a.n), DenseView<TypeParam>(x.data(), a.n), part);
    std::vector<std::complex<double>> r(b.begin(), b.end());
    double largest = 0.0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      for (std::int64_t e = stored.offsets[j]; e < stored.offsets[j + 1]; ++e) {
        const auto i = static_cast<std::size_t>(stored.indices[static_cast<std::size_t>(e)]);
        const std::complex<double> value(stored.values[static_cast<std::size_t>(e)]);
        if (part == System::a) r[i] -= value * std::complex<double>(x[j]);
        if (part == System::transposed) r[j] -= value * std::complex<double>(x[i]);
        if (part == System::adjoint) r[j] -= std::conj(value) * std::complex<double>(x[i]);
      }
    }
    for (const auto& entry : r) largest = std::max(largest, std::abs(entry));
    EXPECT_LE(largest, 100.0 * bound<Real>(a.n)) << static_cast<int>(part);
  }
}

/// Values for which the first rows are bad pivots: the first factorization is repeated with these values.
TEST(LuColumns, ExchangesRowsAgainForOtherValues) {
  GeneralEntries first{30, {}}, second{30, {}};
  for (std::int64_t i = 0; i < 30; ++i) {
    for (const std::int64_t j : {i, (i + 1) % 30, (i + 7) % 30}) first(i, j) = second(i, j) = 1.0;
    first(i, i) = second(i, (i + 1) % 30) = 4.0;
    second(i, i) = 0.0;
    first(i, (i + 1) % 30) = 0.0;
  }
  Solver<double> solver(with_schedule(LuSchedule::columns));
  solver.compute(store_general<double>(first).view());
  expect_solves(solver, first, "first");
  EXPECT_EQ(solver.factor_report().repivoted, 0);
  solver.refactorize(store_general<double>(second).values);
  expect_solves(solver, second, "second");
  EXPECT_GE(solver.factor_report().repivoted, 1);
  EXPECT_EQ(solver.analyze_report().lu_schedule, LuSchedule::columns);
  solver.refactorize(store_general<double>(first).values);
  expect_solves(solver, first, "first again");
}

/// Three diagonal blocks as above, with entries above them: they stay when the first factorization is repeated.
TEST(LuColumns, DiagonalBlocksStayWhereRowsAreExchangedAgain) {
  GeneralEntries first{90, {}}, second{90, {}};
  for (std::int64_t block = 0; block < 90; block += 30) {
    for (std::int64_t i = 0; i < 30; ++i) {
      const std::int64_t row = block + i, next = block + (i + 1) % 30, far = block + (i + 7) % 30;
      first(row, row) = second(row, next) = 4.0;
      first(row, next) = second(row, row) = 0.0;
      first(row, far) = second(row, far) = 1.0;
      if (block < 60) first(row, block + 30 + 5 * i % 30) = second(row, block + 30 + 5 * i % 30) = 0.25;
    }
  }
  Solver<double> solver(with_schedule(LuSchedule::columns));
  const auto blocks = [&] { return solver.plan()->structure().columns->block_ends.size(); };
  solver.compute(store_general<double>(first).view());
  expect_solves(solver, first, "first");
  EXPECT_EQ(blocks(), 3U);
  solver.refactorize(store_general<double>(second).values);
  expect_solves(solver, second, "second");
  EXPECT_GE(solver.factor_report().repivoted, 1);
  EXPECT_EQ(blocks(), 3U);
}

TEST(LuColumns, BatchesTakeThem) {
  const GeneralEntries a = random_entries(50, 2, 4.0, 9);
  const StoredGeneral<double> stored = store_general<double>(a);
  BatchSolver<double> batch(with_schedule(LuSchedule::columns));
  batch.analyze(stored.view(), 3);
  std::vector<double> values, b = vector_of<double>(a.n * 3, 2), x(b.size());
  for (int k = 1; k <= 3; ++k) {
    for (const double value : stored.values) values.push_back(value * k);
  }
  batch.refactorize({values.data(), static_cast<std::int64_t>(stored.values.size()), 3});
  batch.solve({b.data(), a.n, 3}, {x.data(), a.n, 3});
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(batch.statuses()[static_cast<std::size_t>(k)], BatchStatus::success);
    GeneralEntries scaled = a;
    for (auto& [place, value] : scaled.entries) value *= k + 1;
    const auto part = [&](const std::vector<double>& v) {
      return std::vector<double>(v.begin() + k * a.n, v.begin() + (k + 1) * a.n);
    };
    EXPECT_LE(general_backward_error(scaled, part(x), part(b)), bound<double>(a.n)) << k;
  }
}

TEST(LuColumns, EmptyAndSingleMatrices) {
  Solver<double> solver(with_schedule(LuSchedule::columns));
  const GeneralEntries none{0, {}};
  solver.compute(store_general<double>(none).view());
  EXPECT_EQ(solver.status(), Status::success);
  GeneralEntries one{1, {}};
  one(0, 0) = -2.0;
  solver.compute(store_general<double>(one).view());
  EXPECT_EQ(solve(solver, std::vector<double>{3.0}), std::vector<double>{-1.5});
  EXPECT_EQ(solver.determinant_sign(), -1.0);
}

/// FactorReport::growth of LU without exchanges and scaling, by dense elimination.
double growth_of(const GeneralEntries& a) {
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<double> lu(n * n, 0.0);
  double largest = 0.0;
  for (const auto& [place, value] : a.entries) {
    largest = std::max(largest, std::abs(value));
    lu[static_cast<std::size_t>(place.first) * n + static_cast<std::size_t>(place.second)] = value;
  }
  double growth = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    double of_l = 1.0, of_u = 0.0;
    for (std::size_t j = k; j < n; ++j) of_u = std::max(of_u, std::abs(lu[k * n + j]));
    for (std::size_t i = k + 1; i < n; ++i) {
      lu[i * n + k] /= lu[k * n + k];
      of_l = std::max(of_l, std::abs(lu[i * n + k]));
      for (std::size_t j = k + 1; j < n; ++j) lu[i * n + j] -= lu[i * n + k] * lu[k * n + j];
    }
    growth = std::max(growth, of_l * of_u);
  }
  return growth / largest;
}

/// The largest entry of each row and column is near 1, so nothing is scaled. Some pivots are small, so that products grow.
TEST(LuColumns, GrowthIsTheLargestProductOfAColumnOfLWithItsRowOfU) {
  for (const std::int64_t n : {1, 3, 40, 160}) {  // The largest has a dense tail.
    GeneralEntries a{n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
      a(i, i) = i % 7 == 3 ? 0.125 : 1.0;
      if (i % 7 == 3) a(i, (i + 1) % n) = a((i + 1) % n, i) = 1.0;
      if (n > 30) a(i, (3 * i + 5) % n) += 0.0625;
      if (n > 30) a((5 * i + 2) % n, i) += 0.03125;
    }
    Options options = lu_options(2);
    options.lu_schedule = LuSchedule::columns;
    options.ordering = Ordering::natural;
    options.matching = MatchingRule::none;
    Solver<double> solver(options);
    solver.compute(store_general<double>(a).view());
    ASSERT_EQ(solver.status(), Status::success);
    const double expected = growth_of(a);
    EXPECT_NEAR(solver.factor_report().growth, expected, bound<double>(n) * expected) << n;
  }
}

/// The kernels round the last rows of a product in other ways than the rows of whole tiles; threads must not change which
/// these are.
TEST(LuColumns, TailsOfEverySizeHaveTheSameBitsOnAnyNumberOfThreads) {
  allow_threads(5);
  for (std::int64_t n = 80; n <= 120; ++n) {
    GeneralEntries a{n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) a(i, j) = i == j ? 40.0 : std::cos(static_cast<double>(i * n + 3 * j));
    }
    const StoredGeneral<double> stored = store_general<double>(a);
    const std::vector<double> b = vector_of<double>(n, 4);
    std::vector<double> first;
    for (const int threads : {1, 2, 3, 5}) {
      Options options = lu_options(threads);
      options.lu_schedule = LuSchedule::columns;
      Solver<double> solver(options);
      solver.compute(stored.view());
      EXPECT_EQ(solver.analyze_report().largest_width, n) << "everything is tail";
      const std::vector<double> x = solve(solver, b);
      if (threads == 1) first = x;
      EXPECT_EQ(x, first) << n << " on " << threads;
    }
  }
}

/// A verified solve must not use the norm of earlier values.
TEST(LuColumns, BackwardErrorsBelongToTheValuesOfTheFactorization) {
  const GeneralEntries a = convection(4, 0.3);
  StoredGeneral<double> stored = store_general<double>(a);
  Options options = lu_options(1);
  options.lu_schedule = LuSchedule::columns;
  Solver<double> solver(options), fresh(options);
  solver.compute(stored.view());
  const std::vector<double> b = vector_of<double>(a.n, 4);
  for (const double factor : {1.0, 0x1p20, 0x1p-20, 1.0}) {
    StoredGeneral<double> other = stored;
    for (double& value : other.values) value *= factor;
    solver.refactorize(other.values);
    fresh.compute(other.view());
    for (const System part : {System::a, System::transposed}) {
      EXPECT_EQ(solve(solver, b, part), solve(fresh, b, part)) << factor;
      EXPECT_EQ(solver.solve_report().backward_error, fresh.solve_report().backward_error) << factor;
    }
  }
}

/// A factorization that the caller breaks off leaves nothing behind in the dense row of a thread.
TEST(LuColumns, AFactorizationAfterOneThatWasBrokenOffIsAsAnyOther) {
  const GeneralEntries a = convection(9, 0.3);
  const StoredGeneral<double> stored = store_general<double>(a);
  Options options = lu_options(2);
  options.lu_schedule = LuSchedule::columns;
  Solver<double> solver(options);
  solver.compute(stored.view());
  const std::vector<double> b = vector_of<double>(a.n, 4);
  const std::vector<double> x = solve(solver, b);
  for (const int allowed : {0, 1, 3}) {
    int calls = 0;
    options.factor_progress = [&](const Progress&) { return calls++ < allowed; };
    solver.set_options(options);
    EXPECT_THROW(solver.refactorize(stored.values), Cancelled) << allowed;
    options.factor_progress = nullptr;
    solver.set_options(options);
    solver.refactorize(stored.values);
    EXPECT_EQ(solve(solver, b), x) << allowed;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
