#include <algorithm>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/spgemm_kernels.hpp"
#include "kernels/cuda/spgemm_words.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int value_threads = 256;

/// How a kernel finds the place of a product in a row of C.
enum class Places { looked_up, bytes, shorts };

/// The rows that a launch computes, or parts of rows.
struct RowTasks {
  BinRows rows;
  const std::int32_t* firsts;  ///< First block of each part; nullptr: whole rows.
  std::int32_t part;           ///< Blocks of a part at most.
  int capacity;                ///< Blocks whose sums a group has memory for; slots of its table if it has one.
  int table;                   ///< Slots of the table, if places are looked up; else 0.
};

template <class S>
constexpr std::int64_t group_bytes(int capacity, int block, int table) {
  return (std::int64_t{capacity} * block * block * static_cast<std::int64_t>(sizeof(S)) + std::int64_t{4} * table + 15) /
         16 * 16;
}

/// The columns of a part of a row of C, hashed; at most half full. The slot of a column is where its sums are.
struct ColumnTable {
  static constexpr std::int32_t none = -1;

  std::int32_t* keys;
  std::int32_t size;  ///< A power of two.

  __device__ std::int32_t first_slot(std::int32_t column) const {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(column) * 2654435769u) >> 7) & (size - 1);
  }
  __device__ void insert(std::int32_t column) const {
    std::int32_t s = first_slot(column);
    while (atomicCAS(keys + s, none, column) != none) s = (s + 1) & (size - 1);
  }
  /// −1 if the column is not in this part.
  __device__ std::int32_t slot(std::int32_t column) const {
    std::int32_t s = first_slot(column);
    while (true) {
      const std::int32_t key = keys[s];
      if (key == column) return s;
      if (key == none) return none;
      s = (s + 1) & (size - 1);
    }
  }
};

/// What a group of lanes knows about its row of C.
template <class S, int Block, int Lanes, Places Kind>
struct RowSums {
  const ProductValues<S>& v;
  LaneGroup<Lanes> group;
  S* sums;            ///< Block rows of `width` sums each.
  ColumnTable table;  ///< For Places::looked_up.
  std::int64_t row_places = 0;
  std::int32_t width = 0;
  std::int32_t a_begin = 0;  ///< The row of A.
  std::int32_t a_end = 0;

  /// The place of block f of B, product k of the row; −1: outside this part.
  __device__ std::int32_t place(std::int32_t f, std::int64_t k) const {
    if constexpr (Kind == Places::looked_up) return table.slot(__ldg(v.p.b.index + f));
    if constexpr (Kind == Places::bytes) return __ldg(static_cast<const std::uint8_t*>(v.places) + row_places + k);
    return __ldg(static_cast<const std::uint16_t*>(v.places) + row_places + k);
  }

  /// The place of block x of the row of C.
  __device__ std::int32_t place_of_column(const std::int32_t* columns, std::int32_t x) const {
    if constexpr (Kind == Places::looked_up) return table.slot(columns[x]);
    return x;
  }

  __device__ void fill_table(const std::int32_t* columns, std::int32_t count) const {
    for (std::int32_t s = group.lane; s < table.size; s += Lanes) table.keys[s] = ColumnTable::none;
    group.sync();
    for (std::int32_t x = group.lane; x < count; x += Lanes) table.insert(columns[x]);
  }

  /// Adds up for a row of A: calls work with the begin and the length of rows of B, `Lanes` of them at a time, one in each
  /// lane; lanes beyond the last have the length 0.
  template <class Work>
  __device__ void for_rows_of_b(const Work& work) const {
    for (std::int32_t first = a_begin; group.any(first < a_end); first += Lanes) {
      const std::int32_t e = first + group.lane;
      std::int32_t begin = 0, count = 0;
      if (e < a_end) {
        const std::int32_t k = v.p.a.index[e];
        begin = v.p.b.offsets[k];
        count = v.p.lengths != nullptr ? v.p.lengths[e] : v.p.b.offsets[k + 1] - begin;
      }
      work(first, begin, count, min(Lanes, a_end - first));
    }
  }

  /// Single entries. A step takes as many entries of one row of B as there are lanes; they go to different places, so the
  /// lanes do not meet. What four steps load does not depend on sums.
  __device__ void add_rows() const {
    constexpr int together = 4;
    std::int64_t before = group.lane;  // Products of this row until row t of B.
    for_rows_of_b([&](std::int32_t first, std::int32_t begin, std::int32_t count, int rows) {
      const S factor = first + group.lane < a_end ? __ldg(v.a + first + group.lane) : S(0);
      int t = 0;
      std::int32_t q = 0;  // Entries of row t of B that are done.
      while (group.any(t < rows)) {
        std::int32_t at[together];
        S number[together], a[together];
#pragma unroll
        for (int u = 0; u < together; ++u) {
          // All groups take part; those whose rows are over have t = rows, and a length of 0.
          const int source = max(min(t, rows - 1), 0);
          const std::int32_t from = group.from(begin, source), of_source = group.from(count, source);
          const std::int32_t length = t < rows ? of_source : 0;
          a[u] = group.from(factor, source);
          at[u] = -1;
          number[u] = S(0);
          if (q + group.lane < length) {
            at[u] = place(from + q + group.lane, before + q);
            number[u] = __ldg(v.b + from + q + group.lane);
          }
          q += Lanes;
          if (q >= length) {
            before += length;
            q = 0;
            ++t;
          }
        }
#pragma unroll
        for (int u = 0; u < together; ++u) {
          if (at[u] >= 0) sums[at[u]] += a[u] * number[u];
          group.sync();
        }
      }
    });
  }

  /// Rows of blocks of B: a lane has one column of a block, and the sums of its rows.
  __device__ void add_block_rows() const {
    constexpr std::int64_t area = Block * Block;
    const std::int64_t a_width = std::int64_t{Block} * (a_end - a_begin);
    std::int64_t before = 0;
    for_rows_of_b([&](std::int32_t first, std::int32_t begin, std::int32_t count, int rows) {
      const S* a = v.a + area * a_begin + std::int64_t{Block} * (first - a_begin);
      for (int t = 0; t < rows; ++t, a += Block) {
        const std::int32_t from = group.from(begin, t), length = group.from(count, t);
        add_block_row(a, a_width, from, length, before);
        before += length;
        group.sync();
      }
    });
  }

  __device__ void add_block_row(const S* a, std::int64_t a_width, std::int32_t from, std::int32_t length,
                                std::int64_t before) const {
    constexpr std::int64_t area = Block * Block;
    const std::int64_t b_width = std::int64_t{Block} * length;
    const S* const b = v.b + area * from;
    S factors[Block][Block];
#pragma unroll
    for (int r = 0; r < Block; ++r) {
#pragma unroll
      for (int t = 0; t < Block; ++t) factors[r][t] = __ldg(a + r * a_width + t);
    }
    constexpr std::int32_t step = Lanes / Block;  // Blocks at once; one lane for each of their columns.
    const std::int32_t column = group.lane % Block;
#pragma unroll(Block <= 3 ? 3 : 2)
    for (std::int32_t f = group.lane < step * Block ? group.lane / Block : length; f < length; f += step) {
      const std::int32_t at = place(from + f, before + f);
      S number[Block];
#pragma unroll
      for (int t = 0; t < Block; ++t) number[t] = __ldg(b + t * b_width + f * Block + column);
      if (Kind == Places::looked_up && at < 0) continue;
      S* const to = sums + at * Block + column;
#pragma unroll
      for (int r = 0; r < Block; ++r) {
        S sum = to[r * width];
#pragma unroll
        for (int t = 0; t < Block; ++t) sum += factors[r][t] * number[t];
        to[r * width] = sum;
      }
    }
  }
};

template <class S, int Block, int Lanes, Places Kind>
__global__ void __launch_bounds__(value_threads) values_kernel(ProductValues<S> v, RowTasks tasks) {
  extern __shared__ __align__(16) unsigned char memory[];
  const std::int64_t task = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes;
  RowSums<S, Block, Lanes, Kind> row{v, {}, nullptr, {}};
  const auto bytes = static_cast<std::size_t>(group_bytes<S>(tasks.capacity, Block, tasks.table));
  unsigned char* const own = memory + threadIdx.x / Lanes * bytes;
  row.sums = reinterpret_cast<S*>(own);
  row.table = {reinterpret_cast<std::int32_t*>(own + sizeof(S) * tasks.capacity * Block * Block), tasks.table};

  // Groups beyond the last task have an empty row.
  const std::int64_t listed = tasks.rows.count - 1 - task;
  const std::int32_t i = listed >= 0 ? tasks.rows.rows[listed] : -1;
  const std::int64_t begin = i >= 0 ? v.offsets[i] : 0, whole = i >= 0 ? v.offsets[i + 1] - begin : 0;
  const std::int32_t first = i >= 0 && tasks.firsts != nullptr ? tasks.firsts[listed] : 0;
  const auto count =
      static_cast<std::int32_t>(tasks.firsts != nullptr && whole - first > tasks.part ? tasks.part : whole - first);
  const std::int32_t* const columns = Kind == Places::looked_up ? v.index + begin + first : nullptr;
  if (i >= 0) {
    row.a_begin = v.p.a.offsets[i];
    row.a_end = v.p.a.offsets[i + 1];
  }
  row.width = Block * (Kind == Places::looked_up ? tasks.table : count);
  for (std::int32_t x = row.group.lane; x < Block * row.width; x += Lanes) row.sums[x] = S(0);
  if constexpr (Kind == Places::looked_up) {
    row.fill_table(columns, count);
  } else {
    row.row_places = i >= 0 ? v.before[i] : 0;
  }
  row.group.sync();
  if constexpr (Block == 1) {
    row.add_rows();
  } else {
    row.add_block_rows();
  }
  row.group.sync();
  // The diagonal is the last entry of a row of a lower half.
  const std::int32_t diagonal = v.p.with_diagonal && first + count == whole ? count - 1 : -1;
  S* const c = v.c + std::int64_t{Block} * Block * begin;
  for (int r = 0; r < Block; ++r) {
    S* const to = c + r * (Block * whole) + std::int64_t{Block} * first;
    const S* const sums = row.sums + r * row.width;
    for (std::int32_t x = row.group.lane; x < Block * count; x += Lanes) {
      const S sum = sums[row.place_of_column(columns, x / Block) * Block + x % Block];
      to[x] = x == diagonal ? sum + v.shift : sum;
    }
  }
}

template <class S, int Block, int Lanes, Places Kind>
void launch(const ProductValues<S>& v, const RowTasks& tasks, cudaStream_t stream) {
  constexpr std::int64_t limit = 48 * 1024;
  const std::int64_t of_warp = group_bytes<S>(tasks.capacity, Block, tasks.table) * (32 / Lanes);
  const std::int64_t warps = std::clamp<std::int64_t>(limit / of_warp, 1, value_threads / 32);
  const auto threads = static_cast<unsigned>(32 * warps);
  const auto blocks = static_cast<unsigned>((std::int64_t{tasks.rows.count} * Lanes + threads - 1) / threads);
  values_kernel<S, Block, Lanes, Kind><<<blocks, threads, static_cast<std::size_t>(warps * of_warp), stream>>>(v, tasks);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("multiply_rows");
}

template <class S, int Block, int Lanes>
void launch_kind(const ProductValues<S>& v, RowTasks tasks, cudaStream_t stream) {
  if (tasks.firsts != nullptr || v.place_bytes == 0) {
    tasks.capacity = tasks.table = 2 * bin_size(tasks.rows.bin);
    return launch<S, Block, Lanes, Places::looked_up>(v, tasks, stream);
  }
  if (v.place_bytes == 1) return launch<S, Block, Lanes, Places::bytes>(v, tasks, stream);
  launch<S, Block, Lanes, Places::shorts>(v, tasks, stream);
}

template <class S, int Block, int Lanes>
void load_kinds() {
  load_kernels(values_kernel<S, Block, Lanes, Places::looked_up>, values_kernel<S, Block, Lanes, Places::bytes>,
               values_kernel<S, Block, Lanes, Places::shorts>);
}

template <class S>
__global__ void __launch_bounds__(flat_threads)
    scale_kernel(const S* a, const std::int32_t* index, const std::int32_t* place, const S* d, std::int64_t count,
                 S* scaled) {
  for (std::int64_t t = flat_index(); t < count; t += flat_step()) scaled[t] = a[place[t]] * d[index[place[t]]];
}

}  // namespace

template <class S>
void multiply_rows(const ProductValues<S>& values, const BinRows& rows, const std::int32_t* firsts, std::int32_t part,
                   int block, int lanes, cudaStream_t stream) {
  if (rows.count == 0) return;
  RowTasks tasks{rows, firsts, part, 0, 0};
  if (firsts != nullptr) {  // Parts are as long as a row of the bin that has just room for them.
    tasks.rows.bin = 0;
    while (bin_size(tasks.rows.bin) < part) ++tasks.rows.bin;
  }
  tasks.capacity = std::min(bin_size(tasks.rows.bin), part);
  switch (block) {
    case 1:
      return lanes == 8 && tasks.capacity <= 128 ? launch_kind<S, 1, 8>(values, tasks, stream)
                                                 : launch_kind<S, 1, 32>(values, tasks, stream);
    case 2:
      return launch_kind<S, 2, 32>(values, tasks, stream);
    case 3:
      return launch_kind<S, 3, 32>(values, tasks, stream);
    default:
      return launch_kind<S, 6, 32>(values, tasks, stream);
  }
}

template <class S>
void prepare_multiply_rows(int block) {
  load_kernels(scale_kernel<S>);
  switch (block) {
    case 1:
      load_kinds<S, 1, 8>();
      return load_kinds<S, 1, 32>();
    case 2:
      return load_kinds<S, 2, 32>();
    case 3:
      return load_kinds<S, 3, 32>();
    default:
      return load_kinds<S, 6, 32>();
  }
}

template <class S>
void scale_columns(const S* a, const std::int32_t* index, const std::int32_t* place, const S* d, std::int64_t count,
                   S* scaled, cudaStream_t stream) {
  if (count == 0) return;
  scale_kernel<<<flat_blocks(count), flat_threads, 0, stream>>>(a, index, place, d, count, scaled);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("scale_columns");
}

#define INSTANTIATE(S)                                                                                              \
  template void multiply_rows(const ProductValues<S>&, const BinRows&, const std::int32_t*, std::int32_t, int, int, \
                              cudaStream_t);                                                                        \
  template void prepare_multiply_rows<S>(int);                                                                      \
  template void scale_columns(const S*, const std::int32_t*, const std::int32_t*, const S*, std::int64_t, S*, cudaStream_t);
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
