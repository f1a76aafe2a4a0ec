#pragma once

/// \file
/// Launches around a factorization of a symmetric indefinite matrix: scaling the assembled panels, inspecting the outcome,
/// and the signs between the two sweeps of a solve. All are asynchronous on `stream`; pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/common/records.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal::cuda {

/// Half of a symmetric or Hermitian matrix: entry source[e] of A, as assemble() reads it, at (row[e], column[e]) in
/// elimination order, which is values[target[e]] in the panels. The diagonal is values[diagonal[k]], whether A has an entry
/// there or not.
struct LdltEntries {
  const std::int64_t* source = nullptr;
  const std::int64_t* target = nullptr;
  const std::int32_t* row = nullptr;
  const std::int32_t* column = nullptr;
  std::int64_t count = 0;
  const std::int64_t* diagonal = nullptr;
};

/// The scales of a symmetric matrix in elimination order: powers of two.
template <class T>
struct LdltScaleArrays {
  std::int32_t sweeps = 1;
  std::int32_t* exponent = nullptr;  ///< scaling_words() entries: exponents of n scales, for each sweep whether it changed a
                                     ///< scale, and the largest exponents of n rows.
  T* scale = nullptr;
  std::int32_t n = 0;

#ifdef __CUDACC__
  __device__ std::int32_t* changed() const { return exponent + n; }
  __device__ std::int32_t* largest() const { return exponent + n + sweeps; }
#endif
};

/// Computes scales for assembled panels by sweeps of Ruiz's iteration [Ruiz01], scales the panels, and raises
/// status->largest_in_a to the largest magnitude. The diagonal is read from the panels, because it has the shift; other
/// entries from A, whose values and scale are those of the status. Sweeps end where one changes no scale. Values that are
/// not finite do not count. Bytes: about 40 per entry and sweep, and 50 more per entry.
template <class T>
void scale_assembled(T* values, const LdltEntries& entries, const LdltScaleArrays<typename ScalarTraits<T>::Real>& scales,
                     DeviceStatus* status, cudaStream_t stream);

/// What the pivots and the growth are read from.
template <class T>
struct LdltColumns {
  const T* values = nullptr;               ///< Panels of W.
  const T* pivots = nullptr;               ///< LdltData::pivots.
  const std::int64_t* diagonal = nullptr;  ///< Index of each column's diagonal entry.
  const std::int32_t* rows = nullptr;      ///< Entries of each column in its panel, from the diagonal on.
  std::int32_t n = 0;
  double perturbation = 0.0;  ///< As in LdltData.
};

/// Finds the first pivot that is not finite, and sets bad_value, failed_column and failed_pivot. From the columns before it,
/// sets the extreme pivots, counts their signs and counts the replaced pivots. Sets largest_in_lu to the largest square of
/// an entry of W. Cost: W is read once.
template <class T>
void inspect_ldlt(const LdltColumns<T>& columns, DeviceStatus* status, cudaStream_t stream);

/// Multiplies y by S: negates the rows whose pivots are negative. y is row-major with `padded` entries per row. `early` as
/// in forward_sweep.
template <class T>
void apply_signs(T* y, const T* pivots, std::int32_t n, int padded, bool early, cudaStream_t stream);

/// Loads the kernels of these launches onto the current device.
template <class T>
void prepare_ldlt_values();

}  // namespace gpusupernodal::cuda
