/// \file
/// Both complex scalars on the host: Cholesky of Hermitian matrices and LU of general ones, with transposed and adjoint
/// solves.

#include <gtest/gtest.h>

#include "gpusupernodal/error.hpp"
#include "tests/support/allow_threads.hpp"
#include "tests/support/complex_entries.hpp"

namespace gpusupernodal::test {
namespace {

constexpr System whole_systems[] = {System::a, System::transposed, System::adjoint};

template <class T>
class ComplexForms : public ::testing::Test {};
using Scalars = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexForms, Scalars);

Options host_options(gpusupernodal::Form form, int threads = 2) {
  Options options;
  options.form = form;
  options.backend = Backend::host;
  options.threads = threads;
  return options;
}

/// 100·sqrt(n)·eps, which solves by LU reach or throw, and Cholesky stays below.
template <class T>
double trusted_error(std::int64_t n) {
  return 100.0 * std::sqrt(static_cast<double>(n)) *
         static_cast<double>(std::numeric_limits<typename T::value_type>::epsilon());
}

template <class T>
std::vector<T> right_hand_sides(std::int64_t n, std::int64_t columns) {
  const auto v = random_complex_numbers(n * columns, 31);
  std::vector<T> b(v.size());
  std::transform(v.begin(), v.end(), b.begin(), [](std::complex<double> entry) { return static_cast<T>(entry); });
  return b;
}

template <class T>
std::vector<T> solve_all(Solver<T>& solver, const std::vector<T>& b, System system) {
  const std::int64_t n = solver.order();
  const std::int64_t columns = static_cast<std::int64_t>(b.size()) / n;
  std::vector<T> x(b.size());
  solver.solve(DenseView<const T>(b.data(), n, columns, n), DenseView<T>(x.data(), n, columns, n), system);
  return x;
}

template <class T>
void expect_whole_solves(Solver<T>& solver, const ComplexEntries& a, const std::string& what, std::int64_t columns = 1) {
  ASSERT_EQ(solver.status(), Status::success) << what;
  const std::vector<T> b = right_hand_sides<T>(a.n, columns);
  for (const System system : whole_systems) {
    const std::vector<T> x = solve_all(solver, b, system);
    for (std::int64_t c = 0; c < columns; ++c) {
      ASSERT_LE(complex_backward_error(a, x.data() + c * a.n, b.data() + c * a.n, system), trusted_error<T>(a.n))
          << what << ", system " << static_cast<int>(system) << ", column " << c;
    }
  }
}

TYPED_TEST(ComplexForms, CholeskySolvesWithTheMatrixItsTransposeAndItsAdjoint) {
  for (const std::int64_t n : {2, 3, 7, 12}) {
    const ComplexEntries a = with_random_phases(shifted_laplacian(n, -0.1), static_cast<std::uint64_t>(n));
    for (const StoredPart part : {StoredPart::lower, StoredPart::upper, StoredPart::full}) {
      for (const Compression compression : {Compression::columns, Compression::rows}) {
        for (const int steps : {0, 2}) {
          Options options = host_options(gpusupernodal::Form::llt);
          options.refinement.max_steps = steps;
          Solver<TypeParam> solver(options);
          solver.compute(store_complex<TypeParam>(a, part, compression).view());
          expect_whole_solves(solver, a, "n = " + std::to_string(n) + ", steps " + std::to_string(steps), 3);
          if (steps > 0) {
            EXPECT_GT(solver.solve_report().backward_error, 0.0) << "the solves were not refined";
          }
        }
      }
    }
  }
}

TYPED_TEST(ComplexForms, CholeskyNamesTheColumnThatFails) {
  ComplexEntries a = with_random_phases(shifted_laplacian(4, 0.0), 3);
  a(17, 17) = -1.0;
  Solver<TypeParam> solver(host_options(gpusupernodal::Form::llt));
  solver.compute(store_complex<TypeParam>(a).view());
  EXPECT_EQ(solver.status(), Status::not_positive_definite);
  a(17, 17) = {6.0, 0.5};
  EXPECT_THROW(solver.compute(store_complex<TypeParam>(a).view()), InvalidInput) << "the diagonal is not real";
}

TYPED_TEST(ComplexForms, LuSolvesRandomMatricesInEveryStorage) {
  for (const std::int64_t n : {1, 2, 3, 10, 57, 300}) {
    for (const Compression compression : {Compression::columns, Compression::rows}) {
      const ComplexEntries a = random_complex_entries(n, 3, 3.0, static_cast<std::uint64_t>(n));
      Solver<TypeParam> solver(host_options(gpusupernodal::Form::lu));
      solver.compute(store_complex<TypeParam>(a, StoredPart::full, compression).view());
      EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
      expect_whole_solves(solver, a, "n = " + std::to_string(n), n == 57 ? 70 : 2);
    }
  }
}

/// A dense matrix is one supernode of several block columns, whose tasks run on several threads.
TYPED_TEST(ComplexForms, LuSolvesADenseMatrixWiderThanABlockColumn) {
  allow_threads(4);
  constexpr std::int64_t n = 530;
  const auto values = random_complex_numbers(n * n, 3);
  ComplexEntries a{n, {}};
  for (std::int64_t e = 0; e < n * n; ++e) a(e % n, e / n) = values[static_cast<std::size_t>(e)];
  for (std::int64_t i = 0; i < n; ++i) a(i, i) *= 60.0;
  const StoredComplex<TypeParam> stored = store_complex<TypeParam>(a);
  for (const int threads : {1, 4}) {
    Solver<TypeParam> solver(host_options(gpusupernodal::Form::lu, threads));
    solver.compute(stored.view());
    expect_whole_solves(solver, a, "threads " + std::to_string(threads));
  }
}

TYPED_TEST(ComplexForms, LuSolvesShiftedLaplaciansThatCholeskyRefuses) {
  allow_threads(4);
  const ComplexEntries a = shifted_laplacian(12, {1.3, 0.4});
  const StoredComplex<TypeParam> stored = store_complex<TypeParam>(a);
  for (const std::int32_t block_width : {0, 32}) {
    for (const int threads : {1, 4}) {
      Options options = host_options(gpusupernodal::Form::lu, threads);
      options.block_width = block_width;
      Solver<TypeParam> solver(options);
      solver.compute(stored.view());
      expect_whole_solves(solver, a, "block width " + std::to_string(block_width), 2);
    }
  }
  Solver<TypeParam> cholesky(host_options(gpusupernodal::Form::llt));
  try {
    cholesky.compute(stored.view());
    FAIL() << "a complex symmetric matrix was taken for a Hermitian one";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("set the option form to lu"), std::string::npos) << error.what();
  }
}

/// Complex eigenvalues, and every entry in a random direction: a mistaken conjugate shows.
TYPED_TEST(ComplexForms, LuSolutionsAreThoseOfADenseReference) {
  const ComplexEntries a = with_random_phases(random_complex_entries(80, 5, 6.0, 12), 4);
  Solver<TypeParam> solver(host_options(gpusupernodal::Form::lu));
  solver.compute(store_complex<TypeParam>(a).view());
  const std::vector<TypeParam> b = right_hand_sides<TypeParam>(a.n, 1);
  for (const System system : whole_systems) {
    const std::vector<TypeParam> x = solve_all(solver, b, system);
    const auto exact = dense_complex_solution(a, {b.begin(), b.end()}, system);
    constexpr double condition = 100.0;  // More than the diagonally dominant matrix has.
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(std::abs(static_cast<std::complex<double>>(x[i]) - exact[i]), condition * trusted_error<TypeParam>(a.n))
          << i;
  }
}

TYPED_TEST(ComplexForms, LuRefactorizesWithNewValues) {
  ComplexEntries a = random_complex_entries(150, 4, 5.0, 9);
  Solver<TypeParam> solver(host_options(gpusupernodal::Form::lu));
  solver.compute(store_complex<TypeParam>(a).view());
  for (int step = 1; step <= 3; ++step) {
    for (auto& [place, value] : a.entries) value *= std::polar(1.1, 0.3 * static_cast<double>((place.first + step) % 7));
    solver.refactorize(store_complex<TypeParam>(a).values);
    expect_whole_solves(solver, a, "step " + std::to_string(step));
  }
}

/// The first pivot is tiny: without an exchange of rows it is replaced, and the solve is verified by its residual.
TYPED_TEST(ComplexForms, LuNeverTrustsATinyPivot) {
  for (const double tiny : {1e-16, 1e-30, 0.0}) {
    ComplexEntries a{2, {}};
    a(0, 0) = std::polar(tiny, 0.7);
    a(0, 1) = std::polar(1.0, 2.0);
    a(1, 0) = std::polar(1.0, -1.0);
    a(1, 1) = {0.0, 2.0};
    for (const MatchingRule rule : {MatchingRule::automatic, MatchingRule::none}) {
      Options options = host_options(gpusupernodal::Form::lu);
      options.matching = rule;
      Solver<TypeParam> solver(options);
      solver.compute(store_complex<TypeParam>(a).view());
      EXPECT_EQ(solver.factor_report().perturbed_pivots, rule == MatchingRule::none ? 1 : 0) << tiny;
      expect_whole_solves(solver, a, "trap");
    }
  }
}

TYPED_TEST(ComplexForms, LuTellsSingularMatrices) {
  ComplexEntries a = random_complex_entries(40, 3, 4.0, 5);
  for (std::int64_t j = 0; j < 40; ++j) {  // Row 7 is a complex multiple of row 3.
    if (a.entries.count({3, j}) + a.entries.count({7, j}) == 0) continue;
    a(7, j) = a(3, j) * std::complex<double>(0.5, -0.75);
  }
  Solver<TypeParam> solver(host_options(gpusupernodal::Form::lu));
  solver.compute(store_complex<TypeParam>(a).view());
  EXPECT_EQ(solver.status(), Status::singular);
  EXPECT_GE(solver.factor_report().failed_column, 0);
  EXPECT_THROW(solve_all(solver, right_hand_sides<TypeParam>(40, 1), System::a), NumericalFailure);
}

TYPED_TEST(ComplexForms, LuNamesEntriesThatAreNotFinite) {
  using Real = typename TypeParam::value_type;
  ComplexEntries a = random_complex_entries(30, 3, 4.0, 5);
  a(11, 20) = 1.0;
  StoredComplex<TypeParam> stored = store_complex<TypeParam>(a);
  const auto entry = static_cast<std::size_t>(std::distance(a.entries.begin(), a.entries.find({11, 20})));
  stored = store_complex<TypeParam>(a, StoredPart::full, Compression::rows);  // In the order of the map.
  stored.values[entry] = {Real(1), std::numeric_limits<Real>::quiet_NaN()};
  Solver<TypeParam> solver(host_options(gpusupernodal::Form::lu));
  solver.compute(stored.view());
  EXPECT_EQ(solver.status(), Status::non_finite_input);
  EXPECT_EQ(solver.factor_report().failed_row, 11);
  EXPECT_EQ(solver.factor_report().failed_column, 20);
}

TYPED_TEST(ComplexForms, DeterminantHasItsMagnitudeAndSign) {
  using Real = typename TypeParam::value_type;
  ComplexEntries a{3, {}};  // A triangle with its rows exchanged.
  a(1, 0) = {3.0, 4.0};
  a(1, 2) = {1.0, -2.0};
  a(2, 1) = {0.0, 2.0};
  a(0, 2) = {-0.5, 0.0};
  Solver<TypeParam> solver(host_options(gpusupernodal::Form::lu));
  solver.compute(store_complex<TypeParam>(a).view());
  EXPECT_NEAR(solver.log_determinant(), std::log(5.0 * 2.0 * 0.5),
              60.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
  const std::complex<double> sign(solver.determinant_sign());  // The determinant is 4 − 3i.
  EXPECT_LE(std::abs(sign - std::complex<double>(0.8, -0.6)),
            60.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
}

TYPED_TEST(ComplexForms, LuByColumnsRunsOnTheHostOnly) {
  const ComplexEntries a = random_complex_entries(10, 2, 4.0, 1);
  const StoredComplex<TypeParam> stored = store_complex<TypeParam>(a);
  Options options = host_options(gpusupernodal::Form::lu);
  options.backend = Backend::cuda;
  options.lu_schedule = LuSchedule::columns;
  const std::string reason = "LU by columns of complex matrices runs on the host only";
  try {
    Solver<TypeParam>(options).analyze(stored.view());
    FAIL() << "CUDA took complex numbers";
  } catch (const BackendUnavailable& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos);
  }
  options.backend = Backend::automatic;
  Solver<TypeParam> solver(options);
  solver.compute(stored.view());
  EXPECT_EQ(solver.backend(), Backend::host);
  EXPECT_EQ(solver.analyze_report().backend_reason, reason);
  EXPECT_THROW(solve_all(solver, right_hand_sides<TypeParam>(10, 1), System::l), InvalidInput);
}

TEST(RealForms, AdjointSolvesAreTransposedOnes) {
  const ComplexEntries complex = random_complex_entries(30, 3, 4.0, 2);
  StoredComplex<double> stored;
  {
    const StoredComplex<std::complex<double>> both = store_complex<std::complex<double>>(complex);
    stored.about.n = complex.n;
    stored.about.part = StoredPart::full;
    stored.offsets = both.offsets;
    stored.indices = both.indices;
    for (const auto& value : both.values) stored.values.push_back(value.real() + 0.25);
  }
  Solver<double> solver(host_options(gpusupernodal::Form::lu));
  solver.compute(stored.view());
  const std::vector<double> b(30, 1.0);
  EXPECT_EQ(solve_all(solver, b, System::adjoint), solve_all(solver, b, System::transposed));
  EXPECT_NE(solve_all(solver, b, System::adjoint), solve_all(solver, b, System::a));
}

}  // namespace
}  // namespace gpusupernodal::test
