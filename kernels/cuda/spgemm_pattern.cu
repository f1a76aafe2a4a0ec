#include <algorithm>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/spgemm_kernels.hpp"
#include "kernels/cuda/spgemm_words.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int pattern_threads = 256;
constexpr int long_threads = 512;

/// Shared memory of a group's table in integers: keys and masks, to write also bases and the list of used slots.
constexpr int count_table_integers(int size) { return 2 * size; }
constexpr int write_table_integers(int size) { return 3 * size + size / 2; }

/// The row of a group of lanes; groups beyond the last have an empty one.
template <int Lanes>
struct GroupRow {
  LaneGroup<Lanes> group;
  std::int32_t row = -1;
  std::int32_t begin = 0;  ///< In A.
  std::int32_t end = 0;

  __device__ GroupRow(const ProductOperands& p, const BinRows& rows) {
    const std::int64_t task = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes;
    if (task >= rows.count) return;
    row = rows.rows[rows.count - 1 - task];
    begin = p.a.offsets[row];
    end = p.a.offsets[row + 1];
  }
};

template <int Lanes>
__device__ void insert_row(const ProductOperands& p, const GroupRow<Lanes>& r, const WordTable& table) {
  table.clear(r.group.lane, Lanes);
  r.group.sync();
  if (p.with_diagonal && r.group.lane == 0 && r.row >= 0) table.insert(r.row);
  for_each_product(p, r.begin, r.end, r.group, [&](std::int32_t column, std::int64_t) { table.insert(column); });
  r.group.sync();
}

template <int Lanes>
__global__ void __launch_bounds__(pattern_threads)
    count_kernel(ProductOperands p, BinRows rows, int size, std::int32_t* counts, std::int32_t* words) {
  extern __shared__ std::int32_t memory[];
  const GroupRow<Lanes> r(p, rows);
  std::int32_t* const own = memory + static_cast<int>(threadIdx.x) / Lanes * count_table_integers(size);
  const WordTable table{own, reinterpret_cast<std::uint32_t*>(own + size), nullptr, size};
  insert_row(p, r, table);
  std::int32_t columns = 0, used = 0;
  for (int s = r.group.lane; s < size; s += Lanes) {
    columns += __popc(table.masks[s]);
    used += table.keys[s] != WordTable::none ? 1 : 0;
  }
  columns = r.group.sum(columns);
  used = r.group.sum(used);
  if (r.group.lane != 0 || r.row < 0) return;
  counts[r.row] = columns;
  words[r.row] = used;
}

/// Lists the used slots; returns their number.
template <int Lanes>
__device__ std::int32_t list_slots(const LaneGroup<Lanes>& group, const WordTable& table, std::int32_t* slots) {
  std::int32_t used = 0;
  for (int s = group.lane; s < table.size; s += Lanes) {
    const bool is_used = table.keys[s] != WordTable::none;
    const unsigned lanes = group.ballot(is_used);
    if (is_used) slots[used + __popc(lanes & ((1u << group.lane) - 1u))] = s;
    used += __popc(lanes);
  }
  group.sync();
  return used;
}

/// Numbers the columns: those of smaller words come first.
template <int Lanes>
__device__ void number_words(const LaneGroup<Lanes>& group, const WordTable& table, const std::int32_t* slots,
                             std::int32_t used) {
  for (std::int32_t x = group.lane; x < used; x += Lanes) {
    const std::int32_t word = table.keys[slots[x]];
    std::int32_t base = 0;
#pragma unroll 4
    for (std::int32_t y = 0; y < used; ++y) {
      const std::int32_t s = slots[y];
      base += table.keys[s] < word ? __popc(table.masks[s]) : 0;
    }
    table.bases[slots[x]] = base;
  }
  group.sync();
}

template <int Lanes, class Place>
__global__ void __launch_bounds__(pattern_threads)
    write_kernel(ProductOperands p, BinRows rows, int size, PatternTarget to) {
  extern __shared__ std::int32_t memory[];
  GroupRow<Lanes> r(p, rows);
  std::int32_t* const own = memory + static_cast<int>(threadIdx.x) / Lanes * write_table_integers(size);
  const WordTable table{own, reinterpret_cast<std::uint32_t*>(own + size), own + 2 * size, size};
  std::int32_t* const slots = own + 3 * size;
  insert_row(p, r, table);
  const std::int32_t used = list_slots(r.group, table, slots);
  number_words(r.group, table, slots, used);
  const std::int64_t begin = r.row >= 0 ? to.offsets[r.row] : 0;
  for (std::int32_t x = r.group.lane; x < used; x += Lanes) {
    const std::int32_t s = slots[x], first = table.keys[s] * 32;
    std::int32_t* next = to.index + begin + table.bases[s];
    for (std::uint32_t rest = table.masks[s]; rest != 0; rest &= rest - 1) *next++ = first + __ffs(rest) - 1;
  }
  if (to.places == nullptr) return;
  r.group.sync();
  if (r.row < 0 || to.offsets[r.row + 1] - begin > to.part) r.end = r.begin;
  Place* const places = static_cast<Place*>(to.places) + (r.row >= 0 ? to.before[r.row] : 0);
  for_each_product(p, r.begin, r.end, r.group,
                   [&](std::int32_t column, std::int64_t k) { places[k] = static_cast<Place>(table.place(column)); });
}

/// The sum over the CTA and, for each thread, that of the threads before it. `warps` has a number for each warp.
__device__ std::int32_t sum_before(std::int32_t number, std::int32_t* warps, std::int32_t& total) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  std::int32_t sum = number;
  for (int step = 1; step < 32; step *= 2) {
    const std::int32_t below = __shfl_up_sync(0xFFFFFFFFu, sum, step);
    if (lane >= step) sum += below;
  }
  __syncthreads();  // The numbers of the call before were read.
  if (lane == 31) warps[warp] = sum;
  __syncthreads();
  std::int32_t before = 0;
  total = 0;
  for (int w = 0; w < long_threads / 32; ++w) {
    if (w < warp) before += warps[w];
    total += warps[w];
  }
  return before + sum - number;
}

/// A CTA for each row, by bits in global memory: for rows whose table would not fit into shared memory. `index` = nullptr:
/// counts only.
__global__ void __launch_bounds__(long_threads)
    long_rows_kernel(ProductOperands p, BinRows rows, LongRows memory, const std::int64_t* offsets, std::int32_t* index,
                     std::int32_t* counts, std::int32_t* words) {
  __shared__ std::int32_t warps[long_threads / 32];
  __shared__ std::int32_t lowest, highest;
  std::uint32_t* const bits = memory.bits + blockIdx.x * memory.words;
  const LaneGroup<32> warp;
  for (std::int64_t task = blockIdx.x; task < rows.count; task += gridDim.x) {
    const std::int32_t row = rows.rows[task];
    if (threadIdx.x == 0) {
      lowest = p.with_diagonal ? row / 32 : static_cast<std::int32_t>(memory.words);
      highest = p.with_diagonal ? row / 32 : -1;
      if (p.with_diagonal) atomicOr(bits + row / 32, 1u << (row % 32));
    }
    __syncthreads();
    for (std::int32_t e = p.a.offsets[row] + static_cast<int>(threadIdx.x) / 32; e < p.a.offsets[row + 1];
         e += long_threads / 32) {
      const std::int32_t k = p.a.index[e], begin = p.b.offsets[k];
      const std::int32_t end = p.lengths != nullptr ? begin + p.lengths[e] : p.b.offsets[k + 1];
      for (std::int32_t f = begin + warp.lane; f < end; f += 32)
        atomicOr(bits + p.b.index[f] / 32, 1u << (p.b.index[f] % 32));
      if (warp.lane == 0 && begin < end) {
        atomicMin(&lowest, p.b.index[begin] / 32);
        atomicMax(&highest, p.b.index[end - 1] / 32);
      }
    }
    __syncthreads();
    std::int32_t columns = 0, used = 0;
    for (std::int32_t first = lowest; first <= highest; first += long_threads) {
      const std::int32_t word = first + static_cast<std::int32_t>(threadIdx.x);
      const std::uint32_t mask = word <= highest ? bits[word] : 0;
      std::int32_t here = 0, here_used = 0;
      std::int32_t next = columns + sum_before(__popc(mask), warps, here);
      sum_before(mask != 0 ? 1 : 0, warps, here_used);
      columns += here;
      used += here_used;
      if (mask != 0) bits[word] = 0;
      if (index == nullptr) continue;
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
        index[offsets[row] + next++] = word * 32 + __ffs(rest) - 1;
    }
    if (index == nullptr && threadIdx.x == 0) {
      counts[row] = columns;
      words[row] = used;
    }
    __syncthreads();
  }
}

/// CTAs of as many groups as shared memory without a special request has.
struct GroupLaunch {
  unsigned blocks;
  unsigned threads;
  std::size_t bytes;

  GroupLaunch(std::int64_t tasks, int lanes, std::int64_t bytes_of_group) {
    constexpr std::int64_t limit = 48 * 1024;
    const std::int64_t of_warp = bytes_of_group * (32 / lanes);
    const std::int64_t warps = std::clamp<std::int64_t>(limit / std::max<std::int64_t>(of_warp, 1), 1, pattern_threads / 32);
    threads = static_cast<unsigned>(32 * warps);
    bytes = static_cast<std::size_t>(warps * of_warp);
    blocks = static_cast<unsigned>((tasks * lanes + threads - 1) / threads);
  }
};

void launch_long_rows(const ProductOperands& p, const BinRows& rows, const LongRows& memory, const std::int64_t* offsets,
                      std::int32_t* index, std::int32_t* counts, std::int32_t* words, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>(std::min<std::int64_t>(memory.ctas, rows.count));
  long_rows_kernel<<<ctas, long_threads, 0, stream>>>(p, rows, memory, offsets, index, counts, words);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("long_rows");
}

template <class Place>
void write_rows(const ProductOperands& p, const BinRows& rows, int lanes, const PatternTarget& target, cudaStream_t stream) {
  const int size = 2 * bin_size(rows.bin);
  const GroupLaunch launch(rows.count, lanes, write_table_integers(size) * 4);
  if (lanes == 8) {
    write_kernel<8, Place><<<launch.blocks, launch.threads, launch.bytes, stream>>>(p, rows, size, target);
  } else {
    write_kernel<32, Place><<<launch.blocks, launch.threads, launch.bytes, stream>>>(p, rows, size, target);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("write_product_rows");
}

/// Four tables of eight lanes must fit into a warp's share.
int lanes_of_bin(int lanes, int bin) { return bin_size(bin) > 128 ? 32 : lanes; }

}  // namespace

void count_product_rows(const ProductOperands& p, const BinRows& rows, int lanes, const LongRows& memory,
                        std::int32_t* counts, std::int32_t* words, cudaStream_t stream) {
  if (rows.count == 0) return;
  if (rows.bin == product_bins - 1) return launch_long_rows(p, rows, memory, nullptr, nullptr, counts, words, stream);
  const int size = bin_size(rows.bin);  // The bound of the bin is far above what most rows have.
  lanes = lanes_of_bin(lanes, rows.bin);
  const GroupLaunch launch(rows.count, lanes, count_table_integers(size) * 4);
  if (lanes == 8) {
    count_kernel<8><<<launch.blocks, launch.threads, launch.bytes, stream>>>(p, rows, size, counts, words);
  } else {
    count_kernel<32><<<launch.blocks, launch.threads, launch.bytes, stream>>>(p, rows, size, counts, words);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("count_product_rows");
}

void write_product_rows(const ProductOperands& p, const BinRows& rows, int lanes, const LongRows& memory,
                        const PatternTarget& target, cudaStream_t stream) {
  if (rows.count == 0) return;
  if (rows.bin == product_bins - 1)
    return launch_long_rows(p, rows, memory, target.offsets, target.index, nullptr, nullptr, stream);
  lanes = lanes_of_bin(lanes, rows.bin);
  if (target.place_bytes == 2) return write_rows<std::uint16_t>(p, rows, lanes, target, stream);
  write_rows<std::uint8_t>(p, rows, lanes, target, stream);
}

}  // namespace gpusupernodal::cuda
