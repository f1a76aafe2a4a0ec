/// LDLᵀ of symmetric indefinite matrices: accuracy in every storage, inertia, refactorization, memory, options and errors.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/ldlt_problems.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test::symmetric {
namespace {

template <class T>
class Ldlt : public ::testing::Test {};
using LdltScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Ldlt, LdltScalars);

void expect_inertia(const FactorReport& report, std::int64_t positive, std::int64_t negative, const std::string& what) {
  EXPECT_EQ(report.inertia.positive, positive) << what;
  EXPECT_EQ(report.inertia.negative, negative) << what;
  EXPECT_EQ(report.inertia.zero, 0) << what;
}

TYPED_TEST(Ldlt, SolvesRandomMatricesInEveryStorage) {
  for (const std::int64_t n : {1, 2, 3, 10, 57, 300}) {
    GeneralEntries a{n, {}};
    for (const auto& [place, value] : random_entries(n, 3, 2.0, static_cast<std::uint64_t>(n)).entries) {
      const double sign = place.first == place.second && place.first % 3 == 0 ? -1.0 : 1.0;
      put(a, place.first, place.second, sign * value);
    }
    for (const StoredPart part : {StoredPart::lower, StoredPart::upper, StoredPart::full}) {
      const StoredGeneral<TypeParam> stored = store_part<TypeParam>(a, part);
      Solver<TypeParam> solver(ldlt_options());
      solver.compute(view_of(stored, part));
      EXPECT_EQ(solver.factor_report().form, Form::ldlt);
      expect_accurate(solver, a, "n = " + std::to_string(n));
    }
  }
}

/// The eigenvalues of the grid are known, and so is the inertia of a shifted one: by a shift in the values, and by
/// set_shift.
TYPED_TEST(Ldlt, InertiaOfShiftedGridsCountsEigenvalues) {
  allow_threads(4);
  constexpr std::int64_t n = 12;
  for (const double shift : {0.5, 2.0, 3.3, 6.1, 9.0, 11.9}) {
    const std::int64_t below = eigenvalues_below(n, shift);
    for (const std::int32_t block_width : {0, 32}) {
      Options options = ldlt_options(4);
      options.block_width = block_width;
      Solver<TypeParam> solver(options);
      const GeneralEntries a = laplacian(n, shift);
      compute(solver, a);
      const std::string what = "shift " + std::to_string(shift);
      expect_accurate(solver, a, what);
      expect_inertia(solver.factor_report(), n * n * n - below, below, what);
      Solver<TypeParam> shifted(options);
      shifted.set_shift(-shift);
      compute(shifted, laplacian(n, 0.0));
      expect_accurate(shifted, a, what + " by set_shift");
      expect_inertia(shifted.factor_report(), n * n * n - below, below, what + " by set_shift");
    }
  }
}

TEST(LdltInertia, IsExactForAPositiveDefiniteMatrixAndEqualToCholesky) {
  const GeneralEntries a = laplacian(10, 0.0);
  Solver<double> solver(ldlt_options());
  compute(solver, a);
  ASSERT_EQ(solver.status(), Status::success);
  const FactorReport report = solver.factor_report();
  expect_inertia(report, 1000, 0, "Laplacian");
  EXPECT_TRUE(report.inertia_exact);
  EXPECT_EQ(report.perturbed_pivots, 0);
  Solver<double> cholesky{Options{}};
  compute(cholesky, a);
  const double logarithm = cholesky.log_determinant();
  const double rounding = static_cast<double>(a.n) * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(solver.log_determinant(), logarithm, rounding * std::abs(logarithm));
  EXPECT_EQ(solver.analyze_report().stored_l, cholesky.analyze_report().stored_l) << "the plan is that of Cholesky";
}

/// A dense matrix is one supernode of several block columns, with pivots of order 1 and 2 in all of them.
TYPED_TEST(Ldlt, SolvesDenseIndefiniteMatricesWiderThanABlockColumn) {
  allow_threads(4);
  constexpr std::int64_t n = 530;
  GeneralEntries a{n, {}};
  const std::vector<double> values = random_vector(n * n, 3);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) put(a, i, j, i == j ? 0.0 : values[static_cast<std::size_t>(i + j * n)]);
  }
  std::vector<TypeParam> first;
  for (const int threads : {1, 4}) {
    Solver<TypeParam> solver(ldlt_on_host(threads));
    compute(solver, a);
    expect_accurate(solver, a, "dense");
    const std::vector<TypeParam> x = solved(solver, right_hand_sides<TypeParam>(n, 2));
    if (first.empty()) first = x;
    EXPECT_EQ(x, first) << "the bits depend on the number of threads";
  }
}

/// One supernode whose matrix has no 1×1 pivot at first: [0 I; I 0] scaled by very different numbers.
TEST(LdltPivots, ArePairsWhereTheDiagonalIsZero) {
  for (const std::int64_t pairs : {1, 2, 20, 150}) {
    GeneralEntries a{2 * pairs, {}};
    for (std::int64_t i = 0; i < 2 * pairs; ++i) {
      for (std::int64_t j = 0; j < i; ++j) put(a, i, j, i == j + pairs ? 4.0 : 1e-3 * std::cos(static_cast<double>(i * j)));
      a(i, i) = 0.0;
    }
    Solver<double> solver(ldlt_on_host());
    compute(solver, a);
    expect_accurate(solver, a, "pairs");
    const FactorReport report = solver.factor_report();
    expect_inertia(report, pairs, pairs, "pairs");
    EXPECT_TRUE(report.inertia_exact) << pairs;
    EXPECT_EQ(report.perturbed_pivots, 0);
    const PivotBlocks<double> d = solver.extract_d();
    EXPECT_GT(std::count_if(d.beside.begin(), d.beside.end(), [](double entry) { return entry != 0.0; }), 0);
  }
}

/// Zero pivots are met early and replaced where constraints are few; where they are many, eliminating them last makes all
/// blocks definite.
TYPED_TEST(Ldlt, SolvesSaddlePointSystems) {
  for (const std::int64_t constraints : {1, 5, 40, 200}) {
    const GeneralEntries a = saddle(500, constraints, static_cast<std::uint64_t>(constraints));
    for (const bool last : {false, true}) {
      Options options = ldlt_options();
      if (last) options.last_rows.resize(1);
      for (std::int64_t c = 0; last && c < constraints; ++c) options.last_rows[0].push_back(500 + c);
      Solver<TypeParam> solver(options);
      compute(solver, a);
      expect_accurate(solver, a, "saddle");
      expect_inertia(solver.factor_report(), 500, constraints, "saddle");
      if (!last) continue;
      EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
      EXPECT_TRUE(solver.factor_report().inertia_exact);
    }
  }
}

TYPED_TEST(Ldlt, RefactorizesWithNewValues) {
  const StoredPart part = StoredPart::lower;
  GeneralEntries a = laplacian(6, 0.0);
  StoredGeneral<TypeParam> stored = store_part<TypeParam>(a, part);
  Solver<TypeParam> solver(ldlt_options());
  solver.compute(view_of(stored, part));
  for (const double shift : {2.0, 0.0, 8.5, 1.5}) {
    a = laplacian(6, shift);
    stored = store_part<TypeParam>(a, part);
    solver.refactorize(stored.values);
    expect_accurate(solver, a, "shift");
    expect_inertia(solver.factor_report(), 216 - eigenvalues_below(6, shift), eigenvalues_below(6, shift), "shift");
  }
  EXPECT_EQ(solver.factor_report().factorizations, 5);
}

TYPED_TEST(Ldlt, SolvesSeveralRightHandSides) {
  const GeneralEntries a = saddle(300, 60, 3);
  Solver<TypeParam> solver(ldlt_options());
  compute(solver, a);
  const std::vector<TypeParam> b = right_hand_sides<TypeParam>(a.n * 70, 8);
  const std::vector<TypeParam> x = solved(solver, b);
  for (std::int64_t c = 0; c < 70; ++c) {
    const auto column = [&](const std::vector<TypeParam>& v) {
      return std::vector<TypeParam>(v.begin() + c * a.n, v.begin() + (c + 1) * a.n);
    };
    ASSERT_LE(general_backward_error(a, column(x), column(b)), bound<TypeParam>(a.n)) << c;
  }
}

TYPED_TEST(Ldlt, GivesTheSameBitsOnAnyNumberOfThreads) {
  allow_threads(4);
  const GeneralEntries a = laplacian(13, 4.1);
  std::vector<TypeParam> first;
  for (const int threads : {1, 2, 4}) {
    Solver<TypeParam> solver(ldlt_on_host(threads));
    compute(solver, a);
    const std::vector<TypeParam> x = solved(solver, right_hand_sides<TypeParam>(a.n, 2));
    if (first.empty()) first = x;
    EXPECT_EQ(x, first) << threads;
  }
}

TYPED_TEST(Ldlt, TakesTheMemoryThatWasAnnouncedAndNoneAfterwards) {
  const StoredPart part = StoredPart::upper;
  StoredGeneral<TypeParam> stored = store_part<TypeParam>(laplacian(7, 1.0), part);
  const auto memory = std::make_shared<CountingAllocator>();
  Options options = ldlt_on_host();
  options.host_allocator = memory;
  Solver<TypeParam> solver(options);
  solver.analyze(view_of(stored, part));
  const MemoryEstimate& announced = solver.analyze_report().memory;
  EXPECT_EQ(memory->bytes(), announced.factor + announced.workspace);
  EXPECT_EQ(Solver<TypeParam>::preview(view_of(stored, part), options).report.memory.total(), announced.total());
  const std::int64_t requests = memory->requests();
  solver.factorize(view_of(stored, part));
  solver.status();
  solved(solver, right_hand_sides<TypeParam>(stored.n, 2));
  for (auto& value : stored.values) value = TypeParam(0);  // All pivots are replaced, and the probe runs.
  solver.refactorize(stored.values);
  EXPECT_EQ(solver.status(), Status::singular);
  EXPECT_EQ(memory->requests(), requests);
}

TEST(LdltDeterminant, IsThatOfAClosedForm) {
  GeneralEntries a{4, {}};  // det = (0·1 − 2²)·(3·(−5) − 1²) = 64.
  put(a, 0, 0, 0.0);
  put(a, 0, 1, 2.0);
  put(a, 1, 1, 1.0);
  put(a, 2, 2, 3.0);
  put(a, 2, 3, 1.0);
  put(a, 3, 3, -5.0);
  Solver<double> solver(ldlt_on_host());
  compute(solver, a);
  const double rounding = 8.0 * static_cast<double>(a.n) * std::numeric_limits<double>::epsilon();  // Relative; c·n·eps.
  EXPECT_NEAR(solver.log_determinant(), std::log(64.0), rounding);
  const PivotBlocks<double> d = solver.extract_d();
  double product = 1.0;
  for (std::size_t k = 0; k < 4; ++k) {
    if (d.beside[k] == 0.0) {
      product *= d.diagonal[k];
    } else {
      product *= d.diagonal[k] * d.diagonal[k + 1] - d.beside[k] * d.beside[k];
      ++k;
    }
  }
  EXPECT_NEAR(product, 64.0, 64.0 * rounding);
}

TEST(LdltOptions, SayClearlyWhatTheFormDoesNotTake) {
  const GeneralEntries a = laplacian(3, 1.0);
  Options options = ldlt_options();
  options.backend = Backend::cuda;
  options.deterministic = true;
  Solver<double> on_device(options);
  try {
    compute(on_device, a);
    ADD_FAILURE() << "CUDA was taken";
  } catch (const BackendUnavailable& error) {
    EXPECT_NE(std::string(error.what()).find("LDLT with equal bits"), std::string::npos) << error.what();
  }
  Solver<double> solver(ldlt_options());
  compute(solver, a);
  EXPECT_THROW(solver.extract_l(), InvalidInput);
  std::vector<double> x(27);
  EXPECT_THROW(solver.solve({x.data(), 27}, {x.data(), 27}, System::forward), InvalidInput);
  Solver<double> cholesky{Options{}};
  compute(cholesky, laplacian(3, 0.0));
  EXPECT_THROW(cholesky.extract_d(), InvalidInput);
}

/// A plan of Cholesky serves LDLᵀ, so a program can try one after the other.
TEST(LdltPlans, AreThoseOfCholesky) {
  const GeneralEntries a = laplacian(6, 3.0);
  const StoredGeneral<double> stored = store_part<double>(a, StoredPart::lower);
  Options options;
  options.backend = Backend::host;
  Solver<double> cholesky(options);
  cholesky.compute(view_of(stored, StoredPart::lower));
  ASSERT_EQ(cholesky.status(), Status::not_positive_definite);
  Solver<double> solver(ldlt_options());
  solver.analyze(view_of(stored, StoredPart::lower), cholesky.plan());
  solver.refactorize(stored.values);
  expect_accurate(solver, a, "plan of Cholesky");
}

/// A verified solve uses the norm of what was factorized last, and the same sums with a shift and without.
TYPED_TEST(Ldlt, BackwardErrorsBelongToTheValuesAndTheShiftOfTheFactorization) {
  const GeneralEntries a = laplacian(12, 1.3);
  const StoredGeneral<TypeParam> stored = store_part<TypeParam>(a, StoredPart::lower);
  const std::vector<TypeParam> b = right_hand_sides<TypeParam>(a.n, 3);
  Solver<TypeParam> solver(ldlt_on_host());
  solver.compute(view_of(stored, StoredPart::lower));
  for (const double factor : {1.0, 0x1p20, 0x1p-20, 1.0}) {
    StoredGeneral<TypeParam> other = stored;
    for (TypeParam& value : other.values) value *= static_cast<TypeParam>(factor);
    for (const double shift : {0.0, 0.125 * factor}) {
      solver.set_shift(shift);
      solver.refactorize(other.values);
      Solver<TypeParam> fresh(ldlt_on_host());
      fresh.set_shift(shift);
      fresh.compute(view_of(other, StoredPart::lower));
      EXPECT_EQ(solved(solver, b), solved(fresh, b)) << factor << ", " << shift;
      EXPECT_EQ(solver.solve_report().backward_error, fresh.solve_report().backward_error) << factor << ", " << shift;
      GeneralEntries shifted = a;
      for (auto& [place, value] : shifted.entries) value = value * factor + (place.first == place.second ? shift : 0.0);
      EXPECT_LE(general_backward_error(shifted, solved(solver, b), b), bound<TypeParam>(a.n)) << factor << ", " << shift;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test::symmetric
