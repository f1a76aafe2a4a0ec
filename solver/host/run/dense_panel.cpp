#include "solver/host/run/dense_panel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal {
namespace {

/// Columns between two products with the earlier ones of their panel: as many as products take at a time.
constexpr std::int32_t strip_width = 8;

}  // namespace

template <class T>
void DensePanels<T>::factorize(std::int32_t first, std::int32_t last) {
  for (std::int32_t strip = first; strip < last; strip += strip_width) {
    const std::int32_t end = std::min(last, strip + strip_width);
    if (strip > first) apply_strips(first, strip, end);
    factorize_strip(first, last, strip, end);
    copy_rows_of_l(first, strip, end);
  }
  store_adjoint_of_u(first, last);
}

/// Applies columns first … strip−1 of the panel to columns strip … end−1.
template <class T>
void DensePanels<T>::apply_strips(std::int32_t first, std::int32_t strip, std::int32_t end) const {
  const std::int32_t done = strip - first;
  kernels_.forward_block(done, end - strip, values_ + dense_.square(first), dense_.panel, at(first, strip), dense_.ld);
  kernels_.subtract_times(dense_.n - strip, done, end - strip, at(strip, first), dense_.ld, at(first, strip), dense_.ld,
                          at(strip, strip), dense_.ld);
}

/// Column by column, each with its row exchanged in the whole panel.
template <class T>
void DensePanels<T>::factorize_strip(std::int32_t first, std::int32_t last, std::int32_t strip, std::int32_t end) {
  for (std::int32_t k = strip; k < end; ++k) {
    T* const column = at(0, k);
    for (std::int32_t q = strip; q < k; ++q) {
      for (std::int32_t i = q + 1; i < k; ++i) column[i] -= *at(i, q) * column[q];
    }
    kernels_.subtract_times(dense_.n - k, k - strip, 1, at(k, strip), dense_.ld, column + strip, dense_.ld, column + k,
                            dense_.ld);
    const std::int32_t place = choose_pivot(k);
    exchange_[k] = place;
    std::swap(order_[k], order_[place]);
    if (place != k) {
      for (std::int32_t j = first; j < last; ++j) std::swap(*at(k, j), *at(place, j));
    }
    column[k] = monitor_.accept_lu_pivot(0, NewIndex(k), column[k], rule_.smallest_allowed);
    const T conjugate = ScalarTraits<T>::conjugate(column[k]);  // The kernel divides by the adjoint.
    kernels_.solve_below(dense_.n - k - 1, 1, &conjugate, 1, column + k + 1, dense_.ld);
    patterns_.eliminate(k, order_);
  }
}

/// Returns the place of the pivot row of column k. Without a nonzero entry, it is place k. NaN becomes the pivot, so that it
/// is reported.
template <class T>
std::int32_t DensePanels<T>::choose_pivot(std::int32_t k) {
  const T* const column = at(0, k);
  std::int32_t place = k;
  Real largest(-1);
  for (std::int32_t i = k; i < dense_.n; ++i) {
    const Real size = pivot_size(column[i]);
    if (!(size <= largest)) {
      largest = size;
      place = i;
      if (std::isnan(size)) break;
    }
  }
  Real chosen = largest;
  if (rule_.threshold < Real(1) && !patterns_.full() && largest > Real(0)) {
    const Real acceptable = rule_.threshold * largest;
    bool took_sparser = false;
    std::int32_t fewest = patterns_.count(order_[place]) / 2;
    for (std::int32_t i = k; i < dense_.n; ++i) {
      const Real size = pivot_size(column[i]);
      if (!(size >= acceptable)) continue;
      const std::int32_t count = patterns_.count(order_[i]);
      if (count > fewest || (count == fewest && took_sparser && size <= chosen)) continue;
      took_sparser = true;
      fewest = count;
      chosen = size;
      place = i;
    }
    if (chosen < largest) took_smaller_pivots_ = true;
  }
  largest_in_l_[k] = chosen > Real(0) ? std::max(Real(1), largest / chosen) : Real(1);
  return place;
}

/// Later exchanges no longer change these rows of L.
template <class T>
void DensePanels<T>::copy_rows_of_l(std::int32_t first, std::int32_t strip, std::int32_t end) const {
  T* const square = values_ + dense_.square(first);
  for (std::int32_t j = first; j < end; ++j) {
    for (std::int32_t i = std::max(strip, j + 1); i < end; ++i)
      square[(i - first) + std::int64_t{dense_.panel} * (j - first)] = *at(i, j);
    if (j >= strip) square[(j - first) * (std::int64_t{dense_.panel} + 1)] = T(1);
  }
}

template <class T>
void DensePanels<T>::store_adjoint_of_u(std::int32_t first, std::int32_t last) const {
  for (std::int32_t j = first; j < last; ++j) {
    for (std::int32_t i = j; i < last; ++i) *at(i, j) = ScalarTraits<T>::conjugate(*at(j, i));
  }
}

template <class T>
void DensePanels<T>::exchange_rows(std::int32_t first, std::int32_t last, std::int32_t column_begin,
                                   std::int32_t column_end) const {
  for (std::int32_t j = column_begin; j < column_end; ++j) {
    T* const column = at(0, j);
    for (std::int32_t k = first; k < last; ++k) std::swap(column[k], column[exchange_[k]]);
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class DensePanels<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
