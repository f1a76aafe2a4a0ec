#pragma once

/// \file
/// Matrices whose elimination trees are deep and thin, in an order that keeps them so (Ordering::natural). Symmetric
/// positive definite by diagonal dominance.

#include <cstdint>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::test {

/// A path of `spine` rows; on each of them hangs a path of `tooth` rows, which is eliminated before it. 0 is a plain path, 1
/// a caterpillar, more a comb.
io::SymmetricMatrix comb_spd(std::int64_t spine, std::int64_t tooth);
/// A path of `handle` rows above `straws` rows that are joined to its first.
io::SymmetricMatrix broom_spd(std::int64_t handle, std::int64_t straws);
/// Paths of `length` rows each, the last of which is joined to one row more.
io::SymmetricMatrix spider_spd(std::int64_t legs, std::int64_t length);
/// The same with `border` dense rows in the place of the one, joined to every third row of each path.
io::SymmetricMatrix bordered_paths_spd(std::int64_t paths, std::int64_t length, std::int64_t border);
/// All entries within `width` of the diagonal.
io::SymmetricMatrix band_spd(std::int64_t n, std::int64_t width);
/// A path of `spine` rows, each the last of a dense block of `block` rows.
io::SymmetricMatrix path_of_blocks_spd(std::int64_t spine, std::int64_t block);

/// All of the above with about `n` rows.
std::vector<io::SymmetricMatrix> tall_trees(std::int64_t n);

}  // namespace gpusupernodal::test
