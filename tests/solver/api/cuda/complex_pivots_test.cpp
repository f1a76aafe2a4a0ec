/// \file
/// Pivots and diagonals of complex matrices on the device that are not numbers, null or nearly real, and values at addresses
/// that kernels cannot load from.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/captured_graph.hpp"
#include "tests/solver/api/cuda/complex_forms.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
using ComplexPivotsOnDevice = ComplexFormsOnDevice<T>;
TYPED_TEST_SUITE(ComplexPivotsOnDevice, ComplexFormScalars);

/// A form, and a matrix for it.
struct FormOfMatrix {
  gpusupernodal::Form form;
  Symmetry symmetry;
  ComplexEntries a;
};

std::vector<FormOfMatrix> forms_of_matrices() {
  return {{gpusupernodal::Form::lu, Symmetry::hermitian, random_complex_entries(60, 4, 9.0, 5)},
          {gpusupernodal::Form::ldlt, Symmetry::hermitian, with_random_phases(shifted_laplacian(4, -1.0), 9)},
          {gpusupernodal::Form::ldlt, Symmetry::symmetric, shifted_laplacian(4, {-1.0, 0.4})}};
}

/// A pivot with a part that is not a number is none, even where the other part is 0. The pivots of Hermitian matrices are
/// the real parts.
TYPED_TEST(ComplexPivotsOnDevice, NaNIsNotReplaced) {
  using T = TypeParam;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const FormOfMatrix& of : forms_of_matrices()) {
    for (const std::complex<double> bad : {std::complex<double>(nan, 0.0), {0.0, nan}, {nan, nan}}) {
      const bool is_real = of.form == gpusupernodal::Form::ldlt && of.symmetry == Symmetry::hermitian;
      if (is_real && !std::isnan(bad.real())) continue;
      Options options = device_options(of.form);
      options.symmetry = of.symmetry;
      options.matching = MatchingRule::none;
      options.check_finite = false;
      Solver<T> device(options);
      options.backend = Backend::host;
      Solver<T> host(options);
      device.analyze(store_complex<T>(of.a).view());
      host.analyze(store_complex<T>(of.a).view());
      ComplexEntries a = of.a;
      const std::int64_t first = device.old_of_new().front();
      a(first, first) = bad;
      const StoredComplex<T> stored = store_complex<T>(a);
      device.refactorize(stored.values);
      host.refactorize(stored.values);
      EXPECT_NE(device.status(), Status::success);
      EXPECT_EQ(device.status(), host.status());
      EXPECT_EQ(device.factor_report().failed_column, first);
      EXPECT_TRUE(std::isnan(device.factor_report().failed_value));
    }
  }
}

/// Whatever the signs of its zeros are.
TYPED_TEST(ComplexPivotsOnDevice, NullPivotsOfSymmetricMatricesAreNamed) {
  using T = TypeParam;
  for (const std::complex<double> null : {std::complex<double>(0.0, 0.0), {-0.0, 0.0}, {-0.0, -0.0}, {0.0, -0.0}}) {
    ComplexEntries a{3, {}};
    a(0, 0) = {1.0, 1.0};
    a(1, 1) = null;
    a(2, 2) = {-1.0, 0.5};
    Options options = device_options(gpusupernodal::Form::ldlt);
    options.symmetry = Symmetry::symmetric;
    Solver<T> solver(options);
    solver.compute(store_complex<T>(a).view());
    EXPECT_EQ(solver.status(), Status::singular);
    EXPECT_EQ(solver.factor_report().null_pivots, std::vector<std::int64_t>{1});
  }
}

/// Imaginary parts that are ignored are ignored by residuals, too. The bound of verified solves is far below them.
TYPED_TEST(ComplexPivotsOnDevice, ResidualsIgnoreWhatTheFactorIgnores) {
  using T = TypeParam;
  using Real = typename T::value_type;
  for (const double shift : {2.2, -0.5}) {
    if (shift > 0.0 && sizeof(Real) == sizeof(float)) continue;  // Without exchanges its factors grow too much for float.
    const ComplexEntries a = with_random_phases(shifted_laplacian(10, shift), 9);
    ComplexEntries stored_one = a;
    const double part = 50.0 * static_cast<double>(a.n) * static_cast<double>(std::numeric_limits<Real>::epsilon());
    for (std::int64_t i = 0; i < a.n; ++i) {
      const double re = a.entries.at({i, i}).real();
      stored_one(i, i) = {re, (i % 2 == 0 ? part : -part) * re};
    }
    const StoredComplex<T> stored = store_complex<T>(stored_one);
    const DeviceArray<T> values(stored.values);
    Solver<T> solver(device_options(gpusupernodal::Form::ldlt));
    solver.compute(stored.view());
    expect_whole_solves(solver, a, "host memory", 3);
    solver.refactorize(Span<const T>(values.get(), stored.values.size()), MemorySpace::device);
    expect_whole_solves(solver, a, "device memory", 3);
  }
}

/// std::complex may lie at any multiple of its parts' size, but kernels load both parts at once.
TYPED_TEST(ComplexPivotsOnDevice, RefusesAddressesBetweenNumbers) {
  using T = TypeParam;
  using Real = typename T::value_type;
  const ComplexEntries a = with_random_phases(shifted_laplacian(4, -1.0), 9);
  const StoredComplex<T> stored = store_complex<T>(a);
  for (const auto form : {gpusupernodal::Form::llt, gpusupernodal::Form::ldlt, gpusupernodal::Form::lu}) {
    Solver<T> solver(device_options(form));
    solver.compute(stored.view());
    const DeviceArray<T> vector(std::vector<T>(static_cast<std::size_t>(a.n) + 1, T(1)));
    const DeviceArray<T> values(std::vector<T>(stored.values.size() + 1, T(1)));
    const auto between = [](const DeviceArray<T>& array) {
      return reinterpret_cast<T*>(reinterpret_cast<Real*>(array.get()) + 1);
    };
    const DenseView<T> good(vector.get(), a.n, MemorySpace::device), bad(between(vector), a.n, MemorySpace::device);
    EXPECT_THROW(solver.solve(bad, good), InvalidInput);
    EXPECT_THROW(solver.solve(good, bad), InvalidInput);
    EXPECT_THROW(solver.refactorize(Span<const T>(between(values), stored.values.size()), MemorySpace::device),
                 InvalidInput);
    expect_whole_solves(solver, a, "the factor is kept", 2);
  }
}

/// A graph captures the first transposed solve of an object: all of its kernels are loaded by then.
TYPED_TEST(ComplexPivotsOnDevice, GraphsCaptureTheFirstTransposedSolve) {
  using T = TypeParam;
  const ComplexEntries a = with_random_phases(shifted_laplacian(5, -1.0), 9);
  const CallersStream stream;
  Solver<T> solver(device_options(gpusupernodal::Form::llt));
  solver.set_stream(stream.get());
  solver.compute(store_complex<T>(a, StoredPart::lower).view());
  const auto numbers = random_complex_numbers(a.n, 3);
  const std::vector<T> right(numbers.begin(), numbers.end());
  const DeviceArray<T> b(right), x(right);
  const CapturedGraph graph(stream, [&] {
    solver.solve(DenseView<const T>(b.get(), a.n, MemorySpace::device), DenseView<T>(x.get(), a.n, MemorySpace::device),
                 System::transposed);
  });
  graph.launch();
  EXPECT_LE(complex_backward_error(a, x.host().data(), right.data(), System::transposed), trusted<T>(a.n));
}

}  // namespace
}  // namespace gpusupernodal::test
