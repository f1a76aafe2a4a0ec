#pragma once

/// \file
/// What the kernels of sparse products read. Plain C++; the arrays lie where the kernels run.

#include <cstdint>

namespace gpusupernodal {

/// A stored matrix. Formats:
///   csr    entries offsets[i] … offsets[i+1]−1 of row i: values[e] in column index[e]; `width` lanes share a row on a
///   device
template <class S>
struct SparseArrays {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t width = 0;
  std::int64_t stored_values = 0;
  const std::int32_t* offsets = nullptr;
  const std::int32_t* index = nullptr;
  const std::uint16_t* delta = nullptr;
  const std::int32_t* order = nullptr;
  const S* values = nullptr;
};

/// y := alpha·A x + beta·y, column-major. y is not read if beta is 0.
template <class S>
struct ProductVectors {
  S alpha = S(1);
  const S* x = nullptr;
  std::int64_t ld_x = 0;
  S beta = S(0);
  S* y = nullptr;
  std::int64_t ld_y = 0;
  std::int32_t columns = 1;
  double* partials = nullptr;  ///< Receives sums of x[i]·y[i] of one column; nullptr: not wanted.
};

}  // namespace gpusupernodal
