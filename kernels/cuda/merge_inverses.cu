/// \file
/// Merges the inverses of two adjacent diagonal blocks into that of the wider block.

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_pivots.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/solve_kernels.hpp"
#include "kernels/cuda/strip_factor.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int stride = strip + 4;  ///< Leading dimension of a row-major product in shared memory.
constexpr int step = 8;            ///< Columns of operands per tensor-core product.

/// Inverse of a lower triangle, stored transposed above the diagonal at `corner`. Of Hermitian matrices its adjoint is
/// stored, and entries are those of the conjugate of the inverse.
template <class T>
struct Inverse {
  const T* corner;
  std::int64_t ld;

  __device__ T below(int row, int col) const { return corner[col + row * ld]; }
  /// Returns entry (row, col); 0 above the diagonal.
  __device__ T operator()(int row, int col) const {
    const T entry = corner[min(col, row) + row * ld];
    const T diagonal = signed_reciprocal(col == row ? entry : T(1));
    return col < row ? entry : col == row ? diagonal : T(0);
  }
};

/// Computes sum += A·B for 16 rows, 16 columns and a depth of `Steps` steps that begins at k; a(row, k) and b(k, col)
/// read the operands. All operands are read before the first product.
template <int Steps, class T, class A, class B>
__device__ void multiply(T (&sum)[2][4], int k, const A& a, const B& b) {
  using Entry = typename Fragment<T>::Entry;
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int at = k + static_cast<int>(threadIdx.x & 3u);
  T left[Steps][4], right[Steps][2][2];
#pragma unroll
  for (int i = 0; i < Steps; ++i) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      left[i][e] = a(group + e % 2 * 8, at + i * step + e / 2 * 4);
      right[i][e / 2][e % 2] = b(at + i * step + e % 2 * 4, group + e / 2 * 8);
    }
  }
#pragma unroll
  for (int i = 0; i < Steps; ++i) {
    const Entry rows[4] = {Entry(left[i][0]), Entry(left[i][1]), Entry(left[i][2]), Entry(left[i][3])};
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const Entry columns[2] = {Entry(right[i][n][0]), Entry(right[i][n][1])};
      mma_16x8x8(sum[n], rows, columns);
    }
  }
}

/// Computes sum += A·B over columns from … to−1; their number must be a multiple of 16. Operands of four steps are too many
/// for the registers if they are complex.
template <class T, class A, class B>
__device__ void multiply(T (&sum)[2][4], int from, int to, const A& a, const B& b) {
  if constexpr (ScalarTraits<T>::is_complex) {
    for (; from < to; from += 2 * step) multiply<2>(sum, from, a, b);
  } else {
    for (; from + 4 * step <= to; from += 4 * step) multiply<4>(sum, from, a, b);
    if (from < to) multiply<2>(sum, from, a, b);
  }
}

template <class T, int Half>
constexpr int product_bytes = static_cast<int>(sizeof(T)) * stride* Half;
/// Dynamic shared memory of a launch, in bytes.
template <class T, int Half>
constexpr int dynamic_bytes = product_bytes<T, Half> > static_memory_limit ? product_bytes<T, Half> : 0;

/// Shared memory for a CTA's product.
template <class T, int Half>
__device__ T* product_memory() {
  if constexpr (dynamic_bytes<T, Half> != 0) {
    extern __shared__ __align__(shared_alignment) unsigned char shared[];
    return reinterpret_cast<T*>(shared);
  } else {
    __shared__ __align__(shared_alignment) T product[Half * stride];
    return product;
  }
}

/// One CTA per 16 columns of −C⁻¹ (B A⁻¹): first B A⁻¹ in shared memory, then its product with C⁻¹, 16 rows per warp.
/// A⁻¹ and C⁻¹ lie transposed above the diagonal; the result goes between them. Operands are read from the L2 cache, a
/// few steps ahead. blockIdx.z counts the arrays of panels, `partner` values apart: one, or for LU those of L and Uᵀ.
/// Bytes: 12·Half² per CTA; flops 2·strip·Half². `Adjoint`: all of this with conjugates, because adjoints of the inverses
/// are stored.
template <class T, int Half, bool Adjoint>
__global__ void __launch_bounds__(2 * Half)
    merge_inverses_kernel(T* values, std::int64_t partner, const PanelInfo* panels, const MergeInversesTask* tasks) {
  T* const product = product_memory<T, Half>();
  const MergeInversesTask task = tasks[blockIdx.x];
  const PanelBlock block = block_of(panels[task.panel], task.column);
  const std::int64_t ld = block.ld;
  // First entry of A; B is Half rows below, C to the right of B. All lie in one block column.
  T* const corner = values + blockIdx.z * partner + block.index(task.column, task.column);
  const Inverse<T> a{corner, ld}, c{corner + Half * (ld + 1), ld};
  const int first = static_cast<int>(blockIdx.y) * strip;
  const int row = static_cast<int>(threadIdx.x / 32u) * strip;
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const int last = task.width - 1;  // Rows past the block are replaced by this one, and not stored.
  T sum[2][4] = {};
  const auto b = [&](int r, int k) { return conjugate_if<Adjoint>(corner[Half + min(row + r, last) + k * ld]); };
  multiply<2>(sum, first, b, [&](int k, int col) { return a(k, first + col); });
  multiply(sum, first + strip, Half, b, [&](int k, int col) { return a.below(k, first + col); });
#pragma unroll
  for (int n = 0; n < 2; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      product[(row + group + e / 2 * 8) * stride + 8 * n + 2 * quad + e % 2] = sum[n][e];
      sum[n][e] = T(0);
    }
  }
  __syncthreads();
  if (row > last) return;
  const auto right = [&](int k, int col) { return product[k * stride + col]; };
  multiply(
      sum, 0, row, [&](int r, int k) { return c.below(min(row + r, last), k); }, right);
  multiply<2>(
      sum, row, [&](int r, int k) { return c(min(row + r, last), k); }, right);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int j = row + group + e / 2 * 8;
      if (j <= last) corner[first + 8 * n + 2 * quad + e % 2 + (Half + j) * ld] = -sum[n][e];
    }
  }
}

template <class T, int Half>
using MergeKernel = void (*)(T*, std::int64_t, const PanelInfo*, const MergeInversesTask*);

/// Real scalars have one kernel for both.
template <class T, int Half>
MergeKernel<T, Half> kernel_for(bool adjoint) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (adjoint) return merge_inverses_kernel<T, Half, true>;
  }
  return merge_inverses_kernel<T, Half, false>;
}

template <class T, int Half>
void prepare(bool adjoint) {
  const auto kernel = kernel_for<T, Half>(adjoint);
  load_kernels(kernel);
  if constexpr (dynamic_bytes<T, Half> != 0) {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_bytes<T, Half>));
  }
}

template <class T, int Half>
void launch(const dim3& grid, T* values, const MergeInverses& merges, const PanelInfo* panels,
            const MergeInversesTask* tasks, cudaStream_t stream) {
  const auto kernel = kernel_for<T, Half>(merges.adjoint);
  kernel<<<grid, 2 * Half, dynamic_bytes<T, Half>, stream>>>(values, merges.partner, panels, tasks);
}

}  // namespace

template <class T>
void merge_block_inverses(T* values, const MergeInverses& merges, const PanelInfo* panels, const MergeInversesTask* tasks,
                          int count, int half, cudaStream_t stream) {
  if (count == 0) return;
  const dim3 grid{static_cast<unsigned>(count), static_cast<unsigned>(half / strip), merges.partner == 0 ? 1U : 2U};
  if (half == 64) launch<T, 64>(grid, values, merges, panels, tasks, stream);
  if (half == 128) launch<T, 128>(grid, values, merges, panels, tasks, stream);
  if (half == 256) launch<T, 256>(grid, values, merges, panels, tasks, stream);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("merge_block_inverses");
}

template <class T>
void prepare_inverse_merges(bool adjoint) {
  prepare<T, 64>(adjoint);
  prepare<T, 128>(adjoint);
  prepare<T, 256>(adjoint);
}

#define INSTANTIATE(T)                                                                                                  \
  template void prepare_inverse_merges<T>(bool);                                                                        \
  template void merge_block_inverses<T>(T*, const MergeInverses&, const PanelInfo*, const MergeInversesTask*, int, int, \
                                        cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
