/// \file
/// LU, LDLᴴ and LDLᵀ of complex matrices on the device, with transposed and adjoint solves.

#include "tests/solver/api/cuda/complex_forms.hpp"

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/counting_device_memory.hpp"

namespace gpusupernodal::test {
namespace {

TYPED_TEST_SUITE(ComplexFormsOnDevice, ComplexFormScalars);

/// Small, tall and wide fronts.
std::vector<ComplexEntries> general_matrices() {
  std::vector<ComplexEntries> all;
  for (const std::int64_t n : {1, 2, 9, 40, 300}) all.push_back(random_complex_entries(n, 4, 6.0, 7));
  all.push_back(random_complex_entries(700, 120, 150.0, 3));
  for (const std::int64_t n : {4, 9, 16}) all.push_back(shifted_laplacian(n, {1.0, 0.5}));
  return all;
}

TYPED_TEST(ComplexFormsOnDevice, LuSolvesWithTheMatrixItsTransposeAndItsAdjoint) {
  for (const ComplexEntries& a : general_matrices()) {
    Solver<TypeParam> solver(device_options(gpusupernodal::Form::lu));
    solver.compute(store_complex<TypeParam>(a).view());
    EXPECT_EQ(solver.backend(), Backend::cuda);
    for (const std::int64_t columns : {1, 5, 16, 19}) expect_whole_solves(solver, a, "n = " + std::to_string(a.n), columns);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(ComplexFormsOnDevice, LuRefactorizesInDeviceMemory) {
  using T = TypeParam;
  ComplexEntries first = shifted_laplacian(10, {1.0, 0.5}), second = shifted_laplacian(10, {2.0, -1.0});
  Solver<T> solver(device_options(gpusupernodal::Form::lu));
  solver.analyze(store_complex<T>(first).view());
  for (int round = 0; round < 5; ++round) {
    const ComplexEntries& a = round % 2 == 0 ? first : second;
    const auto stored = store_complex<T>(a);
    const DeviceArray<T> values(stored.values);
    solver.refactorize(Span<const T>(values.get(), stored.values.size()), MemorySpace::device);
    expect_whole_solves(solver, a, "round " + std::to_string(round), 2);
  }
}

/// A pivot that is too small is replaced, and solves are refined; one of a singular matrix is reported.
TYPED_TEST(ComplexFormsOnDevice, LuReportsReplacedPivots) {
  using T = TypeParam;
  ComplexEntries a = random_complex_entries(60, 4, 6.0, 11);
  Options options = device_options(gpusupernodal::Form::lu);
  options.matching = MatchingRule::none;
  options.ordering = Ordering::user;  // Nothing is subtracted from the pivot of row 0.
  for (std::int64_t i = 0; i < a.n; ++i) options.permutation.push_back(i);
  constexpr double tiny = 1e-30;
  a(0, 0) = {tiny, tiny};
  a(0, 1) = a(1, 0) = 1.0;
  Solver<T> solver(options);
  solver.compute(store_complex<T>(a).view());
  const FactorReport report = solver.factor_report();
  EXPECT_GE(report.perturbed_pivots, 1);
  if (report.status == Status::success) {
    expect_whole_solves(solver, a, "small pivot");
  } else {
    EXPECT_EQ(report.status, Status::unstable);
    EXPECT_EQ(report.failed_column, 0);
    EXPECT_LT(report.failed_value, std::sqrt(tiny)) << "a pivot of the scaled matrix; no scale is that large";
  }
  ComplexEntries zero = random_complex_entries(30, 3, 4.0, 2);
  for (auto& [place, value] : zero.entries) value = 0.0;
  options.permutation.resize(static_cast<std::size_t>(zero.n));
  solver.set_options(options);
  solver.compute(store_complex<T>(zero).view());
  EXPECT_NE(solver.status(), Status::success);
  EXPECT_EQ(solver.factor_report().perturbed_pivots, zero.n);
}

TYPED_TEST(ComplexFormsOnDevice, ReportsAgreeWithTheHost) {
  using T = TypeParam;
  const ComplexEntries general = random_complex_entries(80, 4, 6.0, 5);
  const ComplexEntries hermitian = with_random_phases(shifted_laplacian(6, 2.2), 9);
  const ComplexEntries symmetric = shifted_laplacian(6, {1.3, 0.4});
  for (const ComplexEntries* const matrix : {&general, &hermitian, &symmetric}) {
    const ComplexEntries& a = *matrix;
    const auto stored = store_complex<T>(a);
    Options options = device_options(matrix == &general ? gpusupernodal::Form::lu : gpusupernodal::Form::ldlt);
    if (matrix == &symmetric) options.symmetry = Symmetry::symmetric;
    Solver<T> device(options);
    options.backend = Backend::host;
    Solver<T> host(options);
    device.compute(stored.view());
    host.compute(stored.view());
    ASSERT_EQ(device.status(), Status::success);
    ASSERT_EQ(host.status(), Status::success);
    const double error = trusted<T>(a.n) * static_cast<double>(a.n);
    EXPECT_NEAR(device.log_determinant(), host.log_determinant(), error);
    EXPECT_LE(std::abs(std::complex<double>(device.determinant_sign()) - std::complex<double>(host.determinant_sign())),
              error);
    EXPECT_EQ(device.factor_report().perturbed_pivots, 0);
    EXPECT_GT(device.factor_report().growth, 0.0);
    EXPECT_EQ(device.factor_report().inertia.negative, host.factor_report().inertia.negative);
    EXPECT_EQ(device.factor_report().inertia.positive, host.factor_report().inertia.positive);
  }
}

TYPED_TEST(ComplexFormsOnDevice, LdltSolvesHermitianIndefiniteMatrices) {
  using T = TypeParam;
  for (const std::int64_t n : {2, 5, 9, 14}) {
    for (const double shift : {-0.5, 2.2, 5.3}) {
      const ComplexEntries a = with_random_phases(shifted_laplacian(n, shift), static_cast<std::uint64_t>(n));
      for (const StoredPart part : {StoredPart::lower, StoredPart::upper, StoredPart::full}) {
        Solver<T> solver(device_options(gpusupernodal::Form::ldlt));
        solver.compute(store_complex<T>(a, part).view());
        const std::string what = "n = " + std::to_string(n) + ", shift " + std::to_string(shift);
        for (const std::int64_t columns : {1, 5, 16}) expect_whole_solves(solver, a, what, columns);
        if (testing::Test::HasFatalFailure()) return;
        if (shift < 0.0) {
          EXPECT_EQ(solver.factor_report().inertia.positive, a.n);
        }
      }
    }
  }
}

/// Helmholtz equations with damping: A = L·Lᵀ with complex roots. There is no inertia.
TYPED_TEST(ComplexFormsOnDevice, LdltSolvesComplexSymmetricMatrices) {
  using T = TypeParam;
  for (const std::int64_t n : {2, 5, 9, 14}) {
    for (const StoredPart part : {StoredPart::lower, StoredPart::upper, StoredPart::full}) {
      Options options = device_options(gpusupernodal::Form::ldlt);
      options.symmetry = Symmetry::symmetric;
      Solver<T> solver(options);
      solver.analyze(store_complex<T>(shifted_laplacian(n, 0.0), part).view());
      for (const std::complex<double> shift : {std::complex<double>(1.3, 0.4), {5.0, -0.1}, {-1.0, 7.0}}) {
        const ComplexEntries a = shifted_laplacian(n, shift);
        solver.refactorize(store_complex<T>(a, part).values);
        const std::string what = "n = " + std::to_string(n);
        for (const std::int64_t columns : {1, 5, 16}) expect_whole_solves(solver, a, what, columns);
        if (testing::Test::HasFatalFailure()) return;
        const FactorReport report = solver.factor_report();
        EXPECT_EQ(report.inertia.positive + report.inertia.negative + report.inertia.zero, 0);
        EXPECT_EQ(report.perturbed_pivots, 0);
      }
      solver.set_shift(2.5);
      solver.refactorize(store_complex<T>(shifted_laplacian(n, {1.3, 0.4}), part).values);
      expect_whole_solves(solver, shifted_laplacian(n, {-1.2, 0.4}), "shift", 3);
    }
  }
}

TYPED_TEST(ComplexFormsOnDevice, LdltTakesShifts) {
  using T = TypeParam;
  const ComplexEntries a = with_random_phases(shifted_laplacian(7, 0.0), 4);
  Solver<T> solver(device_options(gpusupernodal::Form::ldlt));
  solver.analyze(store_complex<T>(a, StoredPart::lower).view());
  for (const double shift : {0.0, -2.2, 1.5}) {
    solver.set_shift(shift);
    solver.factorize(store_complex<T>(a, StoredPart::lower).view());
    ComplexEntries shifted = a;
    for (std::int64_t i = 0; i < a.n; ++i) shifted(i, i) += shift;
    expect_whole_solves(solver, shifted, "shift " + std::to_string(shift), 2);
  }
}

TYPED_TEST(ComplexFormsOnDevice, TakesTheMemoryThatWasAnnouncedAndNoneAfterwards) {
  using T = TypeParam;
  const ComplexEntries a = with_random_phases(shifted_laplacian(8, -0.1), 4);
  const auto stored = store_complex<T>(a);
  for (const auto form : {gpusupernodal::Form::lu, gpusupernodal::Form::ldlt}) {
    const auto memory = std::make_shared<CountingDeviceMemory>();
    Options options = device_options(form);
    options.device_allocator = memory;
    Solver<T> solver(options);
    solver.analyze(stored.view());
    EXPECT_EQ(memory->bytes(), solver.analyze_report().memory.total());
    const std::int64_t requests = memory->requests();
    solver.factorize(stored.view());
    expect_whole_solves(solver, a, "memory");
    EXPECT_EQ(memory->requests(), requests);
  }
}

/// What complex scalars cannot do on a device yet.
TYPED_TEST(ComplexFormsOnDevice, RefusesWhatRunsOnTheHostOnly) {
  using T = TypeParam;
  const ComplexEntries a = shifted_laplacian(4, {1.0, 0.5});
  const auto stored = store_complex<T>(a);
  Options options = device_options(gpusupernodal::Form::lu);
  options.lu_schedule = LuSchedule::columns;
  EXPECT_THROW(Solver<T>(options).analyze(stored.view()), BackendUnavailable);
  options.backend = Backend::automatic;
  Solver<T> solver(options);
  solver.compute(stored.view());
  EXPECT_EQ(solver.backend(), Backend::host);
}

}  // namespace
}  // namespace gpusupernodal::test
