#pragma once

/// \file
/// How the sweeps of a solve are cut into tasks, and the list that orders the tasks. Host-only; used by
/// forward_sweep.cpp and backward_sweep.cpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/solve_plan.hpp"

namespace gpusupernodal {

inline constexpr std::int32_t block_size = cuda::solve_block;

inline std::int32_t blocks_of(std::int32_t width) { return (width + block_size - 1) / block_size; }
inline std::int32_t pieces_of(std::int32_t count, std::int32_t size) { return (count + size - 1) / size; }

/// How fronts are cut into tasks.
struct Shape {
  std::int32_t outputs;       ///< Results per CTA: rows of an inverse or of a wide product, columns of a transposed
                              ///< product.
  std::int64_t warp_entries;  ///< Largest panels that a warp and a CTA solve whole, in entries.
  std::int64_t cta_entries;
  bool single;               ///< Whether it is for one right-hand side.
  std::int32_t max_outputs;  ///< Maximum results per CTA, if `single`.
};
inline constexpr Shape for_many{cuda::solve_outputs, cuda::solve_warp_entries, cuda::solve_cta_entries, false,
                                cuda::solve_outputs};
inline Shape for_one(const OneRhsShape& single) {
  return {cuda::one_rhs_outputs, cuda::one_rhs_large_entries, single.entries, true, single.max_outputs};
}

/// Number of rows that count for shared memory. With one right-hand side, shared memory keeps the padding of panels.
inline std::int64_t rows_held(const Shape& shape, std::int32_t front) {
  return shape.single ? pieces_of(front, cuda::tile_alignment) * std::int64_t{cuda::tile_alignment} : front;
}
inline bool is_small(const Shape& shape, std::int32_t width, std::int32_t front) {
  return width <= cuda::warp_width && width * rows_held(shape, front) <= shape.warp_entries;
}
inline bool is_whole(const Shape& shape, std::int32_t width, std::int32_t front) {
  return width <= cuda::tile_size && width * rows_held(shape, front) <= shape.cta_entries;
}

/// What solves a whole front. A large front uses the shared memory of two.
enum class Solver { warp, large_warp, two_warps, four_warps, cta };

inline Solver solver_of(const Shape& shape, std::int32_t width, std::int32_t front) {
  const std::int64_t entries = width * rows_held(shape, front);
  if (is_small(shape, width, front)) {
    return shape.single && entries > cuda::one_rhs_warp_entries ? Solver::large_warp : Solver::warp;
  }
  if (!shape.single || entries > shape.cta_entries / 2) return Solver::cta;
  return entries <= shape.cta_entries / 4 ? Solver::two_warps : Solver::four_warps;
}

/// Marks fronts that are solved concurrently with many others, for several right-hand sides: their products are cut into
/// fewer, larger tasks.
class CrowdedFronts {
 public:
  /// Marks fronts whose subtree has at most 1/share of the entries of all panels.
  CrowdedFronts(const SymbolicFactor& factor, const Shape& shape, double share) {
    if (shape.single) return;
    IdVector<SupernodeId, double> entries(static_cast<std::size_t>(factor.supernodes()), 0.0);
    double all = 0.0;
    for (SupernodeId s : factor.supernode_ids()) all += panel_entries(factor, s);
    is_crowded_.reserve(entries.size());
    for (SupernodeId s : factor.supernode_ids()) {
      entries[s] += panel_entries(factor, s);
      is_crowded_.push_back(entries[s] * share <= all ? 1 : 0);
      if (factor.parent[s].valid()) entries[factor.parent[s]] += entries[s];
    }
  }
  bool operator[](SupernodeId s) const { return !is_crowded_.empty() && is_crowded_[s] != 0; }

 private:
  static double panel_entries(const SymbolicFactor& factor, SupernodeId s) {
    return static_cast<double>(factor.width(s)) * factor.front(s);
  }

  IdVector<SupernodeId, std::uint8_t> is_crowded_;
};

/// One block of columns of a front's diagonal block.
struct Block {
  std::int32_t column;
  std::int32_t width;
  std::int32_t end() const { return column + width; }
  /// Rows of the inverse per task. With one right-hand side, tasks of narrow blocks get more rows, until they hold half
  /// of the entries that fit into shared memory.
  std::int32_t rows_at_once(const Shape& shape) const {
    if (!shape.single) return shape.outputs;
    const auto fits = static_cast<std::int32_t>(shape.cta_entries / 2) / width;
    return std::clamp(fits / shape.outputs * shape.outputs, shape.outputs, shape.max_outputs);
  }
  std::int32_t outputs(const Shape& shape) const { return pieces_of(width, rows_at_once(shape)); }
};

inline Block block_of(std::int32_t width, std::int32_t b) {
  return {b * block_size, std::min(block_size, width - b * block_size)};
}

/// Collects tasks with their levels and sorts them by level; tasks of one level keep their order. A task waits only for
/// tasks of a lower level, or for earlier tasks of the same level.
class Sweep {
 public:
  /// Reserves memory for `warps` warp tasks.
  explicit Sweep(std::size_t warps) { warps_.reserve(warps); }

  /// Adds a CTA's task.
  void add(std::int32_t level, const CudaSolveTask& task) {
    ctas_.add(level, task);
    levels_ = std::max(levels_, level + 1);
  }
  /// Adds a whole front.
  void add_whole(std::int32_t level, const CudaSolveTask& task, Solver solver) {
    switch (solver) {
      case Solver::warp:
      case Solver::large_warp:
        warps_.add(2 * level + (solver == Solver::warp ? 0 : 1), task);
        break;
      case Solver::two_warps:
      case Solver::four_warps:
        teams_.add(2 * level + (solver == Solver::two_warps ? 0 : 1), task);
        break;
      case Solver::cta:
        ctas_.add(level, task);
    }
    levels_ = std::max(levels_, level + 1);
  }
  /// Allocates `count` counters and returns the first.
  std::int32_t take(std::int32_t count) {
    counters_ += count;
    return counters_ - count;
  }

  /// Returns the sorted tasks and leaves this empty.
  CudaSolveSweep finish() {
    const std::vector<std::size_t> warps = warps_.sort(2 * levels_);
    const std::vector<std::size_t> teams = teams_.sort(2 * levels_);
    const std::vector<std::size_t> ctas = ctas_.sort(levels_);
    CudaSolveSweep sweep;
    sweep.counters = counters_;
    sweep.longest_path = levels_;
    for (std::size_t l = 0; l < static_cast<std::size_t>(levels_); ++l) {
      add_warps(sweep, warps[2 * l], warps[2 * l + 1], false);
      add_warps(sweep, warps[2 * l + 1], warps[2 * l + 2], true);
      add_teams(sweep, teams[2 * l], teams[2 * l + 1], 2);
      add_teams(sweep, teams[2 * l + 1], teams[2 * l + 2], 4);
      const auto first = ctas_.tasks.begin();
      sweep.tasks.insert(sweep.tasks.end(), first + static_cast<std::ptrdiff_t>(ctas[l]),
                         first + static_cast<std::ptrdiff_t>(ctas[l + 1]));
    }
    sweep.warp_tasks = std::move(warps_.tasks);
    return sweep;
  }

 private:
  /// Tasks with one sorting key each.
  struct Keyed {
    LargeVector<CudaSolveTask> tasks;
    LargeVector<std::int32_t> keys;

    void reserve(std::size_t count) {
      tasks.reserve(count);
      keys.reserve(count);
    }
    void add(std::int32_t key, const CudaSolveTask& task) {
      tasks.push_back(task);
      keys.push_back(key);
    }
    /// Sorts by key, stably and in place. Returns where each key 0 … count−1 begins, and the end.
    std::vector<std::size_t> sort(std::int32_t count) {
      std::vector<std::size_t> begin(static_cast<std::size_t>(count) + 1, 0);
      for (const std::int32_t key : keys) ++begin[static_cast<std::size_t>(key) + 1];
      for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
      std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
      for (std::int32_t& key : keys) key = static_cast<std::int32_t>(next[static_cast<std::size_t>(key)]++);
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        while (keys[i] != static_cast<std::int32_t>(i)) {
          const auto place = static_cast<std::size_t>(keys[i]);
          std::swap(tasks[i], tasks[place]);
          std::swap(keys[i], keys[place]);
        }
      }
      return begin;
    }
  };

  /// Adds a CTA's task that stands for tasks first … first+count−1 of the second list.
  template <cuda::SolveKind kind>
  static void add_group(CudaSolveSweep& sweep, std::size_t first, std::size_t count, cuda::SolveDetails<kind> details = {}) {
    details.first = static_cast<std::int32_t>(first);
    details.count = static_cast<std::int32_t>(count);
    CudaSolveTask group;
    group.set<kind>(details);
    sweep.tasks.push_back(group);
  }

  /// Adds groups whose warps run warp tasks begin … end−1, a few per warp.
  static void add_warps(CudaSolveSweep& sweep, std::size_t begin, std::size_t end, bool are_large) {
    constexpr std::size_t enough = std::size_t{cuda::solve_warps} * cuda::solve_warp_ctas;
    const std::size_t rounds = std::clamp<std::size_t>((end - begin) / enough, 1, cuda::solve_warp_tasks);
    const std::size_t step = cuda::solve_warps * rounds;
    for (std::size_t i = begin; i < end; i += step) {
      add_group<cuda::SolveKind::warps>(sweep, i, std::min(step, end - i), {{}, are_large ? 1 : 0});
    }
  }

  /// Adds groups whose teams solve fronts begin … end−1, one per team of at least `team` warps. Teams have as few warps
  /// as still fill enough CTAs; otherwise each front gets a CTA.
  void add_teams(CudaSolveSweep& sweep, std::size_t begin, std::size_t end, std::size_t team) {
    const auto first = teams_.tasks.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = teams_.tasks.begin() + static_cast<std::ptrdiff_t>(end);
    constexpr std::size_t warps = cuda::solve_warps;
    while (team < warps && (end - begin) * team < cuda::one_rhs_team_ctas * warps) team *= 2;
    if (team == warps) {
      sweep.tasks.insert(sweep.tasks.end(), first, last);
      return;
    }
    for (std::size_t i = begin; i < end; i += warps / team) {
      const std::size_t at = warps_.tasks.size() + i - begin;
      const std::size_t count = std::min(warps / team, end - i);
      if (team == 2) add_group<cuda::SolveKind::teams_of_two>(sweep, at, count);
      if (team == 4) add_group<cuda::SolveKind::teams_of_four>(sweep, at, count);
    }
    warps_.tasks.insert(warps_.tasks.end(), first, last);
  }

  Keyed warps_;
  Keyed teams_;
  Keyed ctas_;
  std::int32_t levels_ = 0;
  std::int32_t counters_ = 0;
};

/// Number of fronts that a warp solves.
inline std::size_t small_fronts(const Shape& shape, const SymbolicFactor& factor) {
  std::size_t count = 0;
  for (SupernodeId s : factor.supernode_ids()) count += is_small(shape, factor.width(s), factor.front(s)) ? 1 : 0;
  return count;
}

/// Rows of a product that a CTA's warps have accumulators for.
inline constexpr std::int32_t max_rows_at_once = 4 * cuda::solve_outputs;

/// Rows of a product per CTA, for several right-hand sides. In fronts of several blocks, all blocks share the same row
/// tiles.
inline std::int32_t rows_at_once(const Shape& shape, std::int32_t width) {
  return shape.outputs * (width <= block_size / 4 ? 4 : (width <= block_size / 2 ? 2 : 1));
}

/// Several right-hand sides: the rows below a front's columns in tiles of `step` rows. All tiles but the first, which
/// is shorter, begin at multiples of four rows, so that copies are aligned.
struct BelowTiles {
  std::int32_t origin;
  std::int32_t step;
  std::int32_t end;

  BelowTiles(std::int32_t width, std::int32_t front, std::int32_t rows)
      : origin(width / cuda::tile_alignment * cuda::tile_alignment), step(rows), end(front) {}
  std::int32_t tile_of(std::int32_t row) const { return (row - origin) / step; }
  std::int32_t end_of(std::int32_t row) const { return std::min(end, origin + (tile_of(row) + 1) * step); }
  std::int32_t count(std::int32_t width) const { return end > width ? tile_of(end - 1) + 1 : 0; }
};

/// Cuts rows into as few tiles of at most `max_rows` rows as possible, about equally tall. All but the first begin at
/// multiples of four rows, so that copies are aligned (one right-hand side).
class EvenTiles {
 public:
  EvenTiles(std::int32_t begin, std::int32_t end, std::int32_t max_rows) : end_(end) {
    const std::int32_t rows = end - begin / cuda::tile_alignment * cuda::tile_alignment;
    count_ = end > begin ? pieces_of(rows, max_rows) : 0;
    step_ = count_ > 0 ? pieces_of(pieces_of(rows, count_), cuda::tile_alignment) * cuda::tile_alignment : max_rows;
  }
  /// End of the tile that begins at `row`.
  std::int32_t end_of(std::int32_t row) const {
    return std::min(end_, row / cuda::tile_alignment * cuda::tile_alignment + step_);
  }

 private:
  std::int32_t end_;
  std::int32_t count_;
  std::int32_t step_;
};

/// One right-hand side: rows of a product with a block of `width` columns that fit into shared memory.
inline std::int32_t rows_that_fit(const Shape& shape, std::int32_t width) {
  const auto fits = static_cast<std::int32_t>(shape.cta_entries / width);
  return std::clamp(fits / cuda::tile_alignment * cuda::tile_alignment, shape.outputs, 8 * shape.outputs);
}
/// One right-hand side: columns, out of `width`, of a transposed product with rows begin … end−1 that fit into shared
/// memory.
inline std::int32_t columns_that_fit(const Shape& shape, std::int32_t begin, std::int32_t end, std::int32_t width) {
  const std::int32_t rows =
      pieces_of(end - begin / cuda::tile_alignment * cuda::tile_alignment, cuda::tile_alignment) * cuda::tile_alignment;
  const auto fits =
      std::clamp(static_cast<std::int32_t>(shape.cta_entries / rows) / 2 * 2, shape.outputs, shape.max_outputs);
  return pieces_of(pieces_of(width, pieces_of(width, fits)), 2) * 2;
}

inline CudaSolveTask whole_task(const Shape& shape, std::int32_t supernode, std::int32_t width, std::int32_t front) {
  CudaSolveTask task;
  task.supernode = supernode;
  task.kind = is_small(shape, width, front) ? cuda::SolveKind::whole_by_warp : cuda::SolveKind::whole;
  task.width = width;
  task.row_end = front;
  return task;
}

/// Adds the rows of a block's inverse as tasks. `after_products`: backward, whether products are subtracted before.
inline void add_diagonal(const Shape& shape, Sweep& sweep, std::int32_t level, CudaSolveTask task, const Block& block,
                         bool after_products = false) {
  task.set<cuda::SolveKind::diagonal>({after_products ? 1 : 0});
  task.column = block.column;
  task.width = block.width;
  const std::int32_t step = block.rows_at_once(shape);
  for (std::int32_t row = block.column; row < block.end(); row += step) {
    task.row_begin = row;
    task.row_end = std::min(block.end(), row + step);
    sweep.add(level, task);
  }
}

}  // namespace gpusupernodal
