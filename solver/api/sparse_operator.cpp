#include "gpusupernodal/sparse_operator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/measured_products.hpp"
#include "solver/api/product_figures_file.hpp"
#include "solver/api/sparse_checks.hpp"
#include "solver/api/staged_vectors.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/sparse_apply.hpp"
#include "solver/sparse/triple_pattern.hpp"

namespace gpusupernodal {
namespace {

/// Options of the solver's checks and of the choice of a backend.
Options solver_options(const OperatorOptions& options) {
  Options result;
  result.backend = options.backend;
  result.threads = options.threads;
  result.device = options.device;
  return result;
}

void check_operator_options(const OperatorOptions& options) {
  check_options(solver_options(options));
  const auto format = static_cast<std::int64_t>(options.format), tuning = static_cast<std::int64_t>(options.tuning);
  if (format < 0 || format >= static_cast<std::int64_t>(format_names.size()))
    fail<InvalidInput>("format is {}; it must be 0 to {}", format, format_names.size() - 1);
  if (tuning < 0 || tuning >= static_cast<std::int64_t>(tuning_names.size()))
    fail<InvalidInput>("tuning is {}; it must be 0 to {}", tuning, tuning_names.size() - 1);
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

template <class T>
struct SparseOperator<T>::Impl {
  /// What an analysis makes.
  struct Analysis {
    OperatorReport report;
    bool symmetric = false;
    bool has_values = false;
    std::int64_t input_values = 0;
    TriplePattern triples;  ///< With sums: how values of triples become those of the pattern, which is moved out.
    std::vector<T> sums;
    std::unique_ptr<SparseApply<T>> plain;
    std::unique_ptr<SparseApply<T>> transposed;  ///< None without OperatorOptions::transposed, or if Aᵀ = A.
  };

  OperatorOptions options;
  Analysis now;
  void* stream = nullptr;

  void refuse_in_capture(const char* call, const char* reason) const {
    if (stream == nullptr || !is_captured(stream)) return;
    fail<InvalidState>(
        "{} was called while a graph is captured on the solver's stream, but it {}; call it before the capture or after it",
        call, reason);
  }

  void require_analyzed(const char* call) const {
    if (!now.plain) fail<InvalidState>("{} needs an analyzed matrix; call analyze first", call);
  }

  std::unique_ptr<SparseApply<T>> make(const SparseLayout& layout, Backend backend) const {
    const bool cuda = backend == Backend::cuda;
    const ApplyOptions apply{options.threads, options.device, stream,
                             cuda ? options.device_allocator : options.host_allocator};
    return cuda ? make_cuda_apply<T>(layout, apply) : make_host_apply<T>(layout, apply);
  }

  /// The layout that `options` ask for, with the report about it.
  std::unique_ptr<SparseApply<T>> choose(const RowPattern& pattern, Backend backend, const FoundProductFigures& found,
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

  void build(const RowPattern& pattern, Backend backend, Analysis& made) const {
    const FoundProductFigures found = found_product_figures(backend, options.device);
    made.plain = choose(pattern, backend, found, made.report);
    made.report.backend = backend;
    made.report.device = backend == Backend::cuda ? "cuda" : "host";
    if (!options.transposed || pattern.symmetric) return;
    OperatorReport unused;
    made.transposed = choose(gpusupernodal::transposed(pattern), backend, found, unused);
  }

  /// Takes the device if there is one and it is not refused; a backend that was requested by name must work.
  void build_on_backend(const RowPattern& pattern, Analysis& made) const {
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

  void take_values(Analysis& analysis, const T* values, MemorySpace space) const {
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
      analysis.plain->update(from, to_host ? MemorySpace::host : space);
      if (analysis.transposed) analysis.transposed->update(from, to_host ? MemorySpace::host : space);
    }
    analysis.has_values = true;
  }

  /// Whether update waits until values are copied between host and device.
  bool waits_for_values(MemorySpace space) const {
    return space != now.plain->space() || (now.triples.has_sums() && space == MemorySpace::device);
  }

  /// Makes an operator of the pattern, whose values are `values`, or come later.
  void finish(Analysis& made, const RowPattern& pattern, const T* values, MemorySpace space, const Stopwatch& watch) {
    made.symmetric = pattern.symmetric;
    build_on_backend(pattern, made);
    if (values != nullptr || made.input_values == 0) take_values(made, values, space);
    made.report.rows = pattern.rows;
    made.report.columns = pattern.columns;
    made.report.entries = pattern.entries();
    made.report.memory_bytes = made.plain->memory_bytes() + (made.transposed ? made.transposed->memory_bytes() : 0);
    made.report.analyze_seconds = watch.seconds();
    now = std::move(made);
  }

  void multiply(SparseApply<T>& apply, const char* call, const DenseView<const T>& x, const DenseView<T>& y, T alpha,
                T beta) {
    if (!now.has_values) fail<InvalidState>("{} needs the values of the matrix; call update first", call);
    check_product(x, y, apply.rows(), apply.columns());
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
};

template <class T>
SparseOperator<T>::SparseOperator() : impl_(std::make_unique<Impl>()) {}
template <class T>
SparseOperator<T>::SparseOperator(OperatorOptions options) : SparseOperator() {
  set_options(std::move(options));
}
template <class T>
SparseOperator<T>::~SparseOperator() = default;
template <class T>
SparseOperator<T>::SparseOperator(SparseOperator&&) noexcept = default;
template <class T>
SparseOperator<T>& SparseOperator<T>::operator=(SparseOperator&&) noexcept = default;

template <class T>
const OperatorOptions& SparseOperator<T>::options() const {
  return impl_->options;
}

template <class T>
void SparseOperator<T>::set_options(OperatorOptions options) {
  check_operator_options(options);
  impl_->options = std::move(options);
}

template <class T>
void SparseOperator<T>::analyze(const SparseView<T>& a) {
  check_sparse_view(a);
  impl_->refuse_in_capture("analyze", "takes memory of the device or gives it back");
  const Stopwatch watch;
  const RowPattern pattern = make_row_pattern({a.rows, a.columns, a.offsets, a.indices, a.part, a.compression});
  typename Impl::Analysis made;
  made.input_values = pattern.input_values;
  impl_->finish(made, pattern, a.values, a.value_space, watch);
}

template <class T>
void SparseOperator<T>::analyze(const SparseTriples<T>& a) {
  SparseView<T> kinds;  // Its enumerators are those of the triples.
  kinds.part = a.part;
  kinds.value_space = a.value_space;
  check_sparse_view(kinds);
  impl_->refuse_in_capture("analyze", "takes memory of the device or gives it back");
  const Stopwatch watch;
  typename Impl::Analysis made;
  made.triples = make_triple_pattern({a.rows, a.columns, a.count, a.row_indices, a.column_indices, a.part});
  made.sums.resize(static_cast<std::size_t>(made.triples.sums()));
  made.input_values = a.count;
  const RowPattern pattern = std::move(made.triples.pattern);
  made.triples.pattern = RowPattern();
  impl_->finish(made, pattern, a.values, a.value_space, watch);
}

template <class T>
void SparseOperator<T>::update(Span<const T> values, MemorySpace space) {
  impl_->require_analyzed("update");
  check_space(space, "the values");
  if (static_cast<std::int64_t>(values.size()) != impl_->now.input_values) {
    fail<InvalidInput>("{} values were given, but the analyzed matrix takes {} values", values.size(),
                       impl_->now.input_values);
  }
  if (values.data() == nullptr && !values.empty()) fail<InvalidInput>("the values are a null pointer");
  if (impl_->waits_for_values(space))
    impl_->refuse_in_capture("update", "waits until the values are copied to the backend's memory");
  impl_->take_values(impl_->now, values.data(), space);
}

template <class T>
void SparseOperator<T>::multiply(const DenseView<const T>& x, const DenseView<T>& y, T alpha, T beta) {
  impl_->require_analyzed("multiply");
  impl_->multiply(*impl_->now.plain, "multiply", x, y, alpha, beta);
}

template <class T>
void SparseOperator<T>::multiply_transposed(const DenseView<const T>& x, const DenseView<T>& y, T alpha, T beta) {
  impl_->require_analyzed("multiply_transposed");
  SparseApply<T>* const apply = impl_->now.symmetric ? impl_->now.plain.get() : impl_->now.transposed.get();
  if (apply == nullptr)
    fail<InvalidState>("multiply_transposed needs the transposed matrix; set OperatorOptions::transposed before analyze");
  impl_->multiply(*apply, "multiply_transposed", x, y, alpha, beta);
}

template <class T>
void SparseOperator<T>::set_stream(void* cuda_stream) {
  impl_->stream = cuda_stream;
  if (impl_->now.plain) impl_->now.plain->set_stream(cuda_stream);
  if (impl_->now.transposed) impl_->now.transposed->set_stream(cuda_stream);
}

template <class T>
bool SparseOperator<T>::is_analyzed() const {
  return impl_->now.plain != nullptr;
}
template <class T>
std::int64_t SparseOperator<T>::rows() const {
  return impl_->now.report.rows;
}
template <class T>
std::int64_t SparseOperator<T>::columns() const {
  return impl_->now.report.columns;
}
template <class T>
const OperatorReport& SparseOperator<T>::report() const {
  return impl_->now.report;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class SparseOperator<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
