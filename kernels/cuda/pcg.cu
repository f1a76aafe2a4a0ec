#include <algorithm>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/pcg_kernels.hpp"
#include "kernels/cuda/pcg_sums.cuh"

namespace gpusupernodal::cuda {
namespace {

__global__ void start_kernel(PcgState* state, long long limit, double threshold) {
  *state = PcgState();
  state->limit = limit;
  state->threshold = threshold;
}

/// Rows of a tile whose diagonal blocks lie in it.
template <class S>
__device__ int tile_rows(const PcgVectors<S>& v) {
  return v.kind == PcgInverseKind::blocks ? flat_threads / v.block * v.block : flat_threads;
}

/// z of one row; r of the tile lies in shared memory.
template <class S>
__device__ S apply_block(const PcgVectors<S>& v, std::int64_t row, const S* tile) {
  const int place = static_cast<int>(threadIdx.x);
  const int first = place - static_cast<int>(row % v.block);
  const int count =
      static_cast<int>(min(static_cast<long long>(v.block), static_cast<long long>(v.n - (row - row % v.block))));
  S sum = 0;
  for (int k = 0; k < count; ++k) sum += v.inverse[row * v.block + k] * tile[first + k];
  return sum;
}

template <class S, PcgInverseKind Kind>
__global__ void __launch_bounds__(flat_threads) step_kernel(PcgVectors<S> v) {
  __shared__ S tile[Kind == PcgInverseKind::blocks ? flat_threads : 1];
  PcgState* const state = v.state;
  if (state->stop != 0) return;
  const bool first = state->first != 0;
  const double pq = first ? 1.0 : sum_of_products(v.products, v.product_count);
  const double step = state->rho / pq;
  const bool sound = pq > 0.0 && isfinite(pq) && isfinite(static_cast<S>(step));
  const S alpha = first || !sound ? S(0) : static_cast<S>(step);
  double rr = 0.0, rz = 0.0;
  const int rows = tile_rows(v);
  for (std::int64_t begin = std::int64_t{blockIdx.x} * rows; sound && begin < v.n; begin += std::int64_t{gridDim.x} * rows) {
    const std::int64_t i = begin + threadIdx.x;
    const bool exists = static_cast<int>(threadIdx.x) < rows && i < v.n;
    S r = 0;
    if (exists) {
      r = v.r[i];
      if (!first) {
        v.x[i] += alpha * v.p[i];
        v.r[i] = r -= alpha * v.q[i];
      }
      rr += static_cast<double>(r) * static_cast<double>(r);
    }
    if (Kind == PcgInverseKind::identity) rz = rr;
    if (Kind == PcgInverseKind::diagonal && exists) rz += static_cast<double>(r) * static_cast<double>(v.inverse[i] * r);
    if (Kind == PcgInverseKind::blocks) {
      tile[threadIdx.x] = r;
      __syncthreads();
      if (exists) {
        const S z = apply_block(v, i, tile);
        v.z[i] = z;
        rz += static_cast<double>(r) * static_cast<double>(z);
      }
      __syncthreads();
    }
  }
  if (!add_up_pair(rr, rz, v.sums, &state->ticket)) return;
  if (!sound) {
    state->stop = pq <= 0.0 && isfinite(pq) ? pcg_breakdown : pcg_not_finite;
    return;
  }
  if (!first) ++state->iterations;
  state->rr = rr;
  const double norm = sqrt(rr);
  if (!isfinite(norm)) {
    state->stop = pcg_not_finite;
  } else if (norm <= state->threshold) {
    state->stop = pcg_reached;
  } else if (state->iterations >= state->limit) {
    state->stop = pcg_limit;
  } else if (Kind != PcgInverseKind::separate) {
    take_rho(state, rz);
  }
}

template <class S>
__global__ void __launch_bounds__(flat_threads) beta_kernel(PcgVectors<S> v, const S* a, const S* c) {
  PcgState* const state = v.state;
  if (state->stop != 0) return;
  double rz = 0.0, none = 0.0;
  for (std::int64_t i = flat_index(); i < v.n; i += flat_step()) rz += static_cast<double>(a[i]) * static_cast<double>(c[i]);
  if (add_up_pair(rz, none, v.sums, &state->ticket)) take_rho(state, rz);
}

template <class S, PcgInverseKind Kind>
__global__ void __launch_bounds__(flat_threads) direction_kernel(PcgVectors<S> v) {
  if (v.state->stop != 0) return;
  const bool first = v.state->iterations == 0;
  const S beta = static_cast<S>(v.state->beta);
  for (std::int64_t i = flat_index(); i < v.n; i += flat_step()) {
    const S z = Kind == PcgInverseKind::identity   ? v.r[i]
                : Kind == PcgInverseKind::diagonal ? v.inverse[i] * v.r[i]
                                                   : v.z[i];
    v.p[i] = first ? z : z + beta * v.p[i];
  }
}

/// Each row of z from the rows of r that its diagonal block spans.
template <class S>
__global__ void __launch_bounds__(flat_threads) blocks_kernel(PcgVectors<S> v) {
  for (std::int64_t i = flat_index(); i < v.n; i += flat_step()) {
    const std::int64_t first = i - i % v.block;
    S sum = 0;
    for (int k = 0; k < v.block && first + k < v.n; ++k) sum += v.inverse[i * v.block + k] * v.r[first + k];
    v.z[i] = sum;
  }
}

template <class S>
__global__ void __launch_bounds__(flat_threads) dot_kernel(PcgVectors<S> v, double* products) {
  if (v.state->stop != 0) return;
  double dot = 0.0;
  for (std::int64_t i = flat_index(); i < v.n; i += flat_step())
    dot += static_cast<double>(v.p[i]) * static_cast<double>(v.q[i]);
  dot = sum_of_block(dot);
  if (threadIdx.x == 0) products[blockIdx.x] = dot;
}

template <class S>
__global__ void __launch_bounds__(flat_threads) residual_kernel(PcgVectors<S> v) {
  double rr = 0.0, none = 0.0;
  for (std::int64_t i = flat_index(); i < v.n; i += flat_step()) {
    const S r = v.b[i] - v.q[i];
    v.r[i] = r;
    rr += static_cast<double>(r) * static_cast<double>(r);
  }
  if (add_up_pair(rr, none, v.sums, &v.state->ticket)) v.state->rr = rr;
}

/// The largest magnitude goes by atomics on its bits: a maximum does not depend on the order.
template <class S>
__global__ void __launch_bounds__(flat_threads) norms_kernel(PcgVectors<S> v) {
  double bb = 0.0, none = 0.0, largest = 0.0;
  for (std::int64_t i = flat_index(); i < v.n; i += flat_step()) {
    const double magnitude = fabs(static_cast<double>(v.b[i]));
    bb += magnitude * magnitude;
    largest = isfinite(magnitude) ? fmax(largest, magnitude) : infinite;
  }
  for (int step = 16; step > 0; step /= 2) largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  if (threadIdx.x % 32 == 0) {
    atomicMax(reinterpret_cast<unsigned long long*>(&v.state->largest),
              static_cast<unsigned long long>(__double_as_longlong(largest)));
  }
  if (add_up_pair(bb, none, v.sums, &v.state->ticket)) v.state->rr = bb;
}

template <class S>
__global__ void __launch_bounds__(flat_threads) scale_kernel(S* x, std::int32_t n, double factor) {
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) x[i] = static_cast<S>(x[i] * factor);
}

template <class From, class To>
__global__ void __launch_bounds__(flat_threads) convert_kernel(const From* from, To* to, std::int32_t n) {
  for (std::int64_t i = flat_index(); i < n; i += flat_step()) to[i] = static_cast<To>(from[i]);
}

template <class S, PcgInverseKind Kind>
void launch_step(const PcgVectors<S>& v, cudaStream_t stream) {
  step_kernel<S, Kind><<<static_cast<unsigned>(pcg_blocks(v.n)), flat_threads, 0, stream>>>(v);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_step");
}

}  // namespace

int pcg_blocks(std::int32_t n) {
  return static_cast<int>(std::clamp<std::int64_t>((std::int64_t{n} + flat_threads - 1) / flat_threads, 1, max_pcg_blocks));
}

template <class S>
void start_pcg(const PcgVectors<S>& v, long long limit, double threshold, cudaStream_t stream) {
  start_kernel<<<1, 1, 0, stream>>>(v.state, limit, threshold);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("start_pcg");
}

template <class S>
void pcg_step(const PcgVectors<S>& v, cudaStream_t stream) {
  switch (v.kind) {
    case PcgInverseKind::separate:
      return launch_step<S, PcgInverseKind::separate>(v, stream);
    case PcgInverseKind::identity:
      return launch_step<S, PcgInverseKind::identity>(v, stream);
    case PcgInverseKind::diagonal:
      return launch_step<S, PcgInverseKind::diagonal>(v, stream);
    case PcgInverseKind::blocks:
      return launch_step<S, PcgInverseKind::blocks>(v, stream);
  }
}

template <class S>
void pcg_apply_blocks(const PcgVectors<S>& v, cudaStream_t stream) {
  blocks_kernel<<<flat_blocks(v.n), flat_threads, 0, stream>>>(v);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_apply_blocks");
}

template <class S>
void pcg_next_beta(const PcgVectors<S>& v, const S* a, const S* c, cudaStream_t stream) {
  beta_kernel<<<static_cast<unsigned>(pcg_blocks(v.n)), flat_threads, 0, stream>>>(v, a, c);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_next_beta");
}

template <class S>
void pcg_direction(const PcgVectors<S>& v, cudaStream_t stream) {
  const auto kernel = v.kind == PcgInverseKind::identity   ? direction_kernel<S, PcgInverseKind::identity>
                      : v.kind == PcgInverseKind::diagonal ? direction_kernel<S, PcgInverseKind::diagonal>
                                                           : direction_kernel<S, PcgInverseKind::separate>;
  kernel<<<flat_blocks(v.n), flat_threads, 0, stream>>>(v);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_direction");
}

template <class S>
void pcg_dot(const PcgVectors<S>& v, double* products, cudaStream_t stream) {
  dot_kernel<<<static_cast<unsigned>(pcg_blocks(v.n)), flat_threads, 0, stream>>>(v, products);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_dot");
}

template <class S>
void pcg_residual(const PcgVectors<S>& v, cudaStream_t stream) {
  residual_kernel<<<static_cast<unsigned>(pcg_blocks(v.n)), flat_threads, 0, stream>>>(v);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_residual");
}

template <class S>
void pcg_norms_of_b(const PcgVectors<S>& v, cudaStream_t stream) {
  start_pcg(v, 0, 0.0, stream);
  norms_kernel<<<static_cast<unsigned>(pcg_blocks(v.n)), flat_threads, 0, stream>>>(v);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_norms_of_b");
}

template <class S>
void pcg_scale(S* x, std::int32_t n, double factor, cudaStream_t stream) {
  scale_kernel<<<flat_blocks(n), flat_threads, 0, stream>>>(x, n, factor);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_scale");
}

template <class From, class To>
void pcg_convert(const From* from, To* to, std::int32_t n, cudaStream_t stream) {
  convert_kernel<<<flat_blocks(n), flat_threads, 0, stream>>>(from, to, n);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("pcg_convert");
}

template <class S>
void prepare_pcg() {
  load_kernels(start_kernel, step_kernel<S, PcgInverseKind::separate>, step_kernel<S, PcgInverseKind::identity>,
               step_kernel<S, PcgInverseKind::diagonal>, step_kernel<S, PcgInverseKind::blocks>, beta_kernel<S>,
               direction_kernel<S, PcgInverseKind::identity>, direction_kernel<S, PcgInverseKind::diagonal>,
               direction_kernel<S, PcgInverseKind::separate>, blocks_kernel<S>, dot_kernel<S>, residual_kernel<S>,
               norms_kernel<S>, scale_kernel<S>);
}

#define INSTANTIATE(S)                                                                 \
  template void start_pcg(const PcgVectors<S>&, long long, double, cudaStream_t);      \
  template void pcg_step(const PcgVectors<S>&, cudaStream_t);                          \
  template void pcg_apply_blocks(const PcgVectors<S>&, cudaStream_t);                  \
  template void pcg_next_beta(const PcgVectors<S>&, const S*, const S*, cudaStream_t); \
  template void pcg_direction(const PcgVectors<S>&, cudaStream_t);                     \
  template void pcg_dot(const PcgVectors<S>&, double*, cudaStream_t);                  \
  template void pcg_residual(const PcgVectors<S>&, cudaStream_t);                      \
  template void pcg_norms_of_b(const PcgVectors<S>&, cudaStream_t);                    \
  template void pcg_scale(S*, std::int32_t, double, cudaStream_t);                     \
  template void pcg_convert(const S*, float*, std::int32_t, cudaStream_t);             \
  template void prepare_pcg<S>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE
template void pcg_convert(const float*, double*, std::int32_t, cudaStream_t);

}  // namespace gpusupernodal::cuda
