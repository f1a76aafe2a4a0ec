#pragma once

/// \file
/// Stages: how a factorization runs on a device that cannot hold all panels.

#include <cstdint>
#include <vector>

#include "solver/factor/panel_layout.hpp"

namespace gpusupernodal {

/// Adjacent supernodes first … last−1 of one stage.
struct StageRange {
  SupernodeId first;
  SupernodeId last;
};

/// Where the tasks of each stage begin in the list of a sweep, and the end, in the order in which the sweep runs them.
using StageTasks = std::vector<std::int64_t>;

/// What is done with the panels of one stage, or with those of the top.
struct Stage {
  std::vector<StageRange> ranges;  ///< Ascending; supernodes of the top lie between them.
  std::int32_t first_level = 0;    ///< Its launches: levels first_level … last_level−1.
  std::int32_t last_level = 0;
  std::size_t first_merge = 0;  ///< Its groups of merges of inverses: first_merge … last_merge−1.
  std::size_t last_merge = 0;
  std::int64_t first_value = 0;  ///< Its panels on the device.
  std::int64_t values = 0;
  std::int64_t host_value = 0;  ///< Where its first value lies among those in host memory; not of the top.
};

/// The assembly tree is divided into subtrees and the top. Groups of subtrees are stages, which take turns in two buffers on
/// the device: while one stage is factorized, the panels of the one before go to host memory. What they subtract from the
/// top is added there at once, because the top stays on the device. Solves bring the panels back, stage by stage.
struct Stages {
  std::vector<Stage> stages;
  Stage top;
  std::int64_t host_values = 0;  ///< Values of all stages.
  PanelLayout whole;             ///< The layout of all panels in one array.

  StageTasks forward, forward_one_rhs, forward_float;     ///< First the stages, in their order, then the top.
  StageTasks backward, backward_one_rhs, backward_float;  ///< First the top, then the stages from the last to the first.

  std::size_t buffer_of(std::size_t stage) const { return stage % 2; }
};

}  // namespace gpusupernodal
