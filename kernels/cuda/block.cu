/// \file
/// Indexed subtraction of a dense block, and inverses of factorized pieces.

#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/block_kernels.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/shared_memory.hpp"

namespace gpusupernodal::cuda {
namespace {

constexpr int rows_per_cta = 128;
constexpr int columns_per_cta = 8;

/// One CTA per 128 rows × 8 columns, one thread per row: loads of u are contiguous, stores as contiguous as the rows.
/// Bytes per entry: one read of u, one read and one write of c.
template <class T>
__global__ void __launch_bounds__(rows_per_cta)
    subtract_indexed_kernel(const T* u, std::int64_t ldu, std::int32_t m, std::int32_t n, const std::int32_t* rows,
                            const std::int32_t* cols, bool lower, T* c, std::int64_t ldc) {
  const int i = static_cast<int>(blockIdx.x) * rows_per_cta + static_cast<int>(threadIdx.x);
  if (i >= m) return;
  const std::int32_t row = rows[i];
  const int first = static_cast<int>(blockIdx.y) * columns_per_cta;
#pragma unroll
  for (int k = 0; k < columns_per_cta; ++k) {
    const int j = first + k;
    if (j < n && (!lower || i >= j)) c[row + cols[j] * ldc] -= u[i + j * ldu];
  }
}

/// Layout of a piece and its inverse: invert_memory().
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int stride = folded_piece_stride;
constexpr int inverse_begin = folded_piece_stride;
#else
constexpr int stride = piece_stride;
constexpr int inverse_begin = tile_size * piece_stride;
#endif

/// One CTA per piece, one thread per column of the inverse, by substitution. The w³/3 flops are negligible. Entry
/// (i, k) of the piece, i ≥ k, lies at l[k·stride + i], entry (i, k) of the inverse at x[i·stride + k].
template <class T>
__global__ void __launch_bounds__(tile_size) invert_kernel(T* values, const PanelInfo* panels, const DiagonalTask* pieces) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  T* const l = reinterpret_cast<T*>(shared);
  T* const x = l + inverse_begin;
  const DiagonalTask piece = pieces[blockIdx.x];
  const PanelBlock block = block_of(panels[piece.panel], piece.column);
  const std::int64_t ld = block.ld;
  T* const diagonal = values + block.index(piece.column, piece.column);
  const int t = static_cast<int>(threadIdx.x);
  for (int k = 0; k < piece.width; ++k) {
    if (t < piece.width) l[k * stride + t] = t >= k ? diagonal[t + k * ld] : T(0);
  }
  __syncthreads();
  if (t < piece.width) {
    for (int i = t; i < piece.width; ++i) {
      T sum = i == t ? T(1) : T(0);
      for (int k = t; k < i; ++k) sum -= l[k * stride + i] * x[k * stride + t];
      x[i * stride + t] = sum / l[i * stride + i];
    }
  }
  __syncthreads();
  for (int i = 1; i < piece.width; ++i) {
    if (t < i) diagonal[t + i * ld] = x[i * stride + t];
  }
}

template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

template <class T>
__global__ void mark_failed_kernel(T* diagonal, std::int64_t ld, const int* info) {
  const int failed = *info;
  if (failed <= 0) return;
  T& pivot = diagonal[(failed - 1) * (ld + 1)];
  if (pivot > T(0) && isfinite(pivot)) pivot = not_a_number<T>;
}

/// Dynamic shared memory on the current device, in bytes.
template <class T>
int invert_bytes() {
  return invert_memory<T>(shared_memory_limit()).dynamic_bytes;
}

}  // namespace

template <class T>
void subtract_indexed(const T* u, std::int64_t ldu, std::int32_t m, std::int32_t n, const std::int32_t* rows,
                      const std::int32_t* cols, bool lower, T* c, std::int64_t ldc, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 grid(static_cast<unsigned>((m + rows_per_cta - 1) / rows_per_cta),
                  static_cast<unsigned>((n + columns_per_cta - 1) / columns_per_cta));
  subtract_indexed_kernel<T><<<grid, rows_per_cta, 0, stream>>>(u, ldu, m, n, rows, cols, lower, c, ldc);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("subtract_indexed");
}

template <class T>
void invert_pieces(T* values, const PanelInfo* panels, const DiagonalTask* pieces, int count, cudaStream_t stream) {
  if (count == 0) return;
  invert_kernel<T><<<count, tile_size, invert_bytes<T>(), stream>>>(values, panels, pieces);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("invert_pieces");
}

template <class T>
void mark_failed_pivot(T* diagonal, std::int64_t ld, const int* info, cudaStream_t stream) {
  mark_failed_kernel<T><<<1, 1, 0, stream>>>(diagonal, ld, info);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("mark_failed_pivot");
}

template <class T>
void prepare_block_kernels() {
  load_kernels(subtract_indexed_kernel<T>, invert_kernel<T>, mark_failed_kernel<T>);
  GPUSUPERNODAL_CUDA_CHECK(
      cudaFuncSetAttribute(invert_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, invert_bytes<T>()));
}

#define INSTANTIATE(T)                                                                                       \
  template void subtract_indexed<T>(const T*, std::int64_t, std::int32_t, std::int32_t, const std::int32_t*, \
                                    const std::int32_t*, bool, T*, std::int64_t, cudaStream_t);              \
  template void invert_pieces<T>(T*, const PanelInfo*, const DiagonalTask*, int, cudaStream_t);              \
  template void mark_failed_pivot<T>(T*, std::int64_t, const int*, cudaStream_t);                            \
  template void prepare_block_kernels<T>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
