#include "solver/api/row_iteration.hpp"

#include <cmath>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/pcg_state.hpp"
#include "solver/sparse/row_product.hpp"

namespace gpusupernodal {
namespace {

/// inverses := 1 / diagonal. Returns whether the diagonal and its inverse are positive and finite.
template <class S>
bool invert_diagonal(const SymmetricRows& rows, const S* values, RawVector<S>& inverses) {
  inverses.resize(static_cast<std::size_t>(rows.n));
  for (std::int32_t i = 0; i < rows.n; ++i) {
    const std::int32_t e = rows.diagonal(i);
    const S inverse = e < 0 ? S(0) : S(1) / values[e];
    if (!(inverse > S(0)) || !std::isfinite(inverse)) return false;
    inverses[static_cast<std::size_t>(i)] = inverse;
  }
  return true;
}

}  // namespace

template <class S>
RowIteration<S>::RowIteration(const SymmetricRows& rows, const S* values, const PcgOptions& options)
    : n_(rows.n), preconditioner_(options.preconditioner) {
  PcgEngineOptions with;
  with.threads = options.threads;
  with.allocator = options.host_allocator;
  with.function_is_product = true;
  engine_ = make_host_pcg<S>(n_, with);
  engine_->set_function(make_host_row_product<S>({n_, rows.offsets.data(), rows.columns.data(), values}, options.threads));
  if (preconditioner_ == Preconditioner::none) return;
  RawVector<S> inverses;
  positive_ = invert_diagonal(rows, values, inverses);
  PcgInverse<S> inverse;
  inverse.block = 1;
  inverse.blocks = inverses.data();
  if (positive_) engine_->set_inverse(inverse);
}

template <class S>
PcgReport RowIteration<S>::solve(const S* b, S* x, const PcgOptions& options) {
  PcgReport report =
      conjugate_gradients(*engine_, criteria_of<S>(options, n_), DenseView<const S>(b, n_), DenseView<S>(x, n_), false);
  report.preconditioner = preconditioner_;
  report.backend = Backend::host;
  return report;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class RowIteration<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
