#include "solver/exec/cuda/launch_plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "solver/plan/cuda_tiling.hpp"

namespace gpusupernodal::cuda {
namespace {

static_assert(cuda_tile == tile_size && cuda_warp_width == warp_width);
static_assert(cuda_overread == overread && cuda_tiny_width == tiny_width && cuda_tiny_front == tiny_front);
static_assert(cuda_small_front == small_front && cuda_small_entries == small_entries);

/// Fewer tiles than about a third of a device's places are not worth a launch of their own.
constexpr std::int32_t smallest_group = 128;

/// Tasks with a key each, to be sorted by it.
template <class Task>
struct Keyed {
  std::vector<Task> tasks;
  std::vector<std::int32_t> keys;

  void add(std::int32_t key, const Task& task) {
    tasks.push_back(task);
    keys.push_back(key);
  }
};

/// Counting sort, stable; returns where each key's tasks begin (key_count + 1).
template <class Task>
std::vector<std::int64_t> sort_by_key(Keyed<Task>& keyed, std::int32_t key_count) {
  std::vector<std::int64_t> begin(static_cast<std::size_t>(key_count) + 1, 0);
  for (const std::int32_t key : keyed.keys) ++begin[static_cast<std::size_t>(key) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  std::vector<Task> sorted(keyed.tasks.size());
  for (std::size_t i = 0; i < keyed.tasks.size(); ++i) {
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(keyed.keys[i])]++)] = keyed.tasks[i];
  }
  keyed.tasks = std::move(sorted);
  return begin;
}

TaskRange range_of(const std::vector<std::int64_t>& begin, std::int32_t first, std::int32_t last) {
  const std::int64_t from = begin[static_cast<std::size_t>(first)];
  return {from, static_cast<std::int32_t>(begin[static_cast<std::size_t>(last)] - from)};
}

/// Flops that columns first … first+width−1 of a front cause: Σ (rows from the column on)².
double flops_of_columns(std::int32_t front, std::int32_t first, std::int32_t width) {
  double flops = 0.0;
  for (std::int32_t c = first; c < first + width; ++c) flops += static_cast<double>(front - c) * (front - c);
  return flops;
}

class Builder {
 public:
  Builder(const FactorPlan& plan, std::int32_t streams, LaunchScope scope, AdditionOrder order)
      : factor_(plan.symbolic), schedule_(plan.cuda().schedule), fronts_(plan.cuda().fronts), scope_(scope), order_(order) {
    launches_.streams = order == AdditionOrder::fixed ? 1 : streams;
    launches_.first_level = fronts_.first_level;
    levels_ = static_cast<std::int32_t>(fronts_.levels.size());
  }

  LaunchPlan build() {
    level_flops_.assign(static_cast<std::size_t>(levels_), 0.0);
    for (SupernodeId s : factor_.supernode_ids()) {
      if (scope_ == LaunchScope::everything || schedule_.in_subtree(s)) add_front(s);
    }
    finish();
    return std::move(launches_);
  }

 private:
  void add_front(SupernodeId s) {
    const std::int32_t width = factor_.width(s);
    const std::int32_t front = factor_.front(s);
    for (std::int32_t p = 0; p < cuda_pieces(width); ++p) {
      level_flops_[static_cast<std::size_t>(launches_.first_level[s] + p)] +=
          flops_of_columns(front, p * cuda_tile, cuda_piece_width(width, p));
    }
    if (const CudaFrontKind kind = kind_of(s); kind != CudaFrontKind::pieces) {
      (kind == CudaFrontKind::tiny ? tiny_ : small_)
          .add(launches_.first_level[s], {s.value, cuda_small_stride(width, front)});
      return;
    }
    for (std::int32_t p = 0; p < cuda_pieces(width); ++p) add_piece(s, p);
  }

  /// Leaf subtrees alone have no launches of others that they could join.
  CudaFrontKind kind_of(SupernodeId s) const {
    return scope_ == LaunchScope::everything ? fronts_.kind[s] : natural_front_kind(factor_.width(s), factor_.front(s));
  }

  void add_piece(SupernodeId s, std::int32_t piece) {
    const std::int32_t width = factor_.width(s);
    const std::int32_t front = factor_.front(s);
    const std::int32_t level = launches_.first_level[s] + piece;
    const std::int32_t column = piece * cuda_tile;
    const std::int32_t piece_width = cuda_piece_width(width, piece);
    diagonal_.add(level, {s.value, column, piece_width, 0});
    for (std::int32_t row = column + piece_width; row < front; row += cuda_tile) {
      scale_.add(level, {s.value, column, piece_width, row});
    }
    const CudaProduct product = cuda_product_after(width, front, piece);
    const std::int32_t first = product.column + product.depth;
    const auto add = [&](std::int32_t row, std::int32_t col, std::int32_t from, std::int32_t depth) {
      const ProductTask task{s.value, from, depth, row, col, first, product.col_end};
      product_.add(level * classes() + class_of(level, deadline(s, product, col)), task);
    };
    for_each_cuda_tile(product, front, in_order(), add);
  }

  /// First level that reads what a tile in column `col` writes: that of the piece its first column lies in.
  std::int32_t deadline(SupernodeId s, const CudaProduct& product, std::int32_t col) const {
    const std::int32_t first = std::max(col, product.column + product.depth);
    const std::int32_t width = factor_.width(s);
    if (product.col_end <= width) return launches_.first_level[s] + first / cuda_tile;
    const NewIndex row = factor_.rows_of(s)[static_cast<std::size_t>(first - width)];
    const SupernodeId target = factor_.supernode_of[row];
    return launches_.first_level[target] + (row - factor_.first_column[target]) / cuda_tile;
  }

  bool in_order() const { return order_ == AdditionOrder::fixed; }
  std::int32_t classes() const { return launches_.streams; }

  /// 0: needed by the next level; class c: in 2^c levels at the earliest, the last class all that is later.
  std::int32_t class_of(std::int32_t level, std::int32_t needed) const {
    const auto distance = static_cast<std::uint32_t>(std::max(1, needed - level));
    return std::min(static_cast<std::int32_t>(std::bit_width(distance)) - 1, classes() - 1);
  }

  void finish() {
    const auto tiny = sort_by_key(tiny_, levels_);
    const auto small = sort_by_key(small_, levels_);
    const auto diagonal = sort_by_key(diagonal_, levels_);
    const auto scale = sort_by_key(scale_, levels_);
    const auto product = sort_by_key(product_, levels_ * classes());
    for (std::int32_t level = 0; level < levels_; ++level) {
      Level entry;
      entry.tiny = range_of(tiny, level, level + 1);
      entry.small = widest_first(small_.tasks, range_of(small, level, level + 1),
                                 [&](const FrontTask& task) { return factor_.width(SupernodeId(task.panel)); });
      entry.small_entries = largest_of(entry.small);
      entry.diagonal = widest_first(diagonal_.tasks, range_of(diagonal, level, level + 1),
                                    [](const DiagonalTask& task) { return task.width; });
      entry.scale = range_of(scale, level, level + 1);
      entry.first_group = static_cast<std::int32_t>(launches_.groups.size());
      entry.urgent = add_groups(product, level);
      entry.flops = level_flops_[static_cast<std::size_t>(level)];
      launches_.levels.push_back(entry);
    }
    launches_.tiny = std::move(tiny_.tasks);
    launches_.small = std::move(small_.tasks);
    launches_.diagonal = std::move(diagonal_.tasks);
    launches_.scale = std::move(scale_.tasks);
    launches_.product = std::move(product_.tasks);
    if (in_order()) assign_turns();
  }

  /// A source's turn to add to a column: how many tasks of the sources before it add to that. Tasks of one source lie side
  /// by side in their list, so that no task waits for one that is begun after it.
  void assign_turns() {
    launches_.turn_of_row.resize(factor_.rows.size());
    std::vector<std::int32_t> added(static_cast<std::size_t>(factor_.order()), 0);
    SupernodeId source;
    const auto add = [&](SupernodeId s, std::int32_t begin, std::int32_t end) {
      const auto rows = factor_.rows_of(s);
      const std::int64_t first = factor_.row_offset[s];
      for (std::size_t i = 0; s != source && i < rows.size(); ++i) {
        launches_.turn_of_row[static_cast<std::size_t>(first) + i] = added[static_cast<std::size_t>(rows[i].value)];
      }
      source = s;
      for (std::int32_t i = begin; i < end; ++i) {
        ++added[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)].value)];
      }
    };
    const auto add_fronts = [&](const std::vector<FrontTask>& tasks, const TaskRange& range) {
      for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
        const SupernodeId s(tasks[static_cast<std::size_t>(i)].panel);
        add(s, 0, factor_.rows_below(s));
      }
    };
    const auto add_tiles = [&](const std::vector<ProductTask>& tasks, const TaskRange& range) {
      for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
        const ProductTask& task = tasks[static_cast<std::size_t>(i)];
        const std::int32_t width = factor_.width(SupernodeId(task.panel));
        if (task.col_end <= width) continue;
        add(SupernodeId(task.panel), std::max(task.col, task.first) - width,
            std::min(task.col + cuda_tile, task.col_end) - width);
      }
    };
    for (const Level& level : launches_.levels) {
      add_fronts(launches_.tiny, level.tiny);
      add_fronts(launches_.small, level.small);
      add_tiles(launches_.product, level.urgent);
    }
  }

  std::int32_t largest_of(const TaskRange& small) const {
    std::int64_t most = 0;
    for (std::int64_t i = small.begin; i < small.begin + small.count; ++i) {
      const SupernodeId s(small_.tasks[static_cast<std::size_t>(i)].panel);
      most = std::max(most, cuda_small_size(factor_.width(s), factor_.front(s)));
    }
    return static_cast<std::int32_t>(most);
  }

  /// Makes groups of a level's classes from the latest on; classes that stay too small join the next more urgent one.
  TaskRange add_groups(const std::vector<std::int64_t>& begin, std::int32_t level) {
    const std::int32_t first = level * classes();
    std::int32_t last = first + classes();
    for (std::int32_t c = classes() - 1; c > 0; --c) {
      const TaskRange tiles = range_of(begin, first + c, last);
      if (tiles.count < smallest_group) continue;
      launches_.groups.push_back({sorted(tiles), level + (1 << c), c});
      last = first + c;
    }
    return sorted(range_of(begin, first, last));
  }

  /// What takes longest begins first; those alike keep their order, in which neighbours lie side by side.
  template <class Task, class Width>
  static TaskRange widest_first(std::vector<Task>& tasks, const TaskRange& range, const Width& width) {
    const auto begin = tasks.begin() + range.begin;
    std::stable_sort(begin, begin + range.count,
                     [&](const Task& a, const Task& b) { return cuda_strips(width(a)) > cuda_strips(width(b)); });
    return range;
  }

  /// Deep tiles first, so that none of them is left alone at the end of a launch.
  TaskRange sorted(const TaskRange& tiles) {
    const auto begin = product_.tasks.begin() + tiles.begin;
    std::stable_sort(begin, begin + tiles.count,
                     [](const ProductTask& a, const ProductTask& b) { return a.depth > b.depth; });
    return tiles;
  }

  const SymbolicFactor& factor_;
  const Schedule& schedule_;
  const CudaFronts& fronts_;
  LaunchScope scope_;
  AdditionOrder order_;
  LaunchPlan launches_;
  std::int32_t levels_ = 0;
  std::vector<double> level_flops_;
  Keyed<FrontTask> tiny_, small_;
  Keyed<DiagonalTask> diagonal_;
  Keyed<ScaleTask> scale_;
  Keyed<ProductTask> product_;
};

}  // namespace

std::int32_t LaunchPlan::last_level(const SymbolicFactor& factor, SupernodeId s) const {
  return first_level[s] + cuda_pieces(factor.width(s)) - 1;
}

LaunchPlan build_launch_plan(const FactorPlan& plan, std::int32_t streams, LaunchScope scope, AdditionOrder order) {
  return Builder(plan, streams, scope, order).build();
}

}  // namespace gpusupernodal::cuda
