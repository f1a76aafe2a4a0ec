#pragma once

/// \file
/// Launches on vectors: permutations around a solve, residuals, sums. All are asynchronous on `stream`; pointers are
/// device memory; blocks of vectors are column-major with a leading dimension unless stated otherwise.

#include <cuda_runtime_api.h>

#include "kernels/common/device_complex.hpp"
#include "kernels/common/records.hpp"

namespace gpusupernodal::cuda {

/// Counters of a solve, which must be zero when it begins.
struct SolveCounters {
  int* first = nullptr;
  std::int64_t count = 0;
};

/// Self-flagging entries (published.cuh), which must be unset when a solve for one right-hand side begins.
template <class T>
struct UnsetEntries {
  static constexpr int max_parts = 3;
  T* first[max_parts] = {};
  std::int64_t count[max_parts] = {};
};

/// Order of a vector's rows, and factors in elimination order.
template <class T>
struct RowOrder {
  const std::int32_t* old_of_new = nullptr;               ///< nullptr: rows keep their places.
  const typename ScalarTraits<T>::Real* scale = nullptr;  ///< nullptr: rows are not scaled.
};

/// Sets to(k, c) := scale[k] · from(old_of_new[k], c). `to` is row-major with `padded` entries per row (1, solve_few or
/// solve_many); those beyond `columns` become 0. Zeroes the counters and, if `padded` is 1, marks the entries as unset.
template <class T>
void permute_in(const T* from, std::int64_t ld_from, const RowOrder<T>& order, std::int32_t n, int columns, T* to,
                int padded, const SolveCounters& counters, const UnsetEntries<T>& entries, cudaStream_t stream);

/// Sets to(old_of_new[k], c) := scale[k] · from(k, c); writes NaN everywhere if `status` is given and reports a failure.
/// `early`: as in forward_sweep.
template <class T>
void permute_out(const T* from, int padded, const RowOrder<T>& order, std::int32_t n, int columns, T* to, std::int64_t ld_to,
                 const DeviceStatus* status, bool early, cudaStream_t stream);

/// Adds alpha·from to `to`; both are n × columns.
template <class T>
void add_to(T alpha, const T* from, std::int64_t ld_from, std::int32_t n, int columns, T* to, std::int64_t ld_to,
            cudaStream_t stream);

/// What imaginary parts are multiplied by, in the half of A that is listed and in the other half: 1 or −1.
template <class T>
struct HalfSigns {};
template <class R>
struct HalfSigns<Complex<R>> {
  double listed = 1.0;
  double other = -1.0;  ///< −listed: A is Hermitian.
};

/// Symmetric or Hermitian A as a list of entries of the lower half: values[source[e]] at (row[e], column[e]) in the
/// numbering of L, for complex scalars with sources as in assemble().
template <class T>
struct EntryList : HalfSigns<T> {
  const T* values;
  const std::int64_t* source;
  const std::int32_t* row;
  const std::int32_t* column;
  std::int64_t count;
  typename ScalarTraits<T>::Real scale;  ///< A is scale·values …
  typename ScalarTraits<T>::Real shift;  ///< … plus shift·I.
};

/// Sets r := b − A x, computed in double precision and rounded to T, in the caller's numbering (old_of_new maps to it),
/// and norms := (‖r‖∞, ‖A‖∞, ‖x‖∞, ‖b‖∞). `work` has 2·n doubles, for complex scalars 3·n. Entries are added atomically, in
/// any order.
template <class T>
void residual(const EntryList<T>& a, const std::int32_t* old_of_new, std::int32_t n, const T* b, const T* x, T* r,
              double* work, double* norms, cudaStream_t stream);

/// Sets *norm := ‖x‖∞ of n entries, or NaN if one of them is NaN.
template <class T>
void max_norm(const T* x, std::int32_t n, double* norm, cudaStream_t stream);

/// Conjugates `count` entries in place. For complex scalars only.
template <class T>
void conjugate(T* entries, std::int64_t count, cudaStream_t stream);

/// Loads the kernels of permute_in and permute_out onto the current device.
template <class T>
void prepare_vector_kernels();
/// Loads the kernels of permutations with scales onto the current device.
template <class T>
void prepare_lu_vectors();
/// Loads the kernels of residual and max_norm onto the current device.
template <class T>
void prepare_residual();
/// Loads the kernels of add_to, residual and max_norm onto the current device.
template <class T>
void prepare_refinement();

}  // namespace gpusupernodal::cuda
