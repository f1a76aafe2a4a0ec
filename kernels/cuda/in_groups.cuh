#pragma once

/// \file
/// Loops of a few steps whose loads precede their arithmetic. In a loop that may end at any step, compiled code waits
/// for each step's loads before it issues the next ones.

namespace gpusupernodal::cuda {

/// Runs the remaining steps, fewer than 2·Group.
template <int Group, class Step>
__device__ void in_smaller_groups(int k, int last, int log_stride, Step step) {
  if (k + ((Group - 1) << log_stride) < last) {
#pragma unroll
    for (int g = 0; g < Group; ++g) step(k + (g << log_stride));
    k += Group << log_stride;
  }
  if constexpr (Group > 1) in_smaller_groups<Group / 2>(k, last, log_stride, step);
}

/// Calls step(k) for k = first, first + 2^log_stride, … < last, in this order, with no branch within a group of `Group`
/// steps (a power of two).
template <int Group, class Step>
__device__ void in_groups(int first, int last, int log_stride, Step step) {
  int k = first;
#pragma unroll 1
  for (; k + ((Group - 1) << log_stride) < last; k += Group << log_stride) {
#pragma unroll
    for (int g = 0; g < Group; ++g) step(k + (g << log_stride));
  }
  if constexpr (Group > 1) in_smaller_groups<Group / 2>(k, last, log_stride, step);
}

}  // namespace gpusupernodal::cuda
