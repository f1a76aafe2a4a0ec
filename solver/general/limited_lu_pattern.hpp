#pragma once

/// \file
/// The pattern of L + U, unless it leads to too much work.

#include <optional>

#include "solver/general/lu_pattern.hpp"
#include "solver/general/work_limit.hpp"

namespace gpusupernodal {

/// As lu_pattern. Returns nothing as soon as the columns found so far take more than limit.max_flops operations to
/// factorize: a division for each entry of L, and a multiplication and a subtraction for each entry of L and of U that meet.
/// Throws what limit.check throws.
std::optional<LuPattern> limited_lu_pattern(const ColumnEntries& a, const LuOrder& order, const WorkLimit& limit);

}  // namespace gpusupernodal
