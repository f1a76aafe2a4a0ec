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

/// Supernodes that are factorized together.
struct Stage {
  std::vector<StageRange> ranges;  ///< Ascending.
  std::int32_t first_level = 0;    ///< Its launches: levels first_level … last_level−1.
  std::int32_t last_level = 0;
  std::size_t first_merge = 0;  ///< Its groups of merges of inverses: first_merge … last_merge−1.
  std::size_t last_merge = 0;

  std::int64_t first_value = 0;  ///< Place of its panels on the device, which other stages may use before and after.
  std::int64_t values = 0;
  std::int64_t host_value = -1;          ///< Place of its panels in host memory; −1: they stay on the device.
  std::vector<std::size_t> shares_with;  ///< The stages with which it shares values of the device.
  bool on_device_at_end = false;         ///< Whether its panels are on the device when a factorization ends.

  /// Stages whose panels must be on the device from this stage on: this one, or ancestors of which it has the first
  /// descendants. They get the entries of A before this stage is factorized.
  std::vector<std::size_t> opens;
  /// The last stage that must have left its place before this one is opened; −1: none. Stages leave in their order.
  std::int64_t follows = -1;

  bool stays() const { return host_value < 0; }
};

/// The assembly tree is divided into groups of subtrees and the top above them. Groups are stages, which take turns in two
/// buffers on the device: while one is factorized, the panels of the one before go to host memory. What a group subtracts
/// from the top is added there at once. If the whole top fits beside the buffers, it is the last stage, and stays on the
/// device. Otherwise each of its supernodes is a stage. Its panel is on the device while its descendants are factorized and
/// until it is factorized itself; panels of supernodes without common descendants have the same place. Solves bring panels
/// back, stage by stage.
struct Stages {
  std::vector<Stage> stages;     ///< In the order of factorization.
  std::int64_t host_values = 0;  ///< Values in host memory.
  PanelLayout whole;             ///< The layout of all panels in one array.

  StageTasks forward, forward_one_rhs, forward_float;     ///< In the order of the stages.
  StageTasks backward, backward_one_rhs, backward_float;  ///< From the last stage to the first.
};

}  // namespace gpusupernodal
