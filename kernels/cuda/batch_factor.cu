#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/batch_group.cuh"
#include "kernels/cuda/batch_kernels.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/scaling.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Results of a group that its threads find together, by lane.
struct SharedFindings {
  unsigned long long largest_in_a[max_batch_lanes];
  unsigned long long largest_pivot[max_batch_lanes];
  unsigned long long smallest_pivot[max_batch_lanes];
  unsigned long long largest_in_factor[max_batch_lanes];
  long long bad_entry[max_batch_lanes];
  std::int32_t failed_column[max_batch_lanes];
  std::int32_t smallest_column[max_batch_lanes];
  std::int32_t replaced[max_batch_lanes];
  std::int32_t negative[max_batch_lanes];

  __device__ void clear() {
    const unsigned lane = threadIdx.x;
    if (lane >= max_batch_lanes) return;
    largest_in_a[lane] = largest_pivot[lane] = largest_in_factor[lane] = 0;
    smallest_pivot[lane] = no_pivot_bits;
    bad_entry[lane] = no_batch_entry;
    failed_column[lane] = smallest_column[lane] = no_batch_column;
    replaced[lane] = negative[lane] = 0;
  }

  static constexpr unsigned long long no_pivot_bits = ~0ull;
};

/// Steps of a factorization. Every thread of a CTA takes each step; there is a barrier between two of them.
template <class T>
class GroupFactor {
 public:
  __device__ GroupFactor(const BatchFactorLists& lists, const BatchSystems<T>& systems, const BatchValuesInput<T>& input,
                         SharedFindings& found)
      : lists_(lists),
        systems_(systems),
        input_(input),
        found_(found),
        lane_(systems.lane_bits),
        active_(lane_.system < systems.count && systems.wanted[lane_.system] != 0),
        factor_(systems.factor + lane_.group_offset(lists.entry_count)),
        inverse_(systems.inverse + lane_.group_offset(lists.n)),
        a_(systems.a + lane_.group_offset(lists.entries_of_a)) {
    if (lists.sweeps == 0) return;
    row_scale_ = systems.row_scale + lane_.group_offset(2 * static_cast<std::int64_t>(lists.n));
    column_scale_ = systems.column_scale + lane_.group_offset(2 * static_cast<std::int64_t>(lists.n));
  }

  __device__ bool is_active() const { return active_; }

  /// Copies A's values, and the scales to begin with.
  __device__ void load() const {
    if (!active_) return;
    if (lists_.entries_of_a > 0) copy_values();
    if (lists_.sweeps == 0) return;
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) {
      row_scale_[lane_.at(k)] = lists_.row_scale == nullptr ? 0 : __ldg(lists_.row_scale + k);
      if (column_scale_ != row_scale_)
        column_scale_[lane_.at(k)] = lists_.column_scale == nullptr ? 0 : __ldg(lists_.column_scale + k);
    }
  }

  /// Divides rows and columns by the square roots of their largest entries.
  __device__ void sweep(std::int32_t number) const {
    if (!active_) return;
    scale_lines(lists_.a_rows, row_scale_, column_scale_, number);
    if (column_scale_ != row_scale_) scale_lines(lists_.a_columns, column_scale_, row_scale_, number);
  }

  /// Sets the entries of the factor to those of the scaled A.
  __device__ void assemble() const {
    if (!active_) return;
    double largest = 0.0;
    std::int32_t bad = std::numeric_limits<std::int32_t>::max();
    for (std::int32_t begin = lane_.team; begin < lists_.entry_count; begin += at_once * lane_.teams) {
      BatchEntry entry[at_once];
      T value[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const std::int32_t v = begin + k * lane_.teams;
        entry[k] = v < lists_.entry_count ? load_entry(lists_.entries + v) : BatchEntry();
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) value[k] = scaled_entry(entry[k], bad);
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const std::int32_t v = begin + k * lane_.teams;
        if (v < lists_.entry_count) factor_[lane_.at(v)] = value[k];
        if (isfinite(value[k])) largest = fmax(largest, fabs(static_cast<double>(value[k])));
      }
    }
    if (input_.check_finite && bad != std::numeric_limits<std::int32_t>::max())
      atomicMin(found_.bad_entry + lane_.lane, static_cast<long long>(bad));
    LaneMaximum::raise(found_.largest_in_a, lane_.lane, largest);
  }

  /// The magnitude that pivots have at least.
  __device__ T smallest_allowed() const {
    const double largest = LaneMaximum::get(found_.largest_in_a, lane_.lane);
    return max(static_cast<T>(input_.perturbation * (largest > 0.0 ? largest : 1.0)), std::numeric_limits<T>::min());
  }

  __device__ void eliminate() const {
    const T smallest = smallest_allowed();
    constexpr int ahead = 3;
    const auto fetch = [](const BatchTerm& term) { return term; };
    run_batch_stages<ahead>(lists_.stages, lane_, active_, fetch, [&](const auto& work) {
      T sum = factor_[lane_.at(work.task.target)];
      for_each_term(lists_.stages, work, fetch, [&](const BatchTerm& t) {
        sum -= factor_[lane_.at(t.left)] * inverse_[lane_.at(t.pivot)] * factor_[lane_.at(t.right)];
      });
      factor_[lane_.at(work.task.target)] = sum;
      if (work.task.pivot >= 0) inverse_[lane_.at(work.task.pivot)] = reciprocal(sum, smallest);
    });
  }

  __device__ void find_failed() const {
    if (!active_) return;
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) {
      const T pivot = factor_[lane_.at(__ldg(lists_.diagonal + k))];
      const bool good = isfinite(pivot) && isfinite(inverse_[lane_.at(k)]);
      if (!good || (input_.pivots == BatchPivots::positive && !(pivot > T(0))))
        atomicMin(found_.failed_column + lane_.lane, k);
    }
  }

  /// Collects statistics of the pivots before the failed one.
  __device__ void inspect() const {
    if (!active_) return;
    const T allowed = smallest_allowed();
    const std::int32_t failed = found_.failed_column[lane_.lane];
    double smallest = std::numeric_limits<double>::infinity(), largest = 0.0, growth = 0.0;
    std::int32_t replaced = 0, negative = 0;
    for (std::int32_t k = lane_.team; k < min(failed, lists_.n); k += lane_.teams) {
      const T pivot = factor_[lane_.at(__ldg(lists_.diagonal + k))];
      const double magnitude = fabs(static_cast<double>(pivot));
      smallest = fmin(smallest, magnitude);
      largest = fmax(largest, magnitude);
      if (input_.pivots == BatchPivots::positive) continue;
      replaced += fabs(pivot) < allowed ? 1 : 0;
      negative += signbit(pivot) ? 1 : 0;
      growth = fmax(growth, growth_of(k));
    }
    LaneMaximum::raise(found_.largest_pivot, lane_.lane, largest);
    LaneMaximum::raise(found_.largest_in_factor, lane_.lane, growth);
    atomicMin(found_.smallest_pivot + lane_.lane, static_cast<unsigned long long>(__double_as_longlong(smallest)));
    if (replaced > 0) atomicAdd(found_.replaced + lane_.lane, replaced);
    if (negative > 0) atomicAdd(found_.negative + lane_.lane, negative);
  }

  __device__ void find_smallest() const {
    if (!active_) return;
    const unsigned long long smallest = found_.smallest_pivot[lane_.lane];
    const std::int32_t failed = found_.failed_column[lane_.lane];
    for (std::int32_t k = lane_.team; k < min(failed, lists_.n); k += lane_.teams) {
      const double magnitude = fabs(static_cast<double>(factor_[lane_.at(__ldg(lists_.diagonal + k))]));
      if (static_cast<unsigned long long>(__double_as_longlong(magnitude)) == smallest)
        atomicMin(found_.smallest_column + lane_.lane, k);
    }
  }

  __device__ void report() const {
    if (!active_ || lane_.team != 0) return;
    const int l = lane_.lane;
    BatchFactorRecord record;
    record.launches = systems_.factor_records[lane_.system].launches + 1;
    record.bad_entry = found_.bad_entry[l];
    record.failed_column = found_.failed_column[l];
    record.smallest_column = found_.smallest_column[l];
    record.replaced_pivots = found_.replaced[l];
    record.negative_pivots = found_.negative[l];
    if (record.bad_entry != no_batch_entry)
      record.bad_value = static_cast<double>(a_[lane_.at(static_cast<std::int32_t>(record.bad_entry))]);
    if (record.failed_column != no_batch_column)
      record.failed_pivot = static_cast<double>(factor_[lane_.at(__ldg(lists_.diagonal + record.failed_column))]);
    record.largest_pivot = LaneMaximum::get(found_.largest_pivot, l);
    record.smallest_pivot = record.largest_pivot > 0.0 ? LaneMaximum::get(found_.smallest_pivot, l) : 0.0;
    record.largest_in_a = LaneMaximum::get(found_.largest_in_a, l);
    record.largest_in_factor = LaneMaximum::get(found_.largest_in_factor, l);
    systems_.factor_records[lane_.system] = record;
  }

 private:
  /// Values that a thread loads before it stores them, because a store ends the reordering of loads.
  static constexpr int at_once = 4;

  /// Precondition: A has entries; otherwise its addresses may be null.
  __device__ void copy_values() const {
    const T* const from =
        input_.data != nullptr ? input_.data + lane_.system * input_.stride : input_.pointers[lane_.system];
    for (std::int32_t begin = lane_.team; begin < lists_.entries_of_a; begin += at_once * lane_.teams) {
      T value[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const std::int32_t e = begin + k * lane_.teams;
        if (e < lists_.entries_of_a) value[k] = from[e];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const std::int32_t e = begin + k * lane_.teams;
        if (e < lists_.entries_of_a) a_[lane_.at(e)] = value[k];
      }
    }
  }

  /// The entry of the scaled A, or 0. Lowers `bad` to the source of a value that is not finite.
  __device__ T scaled_entry(const BatchEntry& entry, std::int32_t& bad) const {
    if (entry.source < 0) return T(0);
    const T value = a_[lane_.at(entry.source)];
    if (!isfinite(value)) bad = min(bad, entry.source);
    if (lists_.sweeps == 0) return value;
    const std::int32_t scales = scale_begin(lists_.sweeps);
    const std::int32_t exponent = row_scale_[lane_.at(scales + entry.row)] + column_scale_[lane_.at(scales + entry.column)];
    return static_cast<T>(scalbn(static_cast<double>(value), exponent));
  }

  /// Scales after `sweeps` sweeps: the two halves of the arrays take turns.
  __device__ std::int32_t scale_begin(std::int32_t sweeps) const { return sweeps % 2 == 0 ? 0 : lists_.n; }

  __device__ void scale_lines(const BatchLineLists<BatchRowTerm>& lines, std::int32_t* scale, const std::int32_t* across,
                              std::int32_t number) const {
    constexpr std::int32_t limit = std::numeric_limits<T>::max_exponent - 2;
    const std::int32_t from = scale_begin(number), to = scale_begin(number + 1);
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) {
      const std::int32_t before = scale[lane_.at(from + k)];
      std::int32_t found = std::numeric_limits<std::int32_t>::min();
      const std::int32_t end = __ldg(lines.offsets + k + 1);
#pragma unroll 4
      for (std::int32_t t = __ldg(lines.offsets + k); t < end; ++t) {
        const BatchRowTerm term = load_term(lines.items + t);
        const std::int32_t exponent = exponent_of(a_[lane_.at(term.source)]);
        if (exponent > unset_exponent) found = max(found, exponent + before + across[lane_.at(from + term.column)]);
      }
      const std::int32_t step = found < unset_exponent ? 0 : found >> 1;
      scale[lane_.at(to + k)] = min(max(before - step, -limit), limit);
    }
  }

  __device__ T reciprocal(T pivot, T smallest) const {
    if (input_.pivots == BatchPivots::positive) return pivot > T(0) ? T(1) / pivot : std::numeric_limits<T>::quiet_NaN();
    return T(1) / (fabs(pivot) < smallest ? copysign(smallest, pivot) : pivot);
  }

  /// The largest magnitude in a line, or `largest`.
  __device__ double largest_in(const BatchLineLists<std::int32_t>& lines, std::int32_t k, double largest) const {
    const std::int32_t end = __ldg(lines.offsets + k + 1);
#pragma unroll 4
    for (std::int32_t t = __ldg(lines.offsets + k); t < end; ++t)
      largest = fmax(largest, fabs(static_cast<double>(factor_[lane_.at(__ldg(lines.items + t))])));
    return largest;
  }

  /// Largest magnitude in column k of L = V D⁻¹, times that in row k of U = W, with the pivot that was used.
  __device__ double growth_of(std::int32_t k) const {
    const double inverse = fabs(static_cast<double>(inverse_[lane_.at(k)]));
    const double pivot = 1.0 / inverse;
    const double of_v = largest_in(lists_.columns, k, pivot);
    const double of_w = lists_.rows.offsets == nullptr ? of_v : largest_in(lists_.rows, k, pivot);
    return of_v * inverse * of_w;
  }

  const BatchFactorLists& lists_;
  const BatchSystems<T>& systems_;
  const BatchValuesInput<T>& input_;
  SharedFindings& found_;
  BatchLane lane_;
  bool active_;
  T* factor_;
  T* inverse_;
  T* a_;
  std::int32_t* row_scale_ = nullptr;
  std::int32_t* column_scale_ = nullptr;
};

template <class T>
__global__ void __launch_bounds__(max_batch_threads)
    factor_batch_kernel(const BatchFactorLists lists, const BatchSystems<T> systems, const BatchValuesInput<T> input) {
  __shared__ SharedFindings found;
  const GroupFactor<T> group(lists, systems, input, found);
  if (__syncthreads_or(group.is_active() ? 1 : 0) == 0) return;
  found.clear();
  group.load();
  __syncthreads();
  for (std::int32_t sweep = 0; sweep < lists.sweeps; ++sweep) {
    group.sweep(sweep);
    __syncthreads();
  }
  group.assemble();
  __syncthreads();
  group.eliminate();
  group.find_failed();
  __syncthreads();
  group.inspect();
  __syncthreads();
  group.find_smallest();
  __syncthreads();
  group.report();
}

}  // namespace

template <class T>
void factor_batch(const BatchFactorLists& lists, const BatchSystems<T>& systems, const BatchValuesInput<T>& input,
                  int threads, cudaStream_t stream) {
  if (systems.count == 0) return;
  factor_batch_kernel<T>
      <<<static_cast<unsigned>(systems.groups()), static_cast<unsigned>(threads), 0, stream>>>(lists, systems, input);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("factor_batch");
}

template <class T>
void prepare_batch_factor() {
  load_kernels(factor_batch_kernel<T>);
}

#define INSTANTIATE(T)                                                                                            \
  template void factor_batch<T>(const BatchFactorLists&, const BatchSystems<T>&, const BatchValuesInput<T>&, int, \
                                cudaStream_t);                                                                    \
  template void prepare_batch_factor<T>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
