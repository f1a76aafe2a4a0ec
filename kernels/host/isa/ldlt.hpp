#pragma once

/// \file
/// LDLᵀ factorization of a symmetric indefinite block with rook pivoting [AGL98], by panels: within a panel, a column is
/// updated when it is searched for a pivot; the rest of the block is updated after the panel.

#include "kernels/host/isa/lu.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

inline constexpr std::int32_t kLdltPanel = 32;
/// Bound on growth and on the entries of L is least with this ratio, (1 + √17) / 8 [BK77].
template <class T>
inline constexpr T kRookRatio = T(0.6403882032022076);

/// The block, its pivots, and L·D of the current panel's columns.
template <class T>
struct LdltWork {
  std::int32_t n;
  T* a;
  std::int64_t lda;
  LdltPivots<T> pivots;
  std::int32_t begin;                               ///< First column of the panel.
  T products[(kLdltPanel + 1) * max_ldlt_columns];  ///< L·D: column p of the block is column p − begin here.
  T other[max_ldlt_columns];                        ///< A second column in the search for a pivot.

  // Leaves the arrays as they are: clearing them would take longer than a small factorization.
  LdltWork(std::int32_t order, T* block, std::int64_t ld, const LdltPivots<T>& where)
      : n(order), a(block), lda(ld), pivots(where), begin(0) {}  // NOLINT: see above.
  T* product(std::int32_t column) { return products + std::int64_t{column - begin} * max_ldlt_columns; }
};

/// Largest magnitude below the diagonal, and where.
template <class T>
struct Largest {
  T value = 0;
  std::int32_t row = -1;
};

/// out[i] := entry (i, c) of the Schur complement for k ≤ i < n. Returns false if one is not finite.
template <class T>
[[gnu::noinline]] bool schur_column(LdltWork<T>& w, std::int32_t k, std::int32_t c, T* __restrict out) {
  for (std::int32_t i = k; i < c; ++i) {
    out[i] = w.a[c + i * w.lda];
  }
  for (std::int32_t i = c; i < w.n; ++i) {
    out[i] = w.a[i + c * w.lda];
  }
  for (std::int32_t p = w.begin; p < k; ++p) {
    const T* const l = w.a + p * w.lda;
    const T factor = w.product(p)[c];
    for (std::int32_t i = k; i < w.n; ++i) {
      out[i] -= l[i] * factor;
    }
  }
  bool finite = true;
  for (std::int32_t i = k; i < w.n; ++i) {
    finite &= is_finite_magnitude(magnitude(out[i]));
  }
  return finite;
}

/// Largest magnitude of entries k … n−1 of a column without that of `diagonal`; of equal ones, the first.
template <class T>
Largest<T> largest_beside(const T* column, std::int32_t k, std::int32_t n, std::int32_t diagonal) {
  Largest<T> result;
  for (std::int32_t i = k; i < n; ++i) {
    if (i != diagonal && magnitude(column[i]) > result.value) {
      result = {magnitude(column[i]), i};
    }
  }
  return result;
}

template <class T>
[[gnu::always_inline]] inline void exchange_values(T& x, T& y) {
  const T kept = x;
  x = y;
  y = kept;
}

/// Exchanges rows and columns k and p ≥ k of the Schur complement, and rows k and p of L and of the panel's products.
template <class T>
void exchange_pivot(LdltWork<T>& w, std::int32_t k, std::int32_t p) {
  w.pivots.exchange[k] = p - k;
  if (p == k) {
    return;
  }
  T* const a = w.a;
  const std::int64_t lda = w.lda;
  exchange_values(a[k + k * lda], a[p + p * lda]);
  for (std::int32_t i = k + 1; i < p; ++i) {
    exchange_values(a[i + k * lda], a[p + i * lda]);
  }
  for (std::int32_t i = p + 1; i < w.n; ++i) {
    exchange_values(a[i + k * lda], a[i + p * lda]);
  }
  for (std::int32_t j = 0; j < k; ++j) {
    exchange_values(a[k + j * lda], a[p + j * lda]);
  }
  for (std::int32_t j = w.begin; j < k; ++j) {
    exchange_values(w.product(j)[k], w.product(j)[p]);
  }
}

/// A pivot of order `order` in rows `first` and, for order 2, `second`.
struct LdltChoice {
  std::int32_t order = 1;
  std::int32_t first = 0;
  std::int32_t second = 0;
};

/// Chooses the pivot of step k. On return, product(k) is the column of the choice's `first`, and product(k + 1), for order
/// 2, that of its `second`. `order` 0: an entry is not finite.
template <class T>
LdltChoice choose_pivot(LdltWork<T>& w, std::int32_t k) {
  T* const column = w.product(k);
  if (!schur_column(w, k, k, column)) {
    return {0};
  }
  Largest<T> beside = largest_beside(column, k, w.n, k);
  const T negligible = 3 * w.pivots.smallest_allowed;  // Smaller ones would give pivots of order 2 that are too small.
  if (beside.value < negligible || magnitude(column[k]) >= kRookRatio<T> * beside.value) {
    return {1, k};
  }
  std::int32_t first = k;
  for (;;) {
    const std::int32_t second = beside.row;
    if (!schur_column(w, k, second, w.other)) {
      return {0};
    }
    const Largest<T> next = largest_beside(w.other, k, w.n, second);
    const bool single = magnitude(w.other[second]) >= kRookRatio<T> * next.value;
    // The largest of both rows. An entry and its transposed one are equal up to rounding only.
    if (!single && (next.row == first || !(next.value > beside.value))) {
      __builtin_memcpy(w.product(k + 1) + k, w.other + k, static_cast<std::size_t>(w.n - k) * sizeof(T));
      return {2, first, second};
    }
    __builtin_memcpy(column + k, w.other + k, static_cast<std::size_t>(w.n - k) * sizeof(T));
    if (single) {
      return {1, second};
    }
    first = second;
    beside = next;
  }
}

/// Column k of L and D from its product.
template <class T>
void store_single(LdltWork<T>& w, std::int32_t k) {
  T* const product = w.product(k);
  T pivot = product[k];
  w.pivots.magnitude[k] = magnitude(pivot);
  if (w.pivots.magnitude[k] < w.pivots.smallest_allowed) {
    pivot = pivot < 0 ? -w.pivots.smallest_allowed : w.pivots.smallest_allowed;
  }
  w.pivots.d[2 * k] = pivot;
  w.pivots.d[2 * k + 1] = 0;
  T* const l = w.a + k * w.lda;
  l[k] = 1;
  for (std::int32_t i = k + 1; i < w.n; ++i) {
    l[i] = product[i] / pivot;
  }
}

/// Columns k and k + 1 of L and D from their products.
template <class T>
void store_pair(LdltWork<T>& w, std::int32_t k) {
  const T* const x = w.product(k);
  const T* const y = w.product(k + 1);
  const T beside = x[k + 1];
  const T lower = y[k + 1] / beside;  // Divided by the largest entry, so that nothing overflows.
  const T upper = x[k] / beside;
  const T scale = T(1) / (lower * upper - 1);
  T* const l = w.a + k * w.lda;
  T* const next = l + w.lda;
  l[k] = 1;
  l[k + 1] = 0;
  next[k + 1] = 1;
  for (std::int32_t i = k + 2; i < w.n; ++i) {
    l[i] = scale * ((lower * x[i] - y[i]) / beside);
    next[i] = scale * ((upper * y[i] - x[i]) / beside);
  }
  w.pivots.d[2 * k] = x[k];
  w.pivots.d[2 * k + 1] = beside;
  w.pivots.d[2 * k + 2] = y[k + 1];
  w.pivots.d[2 * k + 3] = 0;
  // Eigenvalues over `beside`: the larger one without cancellation, the other one by the determinant.
  const T half = (lower - upper) / 2;
  const T root = square_root(half * half + 1);
  const T large = magnitude((lower + upper) / 2) + root;
  w.pivots.magnitude[k] = large * magnitude(beside);
  w.pivots.magnitude[k + 1] = magnitude((lower * upper - 1) / large * beside);
}

/// Step k of the factorization; returns the order of its pivot, 0 if it failed.
template <class T>
std::int32_t eliminate(LdltWork<T>& w, std::int32_t k) {
  const LdltChoice choice = choose_pivot(w, k);
  if (choice.order == 0) {
    return 0;
  }
  exchange_pivot(w, k, choice.first);
  exchange_values(w.product(k)[k], w.product(k)[choice.first]);
  if (choice.order == 1) {
    store_single(w, k);
    return 1;
  }
  exchange_values(w.product(k + 1)[k], w.product(k + 1)[choice.first]);
  const std::int32_t second = choice.second == k ? choice.first : choice.second;  // What lay in row k lies in `first` now.
  exchange_pivot(w, k + 1, second);                                               // Also in product(k).
  exchange_values(w.product(k + 1)[k + 1], w.product(k + 1)[second]);
  store_pair(w, k);
  return 2;
}

template <class T>
std::int32_t factor_ldlt(std::int32_t n, T* a, std::int64_t lda, const LdltPivots<T>* pivots) {
  LdltWork<T> w(n, a, lda, *pivots);
  for (std::int32_t k = 0; k < n;) {
    w.begin = k;
    while (k < n && k - w.begin < kLdltPanel) {
      const std::int32_t order = eliminate(w, k);
      if (order == 0) {
        return k;
      }
      k += order;
    }
    subtract_product_lower(n - k, n - k, k - w.begin, static_cast<const T*>(a + k + w.begin * lda), lda,
                           static_cast<const T*>(w.product(w.begin) + k), std::int64_t{max_ldlt_columns}, a + k + k * lda,
                           lda);
  }
  return -1;
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
