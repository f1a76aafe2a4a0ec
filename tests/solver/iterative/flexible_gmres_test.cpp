/// Flexible GMRES, with factors of perturbed matrices as preconditioners.

#include "solver/iterative/flexible_gmres.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "solver/factor/factor_structure.hpp"
#include "solver/iterative/richardson.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
T random_number(std::mt19937_64& random) {
  using Real = typename ScalarTraits<T>::Real;
  std::uniform_real_distribution<Real> value(Real(-1), Real(1));
  if constexpr (ScalarTraits<T>::is_complex) return T(value(random), value(random));
  return T(value(random));
}

/// A dense matrix, by rows.
template <class T>
struct Square {
  std::int64_t n = 0;
  std::vector<T> entries = std::vector<T>(static_cast<std::size_t>(n * n));
  T& at(std::int64_t i, std::int64_t j) { return entries[static_cast<std::size_t>(i * n + j)]; }
  T at(std::int64_t i, std::int64_t j) const { return entries[static_cast<std::size_t>(i * n + j)]; }
};

template <class T>
class DenseOperator final : public LinearOperator<T> {
 public:
  using Wide = typename ScalarTraits<T>::Wide;
  explicit DenseOperator(const Square<T>& a) : a_(a) {}

  void apply(const DenseView<const T>& x, const DenseView<T>& y) override {
    for (std::int64_t i = 0; i < a_.n; ++i) {
      Wide sum = 0;
      for (std::int64_t j = 0; j < a_.n; ++j) sum += Wide(a_.at(i, j)) * Wide(x.data[j]);
      y.data[i] = static_cast<T>(sum);
    }
  }
  ResidualNorms residual(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& r) override {
    ResidualNorms norms;
    for (std::int64_t i = 0; i < a_.n; ++i) {
      auto sum = Wide(b.data[i]);
      double row = 0.0;
      for (std::int64_t j = 0; j < a_.n; ++j) {
        sum -= Wide(a_.at(i, j)) * Wide(x.data[j]);
        row += std::abs(Wide(a_.at(i, j)));
      }
      raise(norms.b, b.data[i]);
      raise(norms.x, x.data[i]);
      raise(norms.a, row);
      raise(norms.r, sum);
      r.data[i] = static_cast<T>(sum);
    }
    return norms;
  }

 private:
  template <class V>
  static void raise(double& norm, V value) {
    const auto magnitude = static_cast<double>(std::abs(value));
    if (!(magnitude <= norm)) norm = magnitude;
  }

  const Square<T>& a_;
};

/// Solves with a copy of a matrix by elimination with partial pivoting.
template <class T>
class Elimination final : public ApproximateInverse<T> {
 public:
  explicit Elimination(Square<T> m) : m_(std::move(m)) {}
  void apply(const DenseView<const T>& r, const DenseView<T>& z) override {
    Square<T> u = m_;
    const std::int64_t n = u.n;
    std::vector<T> y(r.data, r.data + n);
    const auto of = [&y](std::int64_t i) -> T& { return y[static_cast<std::size_t>(i)]; };
    for (std::int64_t k = 0; k < n; ++k) {
      std::int64_t pivot = k;
      for (std::int64_t i = k + 1; i < n; ++i) {
        if (std::abs(u.at(i, k)) > std::abs(u.at(pivot, k))) pivot = i;
      }
      for (std::int64_t j = 0; j < n; ++j) std::swap(u.at(k, j), u.at(pivot, j));
      std::swap(of(k), of(pivot));
      for (std::int64_t i = k + 1; i < n; ++i) {
        const T factor = u.at(i, k) / u.at(k, k);
        for (std::int64_t j = k; j < n; ++j) u.at(i, j) -= factor * u.at(k, j);
        of(i) -= factor * of(k);
      }
    }
    for (std::int64_t k = n - 1; k >= 0; --k) {
      for (std::int64_t j = k + 1; j < n; ++j) of(k) -= u.at(k, j) * of(j);
      of(k) /= u.at(k, k);
    }
    std::copy(y.begin(), y.end(), z.data);
  }

 private:
  Square<T> m_;
};

template <class T>
class NotANumber final : public ApproximateInverse<T> {
 public:
  void apply(const DenseView<const T>&, const DenseView<T>& z) override {
    std::fill_n(z.data, z.rows, ScalarTraits<T>::not_a_number());
  }
};

template <class T>
class Vectors final : public VectorSpace<T> {
 public:
  MemorySpace space() const override { return MemorySpace::host; }
  DenseView<T> scratch(int slot, std::int64_t rows, std::int64_t cols) override {
    std::vector<T>& of = slots_.at(static_cast<std::size_t>(slot));
    of.resize(static_cast<std::size_t>(rows * cols));
    return {of.data(), rows, cols, rows};
  }
  void copy(const DenseView<const T>& from, const DenseView<T>& to) override { std::copy_n(from.data, to.rows, to.data); }
  void axpy(T alpha, const DenseView<const T>& x, const DenseView<T>& y) override {
    for (std::int64_t i = 0; i < y.rows; ++i) y.data[i] += alpha * x.data[i];
  }
  double max_norm(const DenseView<const T>& x) override {
    return std::abs(*std::max_element(x.data, x.data + x.rows, [](T a, T b) { return std::abs(a) < std::abs(b); }));
  }

 private:
  std::vector<std::vector<T>> slots_ = std::vector<std::vector<T>>(refinement_vectors);
};

/// c·n·eps.
template <class T>
double bound(std::int64_t n) {
  constexpr double c = 10.0;
  return c * static_cast<double>(n) * static_cast<double>(std::numeric_limits<typename ScalarTraits<T>::Real>::epsilon());
}

constexpr std::int64_t order = 40;

/// A well-conditioned matrix, and one that differs from it in `changed` entries of its diagonal by as much as they are.
template <class T>
std::pair<Square<T>, Square<T>> perturbed_pair(std::int64_t changed, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Square<T> a{order};
  for (std::int64_t i = 0; i < order; ++i) {
    for (std::int64_t j = 0; j < order; ++j) a.at(i, j) = random_number<T>(random);
  }
  Square<T> m = a;
  for (std::int64_t k = 0; k < changed; ++k) m.at(5 * k, 5 * k) += T(3);
  return {std::move(a), std::move(m)};
}

struct Solved {
  SolveReport refined;  ///< After refinement alone.
  SolveReport report;
};

/// Refines, then iterates.
template <class T>
Solved solve(const Square<T>& matrix, ApproximateInverse<T>& m, const KrylovLimits& limits) {
  DenseOperator<T> a(matrix);
  const std::int64_t n = matrix.n;
  std::mt19937_64 random(7);
  std::vector<T> b(static_cast<std::size_t>(n));
  for (T& entry : b) entry = random_number<T>(random);
  std::vector<T> x(b.size());
  Vectors<T> vectors;
  Solved solved;
  solved.refined = richardson<T>(a, m, vectors, {10, 0.0}, DenseView<const T>(b.data(), n), DenseView<T>(x.data(), n));
  solved.report = solved.refined;
  flexible_gmres<T>(a, m, vectors, limits, n, solved.report);
  const double error =
      normwise_error(a.residual(DenseView<const T>(b.data(), n), vectors.scratch(1, n, 1), vectors.scratch(2, n, 1)));
  if (!std::isnan(solved.report.backward_error)) {
    EXPECT_EQ(solved.report.backward_error, error) << "what is reported is the error of the solution";
  }
  return solved;
}

template <class T>
class FlexibleGmres : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FlexibleGmres, Scalars);

TYPED_TEST(FlexibleGmres, TakesAsManyIterationsAsThereAreChangedPivots) {
  int diverged = 0;
  for (std::int64_t changed = 1; changed <= 6; ++changed) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      auto [a, m] = perturbed_pair<TypeParam>(changed, seed);
      Elimination<TypeParam> factor(m);
      const Solved solved = solve<TypeParam>(a, factor, {bound<TypeParam>(order), 60});
      EXPECT_LE(solved.report.backward_error, bound<TypeParam>(order)) << changed << ", seed " << seed;
      if (solved.refined.backward_error <= bound<TypeParam>(order)) continue;
      ++diverged;
      constexpr int restarts_for_rounding = 2;
      EXPECT_LE(solved.report.fgmres_iterations, restarts_for_rounding * (changed + 1)) << changed << ", seed " << seed;
    }
  }
  EXPECT_GE(diverged, 20) << "refinement is not enough for these systems";
}

TYPED_TEST(FlexibleGmres, EndsAtTheLimitAndKeepsTheBestSolution) {
  auto [a, m] = perturbed_pair<TypeParam>(6, 1);
  Elimination<TypeParam> factor(m);
  constexpr int few = 3;
  const Solved solved = solve<TypeParam>(a, factor, {bound<TypeParam>(order), few});
  EXPECT_EQ(solved.report.fgmres_iterations, few);
  EXPECT_GT(solved.report.backward_error, bound<TypeParam>(order));
  EXPECT_LE(solved.report.backward_error, solved.refined.backward_error);
}

TYPED_TEST(FlexibleGmres, DoesNothingForAnAccurateSolution) {
  auto [a, m] = perturbed_pair<TypeParam>(0, 2);
  Elimination<TypeParam> factor(m);
  EXPECT_EQ(solve<TypeParam>(a, factor, {bound<TypeParam>(order), 60}).report.fgmres_iterations, 0);
}

/// Two equal rows: no x has a small residual, whatever the preconditioner is.
TYPED_TEST(FlexibleGmres, ReportsTheErrorOfASingularSystem) {
  auto [a, m] = perturbed_pair<TypeParam>(1, 3);
  for (std::int64_t j = 0; j < order; ++j) a.at(1, j) = a.at(0, j);
  Elimination<TypeParam> factor(m);
  const Solved solved = solve<TypeParam>(a, factor, {bound<TypeParam>(order), 60});
  EXPECT_LE(solved.report.backward_error, solved.refined.backward_error);
}

TYPED_TEST(FlexibleGmres, LeavesTheSolutionWhereThePreconditionerIsNotFinite) {
  const Square<TypeParam> a = perturbed_pair<TypeParam>(0, 4).first;
  NotANumber<TypeParam> nothing;
  const Solved solved = solve<TypeParam>(a, nothing, {bound<TypeParam>(order), 60});
  EXPECT_FALSE(solved.report.backward_error <= bound<TypeParam>(order));
}

}  // namespace
}  // namespace gpusupernodal::test
