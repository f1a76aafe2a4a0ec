#pragma once

/// \file
/// How products on the host are cut into pieces.

#include <cstdint>
#include <vector>

#include "solver/sparse/sparse_layout.hpp"

namespace gpusupernodal {

/// Pieces of products have about this many rows or stored values, or more.
inline constexpr std::int64_t least_piece = 1024;

/// Borders of pieces of about equal work, in the units of the format's kernel (kernels/host/sparse_products.hpp): entries
/// for COO, slices for SELL, ELL and blocks, else rows. Pieces of COO hold whole rows. The borders ascend from 0 and depend
/// on the layout alone.
std::vector<std::int32_t> product_borders(const SparseLayout& layout);

/// Threads that multiply by the layout and its rest: as many as the model of its format assumes.
int product_workers(const SparseLayout& layout, int threads);

}  // namespace gpusupernodal
