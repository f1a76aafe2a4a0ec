/// Random systems whose small pivots are replaced so coarsely that refinement often diverges: FGMRES solves most of them,
/// and no solution is returned that is not accurate.

#include <complex>
#include <type_traits>

#include "gpusupernodal/error.hpp"
#include "solver/backend/executor.hpp"
#include "tests/solver/api/lu_problems.hpp"
#include "tests/support/complex_entries.hpp"

namespace gpusupernodal::test::replaced {
namespace {

constexpr std::int64_t order = 40;
constexpr std::int64_t columns = 3;
constexpr std::uint64_t trials = 40;

/// Pivots below this part of the largest entry are replaced: far more than by default.
constexpr double coarse = 0.1;

Options options_for(Backend backend, gpusupernodal::Form form, Repivot repivot = Repivot::report) {
  Options options;
  options.form = form;
  options.backend = backend;
  options.lu_schedule = LuSchedule::supernodes;
  options.matching = repivot == Repivot::report ? MatchingRule::none : MatchingRule::automatic;
  options.repivot = repivot;
  options.perturbation = coarse;
  options.merging = Merging::none;
  options.threads = 1;
  return options;
}

/// Entries in random directions, or of random sign for a real T. Every eighth entry of the diagonal is small.
template <class T>
ComplexEntries weak_diagonal(bool hermitian, std::uint64_t seed) {
  const ComplexEntries random = random_complex_entries(order, 2, 1.5, seed);
  ComplexEntries a{order, {}};
  for (const auto& [place, value] : random.entries) {
    const auto [i, j] = place;
    std::complex<double> entry = i % 8 == 3 && i == j ? 1e-3 * value : value;
    if (!ScalarTraits<T>::is_complex || (hermitian && i == j)) entry = entry.real();
    if (hermitian && i < j) continue;
    a(i, j) = entry;
    if (hermitian) a(j, i) = std::conj(entry);
  }
  return a;
}

template <class T>
T number(std::complex<double> value) {
  using Real = typename ScalarTraits<T>::Real;
  if constexpr (ScalarTraits<T>::is_complex) return T(value);
  if constexpr (!ScalarTraits<T>::is_complex) return static_cast<Real>(value.real());
}

/// store_complex, also for real scalars.
template <class T>
StoredComplex<T> store(const ComplexEntries& a, StoredPart part) {
  const StoredComplex<std::complex<double>> wide = store_complex<std::complex<double>>(a, part);
  StoredComplex<T> stored;
  stored.about.n = a.n;
  stored.about.part = part;
  stored.offsets = wide.offsets;
  stored.indices = wide.indices;
  for (const std::complex<double> value : wide.values) stored.values.push_back(number<T>(value));
  return stored;
}

template <class T>
std::vector<T> right_hand_sides(std::uint64_t seed) {
  std::vector<T> b;
  for (const std::complex<double> value : random_complex_numbers(order * columns, seed)) b.push_back(number<T>(value));
  return b;
}

/// The largest backward error of the columns.
template <class T>
double error_of(const ComplexEntries& a, const std::vector<T>& x, const std::vector<T>& b, System system) {
  using Complex = std::complex<typename ScalarTraits<T>::Real>;
  const std::vector<Complex> of_x(x.begin(), x.end()), of_b(b.begin(), b.end());
  double largest = 0.0;
  for (std::int64_t c = 0; c < columns; ++c) {
    const double error = complex_backward_error(a, of_x.data() + c * order, of_b.data() + c * order, system);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

template <class T>
struct Trial {
  Trial(const ComplexEntries& entries, const Options& options) : a(entries), solver(options) {
    solver.compute(store<T>(a, options.form == gpusupernodal::Form::lu ? StoredPart::full : StoredPart::lower).view());
  }
  /// Solves with all systems, also in place. Returns the most iterations of FGMRES.
  int solve_all() {
    int iterations = 0;
    for (const System system : {System::a, System::transposed, System::adjoint}) {
      const std::vector<T> b = right_hand_sides<T>(5);
      std::vector<T> x(b.size());
      std::vector<T> in_place = b;
      solver.solve(DenseView<const T>(b.data(), order, columns, order), view(x), system);
      iterations = std::max(iterations, solver.solve_report().fgmres_iterations);
      EXPECT_LE(error_of(a, x, b, system), bound<typename ScalarTraits<T>::Real>(order));
      solver.solve(view(in_place), view(in_place), system);
      EXPECT_LE(error_of(a, in_place, b, system), bound<typename ScalarTraits<T>::Real>(order)) << "in place";
    }
    return iterations;
  }
  static DenseView<T> view(std::vector<T>& v) { return DenseView<T>(v.data(), order, columns, order); }

  const ComplexEntries& a;
  Solver<T> solver;
};

/// Systems with replaced pivots by what solved them.
struct Counts {
  int refined = 0;
  int iterated = 0;
  int refused = 0;
};

template <class T>
Counts try_all(Backend backend, gpusupernodal::Form form) {
  Counts counts;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ComplexEntries a = weak_diagonal<T>(form == gpusupernodal::Form::ldlt, seed);
    Trial<T> trial(a, options_for(backend, form));
    const FactorReport report = trial.solver.factor_report();
    if (!ScalarTraits<T>::is_single) {  // A few of these matrices are singular up to rounding in single precision.
      EXPECT_NE(report.status, Status::singular);
    }
    if (report.perturbed_pivots == 0) continue;
    if (report.status == Status::success) {
      EXPECT_LE(report.probe_error, bound<typename ScalarTraits<T>::Real>(order));
    }
    try {
      const int iterations = trial.solve_all();
      ++(report.probe_iterations > 0 || iterations > 0 ? counts.iterated : counts.refined);
    } catch (const NumericalFailure&) {
      ++counts.refused;
    }
  }
  testing::Test::RecordProperty("refined", counts.refined);
  testing::Test::RecordProperty("iterated", counts.iterated);
  testing::Test::RecordProperty("refused", counts.refused);
  return counts;
}

template <Backend B, class T>
struct OnBackend {
  static constexpr Backend backend = B;
  using Scalar = T;
};

template <class Subject>
class ReplacedPivots : public testing::Test {
 protected:
  void SetUp() override {
    const CudaAvailability cuda = cuda_availability();
    if (Subject::backend == Backend::cuda && !cuda.available) GTEST_SKIP() << cuda.reason;
  }
};
using HostSubjects =
    testing::Types<OnBackend<Backend::host, float>, OnBackend<Backend::host, double>,
                   OnBackend<Backend::host, std::complex<float>>, OnBackend<Backend::host, std::complex<double>>>;
/// Without CUDA in the build, its tests would only be skipped.
using Subjects = std::conditional_t<
    GPUSUPERNODAL_TESTS_ON_CUDA,
    testing::Types<OnBackend<Backend::host, float>, OnBackend<Backend::host, double>,
                   OnBackend<Backend::host, std::complex<float>>, OnBackend<Backend::host, std::complex<double>>,
                   OnBackend<Backend::cuda, float>, OnBackend<Backend::cuda, double>,
                   OnBackend<Backend::cuda, std::complex<float>>, OnBackend<Backend::cuda, std::complex<double>>>,
    HostSubjects>;
TYPED_TEST_SUITE(ReplacedPivots, Subjects);

TYPED_TEST(ReplacedPivots, FgmresSolvesGeneralSystems) {
  const Counts counts = try_all<typename TypeParam::Scalar>(TypeParam::backend, gpusupernodal::Form::lu);
  EXPECT_GE(counts.iterated, 5);
  EXPECT_LE(counts.refused, counts.iterated / 5);
}

TYPED_TEST(ReplacedPivots, FgmresSolvesSymmetricIndefiniteSystems) {
  const Counts counts = try_all<typename TypeParam::Scalar>(TypeParam::backend, gpusupernodal::Form::ldlt);
  EXPECT_GE(counts.iterated, 5);
  EXPECT_LE(counts.refused, counts.iterated / 5);
}

/// Row 20 is a multiple of row 11, whose diagonal entry is small.
TYPED_TEST(ReplacedPivots, SingularSystemsStayRefused) {
  using T = typename TypeParam::Scalar;
  for (std::uint64_t seed = 0; seed < trials / 4; ++seed) {
    ComplexEntries a = weak_diagonal<T>(false, seed);
    for (std::int64_t j = 0; j < order; ++j) {
      a.entries.erase({20, j});
      if (a.entries.count({11, j}) > 0) a(20, j) = 0.5 * a(11, j);
    }
    Trial<T> trial(a, options_for(TypeParam::backend, gpusupernodal::Form::lu));
    EXPECT_NE(trial.solver.status(), Status::success) << seed;
    EXPECT_THROW(trial.solve_all(), NumericalFailure) << seed;
  }
}

/// Where a factorization could be repeated but was not, FGMRES was not needed.
TYPED_TEST(ReplacedPivots, OtherPivotsComeBeforeFgmres) {
  using T = typename TypeParam::Scalar;
  for (std::uint64_t seed = 0; seed < trials / 4; ++seed) {
    const ComplexEntries a = weak_diagonal<T>(false, seed);
    Trial<T> trial(a, options_for(TypeParam::backend, gpusupernodal::Form::lu, Repivot::automatic));
    if (trial.solver.factor_report().repivoted > 0) continue;
    EXPECT_EQ(trial.solver.factor_report().probe_iterations, 0) << seed;
  }
}

}  // namespace
}  // namespace gpusupernodal::test::replaced
