#pragma once

/// \file
/// Speeds and limits of memory of parts.

#include <cstdint>
#include <limits>

#include "solver/factor/part_map.hpp"

namespace gpusupernodal {

inline double speed_of(const PartMapOptions& options, PartId p) {
  return options.speeds.empty() ? 1.0 : options.speeds[static_cast<std::size_t>(p.value)];
}

inline std::int64_t bytes_of(const PartMapOptions& options, std::int64_t values) {
  return values * bytes_of(options.scalar);
}

/// Whether part p may hold this many values.
inline bool may_hold(const PartMapOptions& options, PartId p, std::int64_t values) {
  return options.memory_limits.empty() ||
         bytes_of(options, values) <= options.memory_limits[static_cast<std::size_t>(p.value)];
}

/// a + b for numbers ≥ 0, or the largest number if that is more. Limits may be the largest number: no limit.
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return a > largest - b ? largest : a + b;
}

}  // namespace gpusupernodal
