#pragma once

/// \file
/// DevicesPlan: how several devices of one process factorize together, and what they send each other. Host-only: building
/// one needs no device.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/plan/device_share.hpp"

namespace gpusupernodal {

/// Values of the top, which every device stores in the same layout: `count` values from `first` on, counted from the first
/// value of the top (DevicesPlan::top_begin).
struct TopValues {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// A piece of a panel of the top, which its owner sends to all other devices once it is factorized.
struct TopPiece : TopValues {
  PartId owner;
  std::int32_t level = 0;  ///< Level whose launches factorize it.
};

/// What the subtrees of a device subtract from a block column of another one. It is summed in the device's copy of the block
/// column, and added by the owner before the first level of the top.
struct TopContribution : TopValues {
  PartId from;
  PartId to;
};

/// Rows of the root of a subtree, as positions among the contributions of a solve. Its device sends them to all others.
struct RootRows {
  PartId part;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Adjacent columns of subtrees of one device, in elimination order.
struct SubtreeColumns {
  PartId part;
  NewIndex first;
  std::int32_t count = 0;
};

/// A plan for each device, and the transfers between them. First each device factorizes its subtrees. Then it adds what the
/// subtrees of others subtract from its block columns of the top. Then all work on the top, level by level: a device sends
/// each piece that it has factorized to the others, which subtract its products from their own block columns. In the end
/// every device has the whole top. In a solve, each device solves with its subtrees and with the top, so only vectors
/// travel.
struct DevicesPlan {
  std::shared_ptr<const DeviceMap> map;
  std::vector<std::shared_ptr<const CudaPlan>> plans;  ///< By part. The structures have the columns of the whole matrix.
  std::vector<std::int64_t> top_begin;                 ///< By part: index of the first value of the top.
  PanelLayout panels;                                  ///< The layout of one device alone.
  std::vector<TopPiece> pieces;                        ///< By level.
  std::vector<TopContribution> contributions;
  std::vector<RootRows> roots;
  std::vector<SubtreeColumns> subtrees;
  /// By part and level: whether the products of the level read pieces that other devices have sent.
  std::vector<std::vector<bool>> reads_others;

  int devices() const { return static_cast<int>(plans.size()); }
  std::size_t levels() const { return plans.front()->launches.levels.size(); }
  /// Pieces that the launches of one level factorize: indices first … last−1 into `pieces`.
  std::pair<std::size_t, std::size_t> pieces_of_level(std::int32_t level) const;
};

/// Builds the plan for options.parts devices, with options.speeds. Precondition: `whole` is a plan for Form::llt with the
/// schedule *levels*, any order of additions, and fewer than 2³¹ contributions. Cost: a copy of the structure and O(tasks)
/// for each device.
std::shared_ptr<const DevicesPlan> build_devices_plan(const CudaPlan& whole, const PartMapOptions& options,
                                                      ThreadTeam& team);

/// What build_part_map needs to know to divide work between so many devices with these figures.
PartMapOptions device_parts(int devices, ScalarType scalar, const CudaFigures& figures);

}  // namespace gpusupernodal
