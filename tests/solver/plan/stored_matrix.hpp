#pragma once

/// \file
/// A symmetric matrix stored in any of the forms that a MatrixView allows.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal::test {

struct Form {
  StoredPart part = StoredPart::lower;
  Compression compression = Compression::columns;
  bool wide = false;      ///< 64-bit offsets and indices.
  bool unsorted = false;  ///< Indices in random order within a column or row.

  std::string name() const {
    const char* const parts[] = {"full", "lower", "upper"};
    return std::string(parts[static_cast<int>(part)]) + (compression == Compression::columns ? " columns" : " rows") +
           (wide ? " 64" : " 32") + (unsorted ? " unsorted" : " sorted");
  }
};

inline std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const StoredPart part : {StoredPart::full, StoredPart::lower, StoredPart::upper}) {
    for (const Compression compression : {Compression::columns, Compression::rows}) {
      for (const bool wide : {false, true}) {
        for (const bool unsorted : {false, true}) forms.push_back({part, compression, wide, unsorted});
      }
    }
  }
  return forms;
}

/// Owns the arrays of a matrix in a given form.
template <class T>
struct StoredMatrix {
  Form form;
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> indices;
  std::vector<std::int32_t> narrow_offsets{0};
  std::vector<std::int32_t> narrow_indices;
  std::vector<T> values;

  MatrixView<T> view() const {
    MatrixView<T> v;
    v.n = n;
    v.offsets = form.wide ? IndexArray(offsets.data()) : IndexArray(narrow_offsets.data());
    v.indices = form.wide ? IndexArray(indices.data()) : IndexArray(narrow_indices.data());
    v.values = values.data();
    v.part = form.part;
    v.compression = form.compression;
    return v;
  }
  PatternView pattern() const {
    const MatrixView<T> v = view();
    return {v.n, v.offsets, v.indices, v.part, v.compression};
  }
};

/// Stores `a` in a given form. In a full matrix, the half that must not be read is NaN.
template <class T>
StoredMatrix<T> store(const io::SymmetricMatrix& a, const Form& form) {
  using Item = std::pair<std::int64_t, T>;
  std::vector<std::vector<Item>> lists(static_cast<std::size_t>(a.n));
  const auto put = [&](std::int64_t row, std::int64_t column, T value) {
    const bool columns = form.compression == Compression::columns;
    lists[static_cast<std::size_t>(columns ? column : row)].emplace_back(columns ? row : column, value);
  };
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
         e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++e) {
      const std::int64_t i = a.indices[e];
      const T value = static_cast<T>(a.values[e]);
      if (form.part == StoredPart::upper) {
        put(j, i, value);
      } else {
        put(i, j, value);
        if (form.part == StoredPart::full && i != j) put(j, i, std::numeric_limits<T>::quiet_NaN());
      }
    }
  }
  StoredMatrix<T> stored;
  stored.form = form;
  stored.n = a.n;
  std::mt19937_64 random(7);
  for (auto& list : lists) {
    std::sort(list.begin(), list.end(), [](const Item& x, const Item& y) { return x.first < y.first; });
    if (form.unsorted) std::shuffle(list.begin(), list.end(), random);
    for (const auto& [index, value] : list) {
      stored.indices.push_back(index);
      stored.values.push_back(value);
    }
    stored.offsets.push_back(static_cast<std::int64_t>(stored.indices.size()));
  }
  stored.narrow_offsets.assign(stored.offsets.begin(), stored.offsets.end());
  stored.narrow_indices.assign(stored.indices.begin(), stored.indices.end());
  return stored;
}

}  // namespace gpusupernodal::test
