#pragma once

/// \file
/// General matrices for tests, in any storage that LU takes, and the backward error of their solutions.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "gpusupernodal/views.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal::test {

/// Entries (row, column) → value of a square matrix.
struct GeneralEntries {
  std::int64_t n = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, double> entries;

  double& operator()(std::int64_t i, std::int64_t j) { return entries[{i, j}]; }
};

/// n rows with about `per_row` off-diagonal entries each, in [−1, 1], at positions that are not symmetric, and a diagonal of
/// `diagonal` where that is not 0.
inline GeneralEntries random_entries(std::int64_t n, int per_row, double diagonal, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  GeneralEntries a{n, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    if (diagonal != 0.0) a(i, i) = diagonal * (1.5 + value(random));
    for (int k = 0; k < per_row; ++k) {
      const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      if (j != i) a(i, j) = value(random);
    }
  }
  return a;
}

/// Owns the arrays of a general matrix.
template <class T>
struct StoredGeneral {
  std::int64_t n = 0;
  Compression compression = Compression::columns;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> indices;
  std::vector<T> values;

  MatrixView<T> view() const {
    MatrixView<T> v;
    v.n = n;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    v.part = StoredPart::full;
    v.compression = compression;
    return v;
  }
};

template <class T>
StoredGeneral<T> store_general(const GeneralEntries& a, Compression compression = Compression::columns) {
  std::vector<std::vector<std::pair<std::int64_t, double>>> lists(static_cast<std::size_t>(a.n));
  for (const auto& [place, value] : a.entries) {
    const auto [i, j] = place;
    const bool columns = compression == Compression::columns;
    lists[static_cast<std::size_t>(columns ? j : i)].emplace_back(columns ? i : j, value);
  }
  StoredGeneral<T> stored;
  stored.n = a.n;
  stored.compression = compression;
  for (const auto& list : lists) {
    for (const auto& [index, value] : list) {
      stored.indices.push_back(index);
      stored.values.push_back(static_cast<T>(static_cast<typename ScalarTraits<T>::Real>(value)));
    }
    stored.offsets.push_back(static_cast<std::int64_t>(stored.indices.size()));
  }
  return stored;
}

/// ‖b − op(A) x‖∞ / (‖op(A)‖∞ ‖x‖∞ + ‖b‖∞) with A rounded to T; NaN if x has NaN.
template <class T>
double general_backward_error(const GeneralEntries& a, const std::vector<T>& x, const std::vector<T>& b,
                              bool transposed = false) {
  std::vector<long double> r(b.begin(), b.end());
  std::vector<double> row_norms(b.size(), 0.0);
  for (const auto& [place, value] : a.entries) {
    const auto i = static_cast<std::size_t>(transposed ? place.second : place.first);
    const auto j = static_cast<std::size_t>(transposed ? place.first : place.second);
    const auto rounded = static_cast<double>(static_cast<T>(value));
    r[i] -= static_cast<long double>(rounded) * static_cast<long double>(x[j]);
    row_norms[i] += std::abs(rounded);
  }
  const auto largest = [](const auto& v) {
    double all = 0.0;
    for (const auto entry : v) {
      const auto magnitude = static_cast<double>(std::abs(entry));
      if (!(magnitude <= all)) all = magnitude;  // NaN stays.
    }
    return all;
  };
  const double scale = largest(row_norms) * largest(x) + largest(b);
  const double norm = largest(r);
  return scale > 0.0 ? norm / scale : norm;
}

}  // namespace gpusupernodal::test
