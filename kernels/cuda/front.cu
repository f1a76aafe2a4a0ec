/// \file
/// Small fronts, whole: factorize the panel in shared memory, write it back, subtract the update from the ancestors. One
/// launch for what takes three where a front is spread over CTAs, and the panel is read once.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/scale_rows.cuh"
#include "kernels/cuda/subtract.cuh"
#include "kernels/cuda/trace.cuh"
#include "kernels/cuda/turns.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int tiny_stride = tiny_front + 4;
constexpr int tiny_warps = 4;

template <class T>
struct TinyRoom {
  T s[strip * tiny_stride];
  alignas(16) T scratch[strip_room];  // Read in pairs.
  T reciprocal[strip];
  ColumnTarget targets[tiny_front];
};

/// The update of a tiny front by 8×8 tiles; columns up to a multiple of four are zero.
template <class T>
__device__ void subtract_tiny(const FactorData<T>& data, const PanelInfo& panel, const TinyRoom<T>& room) {
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  for (int col = panel.width; col < panel.front; col += 8) {
    const bool other = col + group < panel.front;
    for (int row = col; row < panel.front; row += 8) {
      const int i = row + group;
      const bool inside = i < panel.front;
      T sum[2] = {};
#pragma unroll
      for (int k = 0; k < strip; k += 4) {
        if (k >= panel.width) break;
        const T* const column = room.s + (k + quad) * tiny_stride;
        mma_8x8x4(sum, inside ? column[i] : T(0), other ? column[col + group] : T(0));
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int j = col + 2 * quad + e;
        if (!inside || j > i) continue;
        const ColumnTarget target = room.targets[j - panel.width];
        atomicAdd(data.values + target.column + data.relative_rows[target.relative + i], -sum[e]);
      }
    }
  }
}

/// A warp a front of at most 16 columns and tiny_front rows, which are one strip. Bytes: 16 an entry of the panel, 8 an
/// entry of the update and its indices.
template <bool InOrder, class T>
__device__ void factor_tiny(const FactorData<T>& data, const PanelInfo& panel, TinyRoom<T>& room) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = panel.ld;
  T* const base = data.values + panel.offset;
  for (int j = panel.width + lane; j < panel.front; j += 32) room.targets[j - panel.width] = find_target(data, panel, j);
  await_launch_before();
  let_next_launch_begin();
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    for (int i = lane; i < panel.front; i += 32) {
      const bool valid = k < panel.width;
      copy_async<static_cast<int>(sizeof(T))>(room.s + k * tiny_stride + i, valid ? base + i + k * ld : base, valid);
    }
  }
  commit_copies();
  wait_for_copies<0>();
  __syncwarp();
  factor_single_strip(room.s, tiny_stride, room.reciprocal, room.scratch, panel.width, panel.front);
  for (int k = 0; k < panel.width; ++k) {
    for (int i = lane; i < panel.front; i += 32) base[i + k * ld] = room.s[k * tiny_stride + i];
  }
  if constexpr (InOrder) {
    for (int j = panel.width + lane; j < panel.front; j += 32) await_turn(data, panel, j);
    __syncwarp();
  }
  subtract_tiny(data, panel, room);
  if constexpr (InOrder) {
    __syncwarp();
    for (int j = panel.width + lane; j < panel.front; j += 32) end_turn(data, panel, j);
  }
}

template <class T, bool InOrder>
__global__ void __launch_bounds__(32 * tiny_warps) tiny_kernel(FactorData<T> data, const FrontTask* tasks, int count) {
  __shared__ __align__(shared_alignment) TinyRoom<T> rooms[tiny_warps];
  const int warp = warp_number();
  const int index = claim_task<InOrder>(data) * tiny_warps + warp;
  const TraceScope traced(data.trace, TracedWork::front, index < count ? tasks[index].panel : 0, blockIdx.x);
  if (index < count) return factor_tiny<InOrder>(data, data.panels[tasks[index].panel], rooms[warp]);
  await_launch_before();  // Nobody may let the next launch begin who has not waited.
}

/// Shared memory of a small front: the panel, whose columns are padded to eight and whose rows below to 32, and what its
/// diagonal block and its targets take.
template <class T>
struct SmallRoom {
  T* s;
  T* reciprocal;
  T* scratch;
  ColumnTarget* targets;

  __device__ explicit SmallRoom(unsigned char* shared) {
    targets = reinterpret_cast<ColumnTarget*>(shared);
    reciprocal = reinterpret_cast<T*>(targets + small_front);
    scratch = reciprocal + tile_size;
    s = scratch + block_room;
  }
  static constexpr int bytes(int entries) {
    return small_front * static_cast<int>(sizeof(ColumnTarget)) +
           (tile_size + block_room + entries) * static_cast<int>(sizeof(T));
  }
};
// With what the kernel has besides, a CTA of compute capability 7.5 has room for it.
static_assert(SmallRoom<double>::bytes(small_entries) + 256 <= 65536);

template <class T>
__device__ void load_panel(T* s, int stride, const T* base, const PanelInfo& panel) {
  const int width = (panel.width + tile_step - 1) / tile_step * tile_step;
  for (int k = static_cast<int>(threadIdx.x / 32u); k < width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32) {
      const bool valid = k < panel.width && k <= i;
      const std::int64_t from = i + k * static_cast<std::int64_t>(panel.ld);
      copy_async<static_cast<int>(sizeof(T))>(s + k * stride + i, valid ? base + from : base, valid);
    }
  }
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();
}

/// A CTA a front of at most 64 columns and small_front rows. Bytes: as for tiny ones; flops: w³/3 + r·w² + r²·w.
template <class T, bool InOrder>
__global__ void __launch_bounds__(block_threads, 2) small_kernel(FactorData<T> data, const FrontTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  const SmallRoom<T> room(shared);
  const FrontTask task = tasks[claim_task<InOrder>(data)];
  const TraceScope traced(data.trace, TracedWork::front, task.panel, blockIdx.x);
  const PanelInfo panel = data.panels[task.panel];
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int width = panel.width;
  const int stride = task.stride;
  T* const s = room.s;
  T* const base = data.values + panel.offset;
  for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads) {
    room.targets[j - width] = find_target(data, panel, j);
  }
  await_launch_before();
  let_next_launch_begin();
  load_panel(s, stride, base, panel);
  factor_block(s, stride, room.reciprocal, room.scratch, width);
  const bool correct = inverse_grows(s, stride, room.reciprocal, room.scratch, width);
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  for (int first = width + 8 * warp; first < panel.front; first += 8 * block_warps) {
    const int row = first + group;
    const bool inside = row < panel.front;
    scale_eight_rows(
        s, stride, room.reciprocal, width, correct,
        [&](int step) {
          const int k = 4 * step + quad;
          return inside && k < width ? s[k * stride + row] : T(0);
        },
        [&](int j, T value) {
          if (inside) s[j * stride + row] = value;
        });
  }
  __syncthreads();
  for (int k = warp; k < width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32) {
      base[i + k * static_cast<std::int64_t>(panel.ld)] = s[k * stride + i];
    }
  }
  if constexpr (InOrder) {
    for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads) await_turn(data, panel, j);
    __syncthreads();
  }
  int number = 0;
  for (int row = width; row < panel.front; row += 32) {
    for (int col = width; col <= row; col += 32) {
      if (number++ % block_warps != warp) continue;
      const TilePlace place(0, 0);
      TileSums<T> acc = {};
      const T* const left = s + row;
      for (int k = 0; k < width; k += tile_step) {
        multiply_step<T>(left + k * stride, s + col + k * stride, stride, place, acc);
      }
      subtract_sums<T>(data, room.targets + col - width, row, col, col, panel.front, panel.front, place, acc);
    }
  }
  if constexpr (InOrder) {
    __syncthreads();
    for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads) end_turn(data, panel, j);
  }
}

}  // namespace

template <class T>
void factor_tiny_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = data.turns == nullptr ? tiny_kernel<T, false> : tiny_kernel<T, true>;
  launch_early(kernel, dim3(static_cast<unsigned>((count + tiny_warps - 1) / tiny_warps)), 32 * tiny_warps, 0, data.early,
               stream, data, tasks, count);
}

template <class T>
void factor_small_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = data.turns == nullptr ? small_kernel<T, false> : small_kernel<T, true>;
  launch_early(kernel, dim3(static_cast<unsigned>(count)), block_threads, SmallRoom<T>::bytes(entries), data.early, stream,
               data, tasks);
}

template <class T>
void prepare_factor_kernels() {
  prepare_products<T>();
  for (const auto kernel : {small_kernel<T, false>, small_kernel<T, true>}) {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SmallRoom<T>::bytes(small_entries)));
  }
}

#define INSTANTIATE(T)                                                                                  \
  template void factor_tiny_fronts<T>(const FactorData<T>&, const FrontTask*, int, cudaStream_t);       \
  template void factor_small_fronts<T>(const FactorData<T>&, const FrontTask*, int, int, cudaStream_t); \
  template void prepare_factor_kernels<T>()
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
