#pragma once

/// \file
/// Collects what a factorization tells about its pivots and inputs, one slot a worker.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/host/host_kernels.hpp"
#include "solver/backend/factorization.hpp"

namespace gpusupernodal {

/// The smallest and the largest of some diagonal entries of L. Kept in registers: a worker's slot could alias the diagonal
/// as far as the compiler knows, and would be reloaded after each entry.
template <class T>
struct PivotRange {
  using Real = typename ScalarTraits<T>::Real;
  Real least = std::numeric_limits<Real>::infinity();
  Real greatest = Real(0);

  /// n entries, `stride` apart.
  void add(const T* diagonal, std::int64_t n, std::int64_t stride) {
    for (std::int64_t i = 0; i < n; ++i) {
      const Real entry = ScalarTraits<T>::real(diagonal[i * stride]);
      least = std::min(least, entry);
      greatest = std::max(greatest, entry);
    }
  }
};

/// Each worker writes its own slot; `outcome` merges them. The smallest failed column wins: a failure spoils only
/// ancestors, which come later in the elimination order, so that the smallest is always a true one.
class PivotMonitor {
 public:
  explicit PivotMonitor(int workers) : slots_(static_cast<std::size_t>(workers)) {}

  void reset() { std::fill(slots_.begin(), slots_.end(), Slot()); }

  void pivot_failed(int worker, NewIndex column, double value) {
    Slot& slot = slots_[static_cast<std::size_t>(worker)];
    if (slot.failed_column.valid() && slot.failed_column < column) return;
    slot.failed_column = column;
    slot.failed_value = value;
  }
  void entry_not_finite(int worker, std::int64_t entry, double value) {
    Slot& slot = slots_[static_cast<std::size_t>(worker)];
    if (slot.bad_entry >= 0 && slot.bad_entry < entry) return;
    slot.bad_entry = entry;
    slot.bad_value = value;
  }
  /// Takes note of the squares of n diagonal entries of L, `stride` apart.
  template <class T>
  void pivots_done(int worker, const T* diagonal, std::int64_t n, std::int64_t stride) {
    PivotRange<T> range;
    range.add(diagonal, n, stride);
    pivots_done(worker, range);
  }
  template <class T>
  void pivots_done(int worker, const PivotRange<T>& range) {
    Slot& slot = slots_[static_cast<std::size_t>(worker)];
    slot.smallest = std::min(slot.smallest, static_cast<double>(range.least) * static_cast<double>(range.least));
    slot.largest = std::max(slot.largest, static_cast<double>(range.greatest) * static_cast<double>(range.greatest));
  }

  /// Takes note of the pivots of columns first … of an LU factorization.
  template <class T>
  void lu_columns_done(int worker, NewIndex first, const LuPivots<T>& pivots) {
    Slot& slot = slots_[static_cast<std::size_t>(worker)];
    if (pivots.smallest_at >= 0) slot.note_smallest(static_cast<double>(pivots.smallest), first + pivots.smallest_at);
    slot.largest = std::max(slot.largest, static_cast<double>(pivots.largest));
    slot.replaced += pivots.replaced;
    if (pivots.failed >= 0) pivot_failed(worker, first + pivots.failed, std::numeric_limits<double>::quiet_NaN());
  }

  /// Returns a pivot of LU, replaced by one of the smallest magnitude allowed if it is smaller, and takes note of it.
  template <class T>
  T accept_lu_pivot(int worker, NewIndex column, T pivot, typename ScalarTraits<T>::Real smallest_allowed) {
    using Real = typename ScalarTraits<T>::Real;
    LuPivots<T> report;
    const Real size = ScalarTraits<T>::abs(pivot);
    if (!std::isfinite(size)) {
      report.failed = 0;
    } else {
      report.smallest = report.largest = size;
      report.smallest_at = 0;
      if (size < smallest_allowed) {
        report.replaced = 1;
        pivot = size > Real(0) ? pivot / size * smallest_allowed : T(smallest_allowed);
      }
    }
    lu_columns_done(worker, column, report);
    return pivot;
  }

  /// Outcome of a factorization of the given form. A pivot that failed means not_positive_definite for Cholesky, else
  /// unstable.
  FactorOutcome outcome(Form form = Form::llt) const;

 private:
  struct alignas(128) Slot {  // A slot a cache line and its neighbour, so that workers do not share one.
    NewIndex failed_column;
    double failed_value = 0.0;
    std::int64_t bad_entry = -1;
    double bad_value = 0.0;
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    std::int64_t replaced = 0;
    NewIndex smallest_column;  ///< LU: the first column with the smallest pivot.

    void note_smallest(double pivot, NewIndex column) {
      if (pivot > smallest || (pivot == smallest && smallest_column.valid() && smallest_column < column)) return;
      smallest = pivot;
      smallest_column = column;
    }
  };
  std::vector<Slot> slots_;
};

inline FactorOutcome PivotMonitor::outcome(Form form) const {
  Slot all;
  for (const Slot& slot : slots_) {
    if (slot.failed_column.valid() && (!all.failed_column.valid() || slot.failed_column < all.failed_column)) {
      all.failed_column = slot.failed_column;
      all.failed_value = slot.failed_value;
    }
    if (slot.bad_entry >= 0 && (all.bad_entry < 0 || slot.bad_entry < all.bad_entry)) {
      all.bad_entry = slot.bad_entry;
      all.bad_value = slot.bad_value;
    }
    if (slot.smallest_column.valid()) all.note_smallest(slot.smallest, slot.smallest_column);
    all.smallest = std::min(all.smallest, slot.smallest);
    all.largest = std::max(all.largest, slot.largest);
    all.replaced += slot.replaced;
  }
  FactorOutcome outcome;
  outcome.smallest_pivot = all.largest > 0.0 ? all.smallest : 0.0;
  outcome.largest_pivot = all.largest;
  outcome.smallest_pivot_column = all.smallest_column;
  outcome.perturbed_pivots = all.replaced;
  if (all.bad_entry >= 0) {
    outcome.status = Status::non_finite_input;
    outcome.failed_entry = all.bad_entry;
    outcome.failed_value = all.bad_value;
  } else if (all.failed_column.valid()) {
    outcome.status = form == Form::llt ? Status::not_positive_definite : Status::unstable;
    outcome.failed_column = all.failed_column;
    outcome.failed_value = all.failed_value;
  }
  return outcome;
}

}  // namespace gpusupernodal
