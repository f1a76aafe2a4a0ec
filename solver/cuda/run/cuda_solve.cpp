#include <algorithm>

#include "gpusupernodal/built_with.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/solve_kernels.hpp"
#include "kernels/cuda/vector_kernels.hpp"
#include "solver/common/fail.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/cuda/run/cuda_executor.hpp"
#include "solver/cuda/run/ranges.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Copies a rows × cols matrix between memory spaces on `stream`.
template <class T>
void copy_matrix(T* to, std::int64_t ld_to, const T* from, std::int64_t ld_from, std::int64_t rows, std::int64_t cols,
                 cudaMemcpyKind kind, cudaStream_t stream) {
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemcpy2DAsync(to, static_cast<std::size_t>(ld_to) * sizeof(T), from, static_cast<std::size_t>(ld_from) * sizeof(T),
                        static_cast<std::size_t>(rows) * sizeof(T), static_cast<std::size_t>(cols), kind, stream));
}

}  // namespace

template <class T>
typename CudaExecutor<T>::Vectors CudaExecutor<T>::make_vectors(std::int64_t columns) const {
  Vectors vectors;
  vectors.columns = cuda_solve_columns(columns);
  vectors.slab = Slab(allocator_, cuda_vector_bytes(*plan_, scalar_type_of<T>, columns), "the right-hand sides");
  const std::int64_t size = order() * vectors.columns;
  vectors.x = vectors.slab.template take<Number>(size);
  vectors.y = vectors.slab.template take<Number>(size);
  vectors.staging = vectors.slab.template take<Number>(size);
  vectors.sums = vectors.slab.template take<Number>(cuda_sum_entries(*plan_) * vectors.columns);
  vectors.unset = vectors.slab.template take<Number>(one_rhs_unset_entries(*plan_));
  return vectors;
}

template <class T>
void CudaExecutor<T>::reserve_right_hand_sides(std::int64_t columns) {
  if (cuda_solve_columns(columns) <= vectors_.columns) return;
  if (caller_captures()) {
    fail<InvalidState>(
        "{} right-hand sides need more memory, which cannot be allocated while a graph is being captured on the solver's "
        "stream; call reserve_right_hand_sides({}) before the capture",
        columns, columns);
  }
  const DeviceGuard guard(device_);
  vectors_of_graphs_.reserve(vectors_of_graphs_.size() + 1);
  Vectors vectors = make_vectors(columns);
  if (vectors_.in_graph) {
    vectors_of_graphs_.push_back(std::move(vectors_));
  } else {
    GPUSUPERNODAL_CUDA_CHECK(synchronize_device());
  }
  vectors_ = std::move(vectors);
}

/// Returns the kernel data of one direction for one right-hand side.
template <class T>
auto CudaExecutor<T>::one_rhs_data(const SolveSteps& steps, bool backward, Fronts fronts) const -> SolveData<Number> {
  SolveData<Number> data = solve_data(steps, backward, fronts);
  const SolveSweep& sweep = fronts == Fronts::top ? (backward ? tasks_.top_backward_one_rhs : tasks_.top_forward_one_rhs)
                                                  : (backward ? tasks_.backward_one_rhs : tasks_.forward_one_rhs);
  data.sweep.tasks = sweep.tasks;
  data.sweep.warp_tasks = sweep.warp_tasks;
  data.sweep.count = sweep.count;
  data.tile_bytes = grids_.tile_bytes;
  data.t = vectors_.unset + (backward ? order() : 0);
  data.solution = vectors_.unset + 2 * std::int64_t{order()};
  data.partials = vectors_.unset + 3 * std::int64_t{order()};
  data.sums = data.partials + plan_->solve.one_rhs_partials;
  return data;
}

/// Returns the number of counters that a solve uses, claims included; kernels for one right-hand side need only the
/// claims.
template <class T>
std::int64_t CudaExecutor<T>::used_counters(int padded) const {
  return padded == 1 ? cuda_solve_claims : cuda_solve_counters(*plan_);
}

/// Returns the entries that a solve for one right-hand side publishes.
template <class T>
auto CudaExecutor<T>::unset_entries(const SolveSteps& steps) const -> UnsetEntries<Number> {
  UnsetEntries<Number> entries;
  if (plan_->columns) return entries;  // ColumnRunner marks its own.
  if (steps.forward || steps.backward) {
    entries.first[0] = vectors_.unset;
    entries.count[0] = one_rhs_unset_entries(*plan_);
  }
  if (steps.forward) {
    entries.first[1] = vectors_.y;
    entries.count[1] = order();
    entries.first[2] = vectors_.sums;
    entries.count[2] = contributions();
  }
  return entries;
}

/// Returns the panels that a sweep reads: those of L, but for LU those of Uᵀ in the second sweep. The transpose of L U is
/// Uᵀ Lᵀ, so with Aᵀ they change places.
template <class T>
auto CudaExecutor<T>::panels_of(const SolveSteps& steps, bool backward) const -> const Number* {
  return values_ + (backward != steps.transposed ? partner() : 0);
}

template <class T>
auto CudaExecutor<T>::order_in(const SolveSteps& steps) const -> RowOrder<Number> {
  if (!steps.permute_in) return {};
  if (is_ldlt_) return {tasks_.old_of_new, ldlt_scales_.scale};
  if (!is_lu()) return {tasks_.old_of_new, nullptr};
  return steps.transposed ? RowOrder<Number>{tasks_.old_of_new, scales_.column}
                          : RowOrder<Number>{tasks_.old_row_of_new, scales_.row};
}

template <class T>
auto CudaExecutor<T>::order_out(const SolveSteps& steps) const -> RowOrder<Number> {
  if (!steps.permute_out) return {};
  if (is_ldlt_) return {tasks_.old_of_new, ldlt_scales_.scale};
  if (!is_lu()) return {tasks_.old_of_new, nullptr};
  return steps.transposed ? RowOrder<Number>{tasks_.old_row_of_new, scales_.row}
                          : RowOrder<Number>{tasks_.old_of_new, scales_.column};
}

/// Returns the kernel data of one direction.
template <class T>
auto CudaExecutor<T>::solve_data(const SolveSteps& steps, bool backward, Fronts fronts) const -> SolveData<Number> {
  const CudaSolveSweep& forward = plan_->solve.forward;
  SolveData<Number> data;
  if constexpr (is_complex) data.sign = is_hermitian() ? Real(-1) : Real(1);
  data.values = panels_of(steps, backward);
  data.rows = tasks_.rows;
  data.gather = tasks_.gather;
  data.gather_more = tasks_.gather_more;
  data.x = vectors_.x;
  data.y = vectors_.y;
  data.u = vectors_.sums;
  data.order = order();
  data.sweep = fronts == Fronts::top ? (backward ? tasks_.top_backward : tasks_.top_forward)
                                     : (backward ? tasks_.backward : tasks_.forward);
  data.sweep.trace = trace_ ? trace_->buffer() : nullptr;
  data.sweep.work = backward ? TracedWork::backward : TracedWork::forward;
  data.sweep.claim =
      counters_ + (backward ? cuda_solve_claims / 2 : 0) + (fronts == Fronts::top ? cuda_solve_claims / 4 : 0);
  data.sweep.counters = counters_ + cuda_solve_claims + (backward ? forward.counters : 0);
  return data;
}

/// Solves from vectors_.x to vectors_.sums. Precondition: both triangular solves are wanted.
template <class T>
void CudaExecutor<T>::solve_by_columns(const SolveSteps& steps, int columns, int padded) const {
  const LaunchMark mark(trace_.get(), "columns", streams_.main());
  ColumnVectors<Number> v;
  v.x = vectors_.x;
  v.y = vectors_.y;
  v.z = vectors_.sums;
  v.tail = vectors_.sums + std::int64_t{order()} * padded;
  v.stride = padded;
  v.columns = columns;
  v.claims = counters_;
  columns_->solve(values_, steps.transposed, v, streams_.main());
}

/// Conjugates vectors before and after a solve with a conjugate.
template <class T>
void CudaExecutor<T>::conjugate_for(const SolveSteps& steps, Number* entries, int padded) const {
  if constexpr (is_complex) {
    if (takes_conjugate(steps.transposed, steps.conjugated))
      conjugate(entries, std::int64_t{order()} * padded, streams_.main());
  }
}

/// Puts right-hand sides into the vectors, in elimination order. Host memory is copied through the staging vectors.
template <class T>
void CudaExecutor<T>::take_right_hand_sides(const SolveSteps& steps, const DenseView<const T>& b) const {
  const cudaStream_t main = streams_.main();
  const auto columns = static_cast<int>(b.cols);
  const std::int64_t n = order();
  const auto* from = reinterpret_cast<const Number*>(b.data);
  std::int64_t ld_from = b.ld;
  if (b.space == MemorySpace::host) {
    copy_matrix(vectors_.staging, n, from, b.ld, n, b.cols, cudaMemcpyHostToDevice, main);
    from = vectors_.staging;
    ld_from = n;
  }
  const int padded = padded_columns(columns);
  const LaunchMark mark(trace_.get(), "permute_in", main);
  Number* const to = steps.forward ? vectors_.x : vectors_.y;
  permute_in<Number>(from, ld_from, order_in(steps), order(), columns, to, padded, {counters_, used_counters(padded)},
                     unset_entries(steps), main);
  conjugate_for(steps, to, padded);
}

/// A launch that begins early would begin before its mark.
template <class T>
bool CudaExecutor<T>::sweeps_begin_early() const {
  return early_launches_ && !(trace_ && trace_->is_running());
}

/// Launches a sweep stage by stage, with the panels of each in their buffer.
template <class T>
template <class Launch>
void CudaExecutor<T>::sweep_stages(const SolveData<Number>& data, bool backward, int padded, const Launch& launch) const {
  const cudaStream_t main = streams_.main();
  const Stages& stages = *plan_->stages;
  const bool own_float = &plan_->solve.one_rhs_sweeps(scalar_type_of<T>).forward == &plan_->solve.forward_float;
  const StageTasks& of_one = backward ? (own_float ? stages.backward_float : stages.backward_one_rhs)
                                      : (own_float ? stages.forward_float : stages.forward_one_rhs);
  const StageTasks& begins = padded == 1 ? of_one : (backward ? stages.backward : stages.forward);
  const std::size_t count = stages.stages.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t stage = backward ? count - 1 - i : i;
    SolveData<Number> of_stage = data;
    of_stage.sweep.tasks += begins[i];
    of_stage.sweep.count = static_cast<int>(begins[i + 1] - begins[i]);
    if (of_stage.sweep.count == 0) continue;
    staged_->load(stage, main);
    if (i > 0) GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(data.sweep.claim, 0, sizeof(*data.sweep.claim), main));
    launch(of_stage);
    staged_->release(stage, main);
  }
}

template <class T>
void CudaExecutor<T>::sweep_forward(const SolveSteps& steps, int padded, Fronts fronts) const {
  const Range range("forward");
  const SolveData<Number> data = padded == 1 ? one_rhs_data(steps, false, fronts) : solve_data(steps, false, fronts);
  if (data.sweep.count == 0) return;
  const cudaStream_t main = streams_.main();
  const LaunchMark mark(trace_.get(), "forward", main, data.sweep.count);
  const SolveGrid& grid = grids_.forward[static_cast<std::size_t>(solve_shape(padded))];
  if (!staged_) return forward_sweep<Number>(data, padded, grid, sweeps_begin_early(), main);
  sweep_stages(data, false, padded,
               [&](const SolveData<Number>& stage) { forward_sweep<Number>(stage, padded, grid, false, main); });
}

template <class T>
void CudaExecutor<T>::sweep_backward(const SolveSteps& steps, int padded, Fronts fronts) const {
  const Range range("backward");
  const SolveData<Number> data = padded == 1 ? one_rhs_data(steps, true, fronts) : solve_data(steps, true, fronts);
  if (data.sweep.count == 0) return;
  const cudaStream_t main = streams_.main();
  const LaunchMark mark(trace_.get(), "backward", main, data.sweep.count);
  const SolveGrid& grid = grids_.backward[static_cast<std::size_t>(solve_shape(padded))];
  if (!staged_) return backward_sweep<Number>(data, padded, grid, sweeps_begin_early(), main);
  sweep_stages(data, true, padded,
               [&](const SolveData<Number>& stage) { backward_sweep<Number>(stage, padded, grid, false, main); });
}

/// Where the sweeps of these steps leave the solutions, in elimination order.
template <class T>
auto CudaExecutor<T>::solution_of(const SolveSteps& steps, int padded) const -> Number* {
  if (!steps.backward) return vectors_.y;
  if (columns_) return vectors_.sums;
  return padded == 1 ? one_rhs_data(steps, true, Fronts::all).solution : vectors_.x;
}

/// Copies the solutions to x, in the caller's order.
template <class T>
void CudaExecutor<T>::give_solutions(const SolveSteps& steps, const DenseView<T>& x) const {
  const cudaStream_t main = streams_.main();
  const auto columns = static_cast<int>(x.cols);
  const int padded = padded_columns(columns);
  const std::int64_t n = order();
  const LaunchMark mark(trace_.get(), "permute_out", main);
  const bool to_host = x.space == MemorySpace::host;
  Number* const solution = solution_of(steps, padded);
  auto* const to = reinterpret_cast<Number*>(x.data);
  conjugate_for(steps, solution, padded);
  permute_out<Number>(solution, padded, order_out(steps), order(), columns, to_host ? vectors_.staging : to,
                      to_host ? n : x.ld, steps.forward || steps.backward ? status_ : nullptr, sweeps_begin_early(), main);
  if (to_host) copy_matrix(to, x.ld, vectors_.staging, n, n, x.cols, cudaMemcpyDeviceToHost, main);
}

/// Solves for at most vectors_.columns right-hand sides.
template <class T>
void CudaExecutor<T>::solve_batch(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) const {
  const int padded = padded_columns(static_cast<int>(b.cols));
  take_right_hand_sides(steps, b);
  const bool by_columns = columns_ && (steps.forward || steps.backward);
  if (by_columns) solve_by_columns(steps, static_cast<int>(b.cols), padded);
  if (steps.forward && !by_columns) sweep_forward(steps, padded, Fronts::all);
  if constexpr (built_with(Form::ldlt)) {
    if (is_ldlt_ && !is_symmetric_ && steps.forward && steps.backward)
      apply_signs<Number>(vectors_.y, pivots_, order(), padded, sweeps_begin_early(), streams_.main());  // A = W S Wᵀ.
  }
  if (steps.backward && !by_columns) sweep_backward(steps, padded, Fronts::all);
  give_solutions(steps, x);
}

template <class T>
void CudaExecutor<T>::solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) {
  if (order() == 0 || b.cols == 0) return;
  const Range range("solve", b.cols);
  traced(calls(), 0, call_slice("solve"), [&] {
    forked([&] {
      const bool captured = caller_captures();
      if (captured) vectors_.in_graph = in_graph_ = true;
      if (trace_) trace_->set_paused(captured);
      for (std::int64_t first = 0; first < b.cols; first += vectors_.columns) {
        const std::int64_t columns = std::min(vectors_.columns, b.cols - first);
        const DenseView<const T> part_b(b.data + first * b.ld, b.rows, columns, b.ld, b.space);
        const DenseView<T> part_x(x.data + first * x.ld, x.rows, columns, x.ld, x.space);
        solve_batch(steps, part_b, part_x);
      }
      join();
      if (b.space == MemorySpace::host || x.space == MemorySpace::host) wait();
    });
  });
}

#define INSTANTIATE(T)                                                                                                 \
  template typename CudaExecutor<T>::Vectors CudaExecutor<T>::make_vectors(std::int64_t) const;                        \
  template void CudaExecutor<T>::reserve_right_hand_sides(std::int64_t);                                               \
  template std::int64_t CudaExecutor<T>::used_counters(int) const;                                                     \
  template void CudaExecutor<T>::take_right_hand_sides(const SolveSteps&, const DenseView<const T>&) const;            \
  template void CudaExecutor<T>::sweep_forward(const SolveSteps&, int, Fronts) const;                                  \
  template void CudaExecutor<T>::sweep_backward(const SolveSteps&, int, Fronts) const;                                 \
  template typename CudaExecutor<T>::Number* CudaExecutor<T>::solution_of(const SolveSteps&, int) const;               \
  template void CudaExecutor<T>::give_solutions(const SolveSteps&, const DenseView<T>&) const;                         \
  template void CudaExecutor<T>::solve_batch(const SolveSteps&, const DenseView<const T>&, const DenseView<T>&) const; \
  template void CudaExecutor<T>::solve(const SolveSteps&, const DenseView<const T>&, const DenseView<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
