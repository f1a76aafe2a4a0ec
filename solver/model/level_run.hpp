#pragma once

/// \file
/// Chooses the fronts that one launch factorizes in spite of their levels: each of them waits for its own children only.

#include <vector>

#include "solver/model/cuda_fronts.hpp"

namespace gpusupernodal {

/// What a level costs that is launched separately.
struct LevelPrice {
  double all = 0.0;      ///< Seconds with all of its fronts.
  double without = 0.0;  ///< Without the fronts that may be in a run.
};

/// For each front, whether it and all of its descendants are factorized whole, by a warp or a CTA.
std::vector<bool> fronts_that_may_run(const FrontTree& tree, std::int32_t panels);

/// A run: the fronts that may run, from a level on.
struct PricedRun {
  std::int32_t first_level = -1;  ///< −1: no run; launches level by level are as fast.
  double seconds = 0.0;
};

/// Chooses the level at which a run begins. `levels`: the price of each level. Cost O(fronts).
PricedRun choose_level_run(const FrontTree& tree, const IdVector<SupernodeId, std::int32_t>& first_level,
                           const std::vector<bool>& may_run, const std::vector<LevelPrice>& levels,
                           const LaunchFigures& figures, std::int32_t panels);

}  // namespace gpusupernodal
