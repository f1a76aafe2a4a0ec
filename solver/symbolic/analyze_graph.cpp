#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/until_stopped.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/grouped_ordering.hpp"
#include "solver/symbolic/row_structure.hpp"
#include "solver/symbolic/step_log.hpp"
#include "solver/symbolic/supernodes.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {
namespace {

/// Reports the beginning of a step to the caller. Throws Cancelled if the caller cancels.
void begin_step(const std::function<bool(const Progress&)>& progress, const char* step) {
  if (progress && !progress(Progress{step, 0.0})) fail<Cancelled>("the analysis was cancelled before the step '{}'", step);
}

GroupedSupernodes merge(const SupernodeForest& forest, const SymbolicOptions& options, ThreadTeam& team) {
  switch (options.merging) {
    case Merging::none:
      return group_supernodes(forest, merge_none(forest));
    case Merging::narrow:
      return group_supernodes(forest, merge_narrow(forest, options.merge_width));
    case Merging::bounded:
      break;
  }
  if (options.cost_model != nullptr) return merge_along_paths(forest, *options.cost_model, options.allow_host, team);
  return group_supernodes(forest, collapse(forest, merge_bounded(forest, nullptr, team), team), team);
}

void fill_supernode_maps(SymbolicFactor& factor, ThreadTeam& team) {
  factor.subtree_first = subtree_firsts(factor.parent);
  factor.supernode_of.resize(static_cast<std::size_t>(factor.order()));
  team.for_intervals(factor.supernodes(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (SupernodeId s : IdRange<SupernodeId>(SupernodeId(begin), SupernodeId(end))) {
      for (NewIndex j : IdRange<NewIndex>(factor.first_column[s], factor.first_column[s + 1])) factor.supernode_of[j] = s;
    }
  });
}

}  // namespace

SymbolicFactor analyze_graph(const AdjacencyGraph& graph, const SymbolicOptions& options, SymbolicReport& report,
                             const std::function<bool(const Progress&)>& progress) {
  ThreadTeam team(options.threads);
  return analyze_graph(graph, options, report, team, progress);
}

SymbolicFactor analyze_graph(const AdjacencyGraph& graph, const SymbolicOptions& options, SymbolicReport& report,
                             ThreadTeam& team, const std::function<bool(const Progress&)>& progress) {
  StepLog log;
  begin_step(progress, "ordering");
  Stopwatch watch;
  RowGroups groups;
  ChosenOrder chosen;
  log.time("ordering", [&] {
    groups = RowGroups(graph.order, options.last_rows);
    chosen = grouped_order(graph, groups, options, team, flag_of(progress));
    return chosen.tree ? bytes_in(chosen.tree->parent, chosen.tree->count) : bytes_in(chosen.order);
  });
  const double seconds_ordering = watch.lap();

  begin_step(progress, "elimination tree");
  watch.lap();
  ColumnTree tree;
  if (chosen.tree) {
    tree = std::move(*chosen.tree);
  } else {
    log.time("elimination tree", [&] {
      tree = build_column_tree(graph, permutation_from(std::move(chosen.order), team), team);
      return bytes_in(tree.permutation.old_of_new, tree.permutation.new_of_old, tree.parent, tree.count);
    });
  }

  begin_step(progress, "supernodes");
  GroupedSupernodes grouped;
  log.time("supernodes", [&] {
    grouped = merge(fundamental_supernodes(tree, groups, team), options, team);
    return bytes_in(grouped.column_position, grouped.forest.first_column, grouped.forest.parent, grouped.forest.rows_below);
  });

  begin_step(progress, "row structures");
  SymbolicFactor factor;
  log.time("row structures", [&] {
    factor.permutation = move_columns(tree.permutation, grouped.column_position, team);
    RowStructure structure = list_rows(graph, factor.permutation, grouped.forest, team);
    factor.first_column = std::move(grouped.forest.first_column);
    factor.parent = std::move(grouped.forest.parent);
    factor.row_offset = std::move(structure.offset);
    factor.rows = std::move(structure.rows);
    factor.nonzeros = tree.nonzeros();
    factor.flops = tree.flops();
    fill_supernode_maps(factor, team);
    return bytes_in(factor.permutation.old_of_new, factor.permutation.new_of_old, factor.row_offset, factor.rows,
                    factor.subtree_first, factor.supernode_of);
  });

  report = {chosen.method, std::move(chosen.reason), seconds_ordering, watch.seconds(), log.take()};
  return factor;
}

}  // namespace gpusupernodal
