/// \file
/// Solves of LU by columns on the host.

#include <algorithm>
#include <functional>

#include "gpusupernodal/build_config.hpp"
#include "solver/host/run/column_factor.hpp"
#include "solver/host/run/require_host.hpp"

namespace gpusupernodal {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// P A Q = L U inside the diagonal blocks. The last block comes first: its solution enters the right-hand sides of the
/// blocks above through entries of A.
template <class T>
template <class Entry>
void HostColumnFactor<T>::solve_rows(T* y, const Entry& entry) const {
  const ColumnStructure& s = structure_;
  const auto subtract = [&](T& sum, std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) sum -= entry(e) * y[s.columns[at(e)]];
  };
  const auto subtract_tail = [&](T& sum, std::int32_t row, std::int32_t begin, std::int32_t end) {
    for (std::int32_t j = begin; j < end; ++j) sum -= entry(s.tail_index(row, j)) * y[j];
  };
  for (std::size_t b = s.block_ends.size(); b-- > 0;) {
    const std::int32_t first = b > 0 ? s.block_ends[b - 1] : 0;
    for (std::int32_t i = first; i < s.block_ends[b]; ++i) {
      const std::int64_t begin = s.row_offset[at(i)];
      const std::int64_t upper = begin + s.lower[at(i)];
      T sum = y[i];
      subtract(sum, upper + s.upper[at(i)], s.row_offset[at(i) + 1]);
      subtract(sum, begin, upper);
      if (s.in_tail(i)) subtract_tail(sum, i, s.tail_begin, i);
      y[i] = sum;
    }
    for (std::int32_t i = s.block_ends[b] - 1; i >= first; --i) {
      T sum = y[i];
      if (s.in_tail(i)) {
        subtract_tail(sum, i, i + 1, s.tail_end);
      } else {
        const std::int64_t diagonal = s.diagonal(i);
        subtract(sum, diagonal + 1, diagonal + s.upper[at(i)]);
      }
      y[i] = sum / entry(s.diagonal(i));
    }
  }
}

/// Solves with the transpose of the matrix of entries: the first block comes first.
template <class T>
template <class Entry>
void HostColumnFactor<T>::solve_columns(T* y, const Entry& entry) const {
  const ColumnStructure& s = structure_;
  const auto subtract = [&](T& sum, std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) sum -= entry(s.position[at(e)]) * y[s.rows[at(e)]];
  };
  const auto subtract_tail = [&](T& sum, std::int32_t column, std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i) sum -= entry(s.tail_index(i, column)) * y[i];
  };
  std::int32_t first = 0;
  for (const std::int32_t last : s.block_ends) {
    for (std::int32_t j = first; j < last; ++j) {
      T sum = y[j];
      const std::int64_t begin = s.column_offset[at(j)];
      subtract(sum, begin, begin + s.before[at(j)] + s.above[at(j)]);
      if (s.in_tail(j)) subtract_tail(sum, j, s.tail_begin, j);
      y[j] = sum / entry(s.diagonal(j));
    }
    for (std::int32_t j = last - 1; j >= first; --j) {
      T sum = y[j];
      if (s.in_tail(j)) {
        subtract_tail(sum, j, j + 1, s.tail_end);
      } else {
        subtract(sum, s.column_offset[at(j)] + s.before[at(j)] + s.above[at(j)] + 1, s.column_offset[at(j) + 1]);
      }
      y[j] = sum;
    }
    first = last;
  }
}

template <class T>
void HostColumnFactor<T>::solve_blocks(const SolveSteps& steps, T* y) const {
  const T* const values = system_->factor.data();
  const auto plain = [values](std::int64_t position) { return values[position]; };
  const auto conjugated = [values](std::int64_t position) { return ScalarTraits<T>::conjugate(values[position]); };
  if (steps.transposed) return steps.conjugated ? solve_columns(y, conjugated) : solve_columns(y, plain);
  return steps.conjugated ? solve_rows(y, conjugated) : solve_rows(y, plain);
}

/// One right-hand side; y has n entries.
template <class T>
void HostColumnFactor<T>::solve_column(const SolveSteps& steps, const T* b, T* x, T* y) const {
  const auto& columns = plan_->structure->symbolic.permutation.old_of_new;
  const auto& rows = plan_->structure->general->old_row_of_new;
  const Real* const row_scale = system_->scales->row();
  const Real* const column_scale = system_->scales->column();
  const auto& in = steps.transposed ? columns : rows;
  const auto& out = steps.transposed ? rows : columns;
  const Real* const in_scale = steps.transposed ? column_scale : row_scale;
  const Real* const out_scale = steps.transposed ? row_scale : column_scale;
  for (NewIndex k : IdRange<NewIndex>(structure_.n))
    y[k.value] = steps.permute_in ? in_scale[k.value] * b[in[k].value] : b[k.value];
  if (steps.forward || steps.backward) solve_blocks(steps, y);
  for (NewIndex k : IdRange<NewIndex>(structure_.n)) {
    if (steps.permute_out) {
      x[out[k].value] = out_scale[k.value] * y[k.value];
    } else {
      x[k.value] = y[k.value];
    }
  }
}

template <class T>
void HostColumnFactor<T>::solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) {
  require_host(b, "b");
  require_host(x, "x");
  const bool failed = system_->outcome.status != Status::success && (steps.forward || steps.backward);
  traced(context_.writable_trace(), 0, call_slice("solve"), [&] {
    const double flops = 2.0 * static_cast<double>(structure_.values()) * static_cast<double>(b.cols);
    const int workers = workers_for(flops, std::min<std::int64_t>(row_workers_, b.cols));
    const auto work = [&](int worker) {
      for (std::int64_t c = b.cols * worker / workers; c < b.cols * (worker + 1) / workers; ++c) {
        solve_column(steps, b.data + c * b.ld, x.data + c * x.ld, workspace(worker));
        if (failed) std::fill_n(x.data + c * x.ld, structure_.n, ScalarTraits<T>::not_a_number());
      }
      std::fill_n(workspace(worker), structure_.n, T(0));  // Factorizations expect zeros.
    };
    if (workers > 1) {
      context_.team().run(workers, std::ref(work));
    } else {
      work(0);
    }
  });
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                          \
  template void HostColumnFactor<T>::solve_blocks(const SolveSteps&, T*) const;               \
  template void HostColumnFactor<T>::solve_column(const SolveSteps&, const T*, T*, T*) const; \
  template void HostColumnFactor<T>::solve(const SolveSteps&, const DenseView<const T>&, const DenseView<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
