#pragma once

/// \file
/// Checks of what callers hand in.

#include <algorithm>
#include <cstdint>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/solver.hpp"
#include "gpusupernodal/views.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "solver/common/fail.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal {

/// Throws InvalidInput naming the option that is out of its range.
void check_options(const Options& options);

/// Throws InvalidInput if an enumeration of the view has an invalid value, or the pattern is not in host memory.
template <class T>
void check_matrix(const MatrixView<T>& a);

/// Throws InvalidInput for a number that is no System.
void check_system(System part);

/// Throws InvalidInput for a number that is no MemorySpace, in which `what` is said to be.
void check_space(MemorySpace space, const char* what);

/// Throws InvalidInput unless the view is in a memory space, has `order` rows, a sufficient ld, no more entries than an
/// address can tell apart, and data where it has entries.
template <class T>
void check_dense(const DenseView<T>& view, std::int64_t order, const char* name);

/// Throws InvalidInput for complex numbers in device memory that do not begin at a multiple of their size, which kernels
/// load as a whole. `what`: what they are.
template <class T>
void check_alignment(const T* data, MemorySpace space, const char* what);

/// Throws InvalidInput naming row and right-hand side of the first NaN or Inf. Precondition: b is in host memory.
template <class T>
void check_right_hand_sides(const DenseView<const T>& b);

/// Throws InvalidInput naming `row` if this entry on the diagonal of a complex matrix of order `order` has a finite
/// imaginary part beyond what rounding leaves in sums; does nothing for real matrices.
template <class T>
void require_real_diagonal_entry(T value, std::int64_t row, std::int64_t order);

/// Checks all diagonal entries of A in that way. Precondition: `values` is in host memory. Cost O(nnz).
template <class T>
void require_real_diagonal(const T* values, const FactorPlan& plan);

/// Whether b, in host memory, has neither NaN nor Inf.
template <class T>
bool is_finite(const DenseView<const T>& b) {
  for (std::int64_t c = 0; c < b.cols; ++c) {
    const T* const column = b.data + c * b.ld;
    if (!std::all_of(column, column + b.rows, [](T value) { return ScalarTraits<T>::is_finite(value); })) return false;
  }
  return true;
}

/// Throws InvalidInput unless workspace can be reserved for this many right-hand sides.
void check_reserved_columns(std::int64_t columns);

/// The pattern of a view. Precondition: the pattern is in host memory.
template <class T>
PatternView pattern_of(const MatrixView<T>& a) {
  return {a.n, a.offsets, a.indices, a.part, a.compression};
}

}  // namespace gpusupernodal
