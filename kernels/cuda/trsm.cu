/// \file
/// Rows below a factorized diagonal block: a product with the inverse that is stored above its diagonal.

#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/ldlt_kernels.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_kernels.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/trace.cuh"
#include "kernels/cuda/trsm_below.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int stride = block_stride;

enum class Kind { cholesky, lu, ldlt, symmetric };

/// One CTA per 64 rows: tensor-core tiles in double precision; in single precision each warp computes two groups of
/// four columns. If no launch in flight writes the rows, they are read before the block's factorization has ended;
/// these reads bypass the L1 cache, which may be older than the launches before. Bytes: 2·64·w and 2·w² read through
/// L2; flops 64·w², three times that if the block's inverse grows. LU: rows of L (blockIdx.y = 0) are solved with the
/// triangle of Uᵀ, and rows of Uᵀ with that of L; `partner` is the distance between both. LDLᵀ: columns of the result get
/// the signs of the diagonal, except those of complex symmetric matrices, which have none.
template <class T, Kind kind>
__global__ void __launch_bounds__(block_threads)
    trsm_kernel(FactorData<T> data, const TrsmTask* tasks, bool rows_are_ready, std::int64_t partner) {
  constexpr bool is_lu = kind == Kind::lu;
  constexpr bool has_signs = kind != Kind::cholesky;  // Entries of the diagonal may be negative.
  constexpr bool adjoint = kind == Kind::cholesky || kind == Kind::ldlt;
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  TrsmMemory<T>& own = *reinterpret_cast<TrsmMemory<T>*>(shared);
  const TraceScope traced(data.trace, TracedWork::scale, tasks[blockIdx.x].panel, blockIdx.x);
  const TrsmTask task = tasks[blockIdx.x];
  const PanelInfo panel = data.panels[task.panel];
  const PanelBlock block = block_of(panel, task.column);
  const std::int64_t ld = block.ld;
  const bool upper = is_lu && blockIdx.y == 1;
  const T* const diagonal = data.values + (is_lu && !upper ? partner : 0) + block.index(task.column, task.column);
  const int t = static_cast<int>(threadIdx.x);
  const int i = t % tile_size;
  constexpr int columns_per_round = block_threads / tile_size;
  constexpr int rounds = tile_size / columns_per_round;
  constexpr bool in_shared = trsm_uses_fma<T> || trsm_uses_tiles<T>;
  // A thread's row in memory order, or one of the eight rows per warp that its lane holds.
  const int row = in_shared ? i : t / 32 * 8 + (t & 31) / 4;
  T* const first = data.values + (upper ? partner : 0) + block.index(task.row, task.column);
  const int rows = min(tile_size, panel.front - task.row);
  T before[rounds], entry[rounds];
  const auto read_rows = [&] {
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const int k = in_shared ? r * columns_per_round + t / tile_size : 4 * r + (t & 3);
      before[r] = row < rows && k < task.width ? load_l2(first + row + k * ld) : T(0);
    }
  };
  if (rows_are_ready) read_rows();
  await_launch_before();
  let_next_launch_begin();
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int k = r * columns_per_round + t / tile_size;
    entry[r] = i < task.width && k < task.width ? load_l2(diagonal + i + k * ld) : T(0);
  }
  if (!rows_are_ready) read_rows();
  Real<T> largest_row = Real<T>(0), largest_column = Real<T>(0);
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int k = r * columns_per_round + t / tile_size;
    own.s[k * stride + i] = entry[r];
    if constexpr (in_shared) own.below[k * stride + i] = before[r];
    if (k <= i) largest_row = max(largest_row, magnitude_bound(entry[r]));
    if (k > i) largest_column = max(largest_column, magnitude_bound(entry[r]));
  }
  __syncthreads();
  if (t < tile_size) {  // One division per lane, not one per column that a warp has.
    const T pivot = own.s[t * (stride + 1)];
    const bool good = (has_signs ? pivot != T(0) : ScalarTraits<T>::real(pivot) > Real<T>(0)) && is_finite(pivot);
    const T reciprocal = good ? inverse_of(pivot) : T(0);
    own.reciprocal[t] = reciprocal;
    largest_column = max(largest_column, has_signs ? magnitude_bound(reciprocal) : ScalarTraits<T>::real(reciprocal));
  }
  const bool correct = inverse_grows(largest_row, largest_column, own.shared_memory);
  const auto signs = column_signs<kind == Kind::ldlt>(static_cast<const T*>(own.reciprocal), 1);
  if constexpr (in_shared) {
    trsm_tile<false, adjoint>(own.s, stride, own.reciprocal, task.width, correct, own.below, stride, rows,
                              [&](int r, int j, T value) { first[r + j * ld] = signs(value, j); });
  } else {
    trsm_eight_rows<adjoint>(
        own.s, stride, own.reciprocal, task.width, correct, [&](int step) { return before[step]; },
        [&](int j, T value) {
          if (row < rows) first[row + j * ld] = signs(value, j);
        });
  }
}

/// Dynamic shared memory on the current device, in bytes.
template <class T>
int trsm_bytes() {
  return trsm_memory<T>(shared_memory_limit()).dynamic_bytes;
}

}  // namespace

template <class T>
void trsm_below(const FactorData<T>& data, const TrsmTask* tasks, int count, bool rows_are_ready, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(trsm_kernel<T, Kind::cholesky>, dim3(static_cast<unsigned>(count)), block_threads, trsm_bytes<T>(),
               data.early, stream, data, tasks, rows_are_ready, std::int64_t{0});
}

template <class T>
void lu_trsm_below(const LuData<T>& lu, const TrsmTask* tasks, int count, bool rows_are_ready, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(trsm_kernel<T, Kind::lu>, dim3(static_cast<unsigned>(count), 2), block_threads, trsm_bytes<T>(),
               lu.data.early, stream, lu.data, tasks, rows_are_ready, lu.partner);
}

template <class T>
void ldlt_trsm_below(const LdltData<T>& data, const TrsmTask* tasks, int count, bool rows_are_ready, cudaStream_t stream) {
  if (count == 0) return;
  const FactorData<T>& panels = data;
  auto kernel = trsm_kernel<T, Kind::ldlt>;
  if constexpr (ScalarTraits<T>::is_complex) {
    if (data.is_symmetric) kernel = trsm_kernel<T, Kind::symmetric>;
  }
  launch_early(kernel, dim3(static_cast<unsigned>(count)), block_threads, trsm_bytes<T>(), data.early, stream, panels, tasks,
               rows_are_ready, std::int64_t{0});
}

namespace {

template <class T, Kind kind>
void prepare_kernel() {
  load_kernels(trsm_kernel<T, kind>);
  GPUSUPERNODAL_CUDA_CHECK(
      cudaFuncSetAttribute(trsm_kernel<T, kind>, cudaFuncAttributeMaxDynamicSharedMemorySize, trsm_bytes<T>()));
}

}  // namespace

template <class T>
void prepare_trsm() {
  prepare_kernel<T, Kind::cholesky>();
}

template <class T>
void prepare_lu_trsm() {
  prepare_kernel<T, Kind::lu>();
}

template <class T>
void prepare_ldlt_trsm(bool symmetric) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (symmetric) return prepare_kernel<T, Kind::symmetric>();
  }
  prepare_kernel<T, Kind::ldlt>();
}

#define INSTANTIATE(T)             \
  template void prepare_trsm<T>(); \
  template void trsm_below<T>(const FactorData<T>&, const TrsmTask*, int, bool, cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#if GPUSUPERNODAL_HAVE_LDLT
#define INSTANTIATE(T)                      \
  template void prepare_ldlt_trsm<T>(bool); \
  template void ldlt_trsm_below<T>(const LdltData<T>&, const TrsmTask*, int, bool, cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif
#if GPUSUPERNODAL_HAVE_LU
#define INSTANTIATE(T)                \
  template void prepare_lu_trsm<T>(); \
  template void lu_trsm_below<T>(const LuData<T>&, const TrsmTask*, int, bool, cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif

}  // namespace gpusupernodal::cuda
