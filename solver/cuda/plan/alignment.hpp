#pragma once

/// \file
/// Alignment of panels whose products are computed by tiles.

#include <cstdint>

#include "kernels/common/tile_shapes.hpp"

namespace gpusupernodal::cuda {

/// The next multiple of tile_alignment.
constexpr std::int64_t aligned(std::int64_t value) { return (value + tile_alignment - 1) / tile_alignment * tile_alignment; }

}  // namespace gpusupernodal::cuda
