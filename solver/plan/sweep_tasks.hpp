#pragma once

/// \file
/// How the sweeps of a solve are cut into tasks, and the list that puts tasks in order. Host-only code of cuda_sweep.cpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/plan/cuda_solve.hpp"
#include "solver/plan/cuda_tiling.hpp"

namespace gpusupernodal {

inline constexpr std::int32_t block_size = cuda_solve_block;

inline std::int32_t blocks_of(std::int32_t width) { return (width + block_size - 1) / block_size; }
inline std::int32_t pieces_of(std::int32_t count, std::int32_t size) { return (count + size - 1) / size; }

/// How fronts are cut into tasks.
struct Shape {
  std::int32_t outputs;       ///< Results of a CTA: rows of an inverse or of a wide product, columns of a transposed one.
  std::int64_t warp_entries;  ///< Of the largest panels that a warp takes, and a CTA.
  std::int64_t cta_entries;
  bool single;  ///< For one right-hand side.
};
inline constexpr Shape for_many{cuda_solve_outputs, cuda_solve_warp_entries, cuda_solve_cta_entries, false};
inline constexpr Shape for_one{cuda_single_outputs, cuda_single_large_entries, cuda_single_entries, true};

/// Rows as they count for shared memory: what lies in it for one right-hand side has the padding of panels.
inline std::int64_t rows_held(const Shape& shape, std::int32_t front) {
  return shape.single ? pieces_of(front, cuda_alignment) * std::int64_t{cuda_alignment} : front;
}
inline bool is_small(const Shape& shape, std::int32_t width, std::int32_t front) {
  return width <= cuda_warp_width && width * rows_held(shape, front) <= shape.warp_entries;
}
inline bool is_whole(const Shape& shape, std::int32_t width, std::int32_t front) {
  return width <= cuda_tile && width * rows_held(shape, front) <= shape.cta_entries;
}

/// Which fronts are solved beside many others, of several right-hand sides: their products are cut into fewer, larger tasks.
class CrowdedFronts {
 public:
  /// Those whose subtree has at most one `share`th of the entries of all panels.
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

/// A block of columns of a front's diagonal block.
struct Block {
  std::int32_t column;
  std::int32_t width;
  std::int32_t end() const { return column + width; }
  std::int32_t outputs(const Shape& shape) const { return pieces_of(width, shape.outputs); }
};

inline Block block_of(std::int32_t width, std::int32_t b) {
  return {b * block_size, std::min(block_size, width - b * block_size)};
}

/// Tasks with the level of each, and sorted by it: those of a level as they were added. What a task waits for has a lower
/// level, or the same one and was added before.
class Sweep {
 public:
  /// With room for `warps` tasks of warps.
  explicit Sweep(std::size_t warps) { warps_.reserve(warps); }

  void add(std::int32_t level, const CudaSolveTask& task) {
    if (task.kind == CudaSolveKind::whole_by_warp) {
      warps_.add(2 * level + (task.large ? 1 : 0), task);
    } else {
      ctas_.add(level, task);
    }
    levels_ = std::max(levels_, level + 1);
  }
  /// The first of `count` new counters.
  std::int32_t take(std::int32_t count) {
    counters_ += count;
    return counters_ - count;
  }

  /// Leaves this empty.
  CudaSolveSweep finish() {
    const std::vector<std::size_t> warps = warps_.sort(2 * levels_);
    const std::vector<std::size_t> ctas = ctas_.sort(levels_);
    CudaSolveSweep sweep;
    sweep.counters = counters_;
    sweep.longest_path = levels_;
    for (std::size_t l = 0; l < static_cast<std::size_t>(levels_); ++l) {
      add_groups(sweep, warps[2 * l], warps[2 * l + 1]);
      add_groups(sweep, warps[2 * l + 1], warps[2 * l + 2]);
      const auto first = ctas_.tasks.begin();
      sweep.tasks.insert(sweep.tasks.end(), first + static_cast<std::ptrdiff_t>(ctas[l]),
                         first + static_cast<std::ptrdiff_t>(ctas[l + 1]));
    }
    sweep.warp_tasks = std::move(warps_.tasks);
    return sweep;
  }

 private:
  /// Tasks with a key each.
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
    /// By key, those of one as they came, in place. Returns where each key 0 … count−1 begins, and the end.
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

  /// CTAs whose warps take a few tasks each, of those from `begin` to `end`.
  void add_groups(CudaSolveSweep& sweep, std::size_t begin, std::size_t end) const {
    constexpr std::size_t enough = std::size_t{cuda_solve_warps} * cuda_solve_warp_ctas;
    const std::size_t rounds = std::clamp<std::size_t>((end - begin) / enough, 1, cuda_solve_warp_tasks);
    for (std::size_t i = begin; i < end; i += cuda_solve_warps * rounds) {
      CudaSolveTask group;
      group.kind = CudaSolveKind::warps;
      group.large = warps_.tasks[i].large;
      group.column = static_cast<std::int32_t>(i);
      group.width = static_cast<std::int32_t>(std::min<std::size_t>(cuda_solve_warps * rounds, end - i));
      sweep.tasks.push_back(group);
    }
  }

  Keyed warps_;
  Keyed ctas_;
  std::int32_t levels_ = 0;
  std::int32_t counters_ = 0;
};

/// Fronts that a warp takes.
inline std::size_t small_fronts(const Shape& shape, const SymbolicFactor& factor) {
  std::size_t count = 0;
  for (SupernodeId s : factor.supernode_ids()) count += is_small(shape, factor.width(s), factor.front(s)) ? 1 : 0;
  return count;
}

/// Rows of a product that a CTA's warps have accumulators for, of fronts of more than cuda_tile columns.
inline constexpr std::int32_t most_rows_at_once = 4 * cuda_solve_outputs;

/// Rows of a product in a CTA. Fronts of several blocks have tiles that all blocks share.
inline std::int32_t rows_at_once(const Shape& shape, std::int32_t width) {
  if (shape.single && width <= block_size) {
    const auto fits = static_cast<std::int32_t>(shape.cta_entries / width);
    return std::clamp(fits / cuda_alignment * cuda_alignment, shape.outputs, 8 * shape.outputs);
  }
  if (width <= cuda_tile) return cuda_solve_tall_rows;
  return shape.outputs * (width <= block_size / 4 ? 4 : (width <= block_size / 2 ? 2 : 1));
}

/// The rows below a front's columns in tiles of `step`, the first one shorter, so that copies are aligned: for one
/// right-hand side these begin at its multiples, else at multiples of four rows.
struct BelowTiles {
  std::int32_t origin;
  std::int32_t step;
  std::int32_t end;

  BelowTiles(const Shape& shape, std::int32_t width, std::int32_t front, std::int32_t rows)
      : origin(shape.single ? width / rows * rows : width / cuda_alignment * cuda_alignment), step(rows), end(front) {}
  std::int32_t tile_of(std::int32_t row) const { return (row - origin) / step; }
  std::int32_t end_of(std::int32_t row) const { return std::min(end, origin + (tile_of(row) + 1) * step); }
  std::int32_t count(std::int32_t width) const { return end > width ? tile_of(end - 1) + 1 : 0; }
};

inline CudaSolveTask whole_task(const Shape& shape, std::int32_t supernode, std::int32_t width, std::int32_t front) {
  CudaSolveTask task;
  task.supernode = supernode;
  task.kind = is_small(shape, width, front) ? CudaSolveKind::whole_by_warp : CudaSolveKind::whole;
  task.width = width;
  task.row_end = front;
  task.large = shape.single && width * rows_held(shape, front) > cuda_single_warp_entries;
  return task;
}

/// The rows of a block's inverse as tasks.
inline void add_diagonal(const Shape& shape, Sweep& sweep, std::int32_t level, CudaSolveTask task, const Block& block) {
  task.kind = CudaSolveKind::diagonal;
  task.column = block.column;
  task.width = block.width;
  for (std::int32_t row = block.column; row < block.end(); row += shape.outputs) {
    task.row_begin = row;
    task.row_end = std::min(block.end(), row + shape.outputs);
    sweep.add(level, task);
  }
}

}  // namespace gpusupernodal
