#include "gpusupernodal/sparse_operator.hpp"

#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "solver/api/operator_state.hpp"
#include "solver/api/sparse_checks.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/triple_pattern.hpp"

namespace gpusupernodal {

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
  RowPattern pattern = make_row_pattern({a.rows, a.columns, a.offsets, a.indices, a.part, a.compression});
  typename Impl::Analysis made;
  made.input_values = pattern.input_values;
  impl_->finish(made, pattern, a.part, a.values, a.value_space, watch);
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
  RowPattern pattern = std::move(made.triples.pattern);
  made.triples.pattern = RowPattern();
  impl_->finish(made, pattern, a.part, a.values, a.value_space, watch);
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
  impl_->multiply_other("multiply_transposed", false, x, y, alpha, beta);
}

template <class T>
void SparseOperator<T>::multiply_adjoint(const DenseView<const T>& x, const DenseView<T>& y, T alpha, T beta) {
  impl_->multiply_other("multiply_adjoint", true, x, y, alpha, beta);
}

template <class T>
void SparseOperator<T>::set_stream(void* cuda_stream) {
  impl_->stream = cuda_stream;
  if (impl_->now.plain) impl_->now.plain->set_stream(cuda_stream);
  if (impl_->now.adjoint) impl_->now.adjoint->set_stream(cuda_stream);
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
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
