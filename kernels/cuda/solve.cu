/// \file
/// Launches of the sweeps.

#include <algorithm>

#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {
namespace {

template <class T>
SweepKernel<T> forward_of(int shape) {
  if (shape == 0) return forward_one<T>();
  return shape == 1 ? forward_many<T, solve_few>() : forward_many<T, solve_many>();
}

template <class T>
SweepKernel<T> backward_of(int shape) {
  if (shape == 0) return backward_one<T>();
  return shape == 1 ? backward_many<T, solve_few>() : backward_many<T, solve_many>();
}

/// Launches a sweep on at most grid.ctas CTAs.
template <class T>
void launch_sweep(SweepKernel<T> kernel, const SolveData<T>& data, const SolveGrid& grid, bool early, cudaStream_t stream) {
  if (data.sweep.count == 0) return;
  const dim3 ctas(static_cast<unsigned>(std::min(grid.ctas, data.sweep.count)));
  launch_early(kernel, ctas, 32 * solve_warps, grid.shared_memory, early, stream, data);
}

/// Returns an attribute of the current device.
int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// Allows the kernel as much dynamic shared memory as lets many_rhs_ctas of its CTAs share a multiprocessor of the current
/// device, between `min_bytes` and `max_bytes`, and leaves the rest to the L1 cache. Returns the bytes.
template <class T>
int allow_memory_for_ctas(SweepKernel<T> kernel, int min_bytes, int max_bytes) {
  cudaFuncAttributes attributes;
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const SharedMemoryLimits limits{shared_memory_limit(), device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
                                  device_attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
  const int static_bytes = static_cast<int>(attributes.sharedSizeBytes);
  const int shared_memory = memory_for_ctas(many_rhs_ctas<T>, min_bytes, max_bytes, static_bytes, limits);
  const int of_all = limits.per_multiprocessor;
  const int percent =
      std::min(100, (many_rhs_ctas<T> * 100 * (shared_memory + limits.reserved + static_bytes) + of_all - 1) / of_all);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory));
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
  return shared_memory;
}

/// Returns how many CTAs of a sweep's kernel the current device runs at once with `shared_memory` bytes of dynamic
/// shared memory.
template <class T>
SolveGrid grid_of(SweepKernel<T> kernel, int shared_memory) {
  SolveGrid grid;
  grid.shared_memory = shared_memory;
  int each = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, 32 * solve_warps,
                                                                         static_cast<std::size_t>(shared_memory)));
  grid.ctas = device_attribute(cudaDevAttrMultiProcessorCount) * std::max(each, 1);
  return grid;
}

/// Launch size for one right-hand side.
template <class T>
SolveGrid one_rhs_grid(SweepKernel<T> kernel) {
  const int shared_memory = one_rhs_memory<T>(shared_memory_limit()).dynamic_bytes;
  load_kernels(kernel);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory));
  return grid_of<T>(kernel, shared_memory);
}

/// Launch size of a kernel for right-hand sides of this shape.
template <class T>
SolveGrid shaped_grid(SweepKernel<T> kernel, int shape) {
  if (shape == 0) return one_rhs_grid<T>(kernel);
  const int min_bytes = shape == 1 ? min_memory<T, solve_few> : min_memory<T, solve_many>;
  const int max_bytes = shape == 1 ? max_memory<T, solve_few> : max_memory<T, solve_many>;
  return grid_of<T>(kernel, allow_memory_for_ctas<T>(kernel, min_bytes, max_bytes));
}

}  // namespace

template <class T>
SolveGrids solve_grids() {
  SolveGrids grids;
  for (int shape = 0; shape < 3; ++shape) {
    grids.forward[shape] = shaped_grid<T>(forward_of<T>(shape), shape);
    grids.backward[shape] = shaped_grid<T>(backward_of<T>(shape), shape);
  }
  grids.tile_bytes = grids.forward[0].shared_memory - one_rhs_fixed_bytes<T>;
  return grids;
}

template <class T>
bool solves_can_begin_early() {
  constexpr int first_version = 90;
  cudaFuncAttributes attributes;
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, forward_one<T>()));
  return attributes.ptxVersion >= first_version;
}

template <class T>
void forward_sweep(const SolveData<T>& data, int padded, const SolveGrid& grid, bool early, cudaStream_t stream) {
  launch_sweep<T>(forward_of<T>(solve_shape(padded)), data, grid, early, stream);
}

template <class T>
void backward_sweep(const SolveData<T>& data, int padded, const SolveGrid& grid, bool early, cudaStream_t stream) {
  launch_sweep<T>(backward_of<T>(solve_shape(padded)), data, grid, early, stream);
}

#define INSTANTIATE(T)                                                                            \
  template SolveGrids solve_grids<T>();                                                           \
  template bool solves_can_begin_early<T>();                                                      \
  template void forward_sweep<T>(const SolveData<T>&, int, const SolveGrid&, bool, cudaStream_t); \
  template void backward_sweep<T>(const SolveData<T>&, int, const SolveGrid&, bool, cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
