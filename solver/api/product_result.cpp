#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/product_state.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

template <class T>
SparseView<T> ProductState<T>::result() const {
  require_analyzed("result");
  SparseView<T> view;
  view.rows = report_.rows;
  view.columns = report_.columns;
  view.offsets = engine_->offsets();
  view.indices = engine_->index();
  view.values = engine_->values();
  view.value_space = view.pattern_space = engine_->space();
  return view;
}

template <class T>
void ProductState<T>::copy_pattern(Span<std::int64_t> offsets, Span<std::int32_t> indices) const {
  require_analyzed("copy_pattern");
  refuse_in_capture("copy_pattern", "waits for the device");
  const std::int64_t rows = report_.rows, entries = report_.entries;
  if (static_cast<std::int64_t>(offsets.size()) != rows + 1 || static_cast<std::int64_t>(indices.size()) != entries) {
    fail<InvalidInput>("the arrays hold {} offsets and {} indices, but C has {} and {}", offsets.size(), indices.size(),
                       rows + 1, entries);
  }
  copy_to_host(offsets.data(), engine_->offsets(), rows + 1);
  copy_to_host(indices.data(), engine_->index(), entries);
}

template <class T>
void ProductState<T>::copy_values(Span<T> values, bool has_values, const char* name) const {
  require_analyzed("copy_values");
  if (!has_values) fail<InvalidState>("copy_values needs the values of {}; call compute first", name);
  refuse_in_capture("copy_values", "waits for the device");
  if (static_cast<std::int64_t>(values.size()) != report_.entries)
    fail<InvalidInput>("the arrays hold {} values, but {} has {}", values.size(), name, report_.entries);
  copy_to_host(values.data(), engine_->values(), report_.entries);
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                         \
  template SparseView<T> ProductState<T>::result() const;                                    \
  template void ProductState<T>::copy_pattern(Span<std::int64_t>, Span<std::int32_t>) const; \
  template void ProductState<T>::copy_values(Span<T>, bool, const char*) const;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
