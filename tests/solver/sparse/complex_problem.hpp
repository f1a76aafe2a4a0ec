#pragma once

/// \file
/// Complex matrices of any shape, their arrays, and whether a product is right.

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "gpusupernodal/sparse_operator.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"
#include "tests/support/complex_entries.hpp"

namespace gpusupernodal::test::sparse {

using Wide = std::complex<double>;
using Map = std::map<std::pair<std::int64_t, std::int64_t>, Wide>;

enum class Op { plain, transposed, adjoint };

/// A matrix of any shape, whose entries lie where those of `a` are.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Map of;

  explicit Matrix(const Entries& a) : rows(a.rows), columns(a.columns) {
    const auto values = random_complex_numbers(static_cast<std::int64_t>(a.of.size()), 3);
    std::size_t k = 0;
    for (const auto& [place, ignored] : a.of) of[place] = values[k++];
  }
  Matrix changed(Op op) const {
    Matrix result = *this;
    if (op == Op::plain) return result;
    std::swap(result.rows, result.columns);
    result.of.clear();
    for (const auto& [place, value] : of)
      result.of[{place.second, place.first}] = op == Op::adjoint ? std::conj(value) : value;
    return result;
  }
};

/// A Hermitian or symmetric matrix with the entries' places and their mirror images.
inline Matrix mirrored(const Entries& entries, Symmetry symmetry) {
  Matrix a(entries);
  const Map given = a.of;
  for (const auto& [place, value] : given) {
    const auto [i, j] = place;
    if (i == j && symmetry == Symmetry::hermitian) a.of[place] = value.real();
    if (i != j) a.of[{j, i}] = symmetry == Symmetry::hermitian ? std::conj(value) : value;
  }
  for (const auto& [place, value] : Map(a.of)) {  // Both entries of a pair may have been given.
    const auto [i, j] = place;
    if (i > j) a.of[{j, i}] = symmetry == Symmetry::hermitian ? std::conj(value) : value;
  }
  return a;
}

template <class T>
struct Arrays {
  SparseView<T> shape;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<T> values;

  Arrays(const Matrix& a, StoredPart part = StoredPart::full, Compression compression = Compression::rows) {
    const bool by_rows = compression == Compression::rows;
    std::vector<std::vector<std::pair<std::int64_t, Wide>>> lists(static_cast<std::size_t>(by_rows ? a.rows : a.columns));
    for (const auto& [place, value] : a.of) {
      const auto [i, j] = place;
      if ((part == StoredPart::lower && i < j) || (part == StoredPart::upper && i > j)) continue;
      lists[static_cast<std::size_t>(by_rows ? i : j)].emplace_back(by_rows ? j : i, value);
    }
    shape.rows = a.rows;
    shape.columns = a.columns;
    shape.part = part;
    shape.compression = compression;
    for (const auto& list : lists) {
      for (const auto& [index, value] : list) {
        indices.push_back(static_cast<std::int32_t>(index));
        values.push_back(static_cast<T>(value));
      }
      offsets.push_back(static_cast<std::int64_t>(indices.size()));
    }
  }
  SparseView<T> view() const {
    SparseView<T> v = shape;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    return v;
  }
};

template <class T>
std::vector<T> numbers(std::int64_t n, std::uint64_t seed) {
  const auto v = random_complex_numbers(n, seed);
  std::vector<T> result;
  for (const Wide& value : v) result.push_back(static_cast<T>(value));
  return result;
}

/// Whether y, computed as alpha·A x + beta·y0 with A rounded to T, is right up to rounding: for each row, 4·(k + 4)·eps
/// times the sum of the magnitudes of its k + 1 terms.
template <class T>
::testing::AssertionResult is_product(const Matrix& a, const T* x, T alpha, const T* y0, T beta, const T* y) {
  using Real = typename T::value_type;
  constexpr auto eps = static_cast<double>(std::numeric_limits<Real>::epsilon());
  const auto rows = static_cast<std::size_t>(a.rows);
  std::vector<Wide> sums(rows);
  std::vector<double> sizes(rows), terms(rows);
  for (const auto& [place, value] : a.of) {
    const auto i = static_cast<std::size_t>(place.first);
    const Wide term = Wide(static_cast<T>(value)) * Wide(x[place.second]);
    sums[i] += term;
    sizes[i] += std::abs(term);
    terms[i] += 1.0;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const Wide kept = beta == T(0) ? Wide(0) : Wide(beta) * Wide(y0[i]);
    const double bound = 4.0 * (terms[i] + 4.0) * eps * (std::abs(Wide(alpha)) * sizes[i] + std::abs(kept));
    const double error = std::abs(Wide(y[i]) - (Wide(alpha) * sums[i] + kept));
    if (!(error <= bound)) return ::testing::AssertionFailure() << "row " << i << ": " << error << " > " << bound;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace gpusupernodal::test::sparse
