#include "solver/host/plan/part_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "solver/factor/part_boundary.hpp"
#include "solver/factor/partial_schedule.hpp"
#include "solver/factor/task_flops.hpp"

namespace gpusupernodal {
namespace {

std::shared_ptr<const FactorStructure> structure_of(SymbolicFactor symbolic, SupernodeId contribution, ThreadTeam& team) {
  auto structure = std::make_shared<FactorStructure>();
  FactorStructure& s = *structure;
  s.symbolic = std::move(symbolic);
  s.assembly.offset.assign(static_cast<std::size_t>(s.symbolic.supernodes()) + 1, 0);
  s.panels = build_panel_layout(s.symbolic);
  s.updates = build_updates(s.symbolic, team);
  for (SupernodeId k : s.symbolic.supernode_ids()) {
    if (k != contribution) s.stored_flops += supernode_flops(s.symbolic, k);
  }
  s.shape = tree_shape(s.symbolic);
  return structure;
}

std::shared_ptr<const HostPlan> host_plan_of(const std::shared_ptr<const FactorStructure>& structure,
                                             SupernodeId contribution, ThreadTeam& team) {
  const FactorStructure& s = *structure;
  auto host = std::make_shared<HostPlan>();
  host->structure = structure;
  const ScheduleOptions rules = host_schedule_options({}, s.stored_flops);
  host->schedule = build_partial_schedule(s.symbolic, s.updates, rules, contribution, team);
  host->solve = build_solve_schedule(s.symbolic, host->schedule);
  return host;
}

/// Fills in the lists about the top.
class TopPlanner {
 public:
  explicit TopPlanner(PartPlan& plan) : plan_(plan), graph_(build_top_graph(*plan.whole, plan.map.part_of)) {}

  void run() {
    list_blocks();
    list_updates();
    list_contributions();
    list_neighbours();
  }

 private:
  std::size_t blocks() const { return plan_.blocks.size(); }

  void list_blocks() {
    plan_.first_block.assign(static_cast<std::size_t>(plan_.top.symbolic.supernodes()), -1);
    std::int32_t number = 0;
    for (const TopColumn& column : plan_.map.top) {
      TopBlock block;
      block.supernode = plan_.top.supernode[column.supernode];
      block.first = column.first;
      block.width = column.width;
      block.front = plan_.top.symbolic.front(block.supernode);
      block.begin = TopIndex(plan_.top.symbolic.first_column[block.supernode].value + column.first);
      block.owner = column.owner;
      if (column.first == 0) plan_.first_block[block.supernode] = number;
      if (column.owner == plan_.part) {
        block.offset = plan_.own_values;
        plan_.own_values += block.values();
        plan_.own_blocks.push_back(number);
      }
      plan_.blocks.push_back(std::move(block));
      ++number;
    }
  }

  void list_updates() {
    plan_.top_updates = build_updates(plan_.top.symbolic);
    plan_.product_offset.assign(1, 0);
    sources_.resize(blocks());
    for (std::size_t source = 0; source < blocks(); ++source) {
      TopBlock& block = plan_.blocks[source];
      std::set<PartId> readers;
      for (const TopUpdate& update : graph_.updates_by(source)) {
        TopBlock& target = plan_.blocks[static_cast<std::size_t>(update.target)];
        target.last_source = std::max(target.last_source, static_cast<std::int32_t>(source));
        sources_[static_cast<std::size_t>(update.target)].push_back(static_cast<std::int32_t>(source));
        if (target.owner != block.owner) readers.insert(target.owner);
      }
      block.readers.assign(readers.begin(), readers.end());
      list_products(source);
      plan_.product_offset.push_back(static_cast<std::int64_t>(plan_.products.size()));
    }
  }

  /// Lists the products of one source with targets on this part. They follow the updates of the graph, from which the
  /// readers come too: what is sent is what is needed.
  void list_products(std::size_t source) {
    const SupernodeId s = plan_.blocks[source].supernode;
    const UpdateList& list = plan_.top_updates;
    const auto between = list.from_source(s);
    std::size_t next = 0;
    for (const TopUpdate& update : graph_.updates_by(source)) {
      const TopBlock& target = plan_.blocks[static_cast<std::size_t>(update.target)];
      if (target.owner != plan_.part) continue;
      if (target.supernode == s) {
        plan_.products.push_back({update.target, UpdateId(), 0, 0});
        continue;
      }
      while (list.updates[between[next]].target != target.supernode) ++next;
      const std::int32_t begin = list.updates[between[next]].row_begin;
      plan_.products.push_back({update.target, between[next], update.row_begin - begin, update.row_end - begin});
    }
  }

  /// Calls visit(piece) for the pieces of a part's contribution block, ascending.
  template <class Visit>
  void for_each_piece(PartId from, const Visit& visit) const {
    const auto& boundary = plan_.boundary(from);
    const auto count = static_cast<std::int32_t>(boundary.size());
    const PanelLayout panel = contribution_layout(count);
    const auto block_of = [&](std::int32_t i) { return plan_.block_of(boundary[static_cast<std::size_t>(i)]); };
    for_each_contribution_piece(count, block_of, [&](std::int32_t block, std::int32_t first, std::int32_t last) {
      const PanelBlock stored = panel.block(SupernodeId(0), first);
      visit(ContributionPiece{from, block, first, last, stored.index(first_of_block(first), first), stored.ld});
    });
  }

  void list_contributions() {
    contributors_.resize(blocks());
    for (PartId p : plan_.map.shares.ids()) {
      for_each_piece(p, [&](const ContributionPiece& piece) {
        const TopBlock& block = plan_.blocks[static_cast<std::size_t>(piece.block)];
        contributors_[static_cast<std::size_t>(piece.block)].insert(p);
        if (block.owner == plan_.part) plan_.received.push_back(piece);
        if (p == plan_.part && block.owner != plan_.part) plan_.sent.push_back(piece);
      });
    }
  }

  void list_neighbours() {
    for (std::size_t b = 0; b < blocks(); ++b) {
      TopBlock& block = plan_.blocks[b];
      std::set<PartId>& parts = contributors_[b];
      std::int32_t last_own = -1;
      for (const std::int32_t source : sources_[b]) {
        const PartId owner = plan_.blocks[static_cast<std::size_t>(source)].owner;
        parts.insert(owner);
        if (owner == plan_.part) last_own = std::max(last_own, source);
      }
      parts.erase(block.owner);
      block.neighbours.assign(parts.begin(), parts.end());
      if (parts.count(plan_.part) > 0) plan_.forwarded.push_back({static_cast<std::int32_t>(b), last_own});
    }
  }

  PartPlan& plan_;
  TopGraph graph_;
  std::vector<std::vector<std::int32_t>> sources_;  ///< Block columns that update each.
  std::vector<std::set<PartId>> contributors_;      ///< Parts whose subtrees update each.
};

}  // namespace

std::int64_t PartPlan::own_rows() const {
  auto rows = static_cast<std::int64_t>(subtree_columns.size());
  for (const std::int32_t b : own_blocks) rows += blocks[static_cast<std::size_t>(b)].width;
  return rows;
}

std::int64_t PartPlan::largest_message() const {
  std::int64_t largest = 0;
  for (const ContributionPiece& piece : received) {
    if (piece.from != part) largest = std::max(largest, piece.values());
  }
  for (const TopBlock& block : blocks) {
    const bool reads = std::binary_search(block.readers.begin(), block.readers.end(), part);
    if (reads) largest = std::max(largest, block.values());
  }
  return largest;
}

std::vector<NewIndex> PartPlan::rows() const {
  std::vector<NewIndex> rows = subtree_columns;
  for (const std::int32_t b : own_blocks) {
    const TopBlock& block = blocks[static_cast<std::size_t>(b)];
    for (std::int32_t c = 0; c < block.width; ++c) rows.push_back(top.column[block.begin + c]);
  }
  return rows;
}

PartPlan make_part_plan(std::shared_ptr<const SymbolicFactor> factor, PartMap map, PartId part, ThreadTeam& team) {
  PartPlan plan;
  plan.whole = std::move(factor);
  plan.map = std::move(map);
  plan.part = part;
  plan.top = build_top_structure(*plan.whole, plan.map);
  SubtreeStructure own = build_subtree_structure(*plan.whole, plan.map, plan.top, part);
  plan.subtree_columns = std::move(own.columns);
  plan.local = std::move(own.local);
  plan.contribution = own.contribution;
  plan.subtrees = host_plan_of(structure_of(std::move(own.symbolic), own.contribution, team), own.contribution, team);
  TopPlanner(plan).run();
  return plan;
}

}  // namespace gpusupernodal
