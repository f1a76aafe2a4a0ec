#pragma once

/// \file
/// DensePanels: factorizes panels of a dense matrix with exchanges of rows.

#include <cstdint>

#include "gpusupernodal/build_config.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/factor/dense_structure.hpp"
#include "solver/host/run/dense_rows.hpp"
#include "solver/host/run/pivot_monitor.hpp"

namespace gpusupernodal {

/// How pivots are chosen in a column. The row with the largest entry is taken unless a row has at most half as many nonzero
/// entries and, in this column, at least `threshold` times the largest one. Among such rows, that with fewest nonzeros is
/// taken, and of several with as few, the one with the largest entry. For complex entries |re| + |im| counts.
template <class T>
struct DensePivotRule {
  using Real = typename ScalarTraits<T>::Real;
  Real threshold = 1;         ///< 1: partial pivoting.
  Real smallest_allowed = 0;  ///< See LuPivots.
};

/// Magnitude that pivots are compared by: |x|, and |re| + |im| of complex numbers, which needs no root.
template <class T>
typename ScalarTraits<T>::Real pivot_size(const T& x) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return std::abs(x.real()) + std::abs(x.imag());
  } else {
    return std::abs(x);
  }
}

/// Works on the values of one matrix, whose rows move.
template <class T>
class DensePanels {
 public:
  using Real = typename ScalarTraits<T>::Real;

  /// All pointers and references must outlive this. `order` has the row that is at each place, `exchange` receives the place
  /// with which place k was exchanged in step k, `largest_in_l` the largest magnitude of each column of L.
  DensePanels(const DenseStructure& dense, T* values, std::int32_t* order, std::int32_t* exchange, Real* largest_in_l,
              RowPatterns& patterns, const DensePivotRule<T>& rule, PivotMonitor& monitor)
      : dense_(dense),
        kernels_(host_kernels<T>()),
        values_(values),
        order_(order),
        exchange_(exchange),
        largest_in_l_(largest_in_l),
        patterns_(patterns),
        rule_(rule),
        monitor_(monitor) {}

  /// Factorizes columns first … last−1, to which all earlier columns have been applied. Other columns keep their rows: see
  /// exchange_rows.
  void factorize(std::int32_t first, std::int32_t last);
  /// Makes the exchanges of the panel first … last−1 in other columns.
  void exchange_rows(std::int32_t first, std::int32_t last, std::int32_t column_begin, std::int32_t column_end) const;

  /// Whether a pivot was not the largest entry of its column.
  bool took_smaller_pivots() const { return took_smaller_pivots_; }

 private:
  T* at(std::int64_t row, std::int64_t column) const { return values_ + dense_.index(row, column); }
  void apply_strips(std::int32_t first, std::int32_t strip, std::int32_t end) const;
  void factorize_strip(std::int32_t first, std::int32_t last, std::int32_t strip, std::int32_t end);
  std::int32_t choose_pivot(std::int32_t k);
  void copy_rows_of_l(std::int32_t first, std::int32_t strip, std::int32_t end) const;
  void store_adjoint_of_u(std::int32_t first, std::int32_t last) const;

  const DenseStructure& dense_;
  const HostKernels<T>& kernels_;
  T* values_;
  std::int32_t* order_;
  std::int32_t* exchange_;
  Real* largest_in_l_;
  RowPatterns& patterns_;
  DensePivotRule<T> rule_;
  PivotMonitor& monitor_;
  bool took_smaller_pivots_ = false;
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class DensePanels<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
