#pragma once

/// \file
/// Invariants of every Schedule: the cut of the tree, the tasks and their order.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "solver/factor/leaf_subtrees.hpp"
#include "solver/factor/schedule.hpp"
#include "solver/factor/task_flops.hpp"

namespace gpusupernodal::test {

/// Bound on the difference of a sum of flops in two orders: terms·eps relative to the sum of the non-negative terms
/// [Higham02 §4.2].
inline double sum_bound(std::size_t terms, double sum) {
  return static_cast<double>(terms) * std::numeric_limits<double>::epsilon() * sum;
}

/// Expects that a leaf subtree contains all descendants of its supernodes and respects the limits.
inline void expect_leaf_subtree(const SymbolicFactor& factor, const Schedule& schedule, const LeafSubtree& subtree) {
  const ScheduleOptions& options = schedule.options;
  for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
    ASSERT_GE(factor.subtree_first[s], subtree.first) << "descendants are inside";
    ASSERT_LE(factor.width(s), options.max_subtree_width);
    const SupernodeId parent = factor.parent[s];
    ASSERT_TRUE(!parent.valid() || parent <= subtree.last || !schedule.in_leaf_subtree(parent));
  }
  ASSERT_LE(subtree.flops, options.max_subtree_flops);
}

/// Expects that a chain is a path of small supernodes, interrupted only by whole leaf subtrees. `leaves`: the cut without
/// chains.
inline void expect_chain(const SymbolicFactor& factor, const Schedule& schedule, const Schedule& leaves,
                         const LeafSubtree& chain) {
  ASSERT_GT(schedule.options.max_chained_flops, 0.0);
  SupernodeId below;
  for (SupernodeId s : IdRange<SupernodeId>(chain.first, chain.last + 1)) {
    if (leaves.in_subtree(s)) {
      const LeafSubtree& leaf = leaves.subtrees[leaves.subtree_of[s]];
      ASSERT_TRUE(leaf.first >= chain.first && leaf.last < chain.last) << "whole leaf subtrees, none at the end";
      ASSERT_LE(leaf.flops, schedule.options.hand_over_flops);
      continue;
    }
    ASSERT_LE(potrf_flops(factor.width(s)), schedule.options.max_chained_flops);
    if (below.valid()) {
      ASSERT_EQ(factor.parent[below], s);
    }
    below = s;
  }
}

/// Leaf subtrees and chains are disjoint and keep their invariants; leaf subtrees are as large as the limits allow.
inline void expect_subtrees(const SymbolicFactor& factor, const Schedule& schedule) {
  const ScheduleOptions& options = schedule.options;
  Schedule leaves;
  cut_leaf_subtrees(factor, options, leaves);
  SupernodeId past(0);
  std::int64_t chains = 0;
  for (SubtreeId t : schedule.subtrees.ids()) {
    const LeafSubtree& subtree = schedule.subtrees[t];
    ASSERT_GE(subtree.first, past);
    ASSERT_GE(subtree.last, subtree.first);
    double flops = 0.0;
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
      ASSERT_EQ(schedule.subtree_of[s], t);
      flops += supernode_flops(factor, s);
    }
    ASSERT_NEAR(subtree.flops, flops, sum_bound(factor.parent.size(), flops));
    if (subtree.is_chain) {
      expect_chain(factor, schedule, leaves, subtree);
      ++chains;
    } else {
      expect_leaf_subtree(factor, schedule, subtree);
    }
    if (testing::Test::HasFatalFailure()) return;
    past = subtree.last + 1;
  }
  ASSERT_EQ(schedule.chains, chains);
  for (SupernodeId s : factor.supernode_ids()) {
    if (schedule.in_subtree(s) || !factor.subtree_first[s].valid()) continue;
    double flops = 0.0;
    std::int32_t widest = 0;
    for (SupernodeId d : IdRange<SupernodeId>(factor.subtree_first[s], s + 1)) {
      flops += supernode_flops(factor, d);
      widest = std::max(widest, factor.width(d));
    }
    ASSERT_TRUE(flops > options.max_subtree_flops || widest > options.max_subtree_width) << "what fits is a leaf subtree";
  }
}

/// Tasks are in topological order, waits_for counts predecessors, and critical paths are longest paths.
template <class GraphType>
void expect_graph(const GraphType& graph) {
  const std::size_t count = graph.tasks.size();
  ASSERT_EQ(graph.waits_for.size(), count);
  ASSERT_EQ(graph.successor_offset.size(), count + 1);
  ASSERT_EQ(graph.critical_flops.size(), count);
  IdVector<TaskId, std::int32_t> predecessors(count, 0);
  IdVector<TaskId, double> before(count, 0.0);
  double longest = 0.0;
  for (TaskId t : graph.tasks.ids()) {
    double after = 0.0;
    for (TaskId successor : graph.successors_of(t)) {
      ASSERT_GT(successor, t) << "acyclic";
      ++predecessors[successor];
      before[successor] = std::max(before[successor], before[t] + graph.tasks[t].flops);
      after = std::max(after, graph.critical_flops[successor]);
    }
    ASSERT_EQ(graph.critical_flops[t], graph.tasks[t].flops + after);
    longest = std::max(longest, before[t] + graph.tasks[t].flops);
  }
  ASSERT_TRUE(std::equal(predecessors.begin(), predecessors.end(), graph.waits_for.begin()));
  ASSERT_NEAR(graph.critical_path_flops, longest, sum_bound(count, longest)) << "the longest path, counted from the front";
}

template <class GraphType>
bool releases(const GraphType& graph, TaskId from, TaskId to) {
  const auto successors = graph.successors_of(from);
  return std::find(successors.begin(), successors.end(), to) != successors.end();
}

/// Collects the tasks of a schedule by what they write, and checks that each piece of work occurs once and in order.
class TaskLaws {
 public:
  TaskLaws(const SymbolicFactor& factor, const UpdateList& updates, const Schedule& schedule)
      : factor_(factor), updates_(updates), schedule_(schedule), graph_(schedule.graph) {
    final_.assign(static_cast<std::size_t>(factor.supernodes()), TaskId());
    for (TaskId t : graph_.tasks.ids()) {
      const Task& task = graph_.tasks[t];
      if (task.target.valid()) writers_[task.target.value].push_back(t);
      if (task.kind == TaskKind::complete) final_[task.source] = t;
      if (task.kind != TaskKind::factor_subtree) continue;
      const LeafSubtree& subtree = schedule.subtrees[task.subtree];
      for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) final_[s] = t;
    }
  }

  void expect_all() {
    expect_counts();
    expect_every_update_once();
    for (BlockColumnId c : schedule_.block_columns.ids()) {
      expect_block_column(c);
      if (testing::Test::HasFatalFailure()) return;
    }
    expect_complete();
  }

 private:
  using Rows = std::pair<std::int32_t, std::int32_t>;

  void expect_counts() const {
    std::map<TaskKind, std::size_t> kinds;
    double flops = 0.0;
    double stored_flops = 0.0;
    for (const Task& task : graph_.tasks) {
      ++kinds[task.kind];
      flops += task.flops;
    }
    std::size_t above = 0;
    for (SupernodeId s : factor_.supernode_ids()) {
      stored_flops += supernode_flops(factor_, s);
      if (!schedule_.in_subtree(s)) ++above;
    }
    ASSERT_EQ(kinds[TaskKind::factor_subtree], schedule_.subtrees.size());
    ASSERT_EQ(kinds[TaskKind::assemble], schedule_.block_columns.size());
    ASSERT_EQ(kinds[TaskKind::scale_diagonal], schedule_.block_columns.size());
    ASSERT_EQ(kinds[TaskKind::complete], above);
    ASSERT_NEAR(flops, stored_flops, sum_bound(graph_.tasks.size() + factor_.parent.size(), stored_flops))
        << "tasks do all the work, and none of it twice";
  }

  /// Exactly one part writes each entry of the lower trapezoid of an update, unless the target is in a subtree or chain, or
  /// a subtree pushes the update.
  void expect_every_update_once() const {
    IdVector<UpdateId, std::vector<int>> written(updates_.updates.size());
    for (UpdateId u : updates_.updates.ids()) {
      const Update& update = updates_.updates[u];
      written[u].assign(static_cast<std::size_t>(rows(update)) * static_cast<std::size_t>(update.columns()), 0);
    }
    for (TaskId t : graph_.tasks.ids()) {
      const Task& task = graph_.tasks[t];
      if (task.kind != TaskKind::update_between) continue;
      for (UpdateId u : IdRange<UpdateId>(task.update_begin, task.update_end)) {
        const Update& update = updates_.updates[u];
        ASSERT_EQ(update.target, schedule_.block_columns[task.target].supernode);
        ASSERT_EQ(schedule_.subtree_of[update.source], task.subtree);
        ASSERT_TRUE(task.subtree.valid() || update.source == task.source);
        ASSERT_TRUE(releases(graph_, final_[update.source], t)) << "reads a final panel";
        mark(task, update, written[u]);
      }
    }
    const bool pulled = schedule_.options.subtree_updates == SubtreeUpdates::pulled_by_target;
    for (UpdateId u : updates_.updates.ids()) {
      const Update& update = updates_.updates[u];
      const bool by_task = !schedule_.in_subtree(update.target) && (pulled || !schedule_.in_subtree(update.source));
      for (std::int32_t j = 0; j < update.columns(); ++j) {
        for (std::int32_t i = 0; i < rows(update); ++i) {
          const int times =
              written[u][static_cast<std::size_t>(j) * static_cast<std::size_t>(rows(update)) + static_cast<std::size_t>(i)];
          ASSERT_EQ(times, by_task && i >= j ? 1 : 0) << "update " << u.value << " entry " << i << ", " << j;
        }
      }
      if (schedule_.in_leaf_subtree(update.target)) {
        ASSERT_EQ(schedule_.subtree_of[update.source], schedule_.subtree_of[update.target]);
      }
      if (schedule_.in_chain(update.target) && final_[update.source] != final_[update.target]) {
        ASSERT_TRUE(releases(graph_, final_[update.source], final_[update.target])) << "a chain reads final panels";
      }
    }
  }

  std::int32_t rows(const Update& update) const { return factor_.rows_below(update.source) - update.row_begin; }

  void mark(const Task& task, const Update& update, std::vector<int>& written) const {
    const BlockColumn& block = schedule_.block_columns[task.target];
    const std::int32_t* const relative = updates_.relative_rows.data() + update.relative;
    for (std::int32_t j = 0; j < update.columns(); ++j) {
      if (relative[j] < block.first || relative[j] >= block.first + block.width) continue;
      for (std::int32_t i = j; i < rows(update); ++i) {
        if (relative[i] < task.row_begin || relative[i] >= task.row_end) continue;
        ++written[static_cast<std::size_t>(j) * static_cast<std::size_t>(rows(update)) + static_cast<std::size_t>(i)];
      }
    }
  }

  /// Sort key of a tile's writers: the order in which they must run.
  std::tuple<int, std::int32_t> step_of(const Task& task) const {
    switch (task.kind) {
      case TaskKind::assemble:
        return {0, 0};
      case TaskKind::update_between:
        return {1, task.update_begin.value};
      case TaskKind::update_internal:
        return {2, task.source_block.value};
      default:
        return {3, 0};
    }
  }

  void expect_block_column(BlockColumnId c) {
    const BlockColumn& block = schedule_.block_columns[c];
    const std::int32_t front = factor_.front(block.supernode);
    std::map<Rows, std::vector<TaskId>> tiles;
    TaskId assembled;
    for (TaskId t : writers_[c.value]) {
      const Task& task = graph_.tasks[t];
      if (task.kind == TaskKind::assemble) {
        ASSERT_EQ(Rows(task.row_begin, task.row_end), Rows(block.first, front));
        assembled = t;
      } else {
        tiles[{task.row_begin, task.row_end}].push_back(t);
      }
    }
    std::int32_t next = block.first;
    for (const auto& [range, chain] : tiles) {
      ASSERT_EQ(range.first, next) << "tiles partition the rows of a block column";
      next = range.second;
      expect_chain(c, range, chain, assembled);
    }
    ASSERT_EQ(next, front);
  }

  /// Every earlier block column writes a tile once, scaling comes last, and each writer runs after the one before.
  void expect_chain(BlockColumnId c, Rows range, const std::vector<TaskId>& chain, TaskId last) {
    const BlockColumn& block = schedule_.block_columns[c];
    BlockColumnId earlier = schedule_.first_block_column[block.supernode];
    for (TaskId t : chain) {
      ASSERT_TRUE(releases(graph_, last, t)) << "a chain of writers";
      ASSERT_LT(step_of(graph_.tasks[last]), step_of(graph_.tasks[t])) << "in the fixed order";
      last = t;
      const Task& task = graph_.tasks[t];
      if (task.kind != TaskKind::update_internal) continue;
      ASSERT_EQ(task.source_block, earlier) << "every earlier block column once";
      ASSERT_TRUE(releases(graph_, scaled_.at({earlier.value, range.first}), t));
      ASSERT_TRUE(releases(graph_, scaled_.at({earlier.value, block.first}), t));
      ++earlier;
    }
    ASSERT_EQ(earlier, c);
    const bool diagonal = range.first == block.first;
    ASSERT_EQ(graph_.tasks[last].kind, diagonal ? TaskKind::scale_diagonal : TaskKind::scale_below);
    if (diagonal) {
      ASSERT_EQ(range.second, block.first + block.width);
    } else {
      ASSERT_TRUE(releases(graph_, scaled_.at({c.value, block.first}), last));
    }
    scaled_[{c.value, range.first}] = last;
  }

  void expect_complete() const {
    for (const auto& [tile, task] : scaled_) {
      const SupernodeId s = schedule_.block_columns[BlockColumnId(tile.first)].supernode;
      ASSERT_TRUE(releases(graph_, task, final_[s]));
    }
  }

  const SymbolicFactor& factor_;
  const UpdateList& updates_;
  const Schedule& schedule_;
  const TaskGraph& graph_;
  IdVector<SupernodeId, TaskId> final_;                             ///< Task after which a panel is final.
  std::map<std::int32_t, std::vector<TaskId>> writers_;             ///< By block column.
  std::map<std::pair<std::int32_t, std::int32_t>, TaskId> scaled_;  ///< By block column and first row.
};

}  // namespace gpusupernodal::test
