#pragma once

/// \file
/// Lists the tasks of a launch plan on several threads and sorts them into launch order. Host-only; used by
/// launch_plan.cpp.

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"

namespace gpusupernodal::cuda {

/// Tasks with one sorting key each.
template <class Task>
struct Keyed {
  LargeVector<Task> tasks;
  LargeVector<std::int32_t> keys;

  void add(std::int32_t key, const Task& task) {
    tasks.push_back(task);
    keys.push_back(key);
  }
};

/// Tasks of some fronts, and their flops per level.
struct TaskLists {
  Keyed<FrontTask> tiny, small;
  Keyed<DiagonalTask> diagonal;
  Keyed<TrsmTask> scale;
  Keyed<ProductTask> product;
  std::vector<double> level_flops;  ///< Integers, so that sums do not depend on the order.
};

/// Merges all lists by key with a stable counting sort; tasks with equal keys keep the order of the lists. Sets
/// begin[k] to where key k begins, for k = 0 … key_count. Leaves the lists empty.
template <class Task>
LargeVector<Task> sorted_by_key(std::vector<TaskLists>& lists, Keyed<Task> TaskLists::*kind, std::int32_t key_count,
                                std::vector<std::int64_t>& begin, ThreadTeam& team) {
  const auto count = static_cast<std::int64_t>(lists.size());
  std::vector<std::vector<std::int64_t>> next(lists.size());
  const auto each = [&](const auto& body) {
    team.for_intervals(count, 1, [&](std::int64_t first, std::int64_t last) {
      for (auto l = static_cast<std::size_t>(first); l < static_cast<std::size_t>(last); ++l) body(lists[l].*kind, next[l]);
    });
  };
  each([&](Keyed<Task>& list, std::vector<std::int64_t>& of_key) {
    of_key.assign(static_cast<std::size_t>(key_count), 0);
    for (const std::int32_t key : list.keys) ++of_key[static_cast<std::size_t>(key)];
  });
  begin.assign(static_cast<std::size_t>(key_count) + 1, 0);
  std::int64_t sum = 0;
  for (std::size_t key = 0; key < static_cast<std::size_t>(key_count); ++key) {
    for (std::vector<std::int64_t>& of_key : next) sum += std::exchange(of_key[key], sum);
    begin[key + 1] = sum;
  }
  LargeVector<Task> sorted(static_cast<std::size_t>(sum));
  each([&](Keyed<Task>& list, std::vector<std::int64_t>& of_key) {
    for (std::size_t i = 0; i < list.tasks.size(); ++i)
      sorted[static_cast<std::size_t>(of_key[static_cast<std::size_t>(list.keys[i])]++)] = list.tasks[i];
    list = Keyed<Task>();
  });
  return sorted;
}

/// The first level of each stage, for its supernodes; 0 without stages.
inline IdVector<SupernodeId, std::int32_t> levels_of_stages(const CudaPlan& plan, std::size_t supernodes) {
  IdVector<SupernodeId, std::int32_t> first(supernodes, 0);
  if (!plan.stages) return first;
  for (const Stage& stage : plan.stages->stages) {
    for (const StageRange& range : stage.ranges) {
      for (SupernodeId s : IdRange<SupernodeId>(range.first, range.last)) first[s] = stage.first_level;
    }
  }
  return first;
}

/// Computes LaunchPlan::first_block_level. No block is factorized before the first level of its stage, and, with several
/// devices, none of the top a level earlier.
inline IdVector<SupernodeId, std::int32_t> first_block_levels(const CudaPlan& plan, const SymbolicFactor& factor) {
  const CudaFronts& fronts = plan.fronts;
  const IdVector<SupernodeId, std::int32_t> of_stage = levels_of_stages(plan, fronts.first_level.size());
  IdVector<SupernodeId, std::int32_t> level = fronts.first_level;
  IdVector<SupernodeId, std::int32_t> last(level.size(), -1);  // Last level of its descendants.
  for (SupernodeId s : factor.supernode_ids()) {
    const bool may_be_ahead =
        fronts.kind[s] == CudaFrontKind::pieces && level[s] > of_stage[s] && !(plan.share && plan.share->map->in_top(s));
    if (may_be_ahead && last[s] + 1 < level[s]) --level[s];
    const SupernodeId parent = factor.parent[s];
    if (parent.valid()) last[parent] = std::max(last[parent], fronts.first_level[s] + piece_count(factor.width(s)) - 1);
  }
  return level;
}

/// Lists the tasks of fronts.
class TaskLister {
 public:
  TaskLister(const CudaPlan& plan, const SymbolicFactor& factor, std::int32_t streams, LaunchScope scope,
             AdditionOrder order)
      : factor_(factor),
        schedule_(plan.schedule),
        fronts_(plan.fronts),
        share_(plan.share.get()),
        first_block_level_(first_block_levels(plan, factor)),
        classes_(streams),
        scope_(scope),
        in_order_(order == AdditionOrder::fixed) {}

  std::int32_t levels() const { return static_cast<std::int32_t>(fronts_.levels.size()); }
  /// Whether a run has a separate launch, whose fronts are not listed here.
  bool has_run() const { return fronts_.run_level >= 0 && scope_ == LaunchScope::everything && !in_order_; }
  const IdVector<SupernodeId, std::int32_t>& first_block_level() const { return first_block_level_; }

  /// Returns lists of tasks, with fronts ascending from list to list; a wide front's pieces may spread over several
  /// lists.
  std::vector<TaskLists> list(ThreadTeam& team) const {
    const std::vector<Place> borders = divide(team.threads());
    std::vector<TaskLists> lists(borders.size() - 1);
    team.for_intervals(static_cast<std::int64_t>(lists.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto l = static_cast<std::size_t>(begin); l < static_cast<std::size_t>(end); ++l) {
        lists[l].level_flops.assign(static_cast<std::size_t>(levels()), 0.0);
        add(borders[l], borders[l + 1], lists[l]);
      }
    });
    return lists;
  }

 private:
  /// One piece of a panel.
  struct Place {
    SupernodeId front;
    std::int32_t piece;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  bool is_listed(SupernodeId s) const {
    if (share_ != nullptr) return share_->stores(s);
    return scope_ == LaunchScope::everything || schedule_.in_subtree(s);
  }
  bool is_of_shared_top(SupernodeId s) const { return share_ != nullptr && share_->map->in_top(s); }

  /// For leaf subtrees alone, fronts have no launches of other kinds to join and keep their natural kind.
  CudaFrontKind kind_of(SupernodeId s) const {
    return scope_ == LaunchScope::everything ? fronts_.kind[s] : natural_front_kind(factor_.width(s), factor_.front(s));
  }

  /// Estimated number of tasks of a piece.
  std::int64_t weight(SupernodeId s, std::int32_t piece) const {
    const std::int64_t tiles = factor_.front(s) / tile_size - piece;
    return 1 + tiles + tiles * tiles / 2;
  }

  /// Returns borders between lists of about equally many tasks.
  std::vector<Place> divide(int threads) const {
    constexpr std::int64_t min_tasks = 2000;
    // Each list counts its tasks for every key. A tall tree has about as many keys as tasks, so that the counters of several
    // lists would take more memory and time than the tasks.
    constexpr std::int64_t min_tasks_a_key = 4;
    std::int64_t tasks = 0;
    each_piece([&](const Place& place) { tasks += weight(place.front, place.piece); });
    const std::int64_t keys = std::max<std::int64_t>(1, std::int64_t{levels()} * classes_);
    const std::int64_t lists = std::clamp<std::int64_t>(tasks / std::max(min_tasks, min_tasks_a_key * keys), 1,
                                                        threads == 1 ? 1 : 2 * std::int64_t{threads});
    std::vector<Place> borders{{SupernodeId(0), 0}};
    std::int64_t passed = 0;
    each_piece([&](const Place& place) {
      if (passed >= tasks * static_cast<std::int64_t>(borders.size()) / lists && borders.back() < place)
        borders.push_back(place);
      passed += weight(place.front, place.piece);
    });
    borders.push_back({SupernodeId(std::int64_t{factor_.supernodes()}), 0});
    return borders;
  }

  template <class Visit>
  void each_piece(const Visit& visit) const {
    for (SupernodeId s : factor_.supernode_ids()) {
      for (std::int32_t p = 0; p < piece_count(factor_.width(s)); ++p) visit(Place{s, p});
    }
  }

  void add(const Place& begin, const Place& end, TaskLists& lists) const {
    for (SupernodeId s = begin.front; s <= end.front && s.value < factor_.supernodes(); ++s) {
      const std::int32_t pieces = piece_count(factor_.width(s));
      if (is_listed(s)) add_front(s, s == begin.front ? begin.piece : 0, s == end.front ? end.piece : pieces, lists);
    }
  }

  /// Adds pieces first … last−1 of a front; a whole front's single task is listed with its first piece.
  void add_front(SupernodeId s, std::int32_t first, std::int32_t last, TaskLists& lists) const {
    const std::int32_t width = factor_.width(s);
    const std::int32_t front = factor_.front(s);
    const CudaFrontKind kind = kind_of(s);
    for (std::int32_t p = first; p < last; ++p) {
      lists.level_flops[static_cast<std::size_t>(fronts_.first_level[s] + p)] +=
          flops_of_columns(front, p * tile_size, piece_width(width, p));
      if (kind == CudaFrontKind::pieces) add_piece(s, p, lists);
    }
    if (kind == CudaFrontKind::pieces || first > 0 || last == 0) return;
    if (has_run() && fronts_.in_run[static_cast<std::size_t>(s.value)]) return;
    (kind == CudaFrontKind::tiny ? lists.tiny : lists.small)
        .add(fronts_.first_level[s], {s.value, small_stride(width, front)});
  }

  void add_piece(SupernodeId s, std::int32_t piece, TaskLists& lists) const {
    const std::int32_t width = factor_.width(s);
    const std::int32_t front = factor_.front(s);
    const std::int32_t level = fronts_.first_level[s] + piece;
    const std::int32_t column = piece * tile_size;
    const std::int32_t columns = piece_width(width, piece);
    const bool ahead = piece > 0 || first_block_level_[s] < level;
    if (share_ == nullptr || share_->owns(s, column)) {
      lists.diagonal.add(2 * level + (ahead ? 1 : 0), {s.value, column, columns, piece > 0 ? tile_size : 0});
      for (std::int32_t row = column + columns; row < front; row += tile_size) {
        lists.scale.add(level, {s.value, column, columns, row});
      }
    }
    const Product product = product_after(width, front, piece);
    const std::int32_t first = product.column + product.depth;
    const auto add = [&](std::int32_t row, std::int32_t col, std::int32_t from, std::int32_t depth) {
      ProductTask task{s.value, from, depth, row, col, first, product.col_end};
      if (piece + 1 < piece_count(width) && row == first) {
        // The next diagonal block subtracts the last columns itself, and needs the other products one level earlier.
        if (from + depth == first) task.depth -= tile_size;
        if (task.depth == 0) return;
        const std::int32_t ready = fronts_.first_level[s] + (from + task.depth - 1) / tile_size;
        add_product(lists, (in_order_ ? level - 1 : ready) * classes_ + (in_order_ ? 0 : class_of(ready, level)), task);
        return;
      }
      // Each part of a product that is cut along its depth is launched as soon as its source columns are final.
      const std::int32_t ready = in_order_ ? level : fronts_.first_level[s] + (from + depth - 1) / tile_size;
      add_product(lists, ready * classes_ + class_of(ready, deadline(s, product, row, col)), task);
    };
    for_each_product_tile(product, front, in_order_, add);
  }

  /// Adds a tile. If its source is in the top of several devices, adds only the columns whose targets this device owns.
  void add_product(TaskLists& lists, std::int32_t key, const ProductTask& task) const {
    const SupernodeId s(task.panel);
    if (!is_of_shared_top(s)) return lists.product.add(key, task);
    const std::int32_t end = std::min(task.col_end, task.col + tile_size);
    for (std::int32_t first = std::max(task.first, task.col), last = first; first < end; first = last) {
      const bool is_own = owns_target(s, first);
      while (last < end && owns_target(s, last) == is_own) ++last;
      if (!is_own) continue;
      ProductTask own = task;
      own.first = first;
      own.col_end = last;
      lists.product.add(key, own);
    }
  }

  /// Whether this device owns the column that products with row `position` of a front of the top are subtracted from.
  bool owns_target(SupernodeId s, std::int32_t position) const {
    if (position < factor_.width(s)) return share_->owns(s, position);
    const NewIndex column = factor_.rows_of(s)[static_cast<std::size_t>(position - factor_.width(s))];
    const SupernodeId target = factor_.supernode_of[column];
    return share_->owns(target, column - factor_.first_column[target]);
  }

  /// Returns the first level that reads what a tile at (row, col) writes: the level of the piece that contains its
  /// first column, or, for a diagonal block after a panel's first, the level before, which factorizes that block ahead. All
  /// fronts of the run read theirs at its first level.
  std::int32_t deadline(SupernodeId s, const Product& product, std::int32_t row, std::int32_t col) const {
    const std::int32_t first = std::max(col, product.column + product.depth);
    const std::int32_t width = factor_.width(s);
    if (product.col_end <= width) return fronts_.first_level[s] + first / tile_size - (row == col ? 1 : 0);
    const auto row_of = [&](std::int32_t position) {
      return factor_.rows_of(s)[static_cast<std::size_t>(position - width)];
    };
    const NewIndex column = row_of(first);
    const SupernodeId target = factor_.supernode_of[column];
    if (has_run() && fronts_.in_run[static_cast<std::size_t>(target.value)]) return fronts_.run_level;
    const std::int32_t piece = (column - factor_.first_column[target]) / tile_size;
    const NewIndex last = factor_.first_column[target] + std::min(factor_.width(target), (piece + 1) * tile_size) - 1;
    const bool reaches_block = row_of(std::max(row, first)) <= last;
    const std::int32_t level = fronts_.first_level[target] + piece;
    if (!reaches_block) return level;
    return piece == 0 ? first_block_level_[target] : level - 1;
  }

  /// Urgency of a tile: 0 if the next level needs it; class c if it is needed 2^c levels later or more. The last class
  /// contains everything later.
  std::int32_t class_of(std::int32_t level, std::int32_t needed) const {
    const auto distance = static_cast<std::uint32_t>(std::max(1, needed - level));
    return std::min(static_cast<std::int32_t>(std::bit_width(distance)) - 1, classes_ - 1);
  }

  /// Flops of columns first … first+width−1 of a front: Σ (rows from the column on)².
  static double flops_of_columns(std::int32_t front, std::int32_t first, std::int32_t width) {
    double flops = 0.0;
    for (std::int32_t c = first; c < first + width; ++c) flops += static_cast<double>(front - c) * (front - c);
    return flops;
  }

  const SymbolicFactor& factor_;
  const Schedule& schedule_;
  const CudaFronts& fronts_;
  const DeviceShare* share_;
  IdVector<SupernodeId, std::int32_t> first_block_level_;
  std::int32_t classes_;
  LaunchScope scope_;
  bool in_order_;
};

}  // namespace gpusupernodal::cuda
