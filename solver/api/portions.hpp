#pragma once

/// \file
/// How many right-hand sides are solved at a time.

#include <cstdint>

namespace gpusupernodal {

/// Columns of a solve for which workspace is taken; more are solved in portions.
inline constexpr std::int64_t max_columns_at_once = 64;

}  // namespace gpusupernodal
