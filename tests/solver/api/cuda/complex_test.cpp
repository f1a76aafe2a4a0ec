/// \file
/// Hermitian positive definite matrices on the device: factors, solutions, replayed factorizations and memory.

#include <cmath>

#include "io/generators.hpp"
#include "tests/solver/api/cuda/complex_on_device.hpp"
#include "tests/solver/api/cuda/counted_graphs.hpp"
#include "tests/solver/api/cuda/counting_device_memory.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Fronts of every kind: tiny, small, cut into pieces, and of several block columns.
std::vector<io::SymmetricMatrix> device_patterns() {
  std::vector<io::SymmetricMatrix> all = small_matrices();
  for (const char* spec : {"lap2d:40", "lap3d:12", "elas:6", "lap3d:20"}) all.push_back(io::generate(spec));
  all.push_back(joined_cliques_spd(3, 150, 60, 4));
  all.push_back(dense_spd(400, 3));
  all.push_back(dense_spd(1200, 3));
  return all;
}

TYPED_TEST_SUITE(ComplexOnDevice, ComplexScalars);

TYPED_TEST(ComplexOnDevice, SolvesForAnyNumberOfRightHandSides) {
  using T = TypeParam;
  for (const auto& pattern : device_patterns()) {
    SCOPED_TRACE(pattern.name);
    const Rounded<T> m(random_hpd(pattern, 17));
    Solver<T> solver(on_cuda());
    solver.compute(m.s.view());
    EXPECT_EQ(solver.backend(), Backend::cuda);
    for (const std::int64_t columns : {1, 2, 8, 9, 16, 21}) expect_columns(solver, m.a, columns);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(ComplexOnDevice, ReadsEveryStorageForm) {
  using T = TypeParam;
  for (const char* spec : {"lap2d:9", "elas:3"}) {
    const Hermitian a = random_hpd(io::generate(spec), 3);
    for (const Form& form : all_forms()) {
      for (const int steps : {0, 2}) {
        SCOPED_TRACE(std::string(spec) + ": " + form.name());
        const Rounded<T> m(a, form);
        Options options = on_cuda();
        options.refinement.max_steps = steps;
        Solver<T> solver(options);
        solver.compute(m.s.view());
        expect_columns(solver, m.a, 2);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// |A − L Lᴴ| ≤ 4 (n+1) eps |L| |Lᴴ| entry by entry, with a factor of 2 for complex products, and L has a real diagonal.
TYPED_TEST(ComplexOnDevice, ProductOfTheFactorIsTheMatrix) {
  using T = TypeParam;
  for (const auto& pattern :
       {dense_spd(1, 1), dense_spd(33, 2), dense_spd(200, 2), random_spd(150, 400, 6), chain_spd(50)}) {
    SCOPED_TRACE(pattern.name);
    const Rounded<T> m(random_hpd(pattern, 9));
    Solver<T> solver(on_cuda());
    solver.compute(m.s.view());
    ASSERT_EQ(solver.status(), Status::success);
    const auto columns = solver.extract_l();
    DenseComplex l(m.a.n());
    for (std::size_t j = 0; j < l.n; ++j) {
      const auto begin = static_cast<std::size_t>(columns.offsets[j]);
      EXPECT_EQ(columns.values[begin].imag(), 0);
      for (std::size_t e = begin; e < static_cast<std::size_t>(columns.offsets[j + 1]); ++e)
        l(static_cast<std::size_t>(columns.rows[e]), j) = Complex(columns.values[e]);
    }
    const DenseComplex matrix = permuted(m.a, solver.old_of_new());
    const double unit =
        8.0 * static_cast<double>(l.n + 1) * static_cast<double>(std::numeric_limits<typename T::value_type>::epsilon());
    for (std::size_t j = 0; j < l.n; ++j) {
      for (std::size_t i = j; i < l.n; ++i) {
        Complex product = 0.0;
        double magnitude = 0.0;
        for (std::size_t k = 0; k <= j; ++k) {
          product += l(i, k) * std::conj(l(j, k));
          magnitude += std::abs(l(i, k)) * std::abs(l(j, k));
        }
        ASSERT_LE(std::abs(matrix(i, j) - product), unit * magnitude) << "row " << i << ", column " << j;
      }
    }
  }
}

/// The transpose of a Hermitian matrix is its conjugate, and the adjoint is the matrix.
TYPED_TEST(ComplexOnDevice, SolvesWithTheTransposeAndTheAdjoint) {
  using T = TypeParam;
  const Rounded<T> m(random_hpd(io::generate("elas:5"), 2));
  for (const int steps : {0, 2}) {
    Options options = on_cuda();
    options.refinement.max_steps = steps;
    Solver<T> solver(options);
    solver.compute(m.s.view());
    for (const std::int64_t columns : {1, 5, 16}) {
      const std::vector<T> right = random_right<T>(m.a.n(), columns);
      std::vector<Complex> b = wide(right), x = wide(solve(solver, right, System::transposed));
      for (Complex& entry : b) entry = std::conj(entry);
      for (Complex& entry : x) entry = std::conj(entry);
      for (std::int64_t c = 0; c < columns; ++c)
        EXPECT_LE(backward_error(m.a, x.data() + c * m.a.n(), b.data() + c * m.a.n()), bound<T>(m.a.n()));
      if (steps == 0) {  // Residuals are summed in any order.
        EXPECT_EQ(solve(solver, right, System::adjoint), solve(solver, right));
      }
      const std::vector<Complex> z = wide(right), y = wide(solve(solver, right, System::adjoint));
      for (std::int64_t c = 0; c < columns; ++c)
        EXPECT_LE(backward_error(m.a, y.data() + c * m.a.n(), z.data() + c * m.a.n()), bound<T>(m.a.n()));
    }
  }
}

TYPED_TEST(ComplexOnDevice, PartsOfASolveComposeToTheWhole) {
  using T = TypeParam;
  const Rounded<T> m(random_hpd(io::generate("elas:4"), 2));
  Solver<T> solver(on_cuda());
  solver.compute(m.s.view());
  const std::vector<T> b = random_right<T>(m.a.n(), 2);
  const auto y = solve(solver, solve(solver, b, System::p), System::l);
  EXPECT_EQ(y, solve(solver, b, System::forward));
  const auto x = solve(solver, solve(solver, y, System::lt), System::pt);
  EXPECT_EQ(x, solve(solver, y, System::backward));
  EXPECT_EQ(x, solve(solver, b));
}

TYPED_TEST(ComplexOnDevice, ScalesShiftsAndRefines) {
  using T = TypeParam;
  const Rounded<T> m(random_hpd(io::generate("lap3d:7"), 6));
  for (const int steps : {0, 3}) {
    Options options = on_cuda();
    options.refinement.max_steps = steps;
    Solver<T> solver(options);
    solver.analyze(m.s.view());
    for (const auto& [scale, shift] : {std::pair(1.0, 2.5), std::pair(0.5, 0.0), std::pair(-1.0, 100.0)}) {
      solver.set_shift(shift, scale);
      solver.factorize(m.s.view());
      expect_columns(solver, m.a, 2, scale, shift);
      if (steps == 0) continue;
      EXPECT_GE(solver.solve_report().backward_error, 0.0);
      EXPECT_LE(solver.solve_report().backward_error, bound<T>(m.a.n()));
    }
  }
}

/// D* A D has the pivots and the determinant of A, and the condition in a norm that the phases change by at most √2 a part.
TYPED_TEST(ComplexOnDevice, ReportsPivotsDeterminantAndCondition) {
  using T = TypeParam;
  const io::SymmetricMatrix a = io::generate("lap3d:9");
  const Rounded<T> m(rotated(a, phases(a.n, 8)));
  Solver<T> solver(on_cuda());
  solver.compute(m.s.view());
  Solver<double> real(on_cuda());
  const StoredMatrix<double> s = store<double>(a, Form());
  real.analyze(s.view(), solver.plan());
  real.factorize(s.view());
  const double error = bound<T>(m.a.n()) * real.factor_report().largest_pivot / real.factor_report().smallest_pivot;
  EXPECT_NEAR(solver.log_determinant(), real.log_determinant(), error * static_cast<double>(a.n));
  EXPECT_NEAR(solver.factor_report().smallest_pivot, real.factor_report().smallest_pivot, error);
  EXPECT_NEAR(solver.factor_report().largest_pivot, real.factor_report().largest_pivot, error);
  const double condition = real.reciprocal_condition(s.view());
  EXPECT_NEAR(solver.reciprocal_condition(m.s.view()), condition, 0.5 * condition);
}

/// From the second factorization on, one recorded graph is launched, with values and vectors in device memory.
TYPED_TEST(ComplexOnDevice, ReplaysFactorizationsInDeviceMemory) {
  using T = TypeParam;
  const Hermitian first = random_hpd(io::generate("lap3d:12"), 6), second = random_hpd(io::generate("lap3d:12"), 7);
  const Rounded<T> systems[] = {first, second};
  const DeviceArray<T> values[] = {DeviceArray<T>(systems[0].s.values), DeviceArray<T>(systems[1].s.values)};
  const std::int64_t n = first.n(), columns = 5;
  const std::vector<T> right = random_right<T>(n, columns);
  const std::vector<Complex> b = wide(right);
  const DeviceArray<T> device_b(right), device_x(right);
  Solver<T> solver(on_cuda());
  solver.analyze(systems[0].s.view());
  solver.reserve_right_hand_sides(columns);
  const std::int64_t graphs = graph_instantiations();
  for (int round = 0; round < 6; ++round) {
    const int of = round % 2;
    solver.refactorize(Span<const T>(values[of].get(), systems[of].s.values.size()), MemorySpace::device);
    solver.solve(DenseView<const T>(device_b.get(), n, columns, n, MemorySpace::device),
                 DenseView<T>(device_x.get(), n, columns, n, MemorySpace::device));
    GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
    const std::vector<Complex> x = wide(device_x.host());
    for (std::int64_t c = 0; c < columns; ++c)
      ASSERT_LE(backward_error(systems[of].a, x.data() + c * n, b.data() + c * n), bound<T>(n)) << "round " << round;
  }
  EXPECT_EQ(graph_instantiations() - graphs, 1);
}

TYPED_TEST(ComplexOnDevice, DeterministicFactorsHaveEqualBits) {
  using T = TypeParam;
  const Rounded<T> m(random_hpd(io::generate("lap3d:12"), 6));
  Options options = on_cuda();
  options.deterministic = true;
  Solver<T> solver(options);
  solver.compute(m.s.view());
  expect_columns(solver, m.a, 3);
  const auto first = solver.extract_l().values;
  for (int round = 0; round < 3; ++round) {
    solver.factorize(m.s.view());
    EXPECT_EQ(solver.extract_l().values, first);
  }
}

TYPED_TEST(ComplexOnDevice, TakesTheMemoryThatWasAnnouncedAndNoneAfterwards) {
  using T = TypeParam;
  const Rounded<T> m(random_hpd(io::generate("lap3d:9"), 6));
  for (const int steps : {0, 2}) {
    const auto memory = std::make_shared<CountingDeviceMemory>();
    Options options = on_cuda();
    options.device_allocator = memory;
    options.refinement.max_steps = steps;
    Solver<T> solver(options);
    solver.analyze(m.s.view());
    if (steps == 0) {
      EXPECT_EQ(memory->bytes(), solver.analyze_report().memory.total());
    }
    solver.factorize(m.s.view());
    expect_columns(solver, m.a, 1);
    EXPECT_EQ(memory->bytes(), solver.analyze_report().memory.total());
    const std::int64_t requests = memory->requests();
    solver.factorize(m.s.view());
    expect_columns(solver, m.a, 1);
    EXPECT_EQ(memory->requests(), requests);
  }
}

TEST(ComplexChoice, TakesTheDeviceForLargeMatricesOnly) {
  SKIP_WITHOUT_DEVICE();
  for (const auto& [spec, backend] : {std::pair("lap2d:10", Backend::host), std::pair("lap3d:30", Backend::cuda)}) {
    const Rounded<Complex> m(random_hpd(io::generate(spec), 6));
    ComplexSolver solver;
    solver.analyze(m.s.view());
    EXPECT_EQ(solver.backend(), backend) << solver.analyze_report().backend_reason;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
