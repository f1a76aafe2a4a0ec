#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/spgemm_kernels.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Eight lanes for each row.
template <class Offset>
__global__ void __launch_bounds__(flat_threads)
    check_kernel(const Offset* offsets, const std::int32_t* index, std::int32_t rows, std::int32_t columns,
                 std::int64_t entries, std::int32_t* flag) {
  const int lane = threadIdx.x % 8;
  for (std::int64_t i = flat_index() / 8; i < rows; i += flat_step() / 8) {
    const std::int64_t begin = offsets[i], end = offsets[i + 1];
    bool wrong = (i == 0 && begin != 0) || (i == rows - 1 && end != entries) || begin < 0 || end < begin || end > entries;
    for (std::int64_t e = begin + lane; !wrong && e < end; e += 8) {
      const std::int32_t column = index[e];
      wrong = column < 0 || column >= columns || (e > begin && index[e - 1] >= column);
    }
    if (wrong) *flag = 1;
  }
}

__global__ void __launch_bounds__(flat_threads)
    narrow_kernel(const std::int64_t* wide, std::int64_t count, std::int32_t* narrow) {
  for (std::int64_t i = flat_index(); i < count; i += flat_step()) narrow[i] = static_cast<std::int32_t>(wide[i]);
}

__global__ void __launch_bounds__(flat_threads)
    widen_kernel(const std::int32_t* from, std::int64_t count, std::int64_t* to) {
  for (std::int64_t i = flat_index(); i < count; i += flat_step()) to[i] = from[i];
}

/// Eight lanes for each row. Ends early where another row has failed.
template <int Block>
__global__ void __launch_bounds__(flat_threads) blocks_kernel(ProductPattern p, std::int32_t* flag) {
  const int lane = threadIdx.x % 8;
  for (std::int64_t i = flat_index() / 8; i < p.rows && *const_cast<volatile std::int32_t*>(flag) == 0;
       i += flat_step() / 8) {
    const std::int64_t first = i / Block * Block;
    const std::int32_t begin = p.offsets[i], count = p.offsets[i + 1] - begin, model = p.offsets[first];
    bool wrong = count % Block != 0 || p.offsets[first + 1] - model != count;
    for (std::int32_t e = lane; !wrong && e < count; e += 8) {
      const std::int32_t column = p.index[begin + e];
      wrong = column != p.index[begin + e / Block * Block] + e % Block || column % Block != e % Block ||
              column != p.index[model + e];
    }
    if (wrong) *flag = 1;
  }
}

/// Eight lanes for each block row.
__global__ void __launch_bounds__(flat_threads)
    take_blocks_kernel(ProductPattern p, std::int32_t block, std::int32_t* offsets, std::int32_t* index) {
  const std::int32_t rows = p.rows / block;
  const int lane = threadIdx.x % 8;
  for (std::int64_t i = flat_index() / 8; i <= rows; i += flat_step() / 8) {
    const std::int32_t begin = p.offsets[i * block], to = begin / (block * block);
    if (lane == 0) offsets[i] = to;
    if (i == rows) continue;
    const std::int32_t count = (p.offsets[i * block + 1] - begin) / block;
    for (std::int32_t e = lane; e < count; e += 8) index[to + e] = p.index[begin + e * block] / block;
  }
}

/// Sum of a number over eight neighbouring lanes, all of which call it.
template <class Number>
__device__ Number sum_of_eight(Number number) {
  const unsigned mask = 0xFFu << (threadIdx.x % 32 / 8 * 8);
  for (int step = 4; step > 0; step /= 2) number += __shfl_xor_sync(mask, number, step, 8);
  return number;
}

__global__ void __launch_bounds__(flat_threads) words_kernel(ProductPattern b, std::int32_t* words) {
  const int lane = threadIdx.x % 8;
  for (std::int64_t k = flat_index() / 8; k < b.rows; k += flat_step() / 8) {
    const std::int32_t begin = b.offsets[k], end = b.offsets[k + 1];
    std::int32_t count = 0;
    for (std::int32_t e = begin + lane; e < end; e += 8) {
      if (e == begin || b.index[e] / 32 != b.index[e - 1] / 32) ++count;
    }
    count = sum_of_eight(count);
    if (lane == 0) words[k] = count;
  }
}

__global__ void __launch_bounds__(flat_threads)
    bound_kernel(ProductOperands p, const std::int32_t* words, std::int32_t* bounds, std::int64_t* products) {
  constexpr std::int64_t largest = 1 << 30;
  const int lane = threadIdx.x % 8;
  for (std::int64_t i = flat_index() / 8; i < p.a.rows; i += flat_step() / 8) {
    std::int64_t bound = 0, count = 0;
    for (std::int32_t e = p.a.offsets[i] + lane; e < p.a.offsets[i + 1]; e += 8) {
      const std::int32_t k = p.a.index[e];
      bound += words[k];
      count += p.lengths != nullptr ? p.lengths[e] : p.b.offsets[k + 1] - p.b.offsets[k];
    }
    bound = sum_of_eight(bound) + (p.with_diagonal ? 1 : 0);
    count = sum_of_eight(count);
    if (lane != 0) continue;
    bounds[i] = static_cast<std::int32_t>(bound < largest ? bound : largest);
    products[i] = count;
  }
}

__device__ int bin_of(std::int32_t size, std::int32_t limit) {
  if (size > limit) return product_bins - 1;
  int bin = 0;
  while (size > bin_size(bin)) ++bin;
  return bin;
}

__global__ void __launch_bounds__(flat_threads)
    count_bins_kernel(const std::int32_t* sizes, std::int32_t rows, std::int32_t limit, std::int32_t* counts,
                      std::int32_t* largest) {
  __shared__ std::int32_t own[product_bins];
  __shared__ std::int32_t own_largest;
  if (threadIdx.x < product_bins) own[threadIdx.x] = 0;
  if (threadIdx.x == product_bins) own_largest = 0;
  __syncthreads();
  for (std::int64_t i = flat_index(); i < rows; i += flat_step()) {
    atomicAdd(&own[bin_of(sizes[i], limit)], 1);
    if (sizes[i] > own_largest) atomicMax(&own_largest, sizes[i]);
  }
  __syncthreads();
  if (threadIdx.x < product_bins && own[threadIdx.x] > 0) atomicAdd(counts + threadIdx.x, own[threadIdx.x]);
  if (threadIdx.x == product_bins) atomicMax(largest, own_largest);
}

/// Each CTA takes 256 rows at a time, and a place in each list for those of a bin together.
__global__ void __launch_bounds__(flat_threads)
    list_bins_kernel(const std::int32_t* sizes, std::int32_t rows, std::int32_t limit, BinStarts starts, std::int32_t* next,
                     std::int32_t* list) {
  __shared__ std::int32_t own[product_bins];
  __shared__ std::int32_t place[product_bins];
  for (std::int64_t first = std::int64_t{blockIdx.x} * flat_threads; first < rows; first += flat_step()) {
    if (threadIdx.x < product_bins) own[threadIdx.x] = 0;
    __syncthreads();
    const std::int64_t i = first + threadIdx.x;
    const int bin = i < rows ? bin_of(sizes[i], limit) : -1;
    const std::int32_t at = bin >= 0 ? atomicAdd(&own[bin], 1) : 0;
    __syncthreads();
    if (threadIdx.x < product_bins) place[threadIdx.x] = atomicAdd(next + threadIdx.x, own[threadIdx.x]);
    __syncthreads();
    if (bin >= 0) list[starts.of[bin] + place[bin] + at] = static_cast<std::int32_t>(i);
  }
}

/// A warp for each block row.
template <int Block>
__global__ void __launch_bounds__(flat_threads)
    expand_kernel(const std::int64_t* block_offsets, const std::int32_t* block_index, std::int32_t rows,
                  std::int64_t* offsets, std::int32_t* index) {
  constexpr std::int64_t area = Block * Block;
  const int lane = threadIdx.x % 32;
  for (std::int64_t i = flat_index() / 32; i < rows; i += flat_step() / 32) {
    const std::int64_t begin = block_offsets[i];
    const auto width = static_cast<std::int32_t>(Block * (block_offsets[i + 1] - begin));
    std::int32_t* const to = index + area * begin;
    for (std::int32_t k = lane; k < width; k += 32) {
      const std::int32_t column = block_index[begin + k / Block] * Block + k % Block;
#pragma unroll
      for (int r = 0; r < Block; ++r) to[std::int64_t{r} * width + k] = column;
    }
    if (lane < Block) offsets[i * Block + lane] = area * begin + std::int64_t{lane} * width;
    if (lane == 0 && i == rows - 1) offsets[rows * std::int64_t{Block}] = area * block_offsets[rows];
  }
}

/// CTAs for eight lanes per row: few enough that their start costs little, enough to fill a device.
unsigned row_blocks(std::int64_t rows) { return std::min(flat_blocks(8 * rows), 2112U); }

}  // namespace

void check_product_rows(const std::int32_t* narrow, const std::int64_t* wide, const std::int32_t* index, std::int32_t rows,
                        std::int32_t columns, std::int64_t entries, std::int32_t* flag, cudaStream_t stream) {
  const unsigned blocks = row_blocks(rows);
  if (wide != nullptr) {
    check_kernel<<<blocks, flat_threads, 0, stream>>>(wide, index, rows, columns, entries, flag);
  } else {
    check_kernel<<<blocks, flat_threads, 0, stream>>>(narrow, index, rows, columns, entries, flag);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("check_product_rows");
}

void narrow_offsets(const std::int64_t* wide, std::int64_t count, std::int32_t* narrow, cudaStream_t stream) {
  narrow_kernel<<<flat_blocks(count), flat_threads, 0, stream>>>(wide, count, narrow);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("narrow_offsets");
}

void widen(const std::int32_t* from, std::int64_t count, std::int64_t* to, cudaStream_t stream) {
  widen_kernel<<<flat_blocks(count), flat_threads, 0, stream>>>(from, count, to);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("widen");
}

void test_exact_blocks(const ProductPattern& entries, std::int32_t block, std::int32_t* flag, cudaStream_t stream) {
  const unsigned blocks = row_blocks(entries.rows);
  if (block == 2) blocks_kernel<2><<<blocks, flat_threads, 0, stream>>>(entries, flag);
  if (block == 3) blocks_kernel<3><<<blocks, flat_threads, 0, stream>>>(entries, flag);
  if (block == 6) blocks_kernel<6><<<blocks, flat_threads, 0, stream>>>(entries, flag);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("test_exact_blocks");
}

void make_exact_blocks(const ProductPattern& entries, std::int32_t block, std::int32_t* offsets, std::int32_t* index,
                       cudaStream_t stream) {
  take_blocks_kernel<<<row_blocks(entries.rows / block + 1), flat_threads, 0, stream>>>(entries, block, offsets, index);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("make_exact_blocks");
}

void count_words(const ProductPattern& b, std::int32_t* words, cudaStream_t stream) {
  words_kernel<<<row_blocks(b.rows), flat_threads, 0, stream>>>(b, words);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("count_words");
}

void bound_rows(const ProductOperands& p, const std::int32_t* words, std::int32_t* bounds, std::int64_t* products,
                cudaStream_t stream) {
  bound_kernel<<<row_blocks(p.a.rows), flat_threads, 0, stream>>>(p, words, bounds, products);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("bound_rows");
}

void count_bins(const std::int32_t* sizes, std::int32_t rows, std::int32_t limit, std::int32_t* counts,
                std::int32_t* largest, cudaStream_t stream) {
  const unsigned blocks = flat_blocks(rows) < 1024 ? flat_blocks(rows) : 1024;
  count_bins_kernel<<<blocks, flat_threads, 0, stream>>>(sizes, rows, limit, counts, largest);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("count_bins");
}

void list_bins(const std::int32_t* sizes, std::int32_t rows, std::int32_t limit, const BinStarts& starts, std::int32_t* next,
               std::int32_t* list, cudaStream_t stream) {
  list_bins_kernel<<<flat_blocks(rows), flat_threads, 0, stream>>>(sizes, rows, limit, starts, next, list);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("list_bins");
}

void add_up(std::int64_t* numbers, std::int64_t count, void* workspace, std::size_t& workspace_bytes, cudaStream_t stream) {
  GPUSUPERNODAL_CUDA_CHECK(
      cub::DeviceScan::InclusiveSum(workspace, workspace_bytes, numbers, numbers, static_cast<int>(count), stream));
}

void expand_blocks(const std::int64_t* block_offsets, const std::int32_t* block_index, std::int32_t rows, std::int32_t block,
                   std::int64_t* offsets, std::int32_t* index, cudaStream_t stream) {
  const unsigned blocks = flat_blocks(std::int64_t{32} * rows);
  if (block == 2) expand_kernel<2><<<blocks, flat_threads, 0, stream>>>(block_offsets, block_index, rows, offsets, index);
  if (block == 3) expand_kernel<3><<<blocks, flat_threads, 0, stream>>>(block_offsets, block_index, rows, offsets, index);
  if (block == 6) expand_kernel<6><<<blocks, flat_threads, 0, stream>>>(block_offsets, block_index, rows, offsets, index);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("expand_blocks");
}

}  // namespace gpusupernodal::cuda
