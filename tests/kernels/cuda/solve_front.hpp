#pragma once

/// \file
/// Solves with one front of random entries by tasks of every kind, and compares the results with plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/cuda/solve_kernels.hpp"
#include "kernels/cuda/sweeps.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {

using cuda::SolveKind;
using cuda::SolveTask;

/// Memory layout of a front and the shared memory that the kernels may use.
struct Setting {
  bool aligned = true;     ///< Columns begin at multiples of four entries; otherwise the panel begins at entry 3, unpadded.
  bool half_tile = false;  ///< One right-hand side: only half of a tile fits in shared memory.
  int fewer = 0;           ///< Several right-hand sides: number of batches of L by which shared memory is reduced.
  int outputs = 0;         ///< One right-hand side: inverse rows or columns per task; 0 means the minimum.
  int times = 1;           ///< Several right-hand sides: results per task as a multiple of the minimum, at most 4.
};

/// One front of random entries. The entries above the diagonal serve as rows of the inverse, whatever their values. The
/// entries below the diagonal inside the diagonal block are NaN because the kernels must not read them.
template <class T>
struct Front {
  Front(int columns, int below, const Setting& setting)
      : width(columns),
        front(columns + below),
        ld(setting.aligned ? (front + 4) / 4 * 4 : front),  // If aligned, at least one entry of padding.
        offset(setting.aligned ? 0 : 3),
        values(random_values<T>(static_cast<std::size_t>(offset + ld * width) + 128, 3)) {
    for (int j = 0; j < width; ++j) {
      values[at(j, j)] = T(2);
      for (int i = j + 1; i < width; ++i) values[at(i, j)] = std::numeric_limits<T>::quiet_NaN();
    }
  }
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(offset + i + j * ld); }
  double inverse(int j, int k) const { return k == j ? 0.5 : static_cast<double>(values[at(k, j)]); }

  SolveTask task(cuda::SolveKind kind, int row_begin, int row_end) const {
    SolveTask t;
    t.offset = offset;
    t.panel_width = t.width = width;
    t.front = front;
    t.ld = ld;
    t.kind = kind;
    t.row_begin = row_begin;
    t.row_end = row_end;
    return t;
  }

  int width, front, ld, offset;
  std::vector<T> values;
};

/// Vectors of a solve, `padded` entries per row: x and y have a row per row of the front, u has a row per partial sum.
template <class T>
struct Vectors {
  std::vector<T> x, y, u;
};

/// Entries marked as not yet published.
template <class T>
std::vector<T> unset(std::size_t count) {
  if constexpr (sizeof(T) == 8) return std::vector<T>(count, std::bit_cast<T>(0x7FF4000000000000ULL));
  if constexpr (sizeof(T) == 4) return std::vector<T>(count, std::bit_cast<T>(0x7FA00000U));
}

template <class T>
Vectors<T> run(const Front<T>& front, std::vector<SolveTask> tasks, std::vector<SolveTask> warp_tasks, int padded,
               const Vectors<T>& start, bool backward, const Setting& setting = {}) {
  std::vector<std::int32_t> rows;
  for (int i = front.width; i < front.front; ++i) rows.push_back(i);
  const std::vector<cuda::RowSources> none(static_cast<std::size_t>(2 * front.front), {{-1, -1, -1}, -1});
  // With one right-hand side, entries themselves mark whether they are published.
  const bool single = padded == 1;
  const auto order = static_cast<std::size_t>(front.front);
  std::vector<T> solution = unset<T>(order);
  if (single) std::copy(start.x.begin() + front.width, start.x.end(), solution.begin() + front.width);
  const DeviceArray<T> values(front.values), x(start.x), y(single && !backward ? unset<T>(order) : start.y);
  const DeviceArray<T> u(single ? unset<T>(start.u.size()) : start.u), solved(solution), t(unset<T>(order));
  const DeviceArray<std::int32_t> device_rows(rows), more({});
  const DeviceArray<cuda::RowSources> gather(none);
  const DeviceArray<SolveTask> device_tasks(tasks), device_warp_tasks(warp_tasks);
  const DeviceArray<int> counters(std::vector<int>(32, 0));
  cuda::SolveData<T> data{{},      values.get(), device_rows.get(), gather.get(), more.get(),
                          x.get(), y.get(),      u.get(),           front.front,  {}};
  data.t = t.get();
  data.partials = u.get();
  data.solution = solved.get();
  data.sweep = {device_tasks.get(), device_warp_tasks.get(), static_cast<int>(tasks.size()), counters.get(),
                counters.get() + 8};
  const cuda::SolveGrids grids = cuda::solve_grids<T>();
  data.tile_bytes = grids.tile_bytes;
  cuda::SolveGrid grid = (backward ? grids.backward : grids.forward)[cuda::solve_shape(padded)];
  if (single && setting.half_tile) {
    data.tile_bytes = cuda::tile_bytes<T> / 2;
    grid.shared_memory = cuda::one_rhs_fixed_bytes<T> + data.tile_bytes;
  }
  using cuda::stage_bytes;
  const int batch = padded == cuda::solve_few ? stage_bytes<T, cuda::solve_few> : stage_bytes<T, cuda::solve_many>;
  if (!single) grid.shared_memory -= setting.fewer * batch;
  grid.ctas = 2;
  if (backward) {
    cuda::backward_sweep<T>(data, padded, grid, false, nullptr);
  } else {
    cuda::forward_sweep<T>(data, padded, grid, false, nullptr);
  }
  return {single && backward ? solved.host() : x.host(), y.host(), u.host()};
}

/// Inverse rows, or columns of the transposed product, per task.
inline int outputs_of(int padded, const Setting& setting) {
  if (padded > 1) return cuda::solve_outputs;
  return setting.outputs > 0 ? setting.outputs : cuda::one_rhs_outputs;
}

/// Who solves the front: one warp, two warps, four warps, one CTA (whole), or separate tasks for the diagonal block and the
/// rows below (tiles).
enum class Way { warp, two_warps, four_warps, whole, tiles };

inline std::vector<std::pair<int, int>> shapes(Way way) {
  if (way == Way::warp) return {{1, 0}, {1, 31}, {7, 20}, {16, 6}, {16, 19}, {26, 6}, {32, 0}};
  if (way == Way::two_warps) return {{1, 60}, {1, 300}, {33, 0}, {40, 8}, {64, 0}};
  if (way == Way::four_warps) return {{1, 300}, {33, 80}, {64, 0}, {61, 5}};
  if (way == Way::whole) return {{1, 300}, {33, 0}, {40, 17}, {64, 65}, {64, 190}, {64, 8}};
  return {{65, 40}, {100, 130}, {200, 70}, {300, 33}, {512, 100}, {512, 0}};
}

template <class T>
Vectors<T> random_start(const Front<T>& front, int padded, std::size_t sums) {
  const auto count = static_cast<std::size_t>(front.front * padded);
  return {random_values<T>(count, 5), random_values<T>(count, 6), std::vector<T>(sums * static_cast<std::size_t>(padded))};
}

/// Adds the tasks of a front that is not cut into tiles. All teams of a CTA get equal tasks.
template <class T>
void add_whole(Way way, const Front<T>& front, std::vector<SolveTask>& tasks, std::vector<SolveTask>& warp_tasks) {
  if (way == Way::whole) {
    tasks.push_back(front.task(cuda::SolveKind::whole, 0, front.front));
    return;
  }
  const int warps = way == Way::warp ? 1 : (way == Way::two_warps ? 2 : 4);
  const int teams = way == Way::warp ? 1 : cuda::solve_warps / warps;
  const cuda::SolveKind kind = way == Way::warp ? cuda::SolveKind::whole_by_warp : cuda::SolveKind::whole;
  warp_tasks.assign(static_cast<std::size_t>(teams), front.task(kind, 0, front.front));
  tasks.emplace_back();
  const cuda::SolveGroup all{0, teams};
  if (way == Way::warp) {
    tasks.back().set<SolveKind::warps>({all, front.width * front.ld > cuda::one_rhs_warp_entries ? 1 : 0});
  } else if (way == Way::two_warps) {
    tasks.back().set<SolveKind::teams_of_two>({all});
  } else {
    tasks.back().set<SolveKind::teams_of_four>({all});
  }
}

template <class T>
void check_forward(Way way, int width, int below, int padded, const Setting& setting = {}) {
  const Front<T> front(width, below, setting);
  std::vector<SolveTask> tasks, warp_tasks;
  if (way != Way::tiles) {
    add_whole(way, front, tasks, warp_tasks);
  } else {
    const int outputs = outputs_of(padded, setting);
    for (int row = 0; row < width; row += outputs) {
      tasks.push_back(front.task(cuda::SolveKind::diagonal, row, std::min(width, row + outputs)));
      tasks.back().arrive = 0;
    }
    const int step = outputs_of(padded, {}) * std::min(4, setting.times * (width <= 128 ? 4 : (width <= 256 ? 2 : 1)));
    for (int row = width, end = 0; row < front.front; row = end) {
      end = std::min(front.front, (padded == 1 ? row / step * step : row / 4 * 4) + step);
      tasks.push_back(front.task(cuda::SolveKind::rows, row, end));
      tasks.back().wait = 0;
      tasks.back().need = (width + outputs - 1) / outputs;
    }
  }
  const Vectors<T> start = random_start(front, padded, static_cast<std::size_t>(below) + 1);
  const Vectors<T> found = run(front, tasks, warp_tasks, padded, start, false, setting);
  const double tolerance = 8.0 * (width + 1.0) * std::sqrt(width) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (int q = 0; q < padded; ++q) {
    const auto place = [&](int row) { return static_cast<std::size_t>(row * padded + q); };
    std::vector<double> z(static_cast<std::size_t>(width), 0.0);
    for (int j = 0; j < width; ++j) {
      for (int k = 0; k <= j; ++k)
        z[static_cast<std::size_t>(j)] += front.inverse(j, k) * static_cast<double>(start.x[place(k)]);
      ASSERT_NEAR(found.y[place(j)], z[static_cast<std::size_t>(j)], tolerance) << "width " << width << ", of " << padded;
    }
    for (int i = 0; i < below; ++i) {
      double sum = 0.0;
      for (int k = 0; k < width; ++k) {
        sum -= static_cast<double>(front.values[front.at(width + i, k)]) * z[static_cast<std::size_t>(k)];
      }
      ASSERT_NEAR(found.u[place(i)], sum, tolerance * std::sqrt(width)) << "width " << width << ", below " << below;
    }
  }
}

template <class T>
void check_backward(Way way, int width, int below, int padded, const Setting& setting = {}) {
  const Front<T> front(width, below, setting);
  std::vector<SolveTask> tasks, warp_tasks;
  int chunks = 0;
  if (way != Way::tiles) {
    add_whole(way, front, tasks, warp_tasks);
  } else {
    const int outputs = outputs_of(padded, setting);
    // With one right-hand side, column groups need not begin at multiples of four.
    const int at_once = setting.outputs > 0 ? outputs - 2 : outputs * setting.times;
    const int groups = (width + at_once - 1) / at_once;
    for (int row = width; row < front.front; row += 48, ++chunks) {
      const bool is_last = padded == 1 && row + 48 >= front.front;
      for (int column = 0; column < width; column += at_once) {
        SolveTask t = front.task(SolveKind::columns, row, std::min(front.front, row + 48));
        t.column = column;
        t.width = std::min(at_once, width - column);
        const int partial = (is_last ? 0 : chunks * width) + column;
        const int count = (below + 47) / 48;
        if (is_last) {
          t.set<SolveKind::last_columns>({{}, partial, chunks});
        } else if (padded == 1) {
          t.set<SolveKind::partial_columns>({partial});
        } else {
          t.set<SolveKind::columns>({count > 1 ? 1 + column / at_once : -1, partial, chunks, count});
        }
        t.arrive = 0;
        tasks.push_back(t);
      }
    }
    for (int row = 0; row < width; row += outputs) {
      tasks.push_back(front.task(cuda::SolveKind::diagonal, row, std::min(width, row + outputs)));
      tasks.back().wait = 0;
      tasks.back().need = chunks * groups;
      tasks.back().set<SolveKind::diagonal>({chunks > 0 ? 1 : 0});
    }
  }
  const Vectors<T> start = random_start(front, padded, static_cast<std::size_t>(width * (chunks + 1)));
  const Vectors<T> found = run(front, tasks, warp_tasks, padded, start, true, setting);
  const double tolerance =
      8.0 * (front.front + 1.0) * std::sqrt(width) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (int q = 0; q < padded; ++q) {
    const auto place = [&](int row) { return static_cast<std::size_t>(row * padded + q); };
    std::vector<double> v(static_cast<std::size_t>(width), 0.0);
    for (int j = 0; j < width; ++j) {
      v[static_cast<std::size_t>(j)] = static_cast<double>(start.y[place(j)]);
      for (int i = width; i < front.front; ++i) {
        v[static_cast<std::size_t>(j)] -=
            static_cast<double>(front.values[front.at(i, j)]) * static_cast<double>(start.x[place(i)]);
      }
    }
    for (int k = 0; k < width; ++k) {
      double sum = 0.0;
      for (int j = k; j < width; ++j) sum += front.inverse(j, k) * v[static_cast<std::size_t>(j)];
      ASSERT_NEAR(found.x[place(k)], sum, tolerance) << "width " << width << ", below " << below << ", of " << padded;
    }
  }
}

}  // namespace gpusupernodal::test
