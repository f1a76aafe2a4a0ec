#pragma once

/// \file
/// Loops of a few steps whose loads stand before their arithmetic: of a loop that may end at any step the compiler makes one
/// that waits for each step's loads before it asks for the next ones.

namespace gpusupernodal::cuda {

/// What is left of fewer than 2·Group steps.
template <int Group, class Step>
__device__ void in_smaller_groups(int k, int last, int log_stride, Step step) {
  if (k + ((Group - 1) << log_stride) < last) {
#pragma unroll
    for (int g = 0; g < Group; ++g) step(k + (g << log_stride));
    k += Group << log_stride;
  }
  if constexpr (Group > 1) in_smaller_groups<Group / 2>(k, last, log_stride, step);
}

/// Calls step(k) for k = first, first + 2^log_stride, … < last in this order; `Group`, a power of two, of them without a
/// branch between.
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
