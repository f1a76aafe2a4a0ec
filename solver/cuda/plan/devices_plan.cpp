#include "solver/cuda/plan/devices_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/alignment.hpp"
#include "solver/cuda/plan/shared_sweeps.hpp"
#include "solver/factor/part_boundary.hpp"

namespace gpusupernodal {
namespace {

/// Where the assembly puts entries that a device does not need: this many values after the panels.
constexpr std::int64_t unused_values = 1024;

/// Makes what all devices know.
std::shared_ptr<const DeviceMap> make_map(const SymbolicFactor& factor, const CudaFronts& fronts,
                                          const PartMapOptions& options) {
  auto map = std::make_shared<DeviceMap>();
  map->parts = build_part_map(factor, options);
  map->first_block.assign(static_cast<std::size_t>(factor.supernodes()), -1);
  for (std::size_t c = map->parts.top.size(); c-- > 0;)
    map->first_block[map->parts.top[c].supernode] = static_cast<std::int32_t>(c);
  for (SupernodeId s : factor.supernode_ids()) {
    if (map->in_top(s)) continue;
    const std::int32_t end = fronts.first_level[s] + cuda::piece_count(factor.width(s));
    map->first_top_level = std::max(map->first_top_level, end);
  }
  return map;
}

/// The fronts of the whole plan, with those of the top cut into pieces in levels after all subtrees.
CudaFronts shared_fronts(const SymbolicFactor& factor, const CudaFronts& whole, const DeviceMap& map) {
  CudaFronts fronts;
  fronts.first_level = whole.first_level;
  fronts.kind = whole.kind;
  std::int32_t levels = map.first_top_level;
  IdVector<SupernodeId, std::int32_t> after_children(static_cast<std::size_t>(factor.supernodes()), map.first_top_level);
  for (SupernodeId s : factor.supernode_ids()) {
    if (!map.in_top(s)) continue;
    fronts.kind[s] = CudaFrontKind::pieces;
    fronts.first_level[s] = after_children[s];
    const std::int32_t end = after_children[s] + cuda::piece_count(factor.width(s));
    levels = std::max(levels, end);
    const SupernodeId parent = factor.parent[s];
    if (parent.valid()) after_children[parent] = std::max(after_children[parent], end);
  }
  fronts.levels.resize(static_cast<std::size_t>(levels));
  return fronts;
}

/// Places the panels of one device: those of its subtrees, those of the top, and unused_values. Sets `top_begin`.
PanelLayout layout_of(const FactorStructure& whole, const DeviceShare& share, std::int64_t& top_begin) {
  const SymbolicFactor& factor = whole.symbolic;
  PanelLayout layout;
  layout.value_offset.assign(static_cast<std::size_t>(factor.supernodes()) + 1, 0);
  layout.ld = whole.panels.ld;
  std::int64_t next = 0;
  const auto place = [&](SupernodeId s, bool is_padded) {
    if (is_padded) next = cuda::aligned(next);
    layout.value_offset[s] = next;
    next = end_of_panel(next, layout.ld[s], factor.width(s));
  };
  for (SupernodeId s : factor.supernode_ids()) {
    if (share.map->parts.part_of[s] == share.part) place(s, cuda::is_padded(factor.front(s)));
  }
  top_begin = cuda::aligned(next);
  for (SupernodeId s : factor.supernode_ids()) {
    if (!share.map->in_top(s)) continue;
    layout.ld[s] = static_cast<std::int32_t>(cuda::aligned(layout.ld[s]));  // Cut into pieces, so products need alignment.
    place(s, true);
  }
  layout.value_offset.back() = cuda::aligned(next) + unused_values;
  return layout;
}

/// Sends the entries of A to the columns that the device owns, and all others to the unused values.
void take_own_entries(const FactorStructure& whole, const DeviceShare& share, FactorStructure& own) {
  const SymbolicFactor& factor = whole.symbolic;
  AssemblyMap& map = own.assembly;
  const std::int64_t unused = own.panels.values() - unused_values;
  for (SupernodeId s : factor.supernode_ids()) {
    for (std::int64_t e = map.offset[s]; e < map.offset[s + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      const std::int32_t column = map.column[at] - factor.first_column[s];
      if (!share.owns(s, column)) {
        map.target[at] = unused + e % unused_values;
        continue;
      }
      const PanelBlock from = whole.panels.block(s, column);
      const std::int64_t row = whole.assembly.target[at] - from.index(0, column);
      map.target[at] = own.panels.index(s, static_cast<std::int32_t>(row), column);
    }
  }
}

std::vector<NewIndex> columns_of(const SymbolicFactor& factor, const DeviceShare& share) {
  std::vector<NewIndex> columns;
  for (SupernodeId s : factor.supernode_ids()) {
    for (std::int32_t c = 0; c < factor.width(s); ++c) {
      if (share.owns(s, c)) columns.push_back(factor.first_column[s] + c);
    }
  }
  return columns;
}

/// The merges of inverses in panels that the device stores.
void take_merges(const CudaSolvePlan& whole, const DeviceShare& share, CudaSolvePlan& own) {
  for (const MergeInversesGroup& group : whole.inverse_merge_groups) {
    const std::size_t begin = own.inverse_merges.size();
    for (std::int64_t i = group.begin; i < group.begin + group.count; ++i) {
      const cuda::MergeInversesTask& task = whole.inverse_merges[static_cast<std::size_t>(i)];
      if (share.stores(SupernodeId(task.panel))) own.inverse_merges.push_back(task);
    }
    const auto count = static_cast<std::int32_t>(own.inverse_merges.size() - begin);
    if (count > 0) own.inverse_merge_groups.push_back({static_cast<std::int64_t>(begin), count, group.half});
  }
}

void take_sweeps(const CudaSolvePlan& whole, DeviceShare& share, CudaSolvePlan& own) {
  const auto divide = [&](auto share_of, CudaSolveSweep CudaSolvePlan::*sweep) {
    SharedSweep shared = share_of(whole.*sweep, *share.map, share.part);
    own.*sweep = std::move(shared.subtrees);
    share.top.*sweep = std::move(shared.top);
  };
  divide(share_forward, &CudaSolvePlan::forward);
  divide(share_forward, &CudaSolvePlan::forward_one_rhs);
  divide(share_forward, &CudaSolvePlan::forward_float);
  divide(share_backward, &CudaSolvePlan::backward);
  divide(share_backward, &CudaSolvePlan::backward_one_rhs);
  divide(share_backward, &CudaSolvePlan::backward_float);
}

std::shared_ptr<const CudaPlan> make_plan_of(const CudaPlan& whole, std::shared_ptr<const DeviceMap> map, PartId part,
                                             std::int64_t& top_begin, ThreadTeam& team) {
  const FactorStructure& of_whole = *whole.structure;
  auto share = std::make_shared<DeviceShare>();
  share->map = std::move(map);
  share->part = part;
  share->columns = columns_of(of_whole.symbolic, *share);
  auto structure = std::make_shared<FactorStructure>(of_whole);
  structure->panels = layout_of(of_whole, *share, top_begin);
  take_own_entries(of_whole, *share, *structure);
  auto plan = std::make_shared<CudaPlan>();
  plan->options = whole.options;
  plan->fronts = shared_fronts(of_whole.symbolic, whole.fronts, *share->map);
  copy_vector_lists(whole.solve, plan->solve);
  take_merges(whole.solve, *share, plan->solve);
  take_sweeps(whole.solve, *share, plan->solve);
  plan->structure = std::move(structure);
  plan->share = std::move(share);
  plan->launches = cuda::build_launch_plan(*plan, plan->structure->symbolic, team);
  return plan;
}

/// By level: whether a device's products read pieces of the top that others own.
std::vector<bool> reads_of_others(const CudaPlan& plan) {
  const cuda::LaunchPlan& launches = plan.launches;
  const auto is_others = [&](SupernodeId s, std::int32_t first, std::int32_t end) {
    if (!plan.share->map->in_top(s)) return false;
    for (std::int32_t column = first; column < end; column += cuda::tile_size) {
      if (!plan.share->owns(s, column)) return true;
    }
    return false;
  };
  std::vector<bool> reads(launches.levels.size(), false);
  const auto look_at = [&](std::size_t level, const cuda::TaskRange& range) {
    for (std::int64_t i = range.begin; i < range.begin + range.count && !reads[level]; ++i) {
      const cuda::ProductTask& task = launches.product[static_cast<std::size_t>(i)];
      reads[level] = is_others(SupernodeId(task.panel), task.column, task.column + task.depth);
    }
  };
  for (std::size_t level = 0; level < reads.size(); ++level) {
    const cuda::Level& of_level = launches.levels[level];
    look_at(level, of_level.urgent);
    for (std::int32_t g = of_level.first_group; g < launches.groups_end(level); ++g)
      look_at(level, launches.groups[static_cast<std::size_t>(g)].tiles);
    for (std::int64_t i = of_level.ahead.begin; i < of_level.ahead.begin + of_level.ahead.count && !reads[level]; ++i) {
      const cuda::DiagonalTask& task = launches.diagonal[static_cast<std::size_t>(i)];
      reads[level] = is_others(SupernodeId(task.panel), task.column - task.before, task.column);
    }
  }
  return reads;
}

/// Lists the transfers.
class TransferLister {
 public:
  TransferLister(DevicesPlan& plan) : plan_(plan), map_(*plan.map), first_(*plan.plans.front()) {}

  void list() {
    list_pieces();
    list_contributions();
    list_subtrees();
  }

 private:
  const SymbolicFactor& factor() const { return first_.structure->symbolic; }

  /// Columns first … last−1 of a panel of the top, which lie in one block column.
  TopValues values_of(SupernodeId s, std::int32_t first, std::int32_t last) const {
    const PanelBlock block = first_.structure->panels.block(s, first);
    return {block.index(first_of_block(first), first) - plan_.top_begin.front(), block.ld * (last - first)};
  }

  void list_pieces() {
    for (SupernodeId s : factor().supernode_ids()) {
      if (!map_.in_top(s)) continue;
      for (std::int32_t p = 0; p < cuda::piece_count(factor().width(s)); ++p) {
        const std::int32_t column = p * cuda::tile_size;
        const TopValues values = values_of(s, column, column + cuda::piece_width(factor().width(s), p));
        plan_.pieces.push_back({values, map_.owner(s, column), first_.fronts.first_level[s] + p});
      }
    }
    std::stable_sort(plan_.pieces.begin(), plan_.pieces.end(),
                     [](const TopPiece& a, const TopPiece& b) { return a.level < b.level; });
  }

  void list_contributions() {
    const auto boundaries = boundaries_of(factor(), map_.parts.subtrees, map_.parts.parts());
    for (PartId p : map_.parts.shares.ids()) {
      std::set<std::int32_t> blocks;
      for (const NewIndex row : boundaries[static_cast<std::size_t>(p.value)]) {
        const SupernodeId s = factor().supernode_of[row];
        blocks.insert(map_.first_block[s] + (row - factor().first_column[s]) / panel_block);
      }
      for (const std::int32_t b : blocks) {
        const TopColumn& block = map_.parts.top[static_cast<std::size_t>(b)];
        if (block.owner == p) continue;
        const TopValues values = values_of(block.supernode, block.first, block.first + block.width);
        plan_.contributions.push_back({values, p, block.owner});
      }
    }
  }

  void list_subtrees() {
    for (const PartSubtree& subtree : map_.parts.subtrees) {
      const SupernodeId root = subtree.last;
      if (factor().rows_below(root) > 0)
        plan_.roots.push_back({subtree.part, factor().row_offset[root], factor().rows_below(root)});
      const NewIndex first = factor().first_column[subtree.first];
      plan_.subtrees.push_back({subtree.part, first, factor().first_column[root + 1] - first});
    }
  }

  DevicesPlan& plan_;
  const DeviceMap& map_;
  const CudaPlan& first_;
};

}  // namespace

std::pair<std::size_t, std::size_t> DevicesPlan::pieces_of_level(std::int32_t level) const {
  const auto [first, last] = std::equal_range(pieces.begin(), pieces.end(), TopPiece{{}, PartId(), level},
                                              [](const TopPiece& a, const TopPiece& b) { return a.level < b.level; });
  return {static_cast<std::size_t>(first - pieces.begin()), static_cast<std::size_t>(last - pieces.begin())};
}

std::shared_ptr<const DevicesPlan> build_devices_plan(const CudaPlan& whole, const PartMapOptions& options,
                                                      ThreadTeam& team) {
  auto plan = std::make_shared<DevicesPlan>();
  plan->panels = whole.structure->panels;
  plan->map = make_map(whole.structure->symbolic, whole.fronts, options);
  for (PartId p : plan->map->parts.shares.ids()) {
    plan->plans.push_back(make_plan_of(whole, plan->map, p, plan->top_begin.emplace_back(), team));
  }
  TransferLister(*plan).list();
  for (const auto& of_device : plan->plans) plan->reads_others.push_back(reads_of_others(*of_device));
  return plan;
}

PartMapOptions device_parts(int devices, ScalarType scalar, const CudaFigures& figures) {
  PartMapOptions options;
  options.parts = devices;
  options.scalar = scalar;
  options.top_waits = true;
  // Fitted to lap3d:100 on two H200: adding contributions took 3.5 ms for 1.5e8 values of the top. Its levels of 64 columns
  // took 17 ms, twice as long as their work alone.
  options.seconds_per_top_value = 2.0e-11;
  options.seconds_per_top_column = 4.0e-7;
  options.figures.flops_per_second = figures.flops_per_second;
  options.figures.seconds_per_value = 8.0 / figures.bytes_per_second;
  options.figures.seconds_per_update = 0.0;
  options.figures.seconds_per_supernode = 0.0;
  return options;
}

}  // namespace gpusupernodal
