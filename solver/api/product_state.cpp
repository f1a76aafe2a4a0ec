#include "solver/api/product_state.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Options of the solver's checks and of the choice of a backend.
Options solver_options(const ProductOptions& options) {
  Options result;
  result.backend = options.backend;
  result.threads = options.threads;
  result.device = options.device;
  return result;
}

template <class T>
SparsePatternView pattern_view(const SparseView<T>& view) {
  return {view.rows, view.columns, view.offsets, view.indices, view.part, view.compression};
}

template <class Integer>
std::vector<Integer> host_copy(const Integer* from, std::int64_t count, void* stream) {
  std::vector<Integer> to(static_cast<std::size_t>(count));
  if (count > 0)
    copy_device_bytes(to.data(), MemorySpace::host, from, MemorySpace::device,
                      count * static_cast<std::int64_t>(sizeof(Integer)), stream);
  return to;
}

/// Integers of a device's array on the host, as wide as they were.
class HostIndices {
 public:
  HostIndices(const IndexArray& from, std::int64_t count, void* stream) {
    if (from.is_null()) return;
    if (from.is_wide()) {
      wide_ = host_copy(from.wide(), count, stream);
    } else {
      narrow_ = host_copy(from.narrow(), count, stream);
    }
  }
  IndexArray view() const {
    if (!wide_.empty()) return {wide_.data()};
    return narrow_.empty() ? IndexArray() : IndexArray(narrow_.data());
  }

 private:
  std::vector<std::int32_t> narrow_;
  std::vector<std::int64_t> wide_;
};

bool has_valid_sizes(const SparsePatternView& view) {
  return view.rows >= 0 && view.columns >= 0 && view.rows < largest_product_size && view.columns < largest_product_size;
}

/// Checks and sorts a pattern on the host, wherever it is.
RowPattern host_rows(SparsePatternView view, MemorySpace space, void* stream) {
  // Sizes outside their range are refused before an array is read.
  if (space == MemorySpace::host || !has_valid_sizes(view) || view.offsets.is_null()) return make_row_pattern(view);
  const HostIndices offsets(view.offsets, view.outer() + 1, stream);
  view.offsets = offsets.view();
  const std::int64_t entries = view.entries();
  const HostIndices indices(view.indices, entries > 0 && entries <= largest_product_size ? entries : 0, stream);
  // Wrong offsets are refused before an index is read.
  if (!indices.view().is_null()) view.indices = indices.view();
  return make_row_pattern(view);
}

template <class T>
void check_view(const SparseView<T>& a) {
  MatrixView<T> shape;
  shape.part = a.part;
  shape.compression = a.compression;
  shape.value_space = a.value_space;
  check_matrix(shape);
  check_space(a.pattern_space, "the matrix's pattern");
}

/// The operand where the device can take it as it is.
template <class T>
bool take_device_rows(const SparseView<T>& view, const ProductEngineOptions& options, ProductOperand& operand) {
  if (view.pattern_space != MemorySpace::device || view.part != StoredPart::full || view.compression != Compression::rows)
    return false;
  if (!has_valid_sizes(pattern_view(view)) || view.offsets.is_null() || view.indices.is_wide() || view.indices.is_null())
    return false;
  const std::int64_t entries = view.offsets.is_wide() ? host_copy(view.offsets.wide() + view.rows, 1, options.stream)[0]
                                                      : host_copy(view.offsets.narrow() + view.rows, 1, options.stream)[0];
  if (entries < 0 || entries > largest_product_size) return false;
  operand.on_device = true;
  operand.rows = static_cast<std::int32_t>(view.rows);
  operand.columns = static_cast<std::int32_t>(view.columns);
  operand.entries = entries;
  operand.offsets = view.offsets;
  operand.index = view.indices.narrow();
  return device_rows_ascend(operand, options);
}

template <class T>
ProductOperand operand_of(const SparseView<T>& view, bool on_device, const ProductEngineOptions& options) {
  ProductOperand operand;
  if (on_device && take_device_rows(view, options, operand)) return operand;
  operand = {};
  operand.host = host_rows(pattern_view(view), view.pattern_space, options.stream);
  operand.rows = operand.host.rows;
  operand.columns = operand.host.columns;
  operand.entries = operand.host.entries();
  return operand;
}

std::int64_t input_values(const ProductOperand& operand) {
  return operand.on_device ? operand.entries : operand.host.input_values;
}

}  // namespace

void check_product_options(const ProductOptions& options) { check_options(solver_options(options)); }

template <class T>
ProductEngineOptions ProductState<T>::engine_options(Backend backend) const {
  return {options.threads, options.device, stream,
          backend == Backend::cuda ? options.device_allocator : options.host_allocator};
}

template <class T>
ProductInput ProductState<T>::input_of(const SparseView<T>& a, const SparseView<T>* b, bool on_device) const {
  const ProductEngineOptions with = engine_options(on_device ? Backend::cuda : Backend::host);
  ProductInput input;
  input.is_normal = b == nullptr;
  input.a = operand_of(a, on_device && b != nullptr, with);
  if (b != nullptr) {
    input.b = operand_of(*b, on_device, with);
    if (input.a.columns != input.b.rows)
      fail<InvalidInput>("A is {} by {} and B is {} by {}; a product needs as many rows of B as A has columns", input.a.rows,
                         input.a.columns, input.b.rows, input.b.columns);
    return input;
  }
  input.b.host = transposed(input.a.host);
  input.b.rows = input.a.columns;
  input.b.columns = input.a.rows;
  input.b.entries = input.a.entries;
  return input;
}

template <class T>
typename ProductState<T>::Made ProductState<T>::make_on(Backend backend, const SparseView<T>& a,
                                                        const SparseView<T>* b) const {
  const bool cuda = backend == Backend::cuda;
  ProductInput input = input_of(a, b, cuda);
  Made made;
  ProductReport& report = made.report;
  report.backend = backend;
  report.rows = input.a.rows;
  report.columns = input.b.columns;
  made.a_values = input_values(input.a);
  made.b_values = input_values(input.b);
  const std::int64_t value_bytes = sizeof(T);
  report.reference_bytes =
      matrix_bytes(input.a.rows, input.a.entries, value_bytes) + matrix_bytes(input.b.rows, input.b.entries, value_bytes);
  made.engine = cuda ? make_cuda_product<T>(std::move(input), engine_options(backend))
                     : make_host_product<T>(std::move(input), engine_options(backend));
  const ProductFacts& facts = made.engine->facts();
  report.entries = facts.entries;
  report.products = facts.products;
  report.block = facts.block;
  report.has_places = facts.has_places;
  report.memory_bytes = facts.memory_bytes;
  report.peak_bytes = facts.peak_bytes;
  report.reference_bytes += matrix_bytes(report.rows, facts.entries, value_bytes);
  return made;
}

/// Takes the device if there is one and it is not refused; a backend that was requested by name must work.
template <class T>
typename ProductState<T>::Made ProductState<T>::make(const SparseView<T>& a, const SparseView<T>* b) const {
  const Options choice = solver_options(options);
  std::string reason = options.backend == Backend::host ? "requested" : "no CUDA device is used";
  if (allows_device(choice)) {
    reason = allows_host(choice) ? "a CUDA device was found" : "requested";
    try {
      Made made = make_on(Backend::cuda, a, b);
      made.report.backend_reason = reason;
      return made;
    } catch (const OutOfMemory& error) {
      if (!allows_host(choice)) throw;
      reason = error.what();
    } catch (const BackendUnavailable& error) {
      if (!allows_host(choice)) throw;
      reason = error.what();
    }
  }
  Made made = make_on(Backend::host, a, b);
  made.report.backend_reason = reason;
  return made;
}

template <class T>
void ProductState<T>::analyze(const SparseView<T>& a, const SparseView<T>* b) {
  check_view(a);
  if (b != nullptr) check_view(*b);
  refuse_in_capture("analyze", "takes memory of the device or gives it back");
  const Stopwatch watch;
  Made made = make(a, b);
  made.report.analyze_seconds = watch.seconds();
  engine_ = std::move(made.engine);
  report_ = std::move(made.report);
  a_values_ = made.a_values;
  b_values_ = made.b_values;
}

template <class T>
void ProductState<T>::refuse_in_capture(const char* call, const char* reason) const {
  if (stream == nullptr || !is_captured(stream)) return;
  fail<InvalidState>(
      "{} was called while a graph is captured on the solver's stream, but it {}; call it before the capture or after it",
      call, reason);
}

template <class T>
void ProductState<T>::require_analyzed(const char* call) const {
  if (!engine_) fail<InvalidState>("{} needs an analyzed matrix; call analyze first", call);
}

template <class T>
void ProductState<T>::check_values(const char* call, const char* what, Span<const T> values, std::int64_t count,
                                   MemorySpace space) const {
  check_space(space, "the values");
  if (static_cast<std::int64_t>(values.size()) != count)
    fail<InvalidInput>("{} numbers were given for {}, but the analyzed patterns need {}", values.size(), what, count);
  if (values.data() == nullptr && !values.empty()) fail<InvalidInput>("the numbers for {} are a null pointer", what);
  if (space != engine_->space()) refuse_in_capture(call, "waits until numbers are copied to the backend's memory");
}

template <class T>
void ProductState<T>::set_stream(void* cuda_stream) {
  stream = cuda_stream;
  if (engine_) engine_->set_stream(cuda_stream);
}

template <class T>
void ProductState<T>::copy_bytes_to_host(void* to, const void* from, std::int64_t bytes) const {
  if (engine_->space() == MemorySpace::host) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  } else {
    copy_device_bytes(to, MemorySpace::host, from, MemorySpace::device, bytes, stream);
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class ProductState<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
