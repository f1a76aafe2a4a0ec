/// \file
/// Complex solvers on the host: options, reports, refused input and failed factorizations.

#include <cstdint>
#include <cstdlib>

#include "gpusupernodal/error.hpp"
#include "io/generators.hpp"
#include "solver/api/checks.hpp"
#include "tests/solver/api/hermitian.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// The call throws an E whose sentence contains `part`.
template <class E, class Call>
void expect_sentence(Call call, const std::string& part) {
  try {
    call();
    FAIL() << "nothing thrown";
  } catch (const E& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "'" << part << "' in: " << error.what();
  }
}

/// Place in the stored lower triangle of the diagonal entry of a row.
std::size_t diagonal_entry(const Hermitian& a, std::int64_t row) {
  std::size_t place = 0;
  std::size_t e = 0;
  a.for_each([&](std::int64_t i, std::int64_t j, Complex) {
    if (i == row && j == row) place = e;
    ++e;
  });
  return place;
}

TEST(ComplexSolverFailure, NamesTheCallersColumnAtEveryPosition) {
  for (const auto& pattern : {dense_spd(33, 2), random_spd(40, 120, 4), io::generate("elas:2")}) {
    Hermitian a = random_hpd(pattern, 6);
    ComplexSolver solver(on_host());
    solver.analyze(stored(a).view());
    const std::vector<std::int64_t> order = solver.old_of_new();
    for (std::int64_t row = 0; row < a.n(); ++row) {
      Complex& entry = a.values[diagonal_entry(a, row)];
      const Complex sound = entry;
      entry = -1.0;
      solver.factorize(stored(a).view());
      DenseComplex reference = permuted(a, order);
      const std::int64_t failed = dense_cholesky(reference);
      ASSERT_EQ(solver.status(), Status::not_positive_definite);
      ASSERT_GE(failed, 0);
      ASSERT_EQ(solver.factor_report().failed_column, order[static_cast<std::size_t>(failed)]);
      EXPECT_LE(solver.factor_report().failed_value, 0.0);
      expect_sentence<NumericalFailure>([&] { solution(solver, random_complex(a.n(), 1)); }, "A is not positive definite");
      entry = sound;
    }
    solver.factorize(stored(a).view());
    expect_solves(solver, a, 1);
  }
}

TEST(ComplexSolverFailure, NamesNonFiniteEntries) {
  const Hermitian sound = random_hpd(io::generate("lap2d:7"), 6);
  ComplexSolver solver(on_host());
  solver.analyze(stored(sound).view());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Complex bad : {Complex(nan, 0.0), Complex(0.0, nan), Complex(1.0, std::numeric_limits<double>::infinity())}) {
    std::size_t e = 0;
    sound.for_each([&](std::int64_t i, std::int64_t j, Complex) {
      Hermitian a = sound;
      a.values[e++] = bad;
      solver.factorize(stored(a).view());
      const FactorReport report = solver.factor_report();
      ASSERT_EQ(report.status, Status::non_finite_input);
      ASSERT_EQ(report.failed_row, i);
      ASSERT_EQ(report.failed_column, j);
      ASSERT_FALSE(std::isfinite(report.failed_value));
    });
  }
}

TEST(ComplexSolverFailure, RefusesAnImaginaryDiagonal) {
  const Hermitian sound = random_hpd(io::generate("lap2d:7"), 6);
  ComplexSolver solver(on_host());
  solver.compute(stored(sound).view());
  Hermitian a = sound;
  Complex& entry = a.values[diagonal_entry(a, 20)];
  entry = {entry.real(), 0.5};
  expect_sentence<InvalidInput>([&] { solver.factorize(stored(a).view()); }, "the diagonal entry of row 20 ");
  expect_solves(solver, sound, 1);  // The factor is kept.
  entry = {entry.real(), entry.real() * std::numeric_limits<double>::epsilon()};
  solver.factorize(stored(a).view());  // What rounding leaves is ignored.
  expect_solves(solver, sound, 1);
}

TEST(ComplexSolverFailure, RefusesRightHandSidesThatAreNotFinite) {
  const Hermitian a = random_hpd(io::generate("lap2d:4"), 6);
  ComplexSolver solver(on_host());
  solver.compute(stored(a).view());
  std::vector<Complex> b = random_complex(a.n() * 2, 1);
  b[static_cast<std::size_t>(a.n()) + 3] = {1.0, std::numeric_limits<double>::quiet_NaN()};
  expect_sentence<InvalidInput>([&] { solution(solver, b); }, "b has the value nan in row 3 of right-hand side 1");
}

/// The schedule of the founding paper has no kernels for complex scalars.
TEST(ComplexSolverOptions, TheScheduleStreamsRunsOnTheHostOnly) {
  const Hermitian a = random_hpd(io::generate("lap2d:4"), 6);
  const StoredMatrix<Complex> s = stored(a);
  Options options;
  options.cuda_schedule = CudaSchedule::streams;
  ComplexSolver solver(options);
  solver.compute(s.view());
  expect_solves(solver, a, 1);
  EXPECT_EQ(solver.backend(), Backend::host);
  const std::string reason = "the schedule streams with complex matrices runs on the host only";
  EXPECT_EQ(solver.analyze_report().backend_reason, reason);
  EXPECT_EQ(ComplexSolver::preview(s.view(), options).report.backend_reason, reason);
  options.backend = Backend::cuda;
  ComplexSolver on_device(options);
  const std::string sentence = reason + "; set the backend";
  expect_sentence<BackendUnavailable>([&] { on_device.analyze(s.view()); }, sentence);
  expect_sentence<BackendUnavailable>([&] { on_device.compute(s.view()); }, sentence);
  expect_sentence<BackendUnavailable>([&] { on_device.analyze(s.view(), solver.plan()); }, sentence);
  expect_sentence<BackendUnavailable>([&] { ComplexSolver::preview(s.view(), options); }, sentence);
  EXPECT_FALSE(on_device.is_analyzed());
}

/// Needs no device. A complex factor has twice the values' bytes of a real one; index lists are the same.
TEST(ComplexSolverOptions, PreviewsTheMemoryOnADevice) {
  const io::SymmetricMatrix real = io::generate("lap3d:9");
  const StoredMatrix<Complex> s = stored(random_hpd(real, 6));
  const StoredMatrix<double> r = store<double>(real, Form());
  Options options;
  options.backend = Backend::cuda;
  const MemoryEstimate of_complex = ComplexSolver::preview(s.view(), options).report.memory;
  const MemoryEstimate of_real = Solver<double>::preview(r.view(), options).report.memory;
  EXPECT_EQ(of_complex.factor, 2 * of_real.factor);
  EXPECT_EQ(of_complex.index, of_real.index);
  EXPECT_GT(of_complex.workspace, of_real.workspace);
}

TEST(ComplexSolverOptions, SharesPlansWithRealSolvers) {
  const io::SymmetricMatrix real = io::generate("lap3d:5");
  Solver<double> solver(on_host());
  solver.analyze(store<double>(real, Form()).view());
  const Hermitian a = random_hpd(real, 6);
  ComplexSolver complex(on_host());
  complex.analyze(stored(a).view(), solver.plan());
  complex.factorize(stored(a).view());
  expect_solves(complex, a, 2);
}

TEST(ComplexSolverOptions, ScalesShiftsAndRefines) {
  const Hermitian a = random_hpd(io::generate("lap3d:7"), 6);
  for (const int steps : {0, 3}) {
    Options options = on_host();
    options.refinement.max_steps = steps;
    ComplexSolver solver(options);
    solver.analyze(stored(a).view());
    for (const auto& [scale, shift] : {std::pair(1.0, 2.5), std::pair(0.5, 0.0), std::pair(-1.0, 100.0)}) {
      solver.set_shift(shift, scale);
      solver.factorize(stored(a).view());
      expect_solves(solver, a, 2, scale, shift);
      if (steps == 0) continue;
      EXPECT_GE(solver.solve_report().backward_error, 0.0);
      EXPECT_LE(solver.solve_report().backward_error, backward_error_bound<double>(a.n()));
    }
  }
}

/// ‖A‖₁ ‖A⁻¹‖₁ from all columns of the inverse is at least 1 / the estimate, and not above three times that.
TEST(ComplexSolverOptions, EstimatesTheCondition) {
  const Hermitian a = random_hpd(io::generate("elas:3"), 6);
  ComplexSolver solver(on_host());
  solver.compute(stored(a).view());
  std::vector<double> sums(static_cast<std::size_t>(a.n()), 0.0);
  a.for_each([&](std::int64_t i, std::int64_t j, Complex value) {
    sums[static_cast<std::size_t>(i)] += std::abs(value);
    if (i != j) sums[static_cast<std::size_t>(j)] += std::abs(value);
  });
  double inverse = 0.0;
  for (std::int64_t j = 0; j < a.n(); ++j) {
    std::vector<Complex> unit(static_cast<std::size_t>(a.n()));
    unit[static_cast<std::size_t>(j)] = 1.0;
    double sum = 0.0;
    for (const Complex entry : solution(solver, unit)) sum += std::abs(entry);
    inverse = std::max(inverse, sum);
  }
  const double exact = 1.0 / (*std::max_element(sums.begin(), sums.end()) * inverse);
  const double estimate = solver.reciprocal_condition(stored(a).view());
  EXPECT_GE(estimate, exact * (1.0 - backward_error_bound<double>(a.n())));
  EXPECT_LE(estimate, 3.0 * exact);
}

TEST(ComplexSolverOptions, AllocatesTheReportedMemory) {
  const Hermitian a = random_hpd(io::generate("lap3d:6"), 6);
  for (const int steps : {0, 2}) {
    const auto allocator = std::make_shared<CountingAllocator>();
    Options options = on_host();
    options.host_allocator = allocator;
    options.refinement.max_steps = steps;
    ComplexSolver solver(options);
    solver.compute(stored(a).view());
    const MemoryEstimate memory = solver.analyze_report().memory;
    EXPECT_EQ(allocator->bytes(), memory.factor + memory.workspace);
    expect_solves(solver, a, 1);
    EXPECT_EQ(allocator->bytes(), memory.factor + memory.workspace);
  }
}

/// Solvers on a device ask so for b, x and the values of A.
TEST(ComplexSolverFailure, AddressesBetweenNumbersAreNamed) {
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<const Complex*>(address); };
  const auto narrow_at = [](std::uintptr_t address) { return reinterpret_cast<const std::complex<float>*>(address); };
  expect_sentence<InvalidInput>([&] { check_alignment(at(0x1008), MemorySpace::device, "b"); },
                                "b in device memory begins at the address 0x1008, which is no multiple of 16, ");
  expect_sentence<InvalidInput>([&] { check_alignment(narrow_at(0x1004), MemorySpace::device, "x"); }, "no multiple of 8, ");
  EXPECT_NO_THROW(check_alignment(at(0x1010), MemorySpace::device, "b"));
  EXPECT_NO_THROW(check_alignment(narrow_at(0x1008), MemorySpace::device, "b"));
  EXPECT_NO_THROW(check_alignment(at(0x1008), MemorySpace::host, "b"));
  EXPECT_NO_THROW(check_alignment(reinterpret_cast<const double*>(std::uintptr_t{0x1008}), MemorySpace::device, "b"));
}

}  // namespace
}  // namespace gpusupernodal::test
