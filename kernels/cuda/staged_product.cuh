#pragma once

/// \file
/// Copies entries of L, and the vectors that they are multiplied by, for products with several right-hand sides, 16
/// bytes per copy: L into shared memory while the kernel waits for its vectors, then vectors a few batches ahead.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/solve_memory.cuh"

namespace gpusupernodal::cuda {

/// Waits until at most `pending` ≤ Max of this thread's committed groups are in flight.
template <int Max>
__device__ void wait_for_copies_but(int pending) {
  if constexpr (Max > 0) {
    if (pending < Max) return wait_for_copies_but<Max - 1>(pending);
  }
  wait_for_copies<Max>();
}

/// A warp's part of L: entries (i, k) of outputs i < `outputs` ≤ solve_outputs and steps first ≤ k < last. Either
/// outputs or steps are contiguous in memory; the other index has stride `ld`. `base` is entry (0, 0). Products take the
/// entries through `mirror`. Precondition: `base` and `ld` are multiples of 16 bytes.
template <class T>
struct StagePart {
  const T* base;
  std::int64_t ld;
  int outputs;
  int first;
  int last;
  Mirror<T> mirror = {};
};
enum class Along { outputs, steps };

/// Entry masks: entries that are not in the mask count as zero.
struct AllEntries {
  __device__ static bool is_whole(int) { return true; }
  __device__ static bool has(int, int) { return true; }
};
/// Entries of steps before from + i.
struct EntriesBefore {
  int from;
  __device__ bool is_whole(int k) const { return k + 4 * stage_steps <= from; }
  __device__ bool has(int i, int k) const { return k < from + i; }
};
/// Entries of steps after from + i.
struct EntriesAfter {
  int from;
  __device__ bool is_whole(int k) const { return k >= from + solve_outputs; }
  __device__ bool has(int i, int k) const { return k > from + i; }
};

/// Position of entry (i, k) of a batch in its slot. Chunks of 16 bytes are permuted so that a fragment (eight i, four
/// k) touches every bank once per pass, and so do the copies.
template <class T, Along along>
__device__ int stage_place(int i, int k) {
  constexpr int unit = 16 / static_cast<int>(sizeof(T));
  if (along == Along::outputs) return k * solve_outputs + (i ^ (2 * unit * (k & 3)));
  constexpr int chunks = 4 * stage_steps / unit;  // Chunks of an output; a copy by a warp covers 32 / chunks outputs.
  constexpr int mask = chunks == 16 ? 1 : 3;
  return i * (4 * stage_steps) + (k ^ (4 * ((i >> (chunks == 4 ? 1 : 0)) & mask)));
}
/// Position of entry (k, c) of the vectors that a batch is multiplied by.
template <class T, int Columns>
__device__ int right_place(int k, int c) {
  constexpr int unit = 16 / static_cast<int>(sizeof(T));
  constexpr int bytes = Columns * static_cast<int>(sizeof(T));
  if (bytes == 256) return k * Columns + (c ^ (4 * unit * (k & 1)));
  return k * Columns + (c ^ (bytes == 128 ? 2 * unit * (k & 3) : (bytes == 64 ? 2 * unit * ((k >> 1) & 1) : 0)));
}

/// A warp's product of two 16-row tiles with steps of L. L is copied in batches of a few steps, as many batches ahead
/// as fit into shared memory; warps do not wait for each other.
template <class T, int Columns, Along along, class Entries>
class StagedProduct {
 public:
  static constexpr int steps = 4 * stage_steps;

  /// Starts to copy.
  __device__ StagedProduct(const StagePart<T>& part, Entries entries)
      : part_(part),
        entries_(entries),
        begin_(along == Along::steps ? part.first & ~3 : part.first),
        to_copy_(begin_),
        batches_(stage_batches<T, Columns>()),
        shared_memory_(stage_of_warp<T, Columns>(static_cast<int>(threadIdx.x / 32u))) {
    for (int b = 0; b < batches_; ++b) {
      copy(b);
      commit_copies();
    }
    prefetch();
  }

  /// Computes sums += product with b. load(k, last, right) sets right[s][n] to b(k + 4s + quad, 8n + group), or to any
  /// other entry of b from `last` on.
  template <class Load>
  __device__ void add_to(Sums<T, Columns> (&sums)[2], Load load) {
    T right[stage_steps][Columns / 8];
    for_each_batch([&](int k) { load(k, part_.last, right); },
                   [&](int slot) { add_batch(slot, sums, [&](int s, int n) { return right[s][n]; }); }, [](int, int) {});
  }

  /// Starts to copy the vectors of the first batches; row(k) points to those of step k.
  template <class Row>
  __device__ void begin_right(Row row) {
    for (int b = 0; b < batches_; ++b) {
      copy_right(b, begin_ + b * steps, row);
      commit_copies();
    }
  }
  /// Computes sums += product with the copied vectors.
  template <class Row>
  __device__ void add_near(Sums<T, Columns> (&sums)[2], Row row) {
    const auto add = [&](int slot) {
      const T* const right = shared_memory_ + batches_ * stage_batch + slot * steps * Columns;
      const Lane lane;
      int at[Columns / 8];
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) at[n] = right_place<T, Columns>(lane.quad, 8 * n + lane.group);
      add_batch(slot, sums, [&](int s, int n) { return right[at[n] + 4 * s * Columns]; });
    };
    for_each_batch([](int) {}, add, [&](int slot, int k) { copy_right(slot, k + batches_ * steps, row); });
  }

 private:
  static constexpr int unit = 16 / static_cast<int>(sizeof(T));

  /// For each batch, which begins at step k: before(k), then add(slot) once the batch has arrived, then the copies of
  /// a later batch into its slot, with after(slot, k).
  template <class Before, class Add, class After>
  __device__ void for_each_batch(Before before, Add add, After after) {
    int slot = 0;
#pragma unroll 1
    for (int k = begin_; k < part_.last; k += steps) {
      before(k);
      wait_for_copies_but<stage_max_batches<T> - 1>(batches_ - 1);
      __syncwarp();
      add(slot);
      __syncwarp();
      copy(slot);
      after(slot, k);
      commit_copies();
      slot = slot + 1 < batches_ ? slot + 1 : 0;
    }
  }

  /// Copies the next batch.
  __device__ void copy(int slot) {
    if (to_copy_ >= part_.last) return;
    T* const to = shared_memory_ + slot * stage_batch;
    if (to_copy_ < part_.first || !entries_.is_whole(to_copy_)) {
      copy_entries(to);
    } else {
      copy_chunks(to);
    }
    to_copy_ += steps;
  }

  /// Copies a batch in chunks of 16 bytes.
  __device__ void copy_chunks(T* to) const {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    if (along == Along::outputs) {
      constexpr int lanes = solve_outputs / unit;  // Lanes per step.
      constexpr int at_once = 32 / lanes;
      const int k = lane / lanes;
      const int i = lane % lanes * unit;
      if (i >= part_.outputs) return;
      const T* from = part_.base + i + (to_copy_ + k) * part_.ld;
      const int place = k * solve_outputs + (i ^ (2 * unit * k));
#pragma unroll
      for (int c = 0; c < steps; c += at_once) {
        const bool is_there = to_copy_ + k + c < part_.last;
        copy_async<16>(to + c * solve_outputs + (place ^ (2 * unit * (c & 3))), is_there ? from : part_.base, is_there);
        from += at_once * part_.ld;
      }
    } else {
      constexpr int lanes = steps / unit;  // Lanes per output.
      constexpr int at_once = 32 / lanes;
      const int i = lane / lanes;
      const int k = lane % lanes * unit;
      const int bytes = min(16, max(0, (part_.last - to_copy_ - k) * static_cast<int>(sizeof(T))));
      const T* from = bytes == 0 ? part_.base : part_.base + to_copy_ + k + i * part_.ld;
      const std::int64_t step = bytes == 0 ? 0 : at_once * part_.ld;
      T* const at = to + stage_place<T, along>(i, k);
#pragma unroll
      for (int c = 0; c < solve_outputs; c += at_once) {
        if (i + c < part_.outputs) copy_part_async(at + c * steps, from, bytes);
        from += step;
      }
    }
  }

  /// Copies a batch entry by entry.
  __device__ void copy_entries(T* to) const {
#pragma unroll 1
    for (int e = static_cast<int>(threadIdx.x & 31u); e < stage_batch; e += 32) {
      const int i = along == Along::outputs ? e % solve_outputs : e / steps;
      const int k = along == Along::outputs ? e / solve_outputs : e % steps;
      const int at = to_copy_ + k;
      const bool is_there = i < part_.outputs && at >= part_.first && at < part_.last && entries_.has(i, at);
      const T* const from = part_.base + (along == Along::outputs ? i + at * part_.ld : at + i * part_.ld);
      copy_async<sizeof(T)>(to + stage_place<T, along>(i, k), is_there ? from : part_.base, is_there);
    }
  }

  template <class Row>
  __device__ void copy_right(int slot, int first, Row row) const {
    constexpr int lanes = Columns / unit;  // Lanes per step.
    constexpr int at_once = 32 / lanes;
    const int lane = static_cast<int>(threadIdx.x & 31u);
    const int k = lane / lanes;
    const int c = lane % lanes * unit;
    if (first >= part_.last) return;
    T* const to = shared_memory_ + batches_ * stage_batch + slot * steps * Columns + right_place<T, Columns>(k, c);
#pragma unroll
    for (int e = 0; e < steps; e += at_once) {
      const int at = first + k + e;
      const bool is_there = at >= part_.first && at < part_.last;
      copy_async<16>(to + e * Columns, row(min(max(at, part_.first), part_.last - 1)) + c, is_there);
    }
  }

  template <class Right>
  __device__ void add_batch(int slot, Sums<T, Columns> (&sums)[2], Right right) {
    const Lane lane;
    const T* const left = shared_memory_ + slot * stage_batch;
    const int place = along == Along::outputs ? lane.quad * solve_outputs + (lane.group ^ (2 * unit * lane.quad))
                                              : stage_place<T, along>(lane.group, lane.quad);
    const auto entry = [&](int m, int h, int s) {
      const int i = 16 * m + 8 * h;
      const int at = along == Along::outputs ? (place ^ i) + 4 * s * solve_outputs : (place ^ (4 * s)) + i * steps;
      return operand(part_.mirror(left[at]));
    };
#pragma unroll
    for (int s = 0; s < stage_steps; s += 2) {
      Operand<T> operands[Columns / 8][2];
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) {
        operands[n][0] = operand(right(s, n));
        operands[n][1] = operand(right(s + 1, n));
      }
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        const Operand<T> rows[2][2] = {{entry(m, 0, s), entry(m, 1, s)}, {entry(m, 0, s + 1), entry(m, 1, s + 1)}};
#pragma unroll
        for (int n = 0; n < Columns / 8; ++n) multiply_two(sums[m].value[n], rows, operands[n]);
      }
    }
  }

  /// Prefetches the batches that do not fit into shared memory into the L2 cache.
  __device__ void prefetch() const {
    if (to_copy_ >= part_.last) return;
    const int lane = static_cast<int>(threadIdx.x & 31u);
    if (along == Along::outputs) {
      prefetch_block(part_.base + to_copy_ * part_.ld, part_.ld, part_.outputs, part_.last - to_copy_, lane, 32);
    } else {
      prefetch_block(part_.base + to_copy_, part_.ld, part_.last - to_copy_, part_.outputs, lane, 32);
    }
  }

  const StagePart<T> part_;
  const Entries entries_;
  const int begin_;
  int to_copy_;
  const int batches_;
  T* const shared_memory_;
};

/// Sets right[s][n] := b(n, k + 4s + quad), or b(n, last−1) from `last` on.
template <int Columns, class T, int Ahead, class EntryB>
__device__ void for_each_ahead(int k, int last, T (&right)[Ahead][Columns / 8], EntryB b) {
  const Lane lane;
#pragma unroll
  for (int s = 0; s < Ahead; ++s) {
    const int at = min(k + 4 * s + lane.quad, last - 1);
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) right[s][n] = b(n, at);
  }
}

template <Along along, int Columns, class T, class Entries>
__device__ StagedProduct<T, Columns, along, Entries> stage_product(const StagePart<T>& part, Entries entries) {
  return StagedProduct<T, Columns, along, Entries>(part, entries);
}

}  // namespace gpusupernodal::cuda
