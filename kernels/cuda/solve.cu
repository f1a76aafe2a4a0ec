/// \file
/// Launches of the sweeps.

#include "kernels/cuda/load.hpp"
#include "kernels/cuda/solve_stage.cuh"
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

/// Launch size for one right-hand side.
template <class T>
SolveGrid one_rhs_grid(SweepKernel<T> kernel) {
  const int shared_memory = one_rhs_memory<T>(shared_memory_limit()).at_launch;
  load_kernels(kernel);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory));
  return grid_of<T>(kernel, shared_memory);
}

/// Launch size of a kernel for right-hand sides of this shape.
template <class T>
SolveGrid shaped_grid(SweepKernel<T> kernel, int shape) {
  if (shape == 0) return one_rhs_grid<T>(kernel);
  const int least = shape == 1 ? min_memory<T, solve_few> : min_memory<T, solve_many>;
  const int most = shape == 1 ? max_room<T, solve_few> : max_room<T, solve_many>;
  return grid_of<T>(kernel, allow_room<T>(kernel, least, most));
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

bool solves_can_begin_early() {
  constexpr int first_version = 90;
  cudaFuncAttributes attributes;
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, forward_one<double>()));
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
  template void forward_sweep<T>(const SolveData<T>&, int, const SolveGrid&, bool, cudaStream_t); \
  template void backward_sweep<T>(const SolveData<T>&, int, const SolveGrid&, bool, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
