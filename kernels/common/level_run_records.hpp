#pragma once

/// \file
/// Records of a run of levels: whole fronts of several levels that one launch factorizes. Plain C++.

#include "kernels/common/records.hpp"

namespace gpusupernodal::cuda {

/// A whole front of the run.
struct RunFront {
  FrontTask task;
  std::int32_t children = 0;  ///< Its children in the run; the front waits for them.
  std::int32_t parent = -1;   ///< Panel of its parent if that is in the run, otherwise −1.
};

/// Fronts that a CTA takes together: `narrow` narrow ones, each for one warp, or, if that is 0, a single front for all
/// warps.
struct RunGroup {
  std::int32_t first = 0;
  std::int32_t narrow = 0;
};

/// Largest number of narrow fronts of a group: the warps of a CTA.
inline constexpr std::int32_t run_warps = 8;

}  // namespace gpusupernodal::cuda
