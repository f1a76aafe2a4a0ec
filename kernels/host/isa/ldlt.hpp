#pragma once

/// \file
/// LDLᵀ factorization of a symmetric indefinite block with rook pivoting [AGL98], by panels: within a panel, a column is
/// updated when it is searched for a pivot; the rest of the block is updated after the panel. The numbers N of the block are
/// real, or complex (kernels/host/complex/number.hpp): then the block is Hermitian, A = L D Lᴴ, or symmetric, A = L D Lᵀ.

#include "kernels/host/isa/lu.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

inline constexpr std::int32_t kLdltPanel = 32;

/// The real type of a number.
template <class N>
struct RealOf {
  using Type = N;
};
template <class N>
using Real = typename RealOf<N>::Type;

/// Bound on growth and on the entries of L is least with this ratio, (1 + √17) / 8 [BK77].
template <class R>
inline constexpr R kRookRatio = R(0.6403882032022076);

// What the algorithm asks of numbers, here for real ones.

/// A magnitude that is good enough to compare entries by.
[[gnu::always_inline]] inline double size_in_search(double x) { return magnitude(x); }
[[gnu::always_inline]] inline float size_in_search(float x) { return magnitude(x); }
[[gnu::always_inline]] inline double conjugate(double x) { return x; }
[[gnu::always_inline]] inline float conjugate(float x) { return x; }
[[gnu::always_inline]] inline double real_part(double x) { return x; }
[[gnu::always_inline]] inline float real_part(float x) { return x; }
/// The number of this magnitude in the direction of x.
[[gnu::always_inline]] inline double with_size(double x, double size) { return x < 0 ? -size : size; }
[[gnu::always_inline]] inline float with_size(float x, float size) { return x < 0 ? -size : size; }
/// A real number as one of the type of the second argument.
[[gnu::always_inline]] inline double number_of(double value, double) { return value; }
[[gnu::always_inline]] inline float number_of(float value, float) { return value; }

/// Lower triangle of C (n×n) −= A (n×k) · B (n×k)ᴴ.
template <class N>
void subtract_product_of_panel(std::int32_t n, std::int32_t k, const N* a, std::int64_t lda, const N* b, std::int64_t ldb,
                               N* c, std::int64_t ldc) {
  subtract_product_lower(n, n, k, a, lda, b, ldb, c, ldc);
}

/// LdltPivots in the numbers of this file.
template <class N>
struct PivotArrays {
  Real<N> smallest_allowed;
  N* d;
  std::int32_t* exchange;
  Real<N>* magnitude;
};

/// The block, its pivots, and L·D of the current panel's columns.
template <class N, bool symmetric>
struct LdltWork {
  std::int32_t n;
  N* a;
  std::int64_t lda;
  PivotArrays<N> pivots;
  std::int32_t begin;                               ///< First column of the panel.
  N products[(kLdltPanel + 1) * max_ldlt_columns];  ///< L·D: column p of the block is column p − begin here.
  N other[max_ldlt_columns];                        ///< A second column in the search for a pivot.

  // Leaves the arrays as they are: clearing them would take longer than a small factorization.
  LdltWork(std::int32_t order, N* block, std::int64_t ld, const PivotArrays<N>& where)
      : n(order), a(block), lda(ld), pivots(where), begin(0) {}  // NOLINT: see above.
  N* product(std::int32_t column) { return products + std::int64_t{column - begin} * max_ldlt_columns; }
  /// Entry (j, i) of a matrix whose entry (i, j) is x.
  [[gnu::always_inline]] static N mirrored(N x) {
    if constexpr (symmetric) {
      return x;
    } else {
      return conjugate(x);
    }
  }
};

/// Largest magnitude below the diagonal, and where.
template <class R>
struct Largest {
  R value = 0;
  std::int32_t row = -1;
};

/// out[i] := entry (i, c) of the Schur complement for k ≤ i < n. Returns false if one is not finite.
template <class N, bool symmetric>
[[gnu::noinline]] bool schur_column(LdltWork<N, symmetric>& w, std::int32_t k, std::int32_t c, N* __restrict out) {
  for (std::int32_t i = k; i < c; ++i) {
    out[i] = w.mirrored(w.a[c + i * w.lda]);
  }
  for (std::int32_t i = c; i < w.n; ++i) {
    out[i] = w.a[i + c * w.lda];
  }
  for (std::int32_t p = w.begin; p < k; ++p) {
    const N* const l = w.a + p * w.lda;
    const N factor = w.mirrored(w.product(p)[c]);
    for (std::int32_t i = k; i < w.n; ++i) {
      out[i] = out[i] - l[i] * factor;
    }
  }
  if constexpr (!symmetric) {
    out[c] = number_of(real_part(out[c]), out[c]);
  }
  bool finite = true;
  for (std::int32_t i = k; i < w.n; ++i) {
    finite &= is_finite_magnitude(size_in_search(out[i]));
  }
  return finite;
}

/// Largest magnitude of entries k … n−1 of a column without that of `diagonal`; of equal ones, the first.
template <class N>
Largest<Real<N>> largest_beside(const N* column, std::int32_t k, std::int32_t n, std::int32_t diagonal) {
  Largest<Real<N>> result;
  for (std::int32_t i = k; i < n; ++i) {
    if (i != diagonal && size_in_search(column[i]) > result.value) {
      result = {size_in_search(column[i]), i};
    }
  }
  return result;
}

template <class N>
[[gnu::always_inline]] inline void exchange_values(N& x, N& y) {
  const N kept = x;
  x = y;
  y = kept;
}

/// Exchanges rows and columns k and p ≥ k of the Schur complement, and rows k and p of L and of the panel's products.
template <class N, bool symmetric>
void exchange_pivot(LdltWork<N, symmetric>& w, std::int32_t k, std::int32_t p) {
  w.pivots.exchange[k] = p - k;
  if (p == k) {
    return;
  }
  N* const a = w.a;
  const std::int64_t lda = w.lda;
  exchange_values(a[k + k * lda], a[p + p * lda]);
  for (std::int32_t i = k + 1; i < p; ++i) {
    const N kept = a[i + k * lda];
    a[i + k * lda] = w.mirrored(a[p + i * lda]);
    a[p + i * lda] = w.mirrored(kept);
  }
  a[p + k * lda] = w.mirrored(a[p + k * lda]);
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
template <class N, bool symmetric>
LdltChoice choose_pivot(LdltWork<N, symmetric>& w, std::int32_t k) {
  using R = Real<N>;
  N* const column = w.product(k);
  if (!schur_column(w, k, k, column)) {
    return {0};
  }
  Largest<R> beside = largest_beside(column, k, w.n, k);
  const R negligible = 3 * w.pivots.smallest_allowed;  // Smaller ones would give pivots of order 2 that are too small.
  if (beside.value < negligible || size_in_search(column[k]) >= kRookRatio<R> * beside.value) {
    return {1, k};
  }
  std::int32_t first = k;
  for (;;) {
    const std::int32_t second = beside.row;
    if (!schur_column(w, k, second, w.other)) {
      return {0};
    }
    const Largest<R> next = largest_beside(w.other, k, w.n, second);
    const bool single = size_in_search(w.other[second]) >= kRookRatio<R> * next.value;
    // The largest of both rows. An entry and its transposed one are equal up to rounding only.
    if (!single && (next.row == first || !(next.value > beside.value))) {
      __builtin_memcpy(w.product(k + 1) + k, w.other + k, static_cast<std::size_t>(w.n - k) * sizeof(N));
      return {2, first, second};
    }
    __builtin_memcpy(column + k, w.other + k, static_cast<std::size_t>(w.n - k) * sizeof(N));
    if (single) {
      return {1, second};
    }
    first = second;
    beside = next;
  }
}

/// Column k of L and D from its product.
template <class N, bool symmetric>
void store_single(LdltWork<N, symmetric>& w, std::int32_t k) {
  N* const product = w.product(k);
  N pivot = product[k];
  w.pivots.magnitude[k] = magnitude(pivot);
  if (w.pivots.magnitude[k] < w.pivots.smallest_allowed) {
    pivot = with_size(pivot, w.pivots.smallest_allowed);
  }
  w.pivots.d[2 * k] = pivot;
  w.pivots.d[2 * k + 1] = number_of(Real<N>(0), pivot);
  N* const l = w.a + k * w.lda;
  l[k] = number_of(Real<N>(1), pivot);
  for (std::int32_t i = k + 1; i < w.n; ++i) {
    if constexpr (symmetric) {
      l[i] = product[i] / pivot;
    } else {
      l[i] = product[i] / real_part(pivot);
    }
  }
}

/// Magnitudes of the eigenvalues of [a b̄; b c], for real a and c: the larger one without cancellation, the other one by the
/// determinant. Upper and lower are a/|b| and c/|b|.
template <class R>
void put_eigenvalues(R upper, R lower, R beside, R* magnitudes) {
  const R half = (lower - upper) / 2;
  const R root = square_root(half * half + 1);
  const R large = magnitude((lower + upper) / 2) + root;
  magnitudes[0] = large * beside;
  magnitudes[1] = magnitude((lower * upper - 1) / large * beside);
}

/// Singular values of the complex [a b; b c], up to a factor √2: its Frobenius norm, and the determinant over that. Upper
/// and lower are |a/b| and |c/b|, and `determinant` is |ac/b² − 1|.
template <class R>
void put_singular_values(R upper, R lower, R determinant, R beside, R* magnitudes) {
  const R large = square_root(upper * upper + lower * lower + 2);
  magnitudes[0] = large * beside;
  magnitudes[1] = determinant / large * beside;
}

/// Columns k and k + 1 of L and D from their products.
template <class N, bool symmetric>
void store_pair(LdltWork<N, symmetric>& w, std::int32_t k) {
  using R = Real<N>;
  const N* const x = w.product(k);
  const N* const y = w.product(k + 1);
  const N beside = x[k + 1];
  const N above = w.mirrored(beside);
  const N lower = y[k + 1] / beside;  // Divided by the largest entry, so that nothing overflows.
  const N upper = x[k] / above;
  const N one = number_of(R(1), beside);
  const N denominator = lower * upper - one;
  const N scale = one / denominator;
  N* const l = w.a + k * w.lda;
  N* const next = l + w.lda;
  l[k] = one;
  l[k + 1] = number_of(R(0), beside);
  next[k + 1] = one;
  for (std::int32_t i = k + 2; i < w.n; ++i) {
    l[i] = scale * ((lower * x[i] - y[i]) / above);
    next[i] = scale * ((upper * y[i] - x[i]) / beside);
  }
  w.pivots.d[2 * k] = x[k];
  w.pivots.d[2 * k + 1] = beside;
  w.pivots.d[2 * k + 2] = y[k + 1];
  w.pivots.d[2 * k + 3] = number_of(R(0), beside);
  const R size = magnitude(beside);
  if constexpr (symmetric) {
    put_singular_values(magnitude(upper), magnitude(lower), magnitude(denominator), size, w.pivots.magnitude + k);
  } else {
    put_eigenvalues(real_part(x[k]) / size, real_part(y[k + 1]) / size, size, w.pivots.magnitude + k);
  }
}

/// Step k of the factorization; returns the order of its pivot, 0 if it failed.
template <class N, bool symmetric>
std::int32_t eliminate(LdltWork<N, symmetric>& w, std::int32_t k) {
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

template <class N, bool symmetric>
std::int32_t factor_ldlt_block(std::int32_t n, N* a, std::int64_t lda, const PivotArrays<N>& pivots) {
  LdltWork<N, symmetric> w(n, a, lda, pivots);
  for (std::int32_t k = 0; k < n;) {
    w.begin = k;
    while (k < n && k - w.begin < kLdltPanel) {
      const std::int32_t order = eliminate(w, k);
      if (order == 0) {
        return k;
      }
      k += order;
    }
    for (std::int32_t p = w.begin; symmetric && p < k; ++p) {
      for (std::int32_t i = k; i < n; ++i) w.product(p)[i] = conjugate(w.product(p)[i]);
    }
    subtract_product_of_panel(n - k, k - w.begin, static_cast<const N*>(a + k + w.begin * lda), lda,
                              static_cast<const N*>(w.product(w.begin) + k), std::int64_t{max_ldlt_columns}, a + k + k * lda,
                              lda);
  }
  return -1;
}

template <class T>
std::int32_t factor_ldlt(std::int32_t n, T* a, std::int64_t lda, const LdltPivots<T>* pivots) {
  return factor_ldlt_block<T, false>(n, a, lda, {pivots->smallest_allowed, pivots->d, pivots->exchange, pivots->magnitude});
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
