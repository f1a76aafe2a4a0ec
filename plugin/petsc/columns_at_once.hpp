#pragma once

/// \file
/// How many right-hand sides travel between ranks at a time.

#include <cstdint>

namespace gpusupernodal::petsc {

/// Columns per batch that ranks send to those that solve, and get back.
inline constexpr std::int64_t columns_at_once = 64;

}  // namespace gpusupernodal::petsc
