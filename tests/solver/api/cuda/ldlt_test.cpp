/// LDLᵀ on a device: accuracy of what the kernels compute, without refinement, over fronts of all kinds; inertia and memory.

#include "tests/solver/api/cuda/counting_device_memory.hpp"
#include "tests/solver/api/cuda/ldlt_on_device.hpp"

namespace gpusupernodal::test::symmetric {
namespace {

template <class T>
std::vector<T> column_of(const std::vector<T>& v, std::int64_t n, std::int64_t c) {
  return {v.begin() + c * n, v.begin() + (c + 1) * n};
}

/// Solves for several numbers of right-hand sides. The residuals that verify a solve must be small at once, and no pivot may
/// need to be replaced.
template <class T>
void expect_accurate_at_once(const GeneralEntries& a, const std::string& what) {
  Solver<T> solver(cuda_options());
  compute(solver, a);
  ASSERT_EQ(solver.backend(), Backend::cuda);
  expect_accurate(solver, a, what);
  EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << what;
  for (const std::int64_t columns : {1, 3, 16, 20}) {
    const std::vector<T> b = right_hand_sides<T>(a.n * columns, 8);
    const std::vector<T> x = solved(solver, b);
    EXPECT_EQ(solver.solve_report().refinement_steps, 0) << what << ", " << columns;
    for (std::int64_t c = 0; c < columns; ++c) {
      ASSERT_LE(general_backward_error(a, column_of(x, a.n, c), column_of(b, a.n, c)), bound<T>(a.n) / 4.0)
          << what << ", " << columns;
    }
  }
}

void expect_inertia(const FactorReport& report, std::int64_t n, std::int64_t negative, const std::string& what) {
  EXPECT_EQ(report.inertia.positive, n - negative) << what;
  EXPECT_EQ(report.inertia.negative, negative) << what;
  EXPECT_EQ(report.inertia.zero, 0) << what;
}

template <class T>
class CudaLdlt : public ::testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
using CudaLdltScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaLdlt, CudaLdltScalars);

TYPED_TEST(CudaLdlt, SolvesRandomMatrices) {
  for (const std::int64_t n : {1, 2, 3, 10, 57, 300, 2000})
    expect_accurate_at_once<TypeParam>(dominant(n, 3, static_cast<std::uint64_t>(n)), "n = " + std::to_string(n));
}

/// One supernode of each width, so that every kind of front, every strip and every product occurs.
TYPED_TEST(CudaLdlt, SolvesDenseMatricesOfEveryWidth) {
  std::vector<std::int64_t> widths;
  for (std::int64_t n = 1; n <= 70; ++n) widths.push_back(n);
  for (const std::int64_t n : {127, 128, 129, 200, 256, 300, 511, 512, 513, 700, 1100}) widths.push_back(n);
  for (const std::int64_t n : widths) {
    GeneralEntries a{n, {}};
    const std::vector<double> values = random_vector(n * n, 3);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i)
        put(a, i, j,
            values[static_cast<std::size_t>(i + j * n)] +
                (i == j ? (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + 2.0 * std::sqrt(static_cast<double>(n))) : 0.0));
    }
    expect_accurate_at_once<TypeParam>(a, "dense, n = " + std::to_string(n));
  }
}

/// Fronts of all kinds; where growth is small, the inertia is that of the closed form at once.
TYPED_TEST(CudaLdlt, InertiaOfShiftedGridsCountsEigenvalues) {
  for (const std::int64_t n : {5, 12, 20}) {
    for (const double shift : {0.0, 0.5, 2.0, 3.3, 6.1, 11.9}) {
      const std::int64_t below = eigenvalues_below(n, shift);
      const std::string what = "n = " + std::to_string(n) + ", shift " + std::to_string(shift);
      const GeneralEntries a = laplacian(n, shift);
      Solver<TypeParam> solver(cuda_options());
      compute(solver, a);
      if (std::is_same_v<TypeParam, float> && solver.status() != Status::success) continue;
      expect_accurate(solver, a, what);
      expect_inertia(solver.factor_report(), n * n * n, below, what);
      Solver<TypeParam> shifted(cuda_options());
      shifted.set_shift(-shift);
      compute(shifted, laplacian(n, 0.0));
      expect_accurate(shifted, a, what + " by set_shift");
      expect_inertia(shifted.factor_report(), n * n * n, below, what + " by set_shift");
    }
  }
}

/// Pivots are replaced where constraints are eliminated before their variables; refinement corrects the solution.
TYPED_TEST(CudaLdlt, SolvesSaddlePointSystems) {
  for (const std::int64_t constraints : {1, 5, 40, 200}) {
    const GeneralEntries a = saddle(500, constraints, static_cast<std::uint64_t>(constraints));
    for (const bool last : {false, true}) {
      Options options = cuda_options();
      if (last) options.last_rows.resize(1);
      for (std::int64_t c = 0; last && c < constraints; ++c) options.last_rows[0].push_back(500 + c);
      Solver<TypeParam> solver(options);
      compute(solver, a);
      expect_accurate(solver, a, "saddle");
      expect_inertia(solver.factor_report(), 500 + constraints, constraints, "saddle");
      if (!last) continue;
      EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
      EXPECT_TRUE(solver.factor_report().inertia_exact);
    }
  }
}

TYPED_TEST(CudaLdlt, SolvesManyRightHandSidesOfAKktSystem) {
  const GeneralEntries a = saddle(300, 60, 3);
  Solver<TypeParam> solver(cuda_options());
  compute(solver, a);
  const std::vector<TypeParam> b = right_hand_sides<TypeParam>(a.n * 70, 8);
  const std::vector<TypeParam> x = solved(solver, b);
  for (std::int64_t c = 0; c < 70; ++c)
    ASSERT_LE(general_backward_error(a, column_of(x, a.n, c), column_of(b, a.n, c)), bound<TypeParam>(a.n)) << c;
}

TYPED_TEST(CudaLdlt, RefactorizesWithNewValues) {
  StoredGeneral<TypeParam> stored = store_part<TypeParam>(laplacian(9, 0.0), lower);
  Solver<TypeParam> solver(cuda_options());
  solver.compute(view_of(stored, lower));
  for (const double shift : {2.0, 0.0, 0.5, 1.5, 0.0}) {
    const GeneralEntries a = laplacian(9, shift);
    stored = store_part<TypeParam>(a, lower);
    const DeviceArray<TypeParam> values(stored.values);
    solver.refactorize(Span<const TypeParam>(values.get(), stored.values.size()), MemorySpace::device);
    expect_accurate(solver, a, "shift " + std::to_string(shift));
    expect_inertia(solver.factor_report(), a.n, eigenvalues_below(9, shift), "shift " + std::to_string(shift));
  }
}

TYPED_TEST(CudaLdlt, TakesTheMemoryThatWasAnnouncedAndNoneAfterwards) {
  const GeneralEntries a = laplacian(9, 1.0);
  StoredGeneral<TypeParam> stored = store_part<TypeParam>(a, lower);
  const auto memory = std::make_shared<CountingDeviceMemory>();
  Options options = cuda_options();
  options.device_allocator = memory;
  Solver<TypeParam> solver(options);
  solver.analyze(view_of(stored, lower));
  EXPECT_EQ(memory->bytes(), solver.analyze_report().memory.total());
  EXPECT_EQ(Solver<TypeParam>::preview(view_of(stored, lower), options).report.memory.total(),
            solver.analyze_report().memory.total());
  const std::int64_t requests = memory->requests();
  solver.factorize(view_of(stored, lower));
  expect_accurate(solver, a, "memory");
  for (auto& value : stored.values) value = TypeParam(0);  // All pivots are replaced, and the probe runs.
  solver.refactorize(stored.values);
  EXPECT_EQ(solver.status(), Status::singular);
  EXPECT_EQ(solver.factor_report().inertia.zero, a.n);
  EXPECT_EQ(memory->requests(), requests);
}

}  // namespace
}  // namespace gpusupernodal::test::symmetric
