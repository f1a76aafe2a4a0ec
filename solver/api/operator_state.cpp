#include "solver/api/operator_state.hpp"

#include <algorithm>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/conjugated_product.hpp"
#include "solver/api/measured_products.hpp"
#include "solver/api/sparse_checks.hpp"
#include "solver/api/staged_vectors.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/format_model.hpp"

namespace gpusupernodal {
namespace {

/// Options of the solver's checks and of the choice of a backend.
Options solver_options(const OperatorOptions& options) {
  Options result;
  result.backend = options.backend;
  result.threads = options.threads;
  result.device = options.device;
  result.symmetry = options.symmetry;
  return result;
}

template <class T>
void check_product(const DenseView<const T>& x, const DenseView<T>& y, std::int64_t rows, std::int64_t columns) {
  if (x.rows != columns) fail<InvalidInput>("{} has {} rows, but the product needs {}", "x", x.rows, columns);
  if (y.rows != rows) fail<InvalidInput>("{} has {} rows, but the product needs {}", "y", y.rows, rows);
  check_dense(x, x.rows, "x");
  check_dense(y, y.rows, "y");
  if (x.cols != y.cols) fail<InvalidInput>("x has {} columns, but y has {}", x.cols, y.cols);
  if (x.cols > 65535) fail<InvalidInput>("x has {} columns, but a product takes at most 65535", x.cols);
  if (overlap(x, y)) fail<InvalidInput>("x and y overlap, but a product reads x while it writes y");
}

}  // namespace

void check_operator_options(const OperatorOptions& options) {
  check_options(solver_options(options));
  const auto format = static_cast<std::int64_t>(options.format), tuning = static_cast<std::int64_t>(options.tuning);
  if (format < 0 || format >= static_cast<std::int64_t>(format_names.size()))
    fail<InvalidInput>("format is {}; it must be 0 to {}", format, format_names.size() - 1);
  if (tuning < 0 || tuning >= static_cast<std::int64_t>(tuning_names.size()))
    fail<InvalidInput>("tuning is {}; it must be 0 to {}", tuning, tuning_names.size() - 1);
}

template <class T>
void SparseOperator<T>::Impl::refuse_in_capture(const char* call, const char* reason) const {
  if (stream == nullptr || !is_captured(stream)) return;
  fail<InvalidState>(
      "{} was called while a graph is captured on the solver's stream, but it {}; call it before the capture or after it",
      call, reason);
}

template <class T>
void SparseOperator<T>::Impl::require_analyzed(const char* call) const {
  if (!now.plain) fail<InvalidState>("{} needs an analyzed matrix; call analyze first", call);
}

template <class T>
void SparseOperator<T>::Impl::check_call(const SparseApply<T>& apply, const char* call, const DenseView<const T>& x,
                                         const DenseView<T>& y) const {
  if (!now.has_values) fail<InvalidState>("{} needs the values of the matrix; call update first", call);
  check_product(x, y, apply.rows(), apply.columns());
}

template <class T>
std::unique_ptr<SparseApply<T>> SparseOperator<T>::Impl::make(const SparseLayout& layout, Backend backend) const {
  if constexpr (!ScalarTraits<T>::is_complex) {
    if (backend == Backend::cuda)
      return make_cuda_apply<T>(layout, {options.threads, options.device, stream, options.device_allocator});
  }
  return make_host_apply<T>(layout, {options.threads, options.device, stream, options.host_allocator});
}

/// The layout that `options` ask for, with the report about it.
template <class T>
std::unique_ptr<SparseApply<T>> SparseOperator<T>::Impl::choose(const RowPattern& pattern, Backend backend,
                                                                const FoundProductFigures& found,
                                                                OperatorReport& report) const {
  report.figures = found.source;
  const LayoutWish wish{options.format, backend, sizeof(T), options.threads, found.figures};
  std::vector<LayoutCandidate> candidates = layout_candidates(pattern, wish);
  std::vector<double> measured(candidates.size(), 0.0);
  if (options.tuning == Tuning::measured) {
    measured = measured_products<T>(
        candidates, [&](const SparseLayout& layout) { return make(layout, backend); }, options, stream);
  }
  if (!candidates.front().refusal.empty())
    fail<InvalidInput>("the matrix cannot be stored in the format {}: {}", name_of(options.format),
                       candidates.front().refusal);
  report.candidates.clear();
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const LayoutCandidate& c = candidates[k];
    const auto entries = static_cast<double>(pattern.entries());
    report.candidates.push_back({c.format, c.kernel, c.refusal,
                                 entries > 0.0 ? std::max(0.0, c.shape.stored_values / entries - 1.0) : 0.0,
                                 static_cast<std::int64_t>(c.shape.bytes), c.seconds, measured[k]});
  }
  const SparseLayout layout = candidates.front().make();
  const FormatCandidate& taken = report.candidates.front();
  report.format = taken.format;
  report.kernel = taken.kernel;
  report.padding = taken.padding;
  report.product_bytes = taken.product_bytes;
  report.predicted_seconds = taken.predicted_seconds;
  report.stored_values = layout.stored_values;
  for (const SparseLayout& rest : layout.rest) report.stored_values += rest.stored_values;
  return make(layout, backend);
}

template <class T>
void SparseOperator<T>::Impl::build(const RowPattern& pattern, Backend backend, Analysis& made) const {
  const FoundProductFigures found = found_product_figures(backend, options.device);
  made.plain = choose(pattern, backend, found, made.report);
  made.report.backend = backend;
  made.report.device = backend == Backend::cuda ? "cuda" : "host";
  if (!options.transposed || made.is_half) return;
  OperatorReport unused;
  RowPattern adjoint = gpusupernodal::transposed(pattern);
  if constexpr (ScalarTraits<T>::is_complex) conjugate(adjoint);
  made.adjoint = choose(adjoint, backend, found, unused);
}

template <class T>
void SparseOperator<T>::Impl::build_complex(const RowPattern& pattern, Analysis& made) const {
  if (!allows_host(solver_options(options))) {
    fail<BackendUnavailable>(
        "the CUDA backend was requested, but products with complex matrices run on the host only; set the backend to host "
        "or automatic");
  }
  build(pattern, Backend::host, made);
  made.report.backend_reason =
      options.backend == Backend::host ? "requested" : "products with complex matrices run on the host only";
}

/// Takes the device if there is one and it is not refused; a backend that was requested by name must work.
template <class T>
void SparseOperator<T>::Impl::build_on_backend(const RowPattern& pattern, Analysis& made) const {
  if constexpr (ScalarTraits<T>::is_complex) return build_complex(pattern, made);
  const Options choice = solver_options(options);
  if (!allows_device(choice)) {
    build(pattern, Backend::host, made);
    made.report.backend_reason = options.backend == Backend::host ? "requested" : "no CUDA device is used";
    return;
  }
  made.report.backend_reason = allows_host(choice) ? "a CUDA device was found" : "requested";
  if (!allows_host(choice)) return build(pattern, Backend::cuda, made);
  try {
    return build(pattern, Backend::cuda, made);
  } catch (const OutOfMemory& error) {
    made.report.backend_reason = error.what();
  } catch (const BackendUnavailable& error) {
    made.report.backend_reason = error.what();
  }
  build(pattern, Backend::host, made);
}

template <class T>
void SparseOperator<T>::Impl::take_values(Analysis& analysis, const T* values, MemorySpace space) const {
  if (analysis.triples.has_sums()) {
    const HostCopy<T> near(values, space, analysis.input_values, stream);
    sum_triples(analysis.triples, near.data(), analysis.sums.data());
    values = analysis.sums.data();
    space = MemorySpace::host;
  }
  if (analysis.input_values > 0) {
    const bool to_host = analysis.plain->space() == MemorySpace::host && space == MemorySpace::device;
    const HostCopy<T> near(values, to_host ? space : MemorySpace::host, analysis.input_values, stream);
    const T* const from = to_host ? near.data() : values;
    if constexpr (ScalarTraits<T>::is_complex) {
      for (const DiagonalPlace& place : analysis.diagonal) {
        require_real_up_to_rounding(from[place.value], place.row, analysis.plain->rows(),
                                    "for a complex symmetric matrix, set the option symmetry to symmetric; for another one, "
                                    "give all entries and set its part to full");
      }
    }
    analysis.plain->update(from, to_host ? MemorySpace::host : space);
    if (analysis.adjoint) analysis.adjoint->update(from, to_host ? MemorySpace::host : space);
  }
  analysis.has_values = true;
}

template <class T>
bool SparseOperator<T>::Impl::waits_for_values(MemorySpace space) const {
  return space != now.plain->space() || (now.triples.has_sums() && space == MemorySpace::device);
}

template <class T>
void SparseOperator<T>::Impl::finish(Analysis& made, RowPattern& pattern, StoredPart part, const T* values,
                                     MemorySpace space, const Stopwatch& watch) {
  made.is_half = part != StoredPart::full;
  made.is_hermitian = ScalarTraits<T>::is_complex && made.is_half && options.symmetry == Symmetry::hermitian;
  if (made.is_hermitian) {
    make_hermitian(pattern, part);
    made.diagonal = diagonal_places(pattern);
  }
  build_on_backend(pattern, made);
  if (values != nullptr || made.input_values == 0) take_values(made, values, space);
  made.report.rows = pattern.rows;
  made.report.columns = pattern.columns;
  made.report.entries = pattern.entries();
  made.report.memory_bytes = made.plain->memory_bytes() + (made.adjoint ? made.adjoint->memory_bytes() : 0);
  made.report.analyze_seconds = watch.seconds();
  now = std::move(made);
}

template <class T>
void SparseOperator<T>::Impl::multiply(SparseApply<T>& apply, const char* call, const DenseView<const T>& x,
                                       const DenseView<T>& y, T alpha, T beta) {
  check_call(apply, call, x, y);
  if (x.cols == 0 || y.rows == 0) return;
  if (x.space == apply.space() && y.space == apply.space()) return apply.multiply(alpha, x, beta, y);
  refuse_in_capture(call, "waits until x and y are copied to or from the backend's memory");
  const auto allocator = apply.space() == MemorySpace::device ? options.device_allocator : options.host_allocator;
  const StagedVectors<T> from(x, apply, allocator, stream, alpha != T(0));
  StagedVectors<T> to({y.data, y.rows, y.cols, y.ld, y.space}, apply, allocator, stream, beta != T(0));
  apply.multiply(alpha, from.view(), beta, to.writable());
  to.write_back(y);
  apply.wait();  // The copies are freed now.
}

template <class T>
void SparseOperator<T>::Impl::multiply_other(const char* call, bool wants_adjoint, const DenseView<const T>& x,
                                             const DenseView<T>& y, T alpha, T beta) {
  require_analyzed(call);
  SparseApply<T>* const apply = now.is_half ? now.plain.get() : now.adjoint.get();
  if (apply == nullptr)
    fail<InvalidState>("{} needs the transposed matrix; set OperatorOptions::transposed before analyze", call);
  if constexpr (ScalarTraits<T>::is_complex) {
    const bool has_adjoint = !now.is_half || now.is_hermitian;
    if (wants_adjoint != has_adjoint) {
      check_call(*apply, call, x, y);
      return multiply_conjugated(*apply, alpha, x, beta, y, options.host_allocator, stream);
    }
  }
  multiply(*apply, call, x, y, alpha, beta);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template struct SparseOperator<T>::Impl;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
