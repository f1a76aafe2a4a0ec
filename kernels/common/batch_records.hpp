#pragma once

/// \file
/// Records of batches of small systems on a device, in which each lane of a warp computes one system. Plain C++.

#include <cstdint>

namespace gpusupernodal::cuda {

/// An entry of the factor: A = V D⁻¹ W, where V has the entries on and below the diagonal, W those on and above it, and D is
/// the diagonal that both share. Only V of a symmetric matrix is stored, since W = Vᵀ.
struct BatchEntry {
  std::int32_t row = 0;  ///< In elimination order.
  std::int32_t column = 0;
  std::int32_t source = -1;  ///< The entry of A's values that is added here; −1: none.
  std::int32_t pad = 0;
};

/// Subtracts terms[first … first+count−1] from a target: an entry of the factor, or of a vector. No other task of its stage
/// writes the target, and no task of its stage writes what the terms read.
struct BatchTask {
  std::int32_t target = 0;
  std::int32_t first = 0;
  std::int32_t count = 0;
  std::int32_t pivot = -1;  ///< Column whose pivot is complete after this task; −1: none.
};

/// entry[left] / pivot[pivot] · entry[right].
struct BatchTerm {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int32_t pivot = 0;
  std::int32_t pad = 0;
};

/// entry[entry] · vector[column], in a sweep of a solve.
struct BatchSweepTerm {
  std::int32_t entry = 0;
  std::int32_t column = 0;
};

/// An entry of a row of A: A's value `source`, times the vector's entry `column`.
struct BatchRowTerm {
  std::int32_t source = 0;
  std::int32_t column = 0;
};

inline constexpr std::int64_t no_batch_entry = 0x7fffffffffffffff;
inline constexpr std::int32_t no_batch_column = 0x7fffffff;

/// What the factorization of one system found. Columns are in elimination order.
struct BatchFactorRecord {
  std::int64_t launches = 0;                     ///< How many factorizations of this system have run, also in graphs.
  std::int64_t bad_entry = no_batch_entry;       ///< Smallest index of a value that is not finite.
  std::int32_t failed_column = no_batch_column;  ///< First column without a usable pivot.
  std::int32_t smallest_column = no_batch_column;
  std::int32_t replaced_pivots = 0;
  std::int32_t negative_pivots = 0;
  double bad_value = 0.0;
  double failed_pivot = 0.0;
  double smallest_pivot = 0.0;  ///< Magnitudes before a replacement, of the columns before the failed one.
  double largest_pivot = 0.0;
  double largest_in_a = 0.0;       ///< Largest finite magnitude in the scaled A.
  double largest_in_factor = 0.0;  ///< Largest product of the largest magnitudes in a column of L and the row of U.

  constexpr bool has_factor() const { return bad_entry == no_batch_entry && failed_column == no_batch_column; }
};

/// What a solve found for one system, over all columns.
struct BatchSolveRecord {
  unsigned long long error_bits = 0;  ///< Bits of the largest backward error, which order as the errors do; NaN is largest.
  std::int32_t steps = 0;             ///< Most steps of refinement.
  std::int32_t has_bad_right = 0;     ///< Whether b has a NaN or an infinity.
};

/// Most lanes of a group of systems.
inline constexpr int max_batch_lanes = 32;
inline constexpr int max_batch_threads = 1024;

}  // namespace gpusupernodal::cuda
