#pragma once

/// \file
/// Device code shared by both directions, for a single right-hand side. A task copies its part of L into shared memory
/// before its vectors are available, and an entry of a vector itself tells whether it is available. Between two tasks
/// on the critical path lie one memory round trip, a product from shared memory and a store.

#include "kernels/cuda/one_rhs_tile.cuh"
#include "kernels/cuda/published.cuh"
#include "kernels/cuda/solve_queue.cuh"

namespace gpusupernodal::cuda {

/// Snapshot of the first contributions to a row; they may still be unset.
template <class T>
struct Contributions {
  T first[Sources::ahead];

  __device__ void peek(const SolveData<T>& data, const Sources& from) {
#pragma unroll
    for (int i = 0; i < Sources::ahead; ++i) first[i] = from.first[i] >= 0 ? read_now(data.u + from.first[i]) : T(0);
  }
};

/// Returns the sum of the contributions to each lane's row beyond the first ones. A list of more than few_sources is
/// added up by the whole warp.
template <class T>
__device__ T gather_more(const SolveData<T>& data, const Sources& from) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  T sum = T(0);
  const int count = from.more >= 0 ? data.gather_more[from.more] : 0;
  const bool is_long = count > few_sources;
  if (!is_long) {
#pragma unroll 4
    for (int e = 1; e <= count; ++e) sum += await_entry(data.u + data.gather_more[from.more + e]);
  }
  __syncwarp();
  for (unsigned left = __ballot_sync(all_lanes, is_long); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const int begin = __shfl_sync(all_lanes, from.more, owner);
    const int all = __shfl_sync(all_lanes, count, owner);
    T part = T(0);
#pragma unroll 4
    for (int e = 1 + lane; e <= all; e += 32) part += await_entry(data.u + data.gather_more[begin + e]);
    __syncwarp();
    const T total = warp_sum(part);
    if (lane == owner) sum += total;
  }
  return sum;
}

/// Waits for the contributions to each lane's row and returns their sum; `seen` is an earlier snapshot of the first
/// ones. All lanes of the warp must call it. The order of additions depends on the lists only.
template <class T>
__device__ T gather(const SolveData<T>& data, const Sources& from, const Contributions<T>& seen) {
  T sum = T(0);
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) {
    if (from.first[i] >= 0) sum += await_set(data.u + from.first[i], seen.first[i]);
  }
  __syncwarp();
  return __any_sync(all_lanes, from.more >= 0) ? sum + gather_more(data, from) : sum;
}

template <class T>
__device__ T gather(const SolveData<T>& data, const Sources& from) {
  Contributions<T> seen;
  seen.peek(data, from);
  return gather(data, from, seen);
}

/// Snapshot of at most solve_block entries of a vector, distributed over the threads. It is read before L is copied;
/// otherwise the copies would come first.
template <class T>
class VectorAhead {
 public:
  __device__ VectorAhead(const T* from, int count) : from_(from), count_(count) {
#pragma unroll
    for (int r = 0; r < rounds; ++r) found_[r] = at(r) < count ? read_now(from + at(r)) : T(0);
  }
  /// Sets to[i] := from[i] for i < count, waiting for each entry.
  __device__ void store(T* to) const {
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      if (at(r) < count_) to[at(r)] = await_set(from_ + at(r), found_[r]);
    }
  }

 private:
  static constexpr int rounds = solve_block / solve_threads;
  __device__ static int at(int r) { return r * solve_threads + static_cast<int>(threadIdx.x); }

  const T* from_;
  int count_;
  T found_[rounds];
};

/// Returns the sums of `Count` values (a power of two) over all lanes: lane l returns that of value l / (32 / Count).
/// One shuffle per value instead of five.
template <class T, int Count>
__device__ T warp_sums(T (&value)[Count]) {
  const unsigned lane = threadIdx.x & 31u;
  int step = 16;
#pragma unroll
  for (int left = Count / 2; left > 0; left /= 2, step /= 2) {
    const bool upper = (lane & static_cast<unsigned>(step)) != 0;
#pragma unroll
    for (int i = 0; i < left; ++i) {
      const T sent = upper ? value[i] : value[i + left];
      value[i] = (upper ? value[i + left] : value[i]) + shuffle_xor(sent, step);
    }
  }
#pragma unroll
  for (; step > 0; step /= 2) value[0] += shuffle_xor(value[0], step);
  return value[0];
}
/// Index of the value whose sum warp_sums returns in this lane, and whether this is the first such lane.
template <int Count>
__device__ int value_of_lane() {
  return static_cast<int>(threadIdx.x & 31u) / (32 / Count);
}
template <int Count>
__device__ bool is_first_of_value() {
  return threadIdx.x % (32 / Count) == 0;
}

/// Distribution of a product over threads: rows over groups of 2^log_rows lanes, columns over the groups.
struct Split {
  int log_rows;
  int row;
  int part;
  int parts;
  int log_parts;

  /// Place of `thread` among 2^log_all threads.
  __device__ Split(int log, int thread, int log_all = log_threads)
      : log_rows(log),
        row(thread & ((1 << log) - 1)),
        part(thread >> log),
        parts(1 << (log_all - log)),
        log_parts(log_all - log) {}
};

/// Returns Σ P(row, k)·v(k) over k = first + part, first + part + parts, … < last.
template <class T, class Stride>
__device__ T part_of_product(const T* row, Stride ld, int first, int last, const Split& split, const T* v) {
  T sum = T(0);
  in_groups<8>(first + split.part, last, split.log_parts, [&](int k) { add_product(sum, row[k * ld], v[k]); });
  return sum;
}

/// Returns the sum over all parts of a row in the threads of part 0. Contains a barrier; another one is needed before
/// `sums` is reused.
template <class Team = Cta, class T>
__device__ T sum_of_parts(T sum, const Split& split, int thread, T* sums) {
  sums[thread] = sum;
  Team::sync();
  if (split.part != 0) return T(0);
  T total = T(0);
#pragma unroll 4
  for (int p = 0; p < split.parts; ++p) total += sums[split.row + (p << split.log_rows)];
  return total;
}

/// Adjacent rows that one 16-byte load reads.
template <class T>
inline constexpr int pack = 16 / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int log_pack = pack<T> == 4 ? 2 : pack<T> - 1;
template <class T>
struct alignas(16) Pack {
  T row[pack<T>];

  __device__ static Pack load(const T* from) {
    Pack loaded;
    reinterpret_cast<float4&>(loaded) = *reinterpret_cast<const float4*>(from);
    return loaded;
  }
};

template <class T>
struct alignas(2 * sizeof(T)) ColumnPair {
  T first;
  T second;
};

/// Computes Σ P(row, k)·v(k) over k < width for 2^log_rows (16 … 128) rows that begin at `base`, which must be aligned
/// to a pack. Threads are distributed over packs of rows and pairs of columns. Thread `row` returns the sum of row
/// `row`. Contains a barrier; another one is needed before `sums` is reused.
template <class T, class Stride>
__device__ T row_products(const T* base, Stride ld, int width, int log_rows, const T* v, T (&sums)[one_rhs_sum_entries<T>]) {
  const int thread = static_cast<int>(threadIdx.x);
  const int rows = 1 << log_rows;
  const int log_lanes = log_rows - log_pack<T>;
  const int lanes = 1 << log_lanes;
  const int first = (thread & (lanes - 1)) * pack<T>;
  const int log_parts = log_threads - log_lanes;
  const T* const at = base + min(first, static_cast<int>(ld) - pack<T>);  // Out-of-range rows are computed but never
                                                                          // stored.
  Pack<T> sum = {};
  const int part = thread >> log_lanes;
  const auto add = [&](const T* from, T with) {
    const Pack<T> entries = Pack<T>::load(from);
#pragma unroll
    for (int r = 0; r < pack<T>; ++r) add_product(sum.row[r], entries.row[r], with);
  };
  const T* column = at + 2 * part * ld;
  const Stride step = ld * (2 << log_parts);
  in_groups<4>(part, width / 2, log_parts, [&](int k) {
    const ColumnPair<T> with = *reinterpret_cast<const ColumnPair<T>*>(v + 2 * k);
    add(column, with.first);
    add(column + ld, with.second);
    column += step;
  });
  if (width % 2 != 0 && part == 0) add(at + (width - 1) * ld, v[width - 1]);
  for (int step = lanes; step < 32; step *= 2) {
#pragma unroll
    for (int r = 0; r < pack<T>; ++r) sum.row[r] += shuffle_xor(sum.row[r], step);
  }
  const int left = lanes < 32 ? solve_warps : 1 << log_parts;
  const int place = lanes < 32 ? thread / 32 : part;
  if (thread % 32 < lanes) *reinterpret_cast<Pack<T>*>(&sums[place * rows + first]) = sum;
  __syncthreads();
  if (thread >= rows) return T(0);
  T total = T(0);
#pragma unroll 4
  for (int p = 0; p < left; ++p) total += sums[p * rows + thread];
  return total;
}

}  // namespace gpusupernodal::cuda
