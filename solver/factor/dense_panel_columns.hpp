#pragma once

/// \file
/// How wide panels of LU on dense storage are.

#include <cstdint>

namespace gpusupernodal {

/// Columns of a panel. Wider panels would take time from products (bench/notebook/lu-dense.md).
inline constexpr std::int32_t dense_panel_columns = 64;

}  // namespace gpusupernodal
