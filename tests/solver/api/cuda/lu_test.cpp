/// LU on a device: accuracy of what the kernels compute, without refinement, over fronts of all kinds.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/counting_device_memory.hpp"
#include "tests/solver/api/cuda/device_problem.hpp"
#include "tests/solver/api/lu_problems.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class CudaLu : public ::testing::Test {
 protected:
  static Options options() {
    Options options = lu_options();
    options.backend = Backend::cuda;
    return options;
  }

  /// Solves with A and Aᵀ for several numbers of right-hand sides. The residuals that verify a solve must be small at once.
  static void expect_accurate(const GeneralEntries& a, const std::string& what,
                              MatchingRule rule = MatchingRule::automatic) {
    const StoredGeneral<T> stored = store_general<T>(a);
    Options with = options();
    with.matching = rule;
    Solver<T> solver(with);
    solver.compute(stored.view());
    ASSERT_EQ(solver.backend(), Backend::cuda);
    expect_solves(solver, a, what);
    EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << what;
    for (const std::int64_t columns : {1, 3, 16, 20}) {
      for (const System part : {System::a, System::transposed}) {
        const std::vector<T> b = vector_of<T>(a.n * columns, 8);
        const std::vector<T> x = solve(solver, b, part);
        const std::string which = what + ", " + std::to_string(columns) + (part == System::a ? "" : ", transposed");
        EXPECT_EQ(solver.solve_report().refinement_steps, 0) << which;
        for (std::int64_t c = 0; c < columns; ++c) {
          const auto column = [&](const std::vector<T>& v) {
            return std::vector<T>(v.begin() + c * a.n, v.begin() + (c + 1) * a.n);
          };
          ASSERT_LE(general_backward_error(a, column(x), column(b), part == System::transposed), raw_bound(a.n)) << which;
        }
      }
    }
  }

  /// Matrices here have growth of a few units, so their factors solve to n·eps and much better on average.
  static double raw_bound(std::int64_t n) { return bound<T>(n) / 4.0; }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaLu, Scalars);

TYPED_TEST(CudaLu, SolvesRandomMatrices) {
  SKIP_WITHOUT_DEVICE();
  for (const std::int64_t n : {1, 2, 3, 10, 57, 300, 2000})
    this->expect_accurate(random_entries(n, 3, 4.0, static_cast<std::uint64_t>(n)), "n = " + std::to_string(n));
}

/// One supernode of each width, so that every kind of front and every strip occurs.
TYPED_TEST(CudaLu, SolvesDenseMatricesOfEveryWidth) {
  SKIP_WITHOUT_DEVICE();
  std::vector<std::int64_t> widths;
  for (std::int64_t n = 1; n <= 70; ++n) widths.push_back(n);
  for (const std::int64_t n : {127, 128, 129, 200, 256, 300, 511, 512, 513, 700, 1100}) widths.push_back(n);
  for (const std::int64_t n : widths) {
    GeneralEntries a{n, {}};
    const std::vector<double> values = random_vector(n * n, 3);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i)
        a(i, j) = values[static_cast<std::size_t>(i + j * n)] +
                  (i == j ? (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + 2.0 * std::sqrt(static_cast<double>(n))) : 0.0);
    }
    this->expect_accurate(a, "dense, n = " + std::to_string(n), MatchingRule::none);
  }
}

TYPED_TEST(CudaLu, SolvesGridsWithSupernodesOfAllWidths) {
  SKIP_WITHOUT_DEVICE();
  for (const std::int64_t n : {5, 9, 14, 20, 26}) this->expect_accurate(convection(n, 0.75), "grid " + std::to_string(n));
}

TYPED_TEST(CudaLu, FactorizesAgainWithNewValues) {
  SKIP_WITHOUT_DEVICE();
  const GeneralEntries a = convection(12, 0.3);
  StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
  Solver<TypeParam> solver(this->options());
  solver.compute(stored.view());
  for (int step = 1; step <= 4; ++step) {
    GeneralEntries scaled = a;
    for (auto& value : stored.values) value *= TypeParam(2);
    for (auto& [place, value] : scaled.entries) value *= std::pow(2.0, step);
    solver.refactorize(stored.values);
    expect_solves(solver, scaled, "step " + std::to_string(step));
  }
}

TYPED_TEST(CudaLu, ExchangesRowsOfAZeroDiagonal) {
  SKIP_WITHOUT_DEVICE();
  for (const std::int64_t n : {2, 5, 40, 200}) {
    GeneralEntries a = random_entries(n, 2, 0.0, static_cast<std::uint64_t>(n) + 1);
    for (std::int64_t i = 0; i < n; ++i) a(i, (i + 1) % n) = 3.0;
    const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
    Solver<TypeParam> solver(this->options());
    solver.compute(stored.view());
    EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << n;
    expect_solves(solver, a, "zero diagonal, n = " + std::to_string(n));
  }
}

TYPED_TEST(CudaLu, TakesTheMemoryThatWasAnnouncedAndNoneAfterwards) {
  SKIP_WITHOUT_DEVICE();
  for (const bool matched : {false, true}) {
    GeneralEntries a = convection(9, 0.5);
    if (matched) a(7, 7) = 1e-9;
    const StoredGeneral<TypeParam> stored = store_general<TypeParam>(a);
    const auto memory = std::make_shared<CountingDeviceMemory>();
    Options options = this->options();
    options.device_allocator = memory;
    Solver<TypeParam> solver(options);
    solver.analyze(stored.view());
    EXPECT_EQ(memory->bytes(), solver.analyze_report().memory.total());
    EXPECT_EQ(Solver<TypeParam>::preview(stored.view(), options).report.memory.total(),
              solver.analyze_report().memory.total());
    const std::int64_t requests = memory->requests();
    solver.factorize(stored.view());
    expect_solves(solver, a, "memory");
    solver.refactorize(stored.values);
    EXPECT_EQ(solver.status(), Status::success);
    EXPECT_EQ(memory->requests(), requests);
  }
}

/// What the host and the device report of one factorization agree, up to their different scales.
TEST(CudaLuReport, AgreesWithTheHost) {
  SKIP_WITHOUT_DEVICE();
  const GeneralEntries a = convection(10, 0.75);
  const StoredGeneral<double> stored = store_general<double>(a);
  Options options = lu_options();
  options.backend = Backend::host;
  Solver<double> host(options);
  options.backend = Backend::cuda;
  Solver<double> device(options);
  host.compute(stored.view());
  device.compute(stored.view());
  EXPECT_NEAR(host.log_determinant(), device.log_determinant(), bound<double>(a.n) * std::abs(host.log_determinant()));
  EXPECT_EQ(device.factor_report().perturbed_pivots, 0);
  EXPECT_GT(device.factor_report().growth, 0.0);
  EXPECT_LE(device.factor_report().growth, 100.0);
  EXPECT_GT(device.factor_report().smallest_pivot, 0.0);
  EXPECT_GE(device.factor_report().largest_pivot, device.factor_report().smallest_pivot);
}

TEST(CudaLuReport, NamesReplacedPivotsAndSingularColumns) {
  SKIP_WITHOUT_DEVICE();
  Options options = lu_options();
  options.backend = Backend::cuda;
  options.matching = MatchingRule::none;
  GeneralEntries a{2, {}};
  a(0, 0) = 1e-16;
  a(0, 1) = 1.0;
  a(1, 0) = 1.0;
  a(1, 1) = 2.0;
  Solver<double> solver(options);
  solver.compute(store_general<double>(a).view());
  EXPECT_GE(solver.factor_report().perturbed_pivots, 1);
  expect_solves(solver, a, "trap");

  GeneralEntries singular = convection(6, 0.2);
  for (auto& [place, value] : singular.entries) {
    if (place.first == 17 || place.second == 17) value = 0.0;
  }
  Solver<double> other(options);
  other.compute(store_general<double>(singular).view());
  EXPECT_EQ(other.status(), Status::singular);
  EXPECT_EQ(other.factor_report().failed_column, 17);
}

/// Rows and columns in units that differ by 10^12: D·M·D with a diagonally dominant M has the solution of M up to units, so
/// its pivots are good, and a device must not lose them by its scales. The backward error hides that.
TEST(CudaLuReport, UnitsDoNotSpoilPivots) {
  SKIP_WITHOUT_DEVICE();
  constexpr std::int64_t n = 300;
  const GeneralEntries m = random_entries(n, 3, 4.0, 77);
  GeneralEntries a = m;
  const auto unit = [](std::int64_t i) { return std::pow(10.0, static_cast<double>(i % 13)); };
  for (auto& [place, value] : a.entries) value *= unit(place.first) * unit(place.second);
  for (const bool with_values : {true, false}) {
    const StoredGeneral<double> stored = store_general<double>(a);
    Options options = lu_options();
    options.backend = Backend::cuda;
    options.matching = with_values ? MatchingRule::automatic : MatchingRule::none;
    Solver<double> solver(options);
    solver.compute(stored.view());
    EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << with_values;
    EXPECT_LE(solver.factor_report().growth, 100.0) << with_values;
    // x = D⁻¹·1, so b = D·M·1.
    std::vector<double> b(static_cast<std::size_t>(n));
    for (const auto& [place, value] : m.entries) b[static_cast<std::size_t>(place.first)] += unit(place.first) * value;
    const std::vector<double> x = solve(solver, b);
    for (std::int64_t i = 0; i < n; ++i)
      EXPECT_NEAR(x[static_cast<std::size_t>(i)] * unit(i), 1.0, bound<double>(n))
          << "entry " << i << ", values " << with_values;
  }
}

/// A solve that begins while the factorization runs must know its outcome.
TEST(CudaLuReport, SolvesWaitForTheOutcome) {
  SKIP_WITHOUT_DEVICE();
  Options options = lu_options();
  options.backend = Backend::cuda;
  GeneralEntries a = convection(12, 0.2);
  StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> solver(options);
  solver.compute(stored.view());
  const DeviceArray<double> good(stored.values);
  stored.values[100] = std::numeric_limits<double>::quiet_NaN();
  const DeviceArray<double> bad(stored.values);
  const DeviceArray<double> x(vector_of<double>(a.n, 3));
  const DenseView<double> view(x.get(), a.n, MemorySpace::device);
  solver.refactorize(Span<const double>(bad.get(), stored.values.size()), MemorySpace::device);
  EXPECT_THROW(solver.solve(DenseView<const double>(view), view), NumericalFailure) << "in place";
  solver.refactorize(Span<const double>(good.get(), stored.values.size()), MemorySpace::device);
  EXPECT_NO_THROW(solver.solve(DenseView<const double>(view), view));
}

TEST(CudaLuReport, NamesAnEntryThatIsNotFinite) {
  SKIP_WITHOUT_DEVICE();
  Options options = lu_options();
  options.backend = Backend::cuda;
  GeneralEntries a = convection(5, 0.2);
  StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> solver(options);
  solver.compute(stored.view());
  stored.values[40] = std::numeric_limits<double>::quiet_NaN();
  solver.refactorize(stored.values);
  EXPECT_EQ(solver.status(), Status::non_finite_input);
  EXPECT_EQ(solver.factor_report().failed_row, stored.indices[40]);
  stored.values[40] = 1.0;
  solver.refactorize(stored.values);
  EXPECT_EQ(solver.status(), Status::success);
}

}  // namespace
}  // namespace gpusupernodal::test
