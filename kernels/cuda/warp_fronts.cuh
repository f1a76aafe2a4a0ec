#pragma once

/// \file
/// Small fronts and one right-hand side: one warp per front, in either direction.

#include "kernels/cuda/solve_one.cuh"

namespace gpusupernodal::cuda {

/// A task record as a warp holds it: one word per lane.
constexpr int record_words = sizeof(SolveTask) / sizeof(int);
static_assert(record_words <= 32);

__device__ inline int read_word(const SolveTask* tasks, int index, int end) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  return index < end && lane < record_words ? reinterpret_cast<const int*>(tasks + index)[lane] : 0;
}

__device__ inline SolveTask task_of(int word) {
  int record[record_words];
#pragma unroll
  for (int w = 0; w < record_words; ++w) record[w] = __shfl_sync(all_lanes, word, w);
  SolveTask task;
  memcpy(&task, record, sizeof(task));
  return task;
}

/// Number of entries between the preceding multiple of 16 bytes and `offset`.
template <class T>
__device__ int entries_before(std::int64_t offset) {
  return static_cast<int>(offset) & (pack<T> - 1);
}
/// Starts to copy `count` entries from `offset` on, and the entries_before them, by a warp, 16 bytes per copy. `to`
/// must have space for one more pack.
template <class T>
__device__ void copy_packs(const T* values, std::int64_t offset, int count, T* to) {
  const int before = entries_before<T>(offset);
  const T* const from = values + offset - before;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  in_groups<4>(lane, (before + count + pack<T> - 1) >> log_pack<T>, 5,
               [&](int p) { copy_async<16>(to + p * pack<T>, from + p * pack<T>, true); });
}

/// Maximum number of rows and of columns of a front whose indices and vectors a warp keeps in shared memory.
inline constexpr int one_rhs_warp_lanes = 32;

/// Runs the tasks of a CTA's warps: each warp takes every solve_warps-th. While one task is computed, the next task's
/// part of L and the indices of its vectors are copied, as is the record of the task after that. `Front` is a struct in
/// shared memory with space for its panel behind it: bring(data, task) starts to fill it, finish(data, task, panel)
/// runs the task. Large fronts use the space of two, or are read from global memory if that is not available.
template <class Front, class T>
__device__ void run_fronts(const SolveData<T>& data, const SolveTask& group, OneRhsTile<T>& shared_memory) {
  constexpr int slot = tile_bytes<T> / (2 * solve_warps);
  static_assert(sizeof(Front) + (one_rhs_warp_entries + pack<T>)*sizeof(T) <= slot &&
                sizeof(Front) + (one_rhs_large_entries + pack<T>)*sizeof(T) <= 2 * slot);
  const bool has_full_tile = data.tile_bytes == tile_bytes<T>;
  const bool large = group.chunks != 0;
  const int slots = has_full_tile && !large ? 2 : 1;
  const bool staged = has_full_tile || !large;
  int index = static_cast<int>(threadIdx.x / 32u);
  unsigned char* const own = reinterpret_cast<unsigned char*>(shared_memory.tile()) + index * (has_full_tile ? 2 : 1) * slot;
  const SolveTask* const tasks = data.sweep.warp_tasks + group.column;
  const auto front_at = [&](int side) { return reinterpret_cast<Front*>(own + (slots == 2 ? side * slot : 0)); };
  const auto panel_at = [&](int side) { return reinterpret_cast<T*>(front_at(side) + 1); };
  const auto bring = [&](const SolveTask& task, int side) {
    front_at(side)->bring(data, task);
    if (!staged) return;
    copy_packs(data.values, task.offset, task.ld * task.panel_width, panel_at(side));
  };
  if (index >= group.width) return;
  int word = read_word(tasks, index + solve_warps, group.width);
  SolveTask task = task_of(read_word(tasks, index, group.width));
  bring(task, 0);
  commit_copies();
  for (int side = 0;; side ^= 1) {
    index += solve_warps;
    const bool more = index < group.width;
    const SolveTask next = task_of(word);
    if (more && slots == 2) bring(next, side ^ 1);
    commit_copies();
    word = read_word(tasks, index + solve_warps, group.width);
    if (slots == 2) {
      wait_for_copies<1>();
    } else {
      wait_for_copies<0>();
    }
    __syncwarp();
    if (staged) {
      front_at(side)->finish(data, task, panel_at(side) + entries_before<T>(task.offset));
    } else {
      front_at(side)->finish(data, task, data.values + task.offset);
    }
    __syncwarp();
    if (!more) return;
    if (slots == 1) bring(next, 0);
    task = next;
  }
}

/// Runs the task of this thread's team out of a group of whole fronts.
template <class Team, class T, class Whole>
__device__ void by_team(const SolveData<T>& data, const SolveTask& group, const NextOneRhs& next, Whole whole) {
  if (Team::index() < group.width) {
    const SolveTask task = data.sweep.warp_tasks[group.column + Team::index()];
    whole(Team(), task);
  } else {
    next.read(next.claim());
  }
}
template <class T, class Whole>
__device__ void by_teams(const SolveData<T>& data, const SolveTask& group, const NextOneRhs& next, Whole whole) {
  if (group.chunk == 2) {
    by_team<Team<2>>(data, group, next, whole);
  } else {
    by_team<Team<4>>(data, group, next, whole);
  }
}

}  // namespace gpusupernodal::cuda
