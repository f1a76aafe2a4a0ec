/// \file
/// Launches of the sweeps.

#include "kernels/cuda/solve_queue.cuh"
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

}  // namespace

template <class T>
SolveGrids solve_grids() {
  SolveGrids grids;
  for (int shape = 0; shape < 3; ++shape) {
    grids.forward[shape] = resident_ctas(forward_of<T>(shape));
    grids.backward[shape] = resident_ctas(backward_of<T>(shape));
  }
  return grids;
}

bool solves_can_begin_early() {
  constexpr int first_version = 90;
  cudaFuncAttributes attributes;
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, forward_one<double>()));
  return attributes.ptxVersion >= first_version;
}

template <class T>
void forward_sweep(const SolveData<T>& data, int padded, int ctas, bool early, cudaStream_t stream) {
  launch_sweep<T>(forward_of<T>(solve_shape(padded)), data, ctas, early, stream);
}

template <class T>
void backward_sweep(const SolveData<T>& data, int padded, int ctas, bool early, cudaStream_t stream) {
  launch_sweep<T>(backward_of<T>(solve_shape(padded)), data, ctas, early, stream);
}

#define INSTANTIATE(T)                                                               \
  template SolveGrids solve_grids<T>();                                              \
  template void forward_sweep<T>(const SolveData<T>&, int, int, bool, cudaStream_t); \
  template void backward_sweep<T>(const SolveData<T>&, int, int, bool, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
