#pragma once

/// \file
/// Matrices with deep, thin elimination trees, in an order that preserves them (Ordering::natural). Symmetric positive
/// definite by diagonal dominance.

#include <cstdint>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::test {

/// A path of `spine` rows; a path of `tooth` rows hangs on each and is eliminated before it. 0 gives a plain path, 1 a
/// caterpillar, more a comb.
io::SymmetricMatrix comb_spd(std::int64_t spine, std::int64_t tooth);
/// A path of `handle` rows above `straws` rows that are connected to its first row.
io::SymmetricMatrix broom_spd(std::int64_t handle, std::int64_t straws);
/// `legs` paths of `length` rows; the last row of each is connected to one further row.
io::SymmetricMatrix spider_spd(std::int64_t legs, std::int64_t length);
/// As spider_spd, with `border` dense rows in place of the further row, connected to every third row of each path.
io::SymmetricMatrix bordered_paths_spd(std::int64_t paths, std::int64_t length, std::int64_t border);
/// All entries within `width` of the diagonal.
io::SymmetricMatrix band_spd(std::int64_t n, std::int64_t width);
/// A path of `spine` rows, each the last of a dense block of `block` rows.
io::SymmetricMatrix path_of_blocks_spd(std::int64_t spine, std::int64_t block);

/// All of the above with about `n` rows.
std::vector<io::SymmetricMatrix> tall_trees(std::int64_t n);

}  // namespace gpusupernodal::test
