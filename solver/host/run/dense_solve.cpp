/// \file
/// Solves of LU on dense storage.

#include <algorithm>
#include <functional>

#include "gpusupernodal/build_config.hpp"
#include "solver/host/run/dense_factor.hpp"
#include "solver/host/run/require_host.hpp"

namespace gpusupernodal {
namespace {

/// Right-hand sides that one thread solves together. Their number is fixed, so that the bits do not depend on the threads.
constexpr std::int64_t columns_together = 8;

template <class T>
T conjugate_if(bool conjugated, T value) {
  return conjugated ? ScalarTraits<T>::conjugate(value) : value;
}

/// A solve with the transpose is one with the adjoint between two conjugations, as is one with the conjugate of A.
template <class T>
bool conjugates_vectors(const SolveSteps& steps) {
  return ScalarTraits<T>::is_complex && steps.transposed != steps.conjugated;
}

}  // namespace

template <class T>
void HostDenseFactor<T>::reserve_right_hand_sides(std::int64_t columns) {
  if (columns <= reserved_columns_) return;
  vectors_ = Buffer<T>(context_.allocator(), dense_.n * columns, "the right-hand sides");
  reserved_columns_ = columns;
}

/// y := the right-hand side, scaled, in the order of elimination.
template <class T>
void HostDenseFactor<T>::scale_and_permute(const SolveSteps& steps, const T* b, T* y) const {
  const auto& old_column = plan_->structure->symbolic.permutation.old_of_new;
  const auto& old_row = plan_->structure->general->old_row_of_new;
  const bool conjugated = conjugates_vectors<T>(steps);
  for (NewIndex k : IdRange<NewIndex>(dense_.n)) {
    T entry;
    if (!steps.permute_in) {
      entry = b[k.value];
    } else if (steps.transposed) {
      entry = system_->scales->column()[k.value] * b[old_column[k].value];
    } else {
      const NewIndex row(system_->row_order[k.value]);
      entry = system_->scales->row()[row.value] * b[old_row[row].value];
    }
    y[k.value] = conjugate_if(conjugated, entry);
  }
}

template <class T>
void HostDenseFactor<T>::permute_and_scale(const SolveSteps& steps, const T* y, T* x) const {
  const auto& old_column = plan_->structure->symbolic.permutation.old_of_new;
  const auto& old_row = plan_->structure->general->old_row_of_new;
  const bool conjugated = conjugates_vectors<T>(steps);
  for (NewIndex k : IdRange<NewIndex>(dense_.n)) {
    const T entry = conjugate_if(conjugated, y[k.value]);
    if (!steps.permute_out) {
      x[k.value] = entry;
    } else if (steps.transposed) {
      const NewIndex row(system_->row_order[k.value]);
      x[old_row[row].value] = system_->scales->row()[row.value] * entry;
    } else {
      x[old_column[k].value] = system_->scales->column()[k.value] * entry;
    }
  }
}

/// Y := U⁻¹ L⁻¹ Y.
template <class T>
void HostDenseFactor<T>::solve_plain(std::int32_t columns, T* y) const {
  const std::int32_t n = dense_.n;
  const std::int64_t ld = dense_.ld;
  for (std::int32_t first = 0; first < n; first += dense_.panel) {
    const std::int32_t last = std::min(n, first + dense_.panel);
    kernels_.forward_block(last - first, columns, system_->factor.data() + dense_.square(first), dense_.panel, y + first, n);
    kernels_.subtract_times(n - last, last - first, columns, at(last, first), ld, y + first, n, y + last, n);
  }
  for (auto p = static_cast<std::int32_t>(dense_.panels()) - 1; p >= 0; --p) {
    const std::int32_t first = p * dense_.panel;
    const std::int32_t width = std::min(dense_.panel, n - first);
    kernels_.backward_block(width, columns, at(first, first), ld, y + first, n);
    kernels_.subtract_times(first, width, columns, at(0, first), ld, y + first, n, y, n);
  }
}

/// Y := L⁻ᴴ U⁻ᴴ Y.
template <class T>
void HostDenseFactor<T>::solve_adjoint(std::int32_t columns, T* y) const {
  const std::int32_t n = dense_.n;
  const std::int64_t ld = dense_.ld;
  for (std::int32_t first = 0; first < n; first += dense_.panel) {
    const std::int32_t width = std::min(dense_.panel, n - first);
    kernels_.subtract_transpose_times(first, width, columns, at(0, first), ld, y, n, y + first, n);
    kernels_.forward_block(width, columns, at(first, first), ld, y + first, n);
  }
  for (auto p = static_cast<std::int32_t>(dense_.panels()) - 1; p >= 0; --p) {
    const std::int32_t first = p * dense_.panel;
    const std::int32_t last = std::min(n, first + dense_.panel);
    kernels_.subtract_transpose_times(n - last, last - first, columns, at(last, first), ld, y + last, n, y + first, n);
    kernels_.backward_block(last - first, columns, system_->factor.data() + dense_.square(first), dense_.panel, y + first,
                            n);
  }
}

/// At most columns_together right-hand sides; y has n entries for each.
template <class T>
void HostDenseFactor<T>::solve_columns(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x,
                                       T* y) const {
  const bool failed = system_->outcome.status != Status::success && (steps.forward || steps.backward);
  const auto columns = static_cast<std::int32_t>(b.cols);
  for (std::int32_t c = 0; c < columns; ++c) scale_and_permute(steps, b.data + c * b.ld, y + std::int64_t{dense_.n} * c);
  if ((steps.forward || steps.backward) && !failed) {
    if (steps.transposed) {
      solve_adjoint(columns, y);
    } else {
      solve_plain(columns, y);
    }
  }
  for (std::int32_t c = 0; c < columns; ++c) {
    permute_and_scale(steps, y + std::int64_t{dense_.n} * c, x.data + c * x.ld);
    if (failed) std::fill_n(x.data + c * x.ld, dense_.n, ScalarTraits<T>::not_a_number());
  }
}

template <class T>
void HostDenseFactor<T>::solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) {
  require_host(b, "b");
  require_host(x, "x");
  traced(context_.writable_trace(), 0, call_slice("solve"), [&] {
    for (std::int64_t begin = 0; begin < b.cols; begin += reserved_columns_) {
      const std::int64_t columns = std::min(reserved_columns_, b.cols - begin);
      const std::int64_t groups = (columns + columns_together - 1) / columns_together;
      const double values = static_cast<double>(dense_.values()) * static_cast<double>(columns);
      const int workers = workers_for(2.0 * values, groups);
      const auto work = [&](int worker) {
        for (std::int64_t group = worker; group < groups; group += workers) {
          const std::int64_t first = begin + group * columns_together;
          const std::int64_t count = std::min(columns_together, begin + columns - first);
          solve_columns(steps, DenseView<const T>(b.data + first * b.ld, b.rows, count, b.ld),
                        DenseView<T>(x.data + first * x.ld, x.rows, count, x.ld),
                        vectors_.data() + dense_.n * (first - begin));
        }
      };
      if (workers > 1) {
        context_.team().run(workers, std::ref(work));
      } else {
        work(0);
      }
    }
  });
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                                     \
  template void HostDenseFactor<T>::reserve_right_hand_sides(std::int64_t);                                              \
  template void HostDenseFactor<T>::scale_and_permute(const SolveSteps&, const T*, T*) const;                            \
  template void HostDenseFactor<T>::permute_and_scale(const SolveSteps&, const T*, T*) const;                            \
  template void HostDenseFactor<T>::solve_plain(std::int32_t, T*) const;                                                 \
  template void HostDenseFactor<T>::solve_adjoint(std::int32_t, T*) const;                                               \
  template void HostDenseFactor<T>::solve_columns(const SolveSteps&, const DenseView<const T>&, const DenseView<T>&, T*) \
      const;                                                                                                             \
  template void HostDenseFactor<T>::solve(const SolveSteps&, const DenseView<const T>&, const DenseView<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
