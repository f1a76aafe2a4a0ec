#pragma once

/// \file
/// General and Hermitian complex matrices for tests, in any storage, and the backward error of their solutions.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::test {

/// Entries (row, column) → value of a square complex matrix.
struct ComplexEntries {
  std::int64_t n = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, std::complex<double>> entries;

  std::complex<double>& operator()(std::int64_t i, std::int64_t j) { return entries[{i, j}]; }
};

/// Owns the arrays of a complex matrix.
template <class T>
struct StoredComplex {
  MatrixView<T> about;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> indices;
  std::vector<T> values;

  MatrixView<T> view() const {
    MatrixView<T> v = about;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    return v;
  }
};

template <class T>
StoredComplex<T> store_complex(const ComplexEntries& a, StoredPart part = StoredPart::full,
                               Compression compression = Compression::columns) {
  std::vector<std::vector<std::pair<std::int64_t, std::complex<double>>>> lists(static_cast<std::size_t>(a.n));
  for (const auto& [place, value] : a.entries) {
    const auto [i, j] = place;
    if ((part == StoredPart::lower && i < j) || (part == StoredPart::upper && i > j)) continue;
    const bool columns = compression == Compression::columns;
    lists[static_cast<std::size_t>(columns ? j : i)].emplace_back(columns ? i : j, value);
  }
  StoredComplex<T> stored;
  stored.about.n = a.n;
  stored.about.part = part;
  stored.about.compression = compression;
  for (const auto& list : lists) {
    for (const auto& [index, value] : list) {
      stored.indices.push_back(index);
      stored.values.push_back(static_cast<T>(value));
    }
    stored.offsets.push_back(static_cast<std::int64_t>(stored.indices.size()));
  }
  return stored;
}

/// ‖b − op(A) x‖∞ / (‖op(A)‖∞ ‖x‖∞ + ‖b‖∞) with A rounded to T, where op(A) is A, Aᵀ or Aᴴ; NaN if x has NaN.
template <class T>
double complex_backward_error(const ComplexEntries& a, const T* x, const T* b, System system) {
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<std::complex<double>> r(b, b + n);
  std::vector<double> row_norms(n, 0.0);
  for (const auto& [place, value] : a.entries) {
    const bool transposed = system != System::a;
    const auto i = static_cast<std::size_t>(transposed ? place.second : place.first);
    const auto j = static_cast<std::size_t>(transposed ? place.first : place.second);
    const auto rounded = static_cast<std::complex<double>>(static_cast<T>(value));
    r[i] -= (system == System::adjoint ? std::conj(rounded) : rounded) * static_cast<std::complex<double>>(x[j]);
    row_norms[i] += std::abs(rounded);
  }
  double norms[4] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const double parts[4] = {std::abs(r[i]), row_norms[i], static_cast<double>(std::abs(x[i])),
                             static_cast<double>(std::abs(b[i]))};
    for (int p = 0; p < 4; ++p) {
      if (!(parts[p] <= norms[p])) norms[p] = parts[p];  // NaN stays.
    }
  }
  const double scale = norms[1] * norms[2] + norms[3];
  return scale > 0.0 ? norms[0] / scale : norms[0];
}

/// n complex numbers in the square [−1, 1]².
inline std::vector<std::complex<double>> random_complex_numbers(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<std::complex<double>> v(static_cast<std::size_t>(n));
  for (auto& entry : v) {
    const double real = value(random);
    entry = {real, value(random)};
  }
  return v;
}

/// n rows with about `per_row` entries beside the diagonal, at positions that are not symmetric, and a diagonal of magnitude
/// `diagonal` or more in random directions; no diagonal if `diagonal` is 0.
inline ComplexEntries random_complex_entries(std::int64_t n, int per_row, double diagonal, std::uint64_t seed) {
  const auto values = random_complex_numbers(n * (per_row + 1), seed);
  std::mt19937_64 random(seed + 1);
  ComplexEntries a{n, {}};
  auto next = values.begin();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::complex<double> direction = *next++;
    if (diagonal != 0.0) a(i, i) = std::polar(diagonal * (1.0 + std::abs(direction)), std::arg(direction));
    for (int k = 0; k < per_row; ++k, ++next) {
      const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      if (j != i) a(i, j) = *next;
    }
  }
  return a;
}

/// The 7-point Laplacian of an n×n×n grid minus `shift`: complex symmetric, as a Helmholtz equation with damping.
inline ComplexEntries shifted_laplacian(std::int64_t n, std::complex<double> shift) {
  ComplexEntries a{n * n * n, {}};
  const std::int64_t strides[3] = {1, n, n * n};
  for (std::int64_t i = 0; i < a.n; ++i) {
    a(i, i) = 6.0 - shift;
    for (const std::int64_t stride : strides) {
      if (i / stride % n + 1 < n) a(i, i + stride) = a(i + stride, i) = -1.0;
    }
  }
  return a;
}

/// D A D* for a diagonal D of random directions: if A is real and symmetric, a Hermitian matrix with its eigenvalues.
inline ComplexEntries with_random_phases(ComplexEntries a, std::uint64_t seed) {
  std::vector<std::complex<double>> d = random_complex_numbers(a.n, seed);
  for (auto& phase : d) phase = std::polar(1.0, std::arg(phase));
  for (auto& [place, value] : a.entries) {
    if (place.first != place.second)
      value *= d[static_cast<std::size_t>(place.first)] * std::conj(d[static_cast<std::size_t>(place.second)]);
  }
  return a;
}

/// Gaussian elimination with partial pivoting for op(A) x = b in double precision.
inline std::vector<std::complex<double>> dense_complex_solution(const ComplexEntries& a, std::vector<std::complex<double>> b,
                                                                System system) {
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<std::vector<std::complex<double>>> rows(n, std::vector<std::complex<double>>(n));
  for (const auto& [place, value] : a.entries) {
    const auto i = static_cast<std::size_t>(place.first);
    const auto j = static_cast<std::size_t>(place.second);
    if (system == System::a) rows[i][j] = value;
    if (system == System::transposed) rows[j][i] = value;
    if (system == System::adjoint) rows[j][i] = std::conj(value);
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    }
    std::swap(rows[k], rows[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const std::complex<double> factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j < n; ++j) rows[i][j] -= factor * rows[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= rows[k][j] * b[j];
    b[k] /= rows[k][k];
  }
  return b;
}

}  // namespace gpusupernodal::test
