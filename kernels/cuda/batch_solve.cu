#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/batch_group.cuh"
#include "kernels/cuda/batch_kernels.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Largest magnitudes of a column's residual, by lane, and whether b has an entry that is not finite.
struct SharedNorms {
  std::int32_t bad_right[max_batch_lanes];
  unsigned long long r[max_batch_lanes];
  unsigned long long a[max_batch_lanes];
  unsigned long long x[max_batch_lanes];
  unsigned long long b[max_batch_lanes];

  __device__ void clear() {
    LaneMaximum::clear(r);
    LaneMaximum::clear(a);
    LaneMaximum::clear(x);
    LaneMaximum::clear(b);
  }
  /// ‖r‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞); NaN if the denominator is not finite.
  __device__ double error(int lane) const {
    const double scale = LaneMaximum::get(a, lane) * LaneMaximum::get(x, lane) + LaneMaximum::get(b, lane);
    if (!isfinite(scale)) return std::numeric_limits<double>::quiet_NaN();
    return scale > 0.0 ? LaneMaximum::get(r, lane) / scale : LaneMaximum::get(r, lane);
  }
};

/// Steps of a solve with one column for a group. There is a barrier between two steps of which one reads what threads of
/// other teams have written.
template <class T>
class GroupSolve {
 public:
  __device__ GroupSolve(const BatchSolveLists& lists, const BatchSystems<T>& systems, const BatchSolve<T>& solve)
      : lists_(lists),
        solve_(solve),
        lane_(systems.lane_bits),
        active_(takes_part(lane_, systems)),
        reports_(active_ && lane_.team == 0),
        factor_(systems.factor + lane_.group_offset(lists.entry_count)),
        inverse_(systems.inverse + lane_.group_offset(lists.n)),
        a_(systems.a + lane_.group_offset(lists.entries_of_a)) {
    if (!solve.is_single && active_ && solve.check_right && solve.records[lane_.system].has_bad_right != 0) active_ = false;
    const std::int64_t size = static_cast<std::int64_t>(lists.n) << systems.lane_bits;
    const int vectors = solve.refined ? batch_vectors_refined : batch_vectors_plain;
    w_ = solve.work + (static_cast<std::int64_t>(blockIdx.x) * solve.columns + blockIdx.y) * vectors * size;
    x_ = solve.refined ? w_ + size : w_;
    b_ = x_ + size;
    before_ = b_ + size;
    if (lists.sweeps == 0) return;
    const std::int32_t last = lists.sweeps % 2 == 0 ? 0 : lists.n;
    const std::int64_t begin =
        lane_.group_offset(2 * static_cast<std::int64_t>(lists.n)) + (static_cast<std::int64_t>(last) << systems.lane_bits);
    scale_in_ = (lists.transposed ? systems.column_scale : systems.row_scale) + begin;
    scale_out_ = (lists.transposed ? systems.row_scale : systems.column_scale) + begin;
  }

  __device__ bool is_active() const { return active_; }

  /// Reads b, and scales it. Precondition: bad_right is 0.
  __device__ void gather(std::int32_t* bad_right) const {
    if (!active_) return;
    const T* const b = column_of(solve_.b, lane_.system);
    bool finite = true;
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) {
      const T value = b[solve_.permute_in ? __ldg(lists_.in + k) : k];
      finite = finite && isfinite(value);
      w_[lane_.at(k)] = scaled(value, scale_in_, k);
      if (solve_.refined) b_[lane_.at(k)] = value;
    }
    if (!finite) bad_right[lane_.lane] = 1;
  }

  /// Leaves out systems whose b is not finite. Precondition: gather() and a barrier.
  __device__ void leave_out_bad(const std::int32_t* bad_right) {
    has_bad_right_ = bad_right[lane_.lane] != 0;
    if (solve_.is_single && solve_.check_right && has_bad_right_) active_ = false;
  }

  /// w := A⁻¹ w with the scaled A, or the part that is asked for, for the systems with `going`. Ends with a barrier.
  __device__ void apply(bool going) const {
    // Entries of the factor do not change, so they are fetched ahead.
    const auto fetch = [&](const BatchSweepTerm& term) { return SweepEntry{factor_[lane_.at(term.entry)], term.column}; };
    if (solve_.forward) {
      run_batch_stages<ahead>(lists_.forward, lane_, going, fetch, [&](const auto& work) {
        const BatchTask& task = work.task;
        T sum = w_[lane_.at(task.target)];
        for_each_term(lists_.forward, work, fetch, [&](const SweepEntry& t) { sum -= t.value * w_[lane_.at(t.column)]; });
        if (task.pivot >= 0) sum *= inverse_[lane_.at(task.pivot)];
        w_[lane_.at(task.target)] = sum;
      });
    }
    if (solve_.forward != solve_.backward) {
      multiply_roots(going);
      __syncthreads();
    }
    if (solve_.backward) {
      run_batch_stages<ahead>(lists_.backward, lane_, going, fetch, [&](const auto& work) {
        T sum = T(0);
        for_each_term(lists_.backward, work, fetch, [&](const SweepEntry& t) { sum += t.value * w_[lane_.at(t.column)]; });
        w_[lane_.at(work.task.target)] -= sum * inverse_[lane_.at(work.task.target)];
      });
    }
  }

  /// Makes w the first solution.
  __device__ void take_solution() const {
    if (!active_) return;
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams)
      x_[lane_.at(k)] = scaled(w_[lane_.at(k)], scale_out_, k);
  }

  /// w := b − A x, scaled, and its norms.
  __device__ void residual(bool going, SharedNorms& norms) const {
    if (!going) return;
    double largest_r = 0.0, largest_a = 0.0, largest_x = 0.0, largest_b = 0.0;
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) {
      double product = 0.0, magnitudes = 0.0;
      const std::int32_t end = __ldg(lists_.a.offsets + k + 1);
#pragma unroll 4
      for (std::int32_t t = __ldg(lists_.a.offsets + k); t < end; ++t) {
        const BatchRowTerm term = load_term(lists_.a.items + t);
        const auto entry = static_cast<double>(a_[lane_.at(term.source)]);
        product += entry * static_cast<double>(x_[lane_.at(term.column)]);
        magnitudes += fabs(entry);
      }
      const auto right = static_cast<double>(b_[lane_.at(k)]);
      const double r = right - product;
      largest_r = larger_magnitude(largest_r, r);
      largest_a = larger_magnitude(largest_a, magnitudes);
      largest_x = larger_magnitude(largest_x, static_cast<double>(x_[lane_.at(k)]));
      largest_b = larger_magnitude(largest_b, right);
      w_[lane_.at(k)] = scaled(static_cast<T>(r), scale_in_, k);
    }
    LaneMaximum::raise(norms.r, lane_.lane, largest_r);
    LaneMaximum::raise(norms.a, lane_.lane, largest_a);
    LaneMaximum::raise(norms.x, lane_.lane, largest_x);
    LaneMaximum::raise(norms.b, lane_.lane, largest_b);
  }

  /// Richardson iteration as solver/iterative has it, for each system by itself.
  __device__ void refine(SharedNorms& norms) {
    bool going = active_;
    double previous = std::numeric_limits<double>::infinity(), error = 0.0;
    std::int32_t steps = 0;
    for (;;) {
      norms.clear();
      __syncthreads();
      residual(going, norms);
      __syncthreads();
      if (going) {
        error = norms.error(lane_.lane);
        const bool is_worse = steps > 0 && !(error <= previous);
        if (is_worse) {
          error = previous;
          copy(before_, x_);
        }
        const bool reached = solve_.backward_error > 0.0 && error <= solve_.backward_error;
        going = !(is_worse || reached || steps == solve_.max_steps || !(error <= 0.5 * previous));
        previous = error;
      }
      if (__syncthreads_or(going ? 1 : 0) == 0) break;
      apply(going);
      if (going) {
        ++steps;
        for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) {
          const T x = x_[lane_.at(k)];
          before_[lane_.at(k)] = x;
          x_[lane_.at(k)] = x + scaled(w_[lane_.at(k)], scale_out_, k);
        }
      }
      __syncthreads();
    }
    error_ = error;
    steps_ = steps;
  }

  /// Sets the record of the system, or adds to it what this column says.
  __device__ void report() const {
    if (!reports_) return;
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(fabs(error_)));
    BatchSolveRecord& record = solve_.records[lane_.system];
    if (solve_.is_single) {
      record = {bits, steps_, has_bad_right_ ? 1 : 0};
    } else if (active_) {
      atomicMax(&record.error_bits, bits);
      atomicMax(&record.steps, steps_);
      if (has_bad_right_) record.has_bad_right = 1;
    }
  }

  /// Writes x.
  __device__ void scatter() const {
    if (!active_) return;
    const bool rejected = solve_.is_single && solve_.verified && !has_bad_right_ && !(error_ <= solve_.trusted);
    T* const x = column_of(solve_.x, lane_.system);
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) {
      const T value = solve_.refined ? x_[lane_.at(k)] : scaled(w_[lane_.at(k)], scale_out_, k);
      x[solve_.permute_out ? __ldg(lists_.out + k) : k] = rejected ? std::numeric_limits<T>::quiet_NaN() : value;
    }
  }

 private:
  /// An entry of the factor, and the vector's entry that it multiplies.
  struct SweepEntry {
    T value;
    std::int32_t column;
  };
  static constexpr int ahead = 3;

  __device__ T scaled(T value, const std::int32_t* exponents, std::int32_t k) const {
    return lists_.sweeps == 0 ? value : static_cast<T>(scalbn(static_cast<double>(value), exponents[lane_.at(k)]));
  }
  __device__ void copy(const T* from, T* to) const {
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) to[lane_.at(k)] = from[lane_.at(k)];
  }
  /// L = V D^(−1/2), so a solve with L alone ends with D^(1/2), and one with Lᵀ begins with D^(−1/2).
  __device__ void multiply_roots(bool going) const {
    if (!going) return;
    for (std::int32_t k = lane_.team; k < lists_.n; k += lane_.teams) {
      const T root = sqrt(factor_[lane_.at(__ldg(lists_.diagonal + k))]);
      w_[lane_.at(k)] = solve_.forward ? w_[lane_.at(k)] * root : w_[lane_.at(k)] / root;
    }
  }

  const BatchSolveLists& lists_;
  const BatchSolve<T>& solve_;
  BatchLane lane_;
  bool active_;
  bool reports_;
  bool has_bad_right_ = false;
  double error_ = 0.0;
  std::int32_t steps_ = 0;
  const T* factor_;
  const T* inverse_;
  const T* a_;
  T* w_;
  T* x_;
  T* b_;
  T* before_;
  const std::int32_t* scale_in_ = nullptr;
  const std::int32_t* scale_out_ = nullptr;
};

template <class T>
__global__ void __launch_bounds__(max_batch_threads)
    solve_batch_kernel(const BatchSolveLists lists, const BatchSystems<T> systems, const BatchSolve<T> solve) {
  __shared__ SharedNorms norms;
  GroupSolve<T> group(lists, systems, solve);
  if (threadIdx.x < max_batch_lanes) norms.bad_right[threadIdx.x] = 0;
  if (__syncthreads_or(group.is_active() ? 1 : 0) == 0) return;
  group.gather(norms.bad_right);
  __syncthreads();
  group.leave_out_bad(norms.bad_right);
  group.apply(group.is_active());
  if (solve.refined) {
    group.take_solution();
    __syncthreads();
    group.refine(norms);
  }
  group.report();
  group.scatter();
}

}  // namespace

template <class T>
void solve_batch(const BatchSolveLists& lists, const BatchSystems<T>& systems, const BatchSolve<T>& solve, int threads,
                 cudaStream_t stream) {
  solve_batch_kernel<T><<<grid_of(systems, solve), static_cast<unsigned>(threads), 0, stream>>>(lists, systems, solve);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("solve_batch");
}

template <class T>
void prepare_batch_solve() {
  load_kernels(solve_batch_kernel<T>);
}

#define INSTANTIATE(T)                                                                                                   \
  template void solve_batch<T>(const BatchSolveLists&, const BatchSystems<T>&, const BatchSolve<T>&, int, cudaStream_t); \
  template void prepare_batch_solve<T>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
