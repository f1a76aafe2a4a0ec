#pragma once

/// \file
/// Matrices of all scalars for the tests of LU on dense storage.

#include <complex>
#include <random>
#include <vector>

#include "tests/solver/api/lu_problems.hpp"

namespace gpusupernodal::test {

/// A number between −1 and 1; both parts of a complex one.
template <class T, class Random>
T random_number(Random& random) {
  using Real = typename ScalarTraits<T>::Real;
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  const auto real = static_cast<Real>(value(random));
  if constexpr (ScalarTraits<T>::is_complex) {
    return {real, static_cast<Real>(value(random))};
  } else {
    return real;
  }
}

/// A matrix stored by columns.
template <class T>
struct DenseSystem {
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> rows;
  std::vector<T> values;

  /// Random entries, each there with this probability, and no diagonal entries but where a permutation has them.
  DenseSystem(std::int64_t order, double density, std::uint64_t seed) : n(order) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> chance(0.0, 1.0);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        const bool in_permutation = i == (j * 7 + 3) % n;
        if (!(chance(random) < density) && !in_permutation && i != (j + 1) % n) continue;
        rows.push_back(i);
        values.push_back(random_number<T>(random) + (in_permutation ? T(2) : T(0)));
      }
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
  }

  MatrixView<T> view() const {
    MatrixView<T> v;
    v.n = n;
    v.offsets = offsets.data();
    v.indices = rows.data();
    v.values = values.data();
    v.part = StoredPart::full;
    return v;
  }

  /// ‖b − op(A) x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), in double precision.
  double backward_error(const T* x, const T* b, System part) const {
    using Wide = typename ScalarTraits<T>::Wide;
    std::vector<Wide> r(b, b + n);
    std::vector<double> sums(static_cast<std::size_t>(n), 0.0);
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      for (auto e = static_cast<std::size_t>(offsets[j]); e < static_cast<std::size_t>(offsets[j + 1]); ++e) {
        const auto i = static_cast<std::size_t>(rows[e]);
        const auto value = static_cast<Wide>(part == System::adjoint ? ScalarTraits<T>::conjugate(values[e]) : values[e]);
        const bool plain = part == System::a;
        r[plain ? i : j] -= value * static_cast<Wide>(x[plain ? j : i]);
        sums[plain ? i : j] += std::abs(value);
      }
    }
    double residual = 0.0, right = 0.0, solution = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      residual = std::max(residual, std::abs(r[i]));
      right = std::max(right, static_cast<double>(std::abs(b[i])));
      solution = std::max(solution, static_cast<double>(std::abs(x[i])));
      norm = std::max(norm, sums[i]);
    }
    return norm * solution + right > 0.0 ? residual / (norm * solution + right) : residual;
  }
};

/// A full matrix whose last row is the sum of the others, each divided by n, up to rounding. With `strong`, the others have
/// a strong diagonal, so that no pivot but the last is small.
template <class T>
DenseSystem<T> of_rank_one_less(std::int64_t n, bool strong) {
  using Real = typename ScalarTraits<T>::Real;
  DenseSystem<T> a(n, 1.0, static_cast<std::uint64_t>(n));
  for (std::int64_t j = 0; j < n; ++j) {
    T* const column = a.values.data() + j * n;
    if (strong) column[j] += T(20);
    column[n - 1] = T(0);
    for (std::int64_t i = 0; i + 1 < n; ++i) column[n - 1] += column[i] / static_cast<Real>(n);
  }
  return a;
}

/// Sparse rows, each with 0.12 on the diagonal and 1 in the last column, over a row of ones: 0.12 is acceptable as a pivot
/// in the first columns, and the last entry grows by 8 in each. With the largest pivots L and U grow less. All other columns
/// are those of the identity.
inline GeneralEntries growing_by_threshold(std::int64_t n) {
  constexpr std::int64_t growing = 30;
  GeneralEntries a{n, {}};
  for (std::int64_t k = 0; k + 1 < n; ++k) {
    a(k, k) = k < growing ? 0.12 : 1.0;
    if (k < growing) a(n - 1, k) = a(k, n - 1) = 1.0;
  }
  a(n - 1, n - 1) = 1.0;
  return a;
}

template <class T>
std::vector<T> random_numbers(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(random_number<T>(random));
  return numbers;
}

template <class T>
double dense_bound(std::int64_t n) {
  return bound<typename ScalarTraits<T>::Real>(n);
}

/// Solves with A, Aᵀ and Aᴴ for several right-hand sides.
template <class T>
void expect_all_solves(Solver<T>& solver, const DenseSystem<T>& a, std::int64_t columns, const std::string& what) {
  ASSERT_EQ(solver.status(), Status::success) << what;
  const std::vector<T> b = random_numbers<T>(a.n * columns, 3);
  for (const System part : {System::a, System::transposed, System::adjoint}) {
    std::vector<T> x(b.size());
    solver.solve(DenseView<const T>(b.data(), a.n, columns, a.n), DenseView<T>(x.data(), a.n, columns, a.n), part);
    for (std::int64_t c = 0; c < columns; ++c) {
      ASSERT_LE(a.backward_error(x.data() + c * a.n, b.data() + c * a.n, part), dense_bound<T>(a.n))
          << what << ", part " << static_cast<int>(part) << ", column " << c;
    }
  }
}

}  // namespace gpusupernodal::test
