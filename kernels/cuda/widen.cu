/// \file
/// Inverses of wide diagonal blocks from those of their halves.

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/solve_parts.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int threads = 256;
constexpr int strip = 16;  ///< Columns of the result that a CTA makes.
constexpr int depth = 32;  ///< Columns of B staged at once.

/// A CTA `strip` columns k of −C⁻¹ (B A⁻¹): first B A⁻¹ in shared memory, then the product with C⁻¹. A thread a row j and
/// some of the columns. A⁻¹ and C⁻¹ lie transposed above the diagonal, the result goes between them.
template <class T, int Half>
__global__ void __launch_bounds__(threads) widen_kernel(T* values, const PanelInfo* panels, const WidenTask* tasks) {
  constexpr int groups = threads / Half;
  constexpr int mine = strip / groups;
  __shared__ __align__(shared_alignment) T a[depth][strip];
  __shared__ __align__(shared_alignment) T product[Half][strip + 1];
  const WidenTask task = tasks[blockIdx.x];
  const PanelInfo panel = panels[task.panel];
  const std::int64_t ld = panel.ld;
  T* const corner = values + panel.offset + task.column * (ld + 1);  // Of A; B is Half rows below, C beside B.
  const int k0 = static_cast<int>(blockIdx.y) * strip;
  const int t = static_cast<int>(threadIdx.x);
  const int j = t % Half;
  const int first = t / Half * mine;
  const bool inside = j < task.width;
  T sum[mine] = {};
  for (int p0 = k0; p0 < Half; p0 += depth) {
    __syncthreads();
    for (int index = t; index < depth * strip; index += threads) {
      const int p = p0 + index / strip;
      const int k = k0 + index % strip;
      const T entry = p < Half && k <= p ? corner[k + p * ld] : T(0);
      a[index / strip][index % strip] = k == p ? reciprocal(entry) : entry;
    }
    __syncthreads();
    const int count = min(depth, Half - p0);
#pragma unroll 4
    for (int p = 0; p < count; ++p) {
      const T b = inside ? corner[Half + j + (p0 + p) * ld] : T(0);
#pragma unroll
      for (int c = 0; c < mine; ++c) sum[c] += b * a[p][first + c];
    }
  }
#pragma unroll
  for (int c = 0; c < mine; ++c) product[j][first + c] = sum[c];
  __syncthreads();
  T result[mine] = {};
  const T own = reciprocal(inside ? corner[(Half + j) * (ld + 1)] : T(0));
  const T* const inverse = corner + Half + (Half + j) * ld;  // Row j of C⁻¹.
  const int last = inside ? j : -1;
#pragma unroll 4
  for (int i = 0; i <= last; ++i) {
    const T entry = i == j ? own : inverse[i];
#pragma unroll
    for (int c = 0; c < mine; ++c) result[c] -= entry * product[i][first + c];
  }
  if (!inside) return;
#pragma unroll
  for (int c = 0; c < mine; ++c) corner[k0 + first + c + (Half + j) * ld] = result[c];
}

}  // namespace

template <class T>
void widen_inverses(T* values, const PanelInfo* panels, const WidenTask* tasks, int count, int half, cudaStream_t stream) {
  if (count == 0) return;
  const dim3 grid{static_cast<unsigned>(count), static_cast<unsigned>(half / strip), 1};
  if (half == 64) widen_kernel<T, 64><<<grid, threads, 0, stream>>>(values, panels, tasks);
  if (half == 128) widen_kernel<T, 128><<<grid, threads, 0, stream>>>(values, panels, tasks);
  if (half == 256) widen_kernel<T, 256><<<grid, threads, 0, stream>>>(values, panels, tasks);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("widen_inverses");
}

template void widen_inverses<float>(float*, const PanelInfo*, const WidenTask*, int, int, cudaStream_t);
template void widen_inverses<double>(double*, const PanelInfo*, const WidenTask*, int, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
