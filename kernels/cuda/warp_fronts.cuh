#pragma once

/// \file
/// A sweep for one right-hand side in either direction: groups of fronts, and which function runs each kind of task.

#include "kernels/cuda/solve_one.cuh"
#include "kernels/cuda/solve_tasks.cuh"

namespace gpusupernodal::cuda {

/// A front's record as a warp holds it: one word per lane.
constexpr int front_words = sizeof(SolveFront) / sizeof(int);
static_assert(front_words <= 32);

__device__ inline int read_word(const SolveTask* tasks, int index, int end) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const SolveFront* const front = tasks + index;
  return index < end && lane < front_words ? reinterpret_cast<const int*>(front)[lane] : 0;
}

__device__ inline SolveFront front_of(int word) {
  int record[front_words];
#pragma unroll
  for (int w = 0; w < front_words; ++w) record[w] = __shfl_sync(all_lanes, word, w);
  SolveFront front;
  memcpy(&front, record, sizeof(front));
  return front;
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

/// Runs a group's tasks: each warp takes every solve_warps-th. While one front is computed, the next front's part of L
/// and the indices of its vectors are copied, as is the record of the front after that. `Front` is a struct in shared
/// memory with space for its panel behind it: start_copy(data, front) starts to fill it, finish(data, front, panel) runs the
/// task. Large fronts use the space of two, or are read from global memory if that is not available.
template <class Front, class T>
__device__ void run_fronts(const SolveData<T>& data, const TaskOf<SolveKind::warps>& group, OneRhsTile<T>& shared_memory) {
  constexpr int slot = tile_bytes<T> / (2 * solve_warps);
  static_assert(sizeof(Front) + (one_rhs_warp_entries + pack<T>)*sizeof(T) <= slot &&
                sizeof(Front) + (one_rhs_large_entries + pack<T>)*sizeof(T) <= 2 * slot);
  const bool has_full_tile = data.tile_bytes == tile_bytes<T>;
  const bool large = group.are_large != 0;
  const int slots = has_full_tile && !large ? 2 : 1;
  const bool staged = has_full_tile || !large;
  int index = static_cast<int>(threadIdx.x / 32u);
  unsigned char* const own = reinterpret_cast<unsigned char*>(shared_memory.tile()) + index * (has_full_tile ? 2 : 1) * slot;
  const SolveTask* const tasks = data.sweep.warp_tasks + group.first;
  const auto front_at = [&](int side) { return reinterpret_cast<Front*>(own + (slots == 2 ? side * slot : 0)); };
  const auto panel_at = [&](int side) { return reinterpret_cast<T*>(front_at(side) + 1); };
  const auto start_copy = [&](const SolveFront& front, int side) {
    front_at(side)->start_copy(data, front);
    if (!staged) return;
    copy_packs(data.values, front.offset, front.ld * front.panel_width, panel_at(side));
  };
  if (index >= group.count) return;
  int word = read_word(tasks, index + solve_warps, group.count);
  SolveFront front = front_of(read_word(tasks, index, group.count));
  start_copy(front, 0);
  commit_copies();
  for (int side = 0;; side ^= 1) {
    index += solve_warps;
    const bool more = index < group.count;
    const SolveFront next = front_of(word);
    if (more && slots == 2) start_copy(next, side ^ 1);
    commit_copies();
    word = read_word(tasks, index + solve_warps, group.count);
    if (slots == 2) {
      wait_for_copies<1>();
    } else {
      wait_for_copies<0>();
    }
    __syncwarp();
    if (staged) {
      front_at(side)->finish(data, front, panel_at(side) + entries_before<T>(front.offset));
    } else {
      front_at(side)->finish(data, front, data.values + front.offset);
    }
    __syncwarp();
    if (!more) return;
    if (slots == 1) start_copy(next, 0);
    front = next;
  }
}

/// Runs this team's task of a group of whole fronts.
template <class Team, class T, class Whole>
__device__ void run_team(const SolveData<T>& data, const SolveGroup& group, const NextTask& next, Whole whole) {
  if (Team::index() >= group.count) return next.read(next.claim());
  const SolveFront front = data.sweep.warp_tasks[group.first + Team::index()];
  whole(Team(), front, next);
}

/// Runs a sweep for one right-hand side. whole(team, front, next) solves a narrow front by a team; run(task, next) runs
/// every other kind of task; Front is what run_fronts takes.
template <class Kinds, class Front, class T, class Whole, class Run>
__device__ void run_one_rhs_sweep(const SolveData<T>& data, Whole whole, Run run) {
  run_sweep<WaitFor::entries, Kinds>(data.sweep, [&](const auto& task, const NextTask& next) {
    constexpr SolveKind kind = kind_of<decltype(task)>;
    if constexpr (kind == SolveKind::warps) {
      run_fronts<Front>(data, task, one_rhs_memory<T>());
      next.read(next.claim());
    } else if constexpr (kind == SolveKind::teams_of_two) {
      run_team<Team<2>>(data, task, next, whole);
    } else if constexpr (kind == SolveKind::teams_of_four) {
      run_team<Team<4>>(data, task, next, whole);
    } else if constexpr (kind == SolveKind::whole) {
      whole(Cta(), task, next);
    } else {
      run(task, next);
    }
  });
}

}  // namespace gpusupernodal::cuda
