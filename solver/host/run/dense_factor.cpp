#include "solver/host/run/dense_factor.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "solver/backend/accepted_growth.hpp"

namespace gpusupernodal {
namespace {

/// Entries of at least this part of the largest one may be pivots if their rows have fewer nonzeros. Smaller thresholds save
/// little more, and multipliers grow to their reciprocal.
constexpr double pivot_threshold = 0.1;

/// Work that takes much longer than waking a team of threads.
constexpr double min_flops_for_dense_threads = 2e6;

}  // namespace

template <class T>
HostDenseFactor<T>::HostDenseFactor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                    HostContext& context, HostOperator<T>* matrix)
    : plan_(std::move(plan)),
      dense_(*plan_->structure->dense),
      context_(context),
      matrix_(matrix),
      kernels_(host_kernels<T>()),
      check_finite_(options.check_finite),
      perturbation_(options.perturbation > 0.0 ? options.perturbation
                                               : static_cast<double>(std::numeric_limits<Real>::epsilon())),
      monitor_(context.workers()),
      size_(dense_, context.workers()),
      patterns_(context.allocator(), size_),
      exchange_(context.allocator(), size_.order, "the exchanges of rows"),
      rows_(context.allocator(), size_.order, "the nonzero rows of a panel"),
      columns_(context.allocator(), size_.columns, "the nonzero columns of a tile"),
      rows_of_l_(context.allocator(), size_.rows_of_l, "the rows of a panel of L"),
      tile_of_u_(context.allocator(), size_.tile_of_u, "a tile of U for each thread"),
      vectors_(context.allocator(), dense_.n, "one right-hand side") {
  const auto n = static_cast<std::size_t>(dense_.n);
  scales_workspace_.row.resize(n);
  scales_workspace_.column.resize(n);
  scales_workspace_.largest.resize(n);
}

template <class T>
void HostDenseFactor<T>::factorize(const FactorInput<T>& input) {
  if (input.space == MemorySpace::device) {
    fail<InvalidInput>("the values of A are in device memory, but the solver runs on the host backend; copy them first");
  }
  if (matrix_ != nullptr) matrix_->set_values(input);
  system_->outcome = FactorOutcome();
  Trace* const trace = context_.writable_trace();
  if (trace != nullptr) trace->clear();
  traced(trace, 0, call_slice("factorize"), [&] {
    system_->scales->set(input, scales_workspace_);
    FactorProgress progress(input.report_progress, dense_.flops());
    const bool took_smaller_pivots = factorize_with(input, static_cast<Real>(pivot_threshold), progress);
    if (took_smaller_pivots && !(system_->outcome.growth <= accepted_growth)) {
      progress.repeat();
      factorize_with(input, Real(1), progress);
    }
    progress.end();
  });
}

/// Sets the outcome. Returns whether a pivot was not the largest entry of its column.
template <class T>
bool HostDenseFactor<T>::factorize_with(const FactorInput<T>& input, Real threshold, FactorProgress& progress) {
  const double largest = system_->scales->largest_entry() > 0.0 ? system_->scales->largest_entry() : 1.0;
  const Real smallest_allowed = std::max(static_cast<Real>(perturbation_ * largest), std::numeric_limits<Real>::min());
  monitor_.reset();
  assemble(input);
  DensePanels<T> panels(dense_, system_->factor.data(), system_->row_order.data(), exchange_.data(), system_->largest.data(),
                        patterns_, {threshold, smallest_allowed}, monitor_);
  for (std::int32_t first = 0; first < dense_.n; first += dense_.panel) {
    const std::int32_t last = std::min(dense_.n, first + dense_.panel);
    panels.factorize(first, last);
    update_tiles(panels, first, last);
    const auto left = [&](std::int32_t k) { return DenseStructure(dense_.n - k).flops(); };
    progress.done(0, left(first) - left(last));
  }
  system_->outcome = monitor_.outcome(Form::lu);
  system_->outcome.largest_in_a = system_->scales->largest_entry();
  system_->outcome.growth = growth();
  return panels.took_smaller_pivots();
}

/// Sets the matrix to the scaled A.
template <class T>
void HostDenseFactor<T>::assemble(const FactorInput<T>& input) {
  const AssemblyMap& map = plan_->structure->assembly;
  T* const values = system_->factor.data();
  std::fill_n(values, system_->factor.size(), T(0));
  for (std::int32_t k = 0; k < dense_.n; ++k) system_->row_order[k] = k;
  const bool full = map.entries_of_a == std::int64_t{dense_.n} * dense_.n;
  patterns_.reset(full);
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    const T value = input.values[map.source[e]];
    if (check_finite_ && !ScalarTraits<T>::is_finite(value))
      monitor_.entry_not_finite(0, map.source[e], static_cast<double>(ScalarTraits<T>::non_finite_part(value)));
    const T scaled = scaled_entry<T>(system_->scales->row()[map.row[e].value], input.scale * value,
                                     system_->scales->column()[map.column[e].value]);
    values[map.target[e]] = scaled;
    if (!full && scaled != T(0)) patterns_.add(map.row[e].value, map.column[e].value);
  }
}

template <class T>
int HostDenseFactor<T>::workers_for(double flops, std::int64_t most) const {
  return flops < min_flops_for_dense_threads ? 1 : static_cast<int>(std::clamp<std::int64_t>(most, 1, context_.workers()));
}

/// Exchanges rows in all other columns, and subtracts the products of the panel from those that follow it. Tiles are dealt
/// out in turn, so their number for each thread differs by one at most.
template <class T>
void HostDenseFactor<T>::update_tiles(const DensePanels<T>& panels, std::int32_t first, std::int32_t last) {
  if (dense_.n <= dense_.panel) return;
  const RowsOfL rows = collect_rows(first, last);
  const std::int32_t before = first / dense_tile;
  const std::int32_t after = (dense_.n - last + dense_tile - 1) / dense_tile;
  const std::int32_t tiles = before + after;
  const int workers = workers_for(2.0 * (last - first) * (rows.count + (last - first)) * (dense_.n - last), after);
  const auto work = [&](int worker) {
    for (std::int32_t tile = tiles - 1 - worker; tile >= 0; tile -= workers) {
      const std::int32_t column = tile < before ? tile * dense_tile : last + (tile - before) * dense_tile;
      const std::int32_t end = std::min(column + dense_tile, dense_.n);
      panels.exchange_rows(first, last, column, end);
      if (tile >= before) update_tile(first, last, column, rows, worker);
    }
  };
  if (workers == 1) {
    work(0);
  } else {
    context_.team().run(workers, std::ref(work));
  }
}

/// Copies the nonzero rows if at least an eighth of the rows is zero.
template <class T>
typename HostDenseFactor<T>::RowsOfL HostDenseFactor<T>::collect_rows(std::int32_t first, std::int32_t last) {
  const std::int32_t below = dense_.n - last;
  std::int32_t count = 0;
  for (std::int32_t i = 0; i < below; ++i) {
    bool nonzero = patterns_.full();
    for (std::int32_t j = first; j < last && !nonzero; ++j) nonzero = *at(last + i, j) != T(0);
    rows_[count] = i;
    count += nonzero ? 1 : 0;
  }
  if (8 * std::int64_t{count} > 7 * std::int64_t{below}) {
    for (std::int32_t i = 0; i < below; ++i) rows_[i] = i;
    return {at(last, first), dense_.ld, below, true};
  }
  for (std::int32_t j = first; j < last; ++j) {
    const T* const column = at(last, j);
    T* const copy = rows_of_l_.data() + std::int64_t{count} * (j - first);
    for (std::int32_t i = 0; i < count; ++i) copy[i] = column[rows_[i]];
  }
  return {rows_of_l_.data(), std::max(count, 1), count, false};
}

/// Computes rows first … last−1 of U in the columns of a tile, and subtracts L times them from the rows below.
template <class T>
void HostDenseFactor<T>::update_tile(std::int32_t first, std::int32_t last, std::int32_t column, const RowsOfL& rows,
                                     int worker) {
  const std::int32_t width = std::min(dense_tile, dense_.n - column);
  const std::int32_t depth = last - first;
  std::int32_t* const columns = columns_.data() + std::int64_t{dense_tile} * worker;
  T* const u = tile_of_u_.data() + std::int64_t{dense_tile} * dense_.panel * worker;
  kernels_.forward_block(depth, width, system_->factor.data() + dense_.square(first), dense_.panel, at(first, column),
                         dense_.ld);
  std::int32_t count = 0;
  for (std::int32_t j = 0; j < width; ++j) {
    const T* const entries = at(first, column + j);
    const bool nonzero = std::any_of(entries, entries + depth, [](const T& entry) { return entry != T(0); });
    columns[count] = j;
    count += nonzero ? 1 : 0;
  }
  for (std::int32_t c = 0; c < count; ++c) {
    const T* const entries = at(first, column + columns[c]);
    for (std::int32_t p = 0; p < depth; ++p) u[c + std::int64_t{dense_tile} * p] = ScalarTraits<T>::conjugate(entries[p]);
  }
  T* const target = at(last, column);
  if (rows.all && count == width)
    return kernels_.subtract_product(rows.count, count, depth, rows.values, rows.ld, u, dense_tile, target, dense_.ld);
  kernels_.subtract_product_indexed(rows.count, count, depth, rows.values, rows.ld, u, dense_tile, target, dense_.ld,
                                    rows_.data(), columns);
}

/// As HostFactor::growth; NaN if U has NaN, which pivots do not always show. Magnitudes of complex numbers are those of
/// pivot_size, at most √2 times larger.
template <class T>
double HostDenseFactor<T>::growth() const {
  const std::int64_t n = dense_.n;
  Real* const of_l = system_->largest.data();
  Real* const of_u = of_l + n;
  std::fill_n(of_u, n, Real(0));
  for (std::int64_t j = 0; j < n; ++j) {
    const T* const column = at(0, j);
    for (std::int64_t i = 0; i <= j; ++i) {
      const Real size = pivot_size(column[i]);
      of_u[i] = size > of_u[i] || std::isnan(size) ? size : of_u[i];
    }
  }
  double largest = 0.0;
  for (std::int64_t k = 0; k < n; ++k) {
    const double product = static_cast<double>(of_l[k]) * static_cast<double>(of_u[k]);
    if (std::isnan(product)) return product;
    largest = std::max(largest, product);
  }
  return system_->outcome.largest_in_a > 0.0 ? largest / system_->outcome.largest_in_a : 0.0;
}

template <class T>
void HostDenseFactor<T>::copy_panels(Span<T> host) {
  std::copy_n(system_->factor.data(), system_->factor.size(), host.data());
}

/// The exchanges of this factorization change the sign of the determinant, so an odd number of them changes that of one
/// entry.
template <class T>
void HostDenseFactor<T>::copy_diagonal(Span<T> host) {
  for (std::int32_t k = 0; k < dense_.n; ++k) {
    const T pivot = ScalarTraits<T>::conjugate(*at(k, k));  // The adjoint of U is stored.
    host[static_cast<std::size_t>(k)] = pivot / system_->scales->row()[system_->row_order[k]] / system_->scales->column()[k];
  }
  if (dense_.n > 0 && has_odd_order()) host[0] = -host[0];
}

/// Whether the order of rows is a product of an odd number of exchanges: of an odd number of cycles of even length.
template <class T>
bool HostDenseFactor<T>::has_odd_order() const {
  const std::int32_t* const order = system_->row_order.data();
  std::vector<bool> seen(static_cast<std::size_t>(dense_.n), false);
  bool odd = false;
  for (std::int32_t k = 0; k < dense_.n; ++k) {
    for (std::int32_t i = k; !seen[static_cast<std::size_t>(i)]; i = order[i]) {
      seen[static_cast<std::size_t>(i)] = true;
      if (order[i] != k) odd = !odd;
    }
  }
  return odd;
}

template <class T>
std::unique_ptr<SystemFactor<T>> make_dense_factor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                                   HostContext& context, HostOperator<T>* matrix) {
  return std::make_unique<HostDenseFactor<T>>(std::move(plan), options, context, matrix);
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                                   \
  template class HostDenseFactor<T>;                                                                                   \
  template std::unique_ptr<SystemFactor<T>> make_dense_factor(std::shared_ptr<const HostPlan>, const ExecutorOptions&, \
                                                              HostContext&, HostOperator<T>*);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
