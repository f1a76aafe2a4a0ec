#include "solver/factor/top_columns.hpp"

#include <algorithm>

#include "solver/factor/panel_layout.hpp"
#include "solver/factor/part_limits.hpp"
#include "solver/factor/task_flops.hpp"
#include "solver/model/host_work.hpp"

namespace gpusupernodal {
namespace {

/// Estimated seconds of a part at speed 1 for a piece of the top.
double piece_seconds(double flops, std::int64_t values, const PartMapOptions& options) {
  CostFeatures work;
  work.flops = flops;
  work.values = static_cast<double>(values);
  work.updates = 1.0;
  return host_work_seconds(work, options.figures, options.scalar);
}

/// Lists the columns of the top and their updates, supernode by supernode.
class TopLister {
 public:
  TopLister(const SymbolicFactor& factor, const IdVector<SupernodeId, PartId>& part_of)
      : factor_(factor), first_index_(static_cast<std::size_t>(factor.supernodes()), -1) {
    for (SupernodeId s : factor.supernode_ids()) {
      if (!part_of[s].valid()) list_columns(s);
    }
  }

  TopGraph list() {
    graph_.update_offset.assign(1, 0);
    for (const TopColumn& column : graph_.columns) {
      list_updates(column);
      graph_.update_offset.push_back(static_cast<std::int64_t>(graph_.updates.size()));
    }
    return std::move(graph_);
  }

 private:
  void list_columns(SupernodeId s) {
    first_index_[s] = static_cast<std::int32_t>(graph_.columns.size());
    for_each_panel_block(0, factor_.width(s), [&](std::int32_t first, std::int32_t end) {
      const std::int32_t width = end - first;
      const std::int64_t rows = factor_.front(s) - first;
      graph_.columns.push_back({s, first, width, PartId()});
      graph_.flops.push_back(potrf_flops(width) + trsm_flops(static_cast<double>(rows - width), width));
      graph_.values.push_back(rows * width);
    });
  }

  void list_updates(const TopColumn& column) {
    const SupernodeId s = column.supernode;
    const std::int32_t width = factor_.width(s);
    const auto add = [&](std::int32_t target, std::int32_t begin, std::int32_t end, double columns, double rows) {
      const double flops = syrk_flops(columns, column.width) + gemm_flops(rows - columns, columns, column.width);
      graph_.updates.push_back({target, begin, end, flops});
    };
    for_each_panel_block(column.first + column.width, width, [&](std::int32_t first, std::int32_t end) {
      add(first_index_[s] + first / panel_block, 0, 0, end - first, factor_.front(s) - first);
    });
    const auto rows = factor_.rows_of(s);
    for (std::size_t i = 0; i < rows.size();) {
      const SupernodeId k = factor_.supernode_of[rows[i]];
      const std::int32_t block = (rows[i] - factor_.first_column[k]) / panel_block;
      const NewIndex end = std::min(factor_.first_column[k] + (block + 1) * panel_block, factor_.first_column[k + 1]);
      const auto last = static_cast<std::size_t>(
          std::lower_bound(rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end(), end) - rows.begin());
      add(first_index_[k] + block, static_cast<std::int32_t>(i), static_cast<std::int32_t>(last),
          static_cast<double>(last - i), static_cast<double>(rows.size() - i));
      i = last;
    }
  }

  const SymbolicFactor& factor_;
  IdVector<SupernodeId, std::int32_t> first_index_;  ///< Index of the supernode's first block column.
  TopGraph graph_;
};

/// Work on one block column by its owner.
struct ColumnWork {
  double update_seconds = 0.0;  ///< Time of the updates into it.
  double factor_seconds = 0.0;
  std::int64_t values = 0;
  double ready = 0.0;  ///< When the last column that updates it is done.
};

/// When each part may begin with the top.
IdVector<PartId, double> starts_of_top(const TopGraph& graph, const PartMapOptions& options,
                                       const IdVector<PartId, PartShare>& shares) {
  IdVector<PartId, double> starts;
  double latest = 0.0;
  for (PartId p : shares.ids()) {
    starts.push_back(shares[p].subtree_seconds / speed_of(options, p));
    latest = std::max(latest, starts[p]);
  }
  if (!options.top_waits) return starts;
  for (const std::int64_t values : graph.values) latest += static_cast<double>(values) * options.seconds_per_top_value;
  starts.assign(shares.size(), latest);
  return starts;
}

/// Finds the part that would finish a column first. The part that owns the last column before it cannot make updates while
/// it factorizes that one, so neighbours rarely have one owner.
class OwnerChoice {
 public:
  OwnerChoice(const TopGraph& graph, const PartMapOptions& options, const IdVector<PartId, PartShare>& shares)
      : options_(options), shares_(shares), free_(starts_of_top(graph, options, shares)) {}

  /// Returns an invalid part if no part has memory. Sets `done` to the time at which the column is done.
  PartId choose(const ColumnWork& work, double& done) {
    PartId best;
    for (PartId p : shares_.ids()) {
      if (!has_memory_for(p, work.values)) continue;
      const double speed = speed_of(options_, p);
      const double updated = free_[p] + work.update_seconds / speed;
      const double end = std::max(updated, work.ready) + work.factor_seconds / speed;
      if (best.valid() && end >= done) continue;
      best = p;
      done = end;
    }
    if (best.valid()) free_[best] = done;
    return best;
  }

 private:
  bool has_memory_for(PartId p, std::int64_t values) const {
    return may_hold(options_, p, shares_[p].values_in_all() + values);
  }

  const PartMapOptions& options_;
  const IdVector<PartId, PartShare>& shares_;
  IdVector<PartId, double> free_;  ///< When each part has done what it owns.
};

}  // namespace

TopGraph build_top_graph(const SymbolicFactor& factor, const IdVector<SupernodeId, PartId>& part_of) {
  return TopLister(factor, part_of).list();
}

std::int64_t assign_top_columns(TopGraph& graph, const PartMapOptions& options, IdVector<PartId, PartShare>& shares) {
  std::vector<ColumnWork> works(graph.columns.size());
  std::vector<double> flops = graph.flops;  // With the updates into each column, which its owner makes.
  for (const TopUpdate& update : graph.updates) {
    works[static_cast<std::size_t>(update.target)].update_seconds += piece_seconds(update.flops, 0, options);
    flops[static_cast<std::size_t>(update.target)] += update.flops;
  }
  OwnerChoice owners(graph, options, shares);
  for (std::size_t c = 0; c < graph.columns.size(); ++c) {
    works[c].values = graph.values[c];
    works[c].factor_seconds =
        piece_seconds(graph.flops[c], graph.values[c], options) + graph.columns[c].width * options.seconds_per_top_column;
    double done = 0.0;
    const PartId owner = owners.choose(works[c], done);
    if (!owner.valid()) return graph.values[c];
    for (const TopUpdate& update : graph.updates_by(c)) {
      double& ready = works[static_cast<std::size_t>(update.target)].ready;
      ready = std::max(ready, done);
    }
    graph.columns[c].owner = owner;
    ++shares[owner].top_columns;
    shares[owner].flops += flops[c];
    shares[owner].values += graph.values[c];
  }
  return 0;
}

void simulate_parts(const TopGraph& graph, const PartMapOptions& options, IdVector<PartId, PartShare>& shares) {
  std::vector<double> ready(graph.columns.size(), 0.0);
  const IdVector<PartId, double> starts = starts_of_top(graph, options, shares);
  for (PartId p : shares.ids()) shares[p].seconds = starts[p];
  const auto work = [&](std::size_t column, double from, double flops, std::int64_t values, double more) {
    const PartId p = graph.columns[column].owner;
    double& free = shares[p].seconds;
    free = std::max(free, from) + (piece_seconds(flops, values, options) + more) / speed_of(options, p);
    return free;
  };
  for (std::size_t c = 0; c < graph.columns.size(); ++c) {
    const double done =
        work(c, ready[c], graph.flops[c], graph.values[c], graph.columns[c].width * options.seconds_per_top_column);
    for (const TopUpdate& update : graph.updates_by(c)) {
      const auto target = static_cast<std::size_t>(update.target);
      ready[target] = std::max(ready[target], work(target, done, update.flops, 0, 0.0));
    }
  }
}

}  // namespace gpusupernodal
