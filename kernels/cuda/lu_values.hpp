#pragma once

/// \file
/// Launches around a factorization of a general matrix: scaling and copying A's entries into the panels, and inspecting the
/// outcome. All are asynchronous on `stream`; pointers are device memory. `early`: a launch may begin before the preceding
/// one has ended.

#include <cuda_runtime_api.h>

#include "kernels/common/records.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal::cuda {

/// A general matrix as a list of entries: values[source[e]] at (row[e], column[e]) in elimination order.
struct LuEntries {
  const std::int64_t* source = nullptr;
  const std::int64_t* target = nullptr;  ///< Where the entry goes in the panels of L or Uᵀ.
  const std::int32_t* row = nullptr;
  const std::int32_t* column = nullptr;
  std::int64_t count = 0;
};

/// Scales of rows and columns, in elimination order: powers of two.
template <class T>
struct LuScaleArrays {
  const std::int32_t* start_row = nullptr;  ///< Binary exponents of the scales to begin with; nullptr: 0.
  const std::int32_t* start_column = nullptr;
  std::int32_t sweeps = 1;
  std::int32_t* largest = nullptr;  ///< For each sweep, the largest exponents of n rows, then of n columns.
  T* row = nullptr;
  T* column = nullptr;
  std::int32_t n = 0;
};

/// Computes scales by sweeps of Ruiz's iteration [Ruiz01], which begins at the given ones, and sets values[target[e]] to the
/// scaled entry of scale·A. A sweep divides each row and each column by the square root of its largest entry. If rows and
/// columns of a symmetric matrix begin with equal scales, they end with equal scales. Raises status->largest_in_a to the
/// largest magnitude. With `check_finite`, status->bad_entry becomes the smallest source index whose value is not finite;
/// such values do not count for the scales. A's values and scale are those of the status. Precondition: scales.largest is
/// unset (reset_status). Bytes: about 40 per entry and sweep, and 50 more per entry.
template <class T>
void assemble_scaled(T* values, const LuEntries& entries, const LuScaleArrays<typename ScalarTraits<T>::Real>& scales,
                     bool check_finite, DeviceStatus* status, bool early, cudaStream_t stream);

/// What the pivots and the growth are read from.
template <class T>
struct LuColumns {
  const T* values = nullptr;  ///< Panels of L.
  std::int64_t partner = 0;
  const std::int64_t* diagonal = nullptr;  ///< Index of each column's diagonal entry.
  const std::int32_t* rows = nullptr;      ///< Entries of each column in its panel, from the diagonal on.
  std::int32_t n = 0;
};

/// Sets bad_value, failed_pivot, the extreme pivots of the columns before failed_column, which the factorization has found,
/// and largest_in_lu. Bytes: one read of L and U.
template <class T>
void inspect_lu(const LuColumns<T>& columns, DeviceStatus* status, bool early, cudaStream_t stream);

/// Loads the kernels of these launches onto the current device.
template <class T>
void prepare_lu_values();

}  // namespace gpusupernodal::cuda
