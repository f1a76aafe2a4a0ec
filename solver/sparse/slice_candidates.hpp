#pragma once

/// \file
/// What the models of SELL, ELL, HYB and blocks share.

#include <cstdint>
#include <vector>

#include "solver/sparse/format_model.hpp"
#include "solver/sparse/layouts.hpp"

namespace gpusupernodal {

/// What slices of a shape would store.
StoredShape slice_shape(const SparseFeatures& features, const BlockPattern& blocks, const SliceShape& shape,
                        const LayoutWish& wish);

/// Whether rows that keep their places are padded by more than the order of sorted rows costs.
bool is_sorting_worthwhile(const BlockPattern& blocks, std::int32_t lanes);

/// Numbers of lanes that may be the best for rows (block rows) of this mean length.
std::vector<std::int32_t> lanes_worth_trying(const LayoutWish& wish, double rows, double mean_length);

}  // namespace gpusupernodal
