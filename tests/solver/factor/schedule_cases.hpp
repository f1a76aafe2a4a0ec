#pragma once

/// \file
/// Schedule options that cut everything, nothing, or something in between.

#include <limits>
#include <string>
#include <vector>

#include "solver/factor/schedule.hpp"

namespace gpusupernodal::test {

inline std::vector<ScheduleOptions> schedule_cases() {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr std::int32_t any_width = std::numeric_limits<std::int32_t>::max();
  std::vector<ScheduleOptions> cases;
  for (const SubtreeUpdates updates : {SubtreeUpdates::pulled_by_target, SubtreeUpdates::pushed_by_source}) {
    for (const std::int32_t block_width : {1, 8, 13, 64, 1024}) {
      for (const double flops : {0.0, 300.0, 2e4, infinite}) cases.push_back({block_width, flops, any_width, updates});
      for (const std::int32_t width : {0, 1, 6, 64}) cases.push_back({block_width, infinite, width, updates});
    }
  }
  for (const double flops : {0.0, 300.0, 2e4}) {
    for (const double chained : {500.0, 5000.0, infinite}) {
      for (const double hand_over : {0.0, 700.0, infinite}) {
        cases.push_back({8, flops, any_width, SubtreeUpdates::pulled_by_target, chained, hand_over});
      }
    }
  }
  return cases;
}

inline std::string describe(const ScheduleOptions& o) {
  return "block_width " + std::to_string(o.block_width) + ", flops " + std::to_string(o.max_subtree_flops) + ", width " +
         std::to_string(o.max_subtree_width) +
         (o.subtree_updates == SubtreeUpdates::pulled_by_target ? ", pulled" : ", pushed") + ", chained " +
         std::to_string(o.max_chained_flops) + ", hand-over " + std::to_string(o.hand_over_flops);
}

}  // namespace gpusupernodal::test
