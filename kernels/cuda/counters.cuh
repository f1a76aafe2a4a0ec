#pragma once

/// \file
/// Counters in memory of the device, through which tasks of one launch wait for each other.

#include "kernels/cuda/delays.cuh"

namespace gpusupernodal::cuda {

/// Returns a counter. Everything written before its increments is then visible.
__device__ inline int read_counter(const int* counter) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
  return value;
}

/// Waits, in one thread, until a counter has reached `need`.
__device__ inline void await_counter(const int* counters, int counter, int need) {
  if (counter < 0 || need == 0) return;
  while (read_counter(counters + counter) < need) continue;
}

/// Counts a task as done. Call it in one thread, after a barrier of all threads that wrote results.
__device__ inline void count_done(int* counters, int counter) {
  if (counter < 0) return;
  perhaps_delay(counter);
  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(counters + counter) : "memory");
}

/// Counts a task as done and returns how many had counted before; their results are then visible.
__device__ inline int count_done_before(int* counters, int counter) {
  perhaps_delay(counter);
  int before;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(counters + counter) : "memory");
  return before;
}

}  // namespace gpusupernodal::cuda
