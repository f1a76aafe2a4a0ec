/// Compares the backward errors of solves, which multiply by inverses of diagonal blocks, with those of plain substitution
/// with the same factor. Prints one row per matrix.

#include <cstdio>

#include "io/residual.hpp"
#include "tests/solver/conformance/plain_substitution.hpp"
#include "tests/solver/conformance/subject.hpp"
#include "tests/support/data.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test {
namespace {

/// For real matrices, the normwise backward error of a solve is at most this many times the larger of eps and the error of
/// plain substitution with the same factor.
constexpr double inverse_factor = 8.0;
/// Larger matrices lose too much accuracy in float to be worth the test time.
constexpr std::int64_t largest_order_in_float = 60'000;

template <class OnBackend>
using Accuracy = ExecutorTest<OnBackend>;
TYPED_TEST_SUITE(Accuracy, AllBackends, BackendNames);

struct Row {
  BackwardErrors solved, plain, refined;  ///< refined: after one refinement step.
};

void raise(BackwardErrors& to, const BackwardErrors& errors) {
  to.normwise = io::larger_error(to.normwise, errors.normwise);
  to.componentwise = io::larger_error(to.componentwise, errors.componentwise);
}

/// Right-hand sides: random entries, A times the vector of ones, and a unit vector.
template <class T>
std::vector<std::vector<T>> right_hand_sides(const io::SymmetricMatrix& a) {
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<T> single(n, T(0));
  single[n / 2] = T(1);
  return {rounded<T>(random_vector(a.n, 31)), rounded<T>(io::multiply(a, std::vector<double>(n, 1.0))), single};
}

template <class T>
std::vector<T> solved(Executor<T>& executor, const std::vector<T>& b) {
  const auto n = static_cast<std::int64_t>(b.size());
  std::vector<T> x(b.size());
  executor.factorization().solve(SolveSteps(), DenseView<const T>(b.data(), n), DenseView<T>(x.data(), n));
  return x;
}

/// Returns x + A⁻¹ (b − A x), with the residual in double.
template <class T>
std::vector<T> refined(const Problem<T>& problem, Executor<T>& executor, std::vector<T> x, const std::vector<T>& b) {
  const std::vector<double> product = io::multiply(problem.a, widened(x.data(), x.size()));
  std::vector<T> r;
  for (std::size_t i = 0; i < b.size(); ++i) r.push_back(static_cast<T>(static_cast<double>(b[i]) - product[i]));
  const std::vector<T> d = solved(executor, r);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += d[i];
  return x;
}

template <class T>
Row measure(const Problem<T>& problem, Executor<T>& executor) {
  std::vector<T> panels(static_cast<std::size_t>(problem.plan->panels.values()));
  executor.factorization().copy_panels(panels);
  Row row;
  for (const std::vector<T>& b : right_hand_sides<T>(problem.a)) {
    const std::vector<double> right = widened(b.data(), b.size());
    const auto note = [&](BackwardErrors& to, const std::vector<T>& x) {
      raise(to, backward_errors(problem.a, widened(x.data(), x.size()), right));
    };
    const std::vector<T> x = solved(executor, b);
    note(row.solved, x);
    note(row.plain, substitute_plainly(*problem.plan, panels, b));
    note(row.refined, refined(problem, executor, x, b));
  }
  return row;
}

void print(const io::SymmetricMatrix& a, const Row& row) {
  std::printf("accuracy: | %s | %lld | %.1e | %.1e | %.1e | %.1e | %.1e | %.1e |\n", a.name.c_str(),
              static_cast<long long>(a.n), row.solved.normwise, row.plain.normwise, row.refined.normwise,
              row.solved.componentwise, row.plain.componentwise, row.refined.componentwise);
}

TYPED_TEST(Accuracy, RealMatrices) {
  using T = typename TypeParam::Scalar;
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  std::vector<std::string> paths = further_matrices();
  if (paths.empty()) paths = project_matrices();
  Thinned cases;
  for (const std::string& path : paths) {
    if (!cases.takes_next()) continue;
    io::SymmetricMatrix a = io::read_matrix_market(path);
    if (sizeof(T) == 4 && a.n > largest_order_in_float) continue;
    a.name = path.substr(path.rfind('/') + 1);
    a.name = a.name.substr(0, a.name.find('.'));
    const Problem<T> problem(std::move(a));
    const auto executor = this->make(problem.plan);
    executor->factorization().factorize(problem.input());
    // Some matrices are no longer positive definite after rounding to float.
    if (sizeof(T) == 4 && executor->factorization().outcome().status == Status::not_positive_definite) continue;
    ASSERT_EQ(executor->factorization().outcome().status, Status::success) << problem.a.name;
    const Row row = measure(problem, *executor);
    print(problem.a, row);
    EXPECT_LE(row.solved.normwise, inverse_factor * std::max(row.plain.normwise, eps)) << problem.a.name;
  }
}

/// Dense matrix with entries entry(i, j), plus a shift on the diagonal. Its smallest eigenvalue is close to the shift.
template <class Entry>
io::SymmetricMatrix dense_of(std::string name, std::int64_t n, double shift, const Entry& entry) {
  io::SymmetricMatrix a;
  a.name = std::move(name);
  a.n = n;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) {
      a.indices.push_back(static_cast<std::int32_t>(i));
      a.values.push_back(entry(static_cast<double>(i), static_cast<double>(j)) + (i == j ? shift : 0.0));
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  return a;
}

/// Inverting diagonal blocks of L amplifies errors by at most the condition of a block, which is at most the condition of L:
/// √(‖A‖ / smallest eigenvalue). A pivot may fail only if the smallest eigenvalue is within this error bound.
template <class T>
void expect_within_growth(const Problem<T>& problem, Executor<T>& executor, double norm, double shift, bool inverts) {
  executor.factorization().factorize(problem.input());
  const double growth = inverts ? std::sqrt(norm / shift) : 1.0;
  const double bound = backward_error_bound<T>(problem.a.n) * growth;
  if (executor.factorization().outcome().status == Status::not_positive_definite) {
    std::printf("accuracy: | %s | not positive definite: column %d |\n", problem.a.name.c_str(),
                executor.factorization().outcome().failed_column.value);
    EXPECT_LE(shift, bound * norm) << problem.a.name;
    return;
  }
  const Row row = measure(problem, executor);
  print(problem.a, row);
  EXPECT_LE(row.solved.normwise, bound) << problem.a.name;
}

TYPED_TEST(Accuracy, IllConditionedBlocks) {
  using T = typename TypeParam::Scalar;
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  const auto hilbert = [](double i, double j) { return 1.0 / (i + j + 1.0); };
  const auto bell = [](double i, double j) { return std::exp(-(i - j) * (i - j) / 200.0); };
  Thinned cases;
  for (const std::int64_t n : {64, 300, 700}) {
    for (const double shift : {1e3, 1e4, 1e5, 1e6, 1e8, 1e10}) {
      if (!cases.takes_next()) continue;
      constexpr double well_conditioned = 1e-2;  // For larger shifts the matrix is well conditioned.
      if (shift * eps > well_conditioned) continue;
      char name[64];
      std::snprintf(name, sizeof(name), "%lld, shift %.0e eps", static_cast<long long>(n), shift);
      const Problem<T> first(dense_of(std::string("Hilbert ") + name, n, shift * eps, hilbert));
      expect_within_growth(first, *this->make(first.plan), 10.0, shift * eps, !this->on_host);
      const Problem<T> second(dense_of(std::string("bell ") + name, n, shift * eps, bell));
      expect_within_growth(second, *this->make(second.plan), 26.0, shift * eps, !this->on_host);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
