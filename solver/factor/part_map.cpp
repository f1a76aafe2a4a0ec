#include "solver/factor/part_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/factor/part_boundary.hpp"
#include "solver/factor/part_limits.hpp"
#include "solver/factor/subtree_division.hpp"
#include "solver/factor/top_columns.hpp"

namespace gpusupernodal {
namespace {

void check(const PartMapOptions& options) {
  if (options.parts < 1) fail<InvalidInput>("a factorization needs at least 1 part, not {}", options.parts);
  const auto parts = static_cast<std::size_t>(options.parts);
  if (!options.speeds.empty() && options.speeds.size() != parts)
    fail<InvalidInput>("there are {} speeds for {} parts; give one for each part, or none", options.speeds.size(), parts);
  for (std::size_t p = 0; p < options.speeds.size(); ++p) {
    if (!(options.speeds[p] > 0.0) || !std::isfinite(options.speeds[p]))
      fail<InvalidInput>("the speed of part {} is {}; speeds are positive and finite", p, options.speeds[p]);
  }
  if (!options.memory_limits.empty() && options.memory_limits.size() != parts) {
    fail<InvalidInput>("there are {} limits of memory for {} parts; give one for each part, or none",
                       options.memory_limits.size(), parts);
  }
  for (std::size_t p = 0; p < options.memory_limits.size(); ++p) {
    if (options.memory_limits[p] < 0)
      fail<InvalidInput>("the limit of memory of part {} is {} bytes; it must not be negative", p, options.memory_limits[p]);
  }
}

void take_subtrees(const SymbolicFactor& factor, const SupernodePrices& prices, const SubtreeDivision& division,
                   PartMap& map) {
  for (const SubtreeDivision::Root& root : division.roots) {
    PartShare& share = map.shares[root.part];
    map.subtrees.push_back({factor.subtree_first[root.supernode], root.supernode, root.part});
    ++share.subtrees;
    for (SupernodeId s : IdRange<SupernodeId>(factor.subtree_first[root.supernode], root.supernode + 1)) {
      map.part_of[s] = root.part;
      share.flops += prices.flops[s];
      share.subtree_seconds += prices.seconds[s];
      share.values += prices.values[s];
    }
  }
}

using Boundaries = std::vector<std::vector<NewIndex>>;

void add_contributions(const Boundaries& boundaries, IdVector<PartId, PartShare>& shares) {
  for (PartId p : shares.ids()) {
    const auto rows = static_cast<std::int32_t>(boundaries[static_cast<std::size_t>(p.value)].size());
    if (rows > 0) shares[p].contribution_values = contribution_layout(rows).values();
  }
}

/// Sets the buffers to the most that an owner of block columns may need.
void reserve_buffers(const TopGraph& graph, const Boundaries& boundaries, IdVector<PartId, PartShare>& shares) {
  std::int64_t largest = 0;
  for (const std::int64_t values : graph.values) largest = std::max(largest, values);
  for (const auto& boundary : boundaries) {
    const auto rows = static_cast<std::int32_t>(boundary.size());
    if (rows == 0) continue;
    largest = std::max(largest, contribution_layout(rows).ld[SupernodeId(0)] * std::int64_t{std::min(rows, panel_block)});
  }
  if (shares.size() > 1) {
    for (PartShare& share : shares) share.buffer_values = largest;
  }
}

/// Sets the buffers to the largest message that each part receives.
void set_buffers(const SymbolicFactor& factor, const TopGraph& graph, const Boundaries& boundaries,
                 IdVector<PartId, PartShare>& shares) {
  for (PartShare& share : shares) share.buffer_values = 0;
  const auto receive = [&](PartId from, std::int32_t block, std::int64_t values) {
    const PartId owner = graph.columns[static_cast<std::size_t>(block)].owner;
    if (owner != from) shares[owner].buffer_values = std::max(shares[owner].buffer_values, values);
  };
  for (std::size_t c = 0; c < graph.columns.size(); ++c) {
    for (const TopUpdate& update : graph.updates_by(c)) receive(graph.columns[c].owner, update.target, graph.values[c]);
  }
  for (PartId p : shares.ids()) {
    const auto& boundary = boundaries[static_cast<std::size_t>(p.value)];
    const auto rows = static_cast<std::int32_t>(boundary.size());
    if (rows == 0) continue;
    const PanelLayout panel = contribution_layout(rows);
    const auto block_of = [&](std::int32_t i) {
      const NewIndex row = boundary[static_cast<std::size_t>(i)];
      const SupernodeId s = factor.supernode_of[row];
      const auto found = std::partition_point(graph.columns.begin(), graph.columns.end(), [&](const TopColumn& column) {
        return column.supernode < s ||
               (column.supernode == s && column.first + column.width <= row - factor.first_column[s]);
      });
      return static_cast<std::int32_t>(found - graph.columns.begin());
    };
    for_each_contribution_piece(rows, block_of, [&](std::int32_t block, std::int32_t first, std::int32_t last) {
      receive(p, block, panel.block(SupernodeId(0), first).ld * (last - first));
    });
  }
}

/// Makes maps from divisions.
class MapBuilder {
 public:
  MapBuilder(const SymbolicFactor& factor, const PartMapOptions& options)
      : factor_(factor), options_(options), prices_(factor, options) {}

  PartMap build() {
    const auto price = [&](const SubtreeDivision& division) { return map_of(division).seconds; };
    const std::optional<SubtreeDivision> division = divide_into_subtrees(factor_, prices_, options_, price);
    if (!division) fail_for_memory();
    return map_of(*division);
  }

 private:
  /// The map with this division; its time is infinite if it breaks the limits of memory.
  PartMap map_of(const SubtreeDivision& division) {
    PartMap map;
    map.part_of.assign(static_cast<std::size_t>(factor_.supernodes()), PartId());
    map.shares.resize(static_cast<std::size_t>(options_.parts));
    for (const double seconds : prices_.seconds) map.seconds_of_one += seconds;
    take_subtrees(factor_, prices_, division, map);
    map.seconds = std::numeric_limits<double>::infinity();
    const auto boundaries = boundaries_of(factor_, map.subtrees, options_.parts);
    TopGraph graph = build_top_graph(factor_, map.part_of);
    add_contributions(boundaries, map.shares);
    if (!subtrees_fit(map.shares)) return map;
    reserve_buffers(graph, boundaries, map.shares);
    unplaced_ = assign_top_columns(graph, options_, map.shares);
    if (unplaced_ > 0) return map;
    set_buffers(factor_, graph, boundaries, map.shares);
    map.seconds = 0.0;
    simulate_parts(graph, options_, map.shares);
    map.top = std::move(graph.columns);
    for (const double flops : graph.flops) map.top_flops += flops;
    for (const TopUpdate& update : graph.updates) map.top_flops += update.flops;
    for (const PartShare& share : map.shares) map.seconds = std::max(map.seconds, share.seconds);
    return map;
  }

  bool subtrees_fit(const IdVector<PartId, PartShare>& shares) {
    for (PartId p : shares.ids()) {
      if (may_hold(options_, p, shares[p].values_in_all())) continue;
      unplaced_ = 0;
      return false;
    }
    return true;
  }

  std::int64_t bytes(std::int64_t values) const { return bytes_of(options_, values); }

  [[noreturn]] void fail_for_memory() const {
    std::int64_t limit = 0;
    std::int64_t values = 0;
    for (const std::int64_t bytes : options_.memory_limits) limit = saturating_sum(limit, bytes);
    for (const std::int64_t of_supernode : prices_.values) values += of_supernode;
    if (bytes(values) > limit) {
      fail<InvalidInput>(
          "the factor takes {} bytes, but the limits of memory of the {} parts allow {} bytes; raise the limits or use more "
          "parts",
          bytes(values), options_.parts, limit);
    }
    if (unplaced_ > 0) {
      fail<InvalidInput>(
          "the factor takes {} bytes and the limits of memory of the {} parts allow {} bytes, but no division respects each "
          "limit: a block column of {} bytes fits on no part; raise the limits or use more parts",
          bytes(values), options_.parts, limit, bytes(unplaced_));
    }
    fail<InvalidInput>(
        "the factor takes {} bytes and the limits of memory of the {} parts allow {} bytes, but no division respects each "
        "limit: subtrees with their contribution blocks take more on some part; raise the limits or use more parts",
        bytes(values), options_.parts, limit);
  }

  const SymbolicFactor& factor_;
  const PartMapOptions& options_;
  SupernodePrices prices_;
  std::int64_t unplaced_ = 0;  ///< Values of a block column that had no place.
};

}  // namespace

PartMap build_part_map(const SymbolicFactor& factor, const PartMapOptions& options) {
  check(options);
  return MapBuilder(factor, options).build();
}

}  // namespace gpusupernodal
