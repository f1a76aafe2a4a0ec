#pragma once

/// \file
/// How many threads work on LU by columns on the host.

#include <algorithm>
#include <cstdint>

#include "solver/factor/column_structure.hpp"

namespace gpusupernodal {

/// Each thread that factorizes rows or solves needs a dense row of n values. Returns as many of `workers` threads as have
/// together no more of them than L + U has values, or than 2^22 (32 MiB in double precision), but at least one.
inline int column_workers(const ColumnStructure& structure, int workers) {
  constexpr std::int64_t always_allowed = std::int64_t{1} << 22;
  const std::int64_t values = std::max(structure.values(), always_allowed);
  const std::int64_t rows = values / std::max<std::int64_t>(structure.n, 1);
  return static_cast<int>(std::clamp<std::int64_t>(rows, 1, std::max(workers, 1)));
}

}  // namespace gpusupernodal
