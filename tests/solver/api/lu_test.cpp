/// LU of general matrices: accuracy in every storage, refactorization, transposed solves, memory, options and errors.

#include <memory>
#include <string>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "tests/solver/api/lu_problems.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class Lu : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Lu, Scalars);

TYPED_TEST(Lu, SolvesRandomMatricesInEveryStorage) {
  for (const std::int64_t n : {1, 2, 3, 10, 57, 300}) {
    for (const Compression compression : {Compression::columns, Compression::rows}) {
      for (const int threads : {1, 2}) {
        const GeneralEntries a = random_entries(n, 3, 4.0, static_cast<std::uint64_t>(n));
        const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a, compression);
        Solver<TypeParam> solver(lu_options(threads));
        solver.compute(stored.view());
        expect_solves(solver, a, "n = " + std::to_string(n));
      }
    }
  }
}

/// A dense matrix is one supernode of several block columns, and its factorization uses the tasks of the graph.
TYPED_TEST(Lu, SolvesDenseMatricesWiderThanABlockColumn) {
  allow_threads(4);
  constexpr std::int64_t n = 530;
  GeneralEntries a{n, {}};
  const std::vector<double> values = random_vector(n * n, 3);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) a(i, j) = values[static_cast<std::size_t>(i + j * n)] + (i == j ? 40.0 : 0.0);
  }
  const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  for (const int threads : {1, 4}) {
    Solver<TypeParam> solver(lu_options(threads));
    solver.compute(stored.view());
    expect_solves(solver, a, "dense");
  }
}

TYPED_TEST(Lu, SolvesGridsWithSupernodesOfAllWidths) {
  allow_threads(4);
  const GeneralEntries a = convection(14, 0.75);
  const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a, Compression::rows);
  for (const std::int32_t block_width : {0, 32}) {
    for (const int threads : {1, 4}) {
      Options options = lu_options(threads);
      options.block_width = block_width;
      Solver<TypeParam> solver(options);
      solver.compute(stored.view());
      EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
      expect_solves(solver, a, "grid");
    }
  }
}

TYPED_TEST(Lu, RefactorizesWithNewValues) {
  GeneralEntries a = convection(6, 0.3);
  StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  Solver<TypeParam> solver(lu_options());
  solver.compute(stored.view());
  for (int step = 1; step <= 3; ++step) {
    std::size_t e = 0;
    for (auto& value : stored.values) value *= TypeParam(1) + TypeParam(0.05) * static_cast<TypeParam>((e++ * 7 + step) % 5);
    // store_general lists by columns what the map lists by rows, so the entries are read back by position.
    for (std::int64_t j = 0; j < stored.n; ++j) {
      for (auto k = stored.offsets[static_cast<std::size_t>(j)]; k < stored.offsets[static_cast<std::size_t>(j) + 1]; ++k)
        a(stored.indices[static_cast<std::size_t>(k)], j) = static_cast<double>(stored.values[static_cast<std::size_t>(k)]);
    }
    solver.refactorize(stored.values);
    expect_solves(solver, a, "step " + std::to_string(step));
  }
  EXPECT_EQ(solver.factor_report().factorizations, 4);
}

TYPED_TEST(Lu, SolvesSeveralRightHandSides) {
  const GeneralEntries a = random_entries(200, 4, 5.0, 11);
  const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  Solver<TypeParam> solver(lu_options());
  solver.compute(stored.view());
  for (const System part : {System::a, System::transposed}) {
    const std::vector<TypeParam> b = vector_of<TypeParam>(a.n * 70, 8);
    const std::vector<TypeParam> x = solve(solver, b, part);
    for (std::int64_t c = 0; c < 70; ++c) {
      const auto column = [&](const std::vector<TypeParam>& v) {
        return std::vector<TypeParam>(v.begin() + c * a.n, v.begin() + (c + 1) * a.n);
      };
      ASSERT_LE(general_backward_error(a, column(x), column(b), part == System::transposed), bound<TypeParam>(a.n)) << c;
    }
  }
}

/// Modified nodal analysis gives such matrices: the diagonal is zero, and only an exchange of rows makes pivots.
TEST(LuMatching, ExchangesRowsOfAZeroDiagonal) {
  for (const std::int64_t n : {2, 5, 40, 200}) {
    GeneralEntries a = random_entries(n, 2, 0.0, static_cast<std::uint64_t>(n) + 1);
    for (std::int64_t i = 0; i < n; ++i) a(i, (i + 1) % n) = 3.0;
    const StoredGeneral<double> stored = store_general<double>(a);
    Solver<double> solver(lu_options());
    solver.compute(stored.view());
    EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << n;
    expect_solves(solver, a, "zero diagonal, n = " + std::to_string(n));
  }
}

/// The rows of a matrix with a strong diagonal stay, so its fill is that of its own pattern.
TEST(LuMatching, IsMadeOnlyWhereTheDiagonalIsWeak) {
  if (always_exchanges_rows()) GTEST_SKIP() << "rows are exchanged";
  const auto stored_values = [](double corner, MatchingRule rule) {
    GeneralEntries a = convection(5, 0.2);
    a(7, 7) = corner;
    a(7, 8) = 5.0;
    Options options = lu_options();
    options.matching = rule;
    const StoredGeneral<double> stored = store_general<double>(a);
    Solver<double> solver(options);
    solver.compute(stored.view());
    expect_solves(solver, a, "corner");
    return solver.analyze_report().nonzeros_l;
  };
  EXPECT_EQ(stored_values(6.0, MatchingRule::automatic), stored_values(6.0, MatchingRule::none));
  EXPECT_EQ(stored_values(1e-9, MatchingRule::automatic), stored_values(1e-9, MatchingRule::product));
  EXPECT_NE(stored_values(1e-9, MatchingRule::automatic), stored_values(1e-9, MatchingRule::none));
}

TEST(LuMatching, WithoutItPivotsAreReplacedAndSolvesVerified) {
  if (always_exchanges_rows()) GTEST_SKIP() << "rows are exchanged";
  GeneralEntries a{2, {}};
  a(0, 1) = 1.0;
  a(1, 0) = 2.0;
  a(1, 1) = 1.0;
  const StoredGeneral<double> stored = store_general<double>(a);
  Options options = lu_options();
  options.matching = MatchingRule::none;
  Solver<double> solver(options);
  solver.compute(stored.view());
  EXPECT_GE(solver.factor_report().perturbed_pivots, 1);
  expect_solves(solver, a, "replaced pivots");
  EXPECT_GE(solver.solve_report().backward_error, 0.0) << "the solve was not verified";
}

TEST(LuDeterminant, IsThatOfAClosedForm) {
  // A permuted bidiagonal matrix: |det A| = |∏ d_i ± ∏ e_i|.
  constexpr std::int64_t n = 6;
  GeneralEntries a{n, {}};
  double d = 1.0;
  double e = 1.0;
  for (std::int64_t i = 0; i < n; ++i) {
    d *= a((i + 2) % n, i) = 2.0 + static_cast<double>(i);
    e *= a((i + 3) % n, i) = 0.5;
  }
  Solver<double> solver(lu_options());
  solver.compute(store_general<double>(a).view());
  // The cycle of n entries e has the sign (−1)^(n−1) relative to the product of the entries d.
  EXPECT_NEAR(solver.log_determinant(), std::log(d - e), 20 * n * std::numeric_limits<double>::epsilon());
}

TEST(LuOptions, PerturbationDecidesWhichPivotsAreReplaced) {
  GeneralEntries a = random_entries(20, 2, 4.0, 6);
  const StoredGeneral<double> stored = store_general<double>(a);
  Options options = lu_options();
  std::int64_t replaced = 0;
  for (const double perturbation : {0.0, 1e-12, 1.0}) {
    options.perturbation = perturbation;
    Solver<double> solver(options);
    solver.compute(stored.view());
    replaced = solver.factor_report().perturbed_pivots;
    if (perturbation < 1.0) {
      EXPECT_EQ(replaced, 0) << perturbation;
    }
  }
  EXPECT_GT(replaced, 0) << "pivots below the largest entry of the scaled matrix are replaced";
  options.perturbation = 1.5;
  EXPECT_THROW(Solver<double>{options}, InvalidInput);
}

TYPED_TEST(Lu, TakesTheMemoryThatWasAnnouncedAndNoneAfterwards) {
  const GeneralEntries a = convection(7, 0.5);
  StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  const auto memory = std::make_shared<CountingAllocator>();
  Options options = lu_options();
  options.host_allocator = memory;
  Solver<TypeParam> solver(options);
  solver.analyze(stored.view());
  const MemoryEstimate& announced = solver.analyze_report().memory;
  EXPECT_EQ(memory->bytes(), announced.factor + announced.workspace);
  const MemoryEstimate preview = Solver<TypeParam>::preview(stored.view(), options).report.memory;
  EXPECT_EQ(preview.total(), announced.total());
  const std::int64_t requests = memory->requests();
  stored.values[0] = TypeParam(1e-30);  // A doubtful pivot, so that the probe runs.
  solver.factorize(stored.view());
  solver.status();
  const std::vector<TypeParam> b = vector_of<TypeParam>(a.n, 2);
  solve(solver, b);
  solver.refactorize(stored.values);
  EXPECT_EQ(memory->requests(), requests);
}

TEST(LuErrors, SayWhatIsNotAvailable) {
  const GeneralEntries a = random_entries(10, 2, 4.0, 1);
  const StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> solver(lu_options());
  MatrixView<double> half = stored.view();
  half.part = StoredPart::lower;
  EXPECT_THROW(solver.analyze(half), InvalidInput);
  solver.compute(stored.view());
  const std::vector<double> b(10, 1.0);
  EXPECT_THROW(solve(solver, b, System::l), InvalidInput);
  EXPECT_THROW(solver.extract_l(), InvalidInput);
  EXPECT_THROW(solver.reciprocal_condition(stored.view()), InvalidInput);
  solver.set_shift(1.0);
  EXPECT_THROW(solver.factorize(stored.view()), InvalidInput);
  Options cuda = lu_options();
  cuda.backend = Backend::cuda;
  cuda.deterministic = true;
  if (cuda.lu_schedule != LuSchedule::columns) {  // Its factorizations have equal bits in any case.
    EXPECT_THROW(Solver<double>(cuda).analyze(stored.view()), BackendUnavailable);
  }
  cuda.deterministic = false;
  cuda.cuda_schedule = CudaSchedule::streams;
  EXPECT_THROW(Solver<double>(cuda).analyze(stored.view()), BackendUnavailable);
}

/// The message of an analysis with a plan of another form.
std::string refusal(Solver<double>& solver, const StoredGeneral<double>& a, const std::shared_ptr<const FactorPlan>& plan) {
  try {
    solver.analyze(a.view(), plan);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "not refused";
}

TEST(LuErrors, PlansOfOneFormAreNotTakenForTheOther) {
  const GeneralEntries a = random_entries(10, 2, 4.0, 1);
  const StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> lu(lu_options());
  lu.analyze(stored.view());
  for (const auto form : {gpusupernodal::Form::llt, gpusupernodal::Form::ldlt}) {  // They share plans.
    Options options;
    options.form = form;
    Solver<double> symmetric(options);
    EXPECT_EQ(refusal(symmetric, stored, lu.plan()),
              std::string("the plan was made for the form lu, but the option form is ") + name_of(form));
    symmetric.analyze(stored.view());
    EXPECT_EQ(refusal(lu, stored, symmetric.plan()),
              "the plan was made for the forms llt and ldlt, but the option form is lu");
  }
  Solver<double> other(lu_options());
  other.analyze(stored.view(), lu.plan());
  other.factorize(stored.view());
  expect_solves(other, a, "shared plan");
}

}  // namespace
}  // namespace gpusupernodal::test
