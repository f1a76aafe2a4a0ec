#pragma once

/// \file
/// Sparse matrices of all shapes, stored in every way that SparseView describes, and their products in long double.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpusupernodal/sparse_operator.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal::test::sparse {

struct Entries {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, double> of;

  double& operator()(std::int64_t i, std::int64_t j) { return of[{i, j}]; }
};

/// Owns the arrays of a view.
template <class T>
struct Stored {
  SparseView<T> shape;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<T> values;

  SparseView<T> view() const {
    SparseView<T> v = shape;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    return v;
  }
  SparsePatternView pattern() const {
    return {shape.rows, shape.columns, offsets.data(), indices.data(), shape.part, shape.compression};
  }
};

/// `shuffled`: indices within a row or column are in random order.
template <class T>
Stored<T> store(const Entries& a, Compression compression = Compression::rows, StoredPart part = StoredPart::full,
                bool shuffled = false) {
  const bool by_rows = compression == Compression::rows;
  std::vector<std::vector<std::pair<std::int64_t, double>>> lists(static_cast<std::size_t>(by_rows ? a.rows : a.columns));
  for (const auto& [place, value] : a.of) {
    const auto [i, j] = place;
    if ((part == StoredPart::lower && i < j) || (part == StoredPart::upper && i > j)) continue;
    lists[static_cast<std::size_t>(by_rows ? i : j)].emplace_back(by_rows ? j : i, value);
  }
  Stored<T> stored;
  stored.shape.rows = a.rows;
  stored.shape.columns = a.columns;
  stored.shape.part = part;
  stored.shape.compression = compression;
  std::mt19937 random(7);
  for (auto& list : lists) {
    if (shuffled) std::shuffle(list.begin(), list.end(), random);
    for (const auto& [index, value] : list) {
      stored.indices.push_back(static_cast<std::int32_t>(index));
      stored.values.push_back(static_cast<T>(value));
    }
    stored.offsets.push_back(static_cast<std::int64_t>(stored.indices.size()));
  }
  return stored;
}

inline Entries transposed_entries(const Entries& a) {
  Entries t{a.name + " transposed", a.columns, a.rows, {}};
  for (const auto& [place, value] : a.of) t(place.second, place.first) = value;
  return t;
}

/// About `per_row` entries in each row, some rows empty.
inline Entries random_matrix(std::int64_t rows, std::int64_t columns, double per_row, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Entries a{"random " + std::to_string(rows) + " by " + std::to_string(columns), rows, columns, {}};
  const auto count = static_cast<std::int64_t>(per_row * static_cast<double>(rows));
  for (std::int64_t k = 0; k < count && columns > 0; ++k) {
    const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
    if (i % 7 == 3) continue;
    a(i, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(columns))) = value(random);
  }
  return a;
}

/// Diagonals at `distances` from the main one.
inline Entries banded(std::int64_t rows, std::int64_t columns, const std::vector<std::int64_t>& distances) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> value(0.5, 1.5);
  Entries a{"banded " + std::to_string(rows), rows, columns, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (const std::int64_t d : distances) {
      if (i + d >= 0 && i + d < columns) a(i, i + d) = value(random);
    }
  }
  return a;
}

/// Dense blocks of b × b at random places of `blocks` block rows, with `per_row` blocks each; symmetric values and pattern.
inline Entries blocked(std::int64_t b, std::int64_t blocks, int per_row, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Entries a{"blocks of " + std::to_string(b), b * blocks, b * blocks, {}};
  for (std::int64_t i = 0; i < blocks; ++i) {
    for (int k = 0; k < per_row; ++k) {
      const auto j = k == 0 ? i : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(blocks));
      for (std::int64_t r = 0; r < b; ++r) {
        for (std::int64_t c = 0; c < b; ++c) {
          const double v = value(random);
          a(b * i + r, b * j + c) = v;
          a(b * j + c, b * i + r) = v;
        }
      }
    }
  }
  return a;
}

/// Short rows, and one that is full.
inline Entries one_dense_row(std::int64_t n) {
  Entries a = random_matrix(n, n, 3.0, 11);
  a.name = "one dense row of " + std::to_string(n);
  for (std::int64_t j = 0; j < n; ++j) a(n / 3, j) = 0.25 + static_cast<double>(j % 5);
  return a;
}

inline std::vector<Entries> general_matrices() {
  std::vector<Entries> all{{"0 by 0", 0, 0, {}}, {"5 by 0", 5, 0, {}}, {"0 by 5", 0, 5, {}}, {"empty 40 by 3", 40, 3, {}}};
  for (const std::int64_t n : {1, 2, 31, 32, 33, 300, 1700}) all.push_back(random_matrix(n, n, 4.0, 5));
  all.push_back(random_matrix(700, 90, 12.0, 1));
  all.push_back(random_matrix(90, 700, 40.0, 2));
  all.push_back(random_matrix(20, 90000, 100.0, 2));
  all.push_back(random_matrix(70, 200000, 3.0, 2));  // Columns too far apart for 16 bits.
  all.push_back(banded(513, 513, {-30, -1, 0, 1, 30}));
  all.push_back(banded(200, 317, {-3, 0, 7, 120}));
  for (const std::int64_t b : {2, 3, 6}) all.push_back(blocked(b, 70, 4, 9));
  all.push_back(one_dense_row(1500));
  return all;
}

inline std::vector<Entries> symmetric_matrices() {
  std::vector<Entries> all{{"0 by 0", 0, 0, {}}, {"diagonal gap", 40, 40, {}}};
  for (std::int64_t i = 0; i < 40; i += 3) all.back()(i, i) = 1.0 + static_cast<double>(i);
  all.push_back(banded(700, 700, {0, 1, 26, 200}));
  const Entries upper = all.back();
  for (const auto& [place, value] : upper.of) all.back()(place.second, place.first) = value;
  for (const std::int64_t b : {1, 2, 3, 6}) all.push_back(blocked(b, 50, 3, 21));
  return all;
}

template <class T>
std::vector<T> vector_of_size(std::int64_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<T> v(static_cast<std::size_t>(size));
  for (T& entry : v) entry = static_cast<T>(value(random));
  return v;
}

/// alpha·A x + beta·y with A rounded to T, and for each row c·(entries + 2)·eps·(|alpha|·|A|·|x| + |beta|·|y|) [Higham02
/// §3.1].
template <class T>
struct Expected {
  std::vector<long double> y;
  std::vector<long double> bound;

  Expected(const Entries& a, double alpha, const T* x, double beta, const T* y_before)
      : y(static_cast<std::size_t>(a.rows), 0.0L), bound(y) {
    std::vector<double> count(y.size(), 0.0);
    for (const auto& [place, value] : a.of) {
      const auto i = static_cast<std::size_t>(place.first);
      const auto term = static_cast<long double>(static_cast<T>(value)) * static_cast<long double>(x[place.second]);
      y[i] += static_cast<long double>(alpha) * term;
      bound[i] += std::abs(static_cast<long double>(alpha) * term);
      count[i] += 1.0;
    }
    constexpr long double c = 2.0L;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (beta != 0.0) {
        y[i] += static_cast<long double>(beta) * static_cast<long double>(y_before[i]);
        bound[i] += std::abs(static_cast<long double>(beta) * static_cast<long double>(y_before[i]));
      }
      bound[i] *= c * static_cast<long double>(count[i] + 2.0) * static_cast<long double>(std::numeric_limits<T>::epsilon());
    }
  }

  /// The first row that is off by more than its bound; −1 if none is.
  std::int64_t wrong_row(const T* computed) const {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!(std::abs(static_cast<long double>(computed[i]) - y[i]) <= bound[i])) return static_cast<std::int64_t>(i);
    }
    return -1;
  }
};

}  // namespace gpusupernodal::test::sparse
