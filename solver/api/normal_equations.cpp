#include <utility>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "solver/api/product_state.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

template <class T>
struct NormalEquations<T>::Impl {
  ProductState<T> state;
  bool has_values = false;            ///< Whether values of A were given.
  bool is_computed = false;           ///< Whether M has values.
  std::int64_t columns = 0;           ///< Columns of A.
  std::vector<std::int64_t> offsets;  ///< Offsets of M, on the host.
  std::vector<std::int32_t> indices;
};

template <class T>
NormalEquations<T>::NormalEquations() : impl_(std::make_unique<Impl>()) {}
template <class T>
NormalEquations<T>::NormalEquations(ProductOptions options) : NormalEquations() {
  set_options(std::move(options));
}
template <class T>
NormalEquations<T>::~NormalEquations() = default;
template <class T>
NormalEquations<T>::NormalEquations(NormalEquations&&) noexcept = default;
template <class T>
NormalEquations<T>& NormalEquations<T>::operator=(NormalEquations&&) noexcept = default;

template <class T>
const ProductOptions& NormalEquations<T>::options() const {
  return impl_->state.options;
}

template <class T>
void NormalEquations<T>::set_options(ProductOptions options) {
  check_product_options(options);
  impl_->state.options = std::move(options);
}

template <class T>
void NormalEquations<T>::analyze(const SparseView<T>& a) {
  auto made = std::make_unique<Impl>();
  made->state.options = impl_->state.options;
  made->state.stream = impl_->state.stream;
  made->state.analyze(a, nullptr);
  made->columns = a.columns;
  const ProductReport& report = made->state.report();
  made->offsets.resize(static_cast<std::size_t>(report.rows) + 1);
  made->indices.resize(static_cast<std::size_t>(report.entries));
  made->state.copy_to_host(made->offsets.data(), made->state.engine().offsets(), report.rows + 1);
  made->state.copy_to_host(made->indices.data(), made->state.engine().index(), report.entries);
  if (a.values != nullptr || made->state.a_values() == 0) {
    const auto count = static_cast<std::size_t>(made->state.a_values());
    const NearValues<T> values(made->state, {a.values, count}, a.value_space);
    made->state.engine().set_left(values.data(), values.space(), false);
    made->state.engine().wait();  // The caller may free the arrays after analyze.
    made->has_values = true;
  }
  impl_ = std::move(made);
}

template <class T>
void NormalEquations<T>::update(Span<const T> values, MemorySpace space) {
  ProductState<T>& state = impl_->state;
  state.require_analyzed("update");
  state.check_values("update", "A", values, state.a_values(), space);
  impl_->has_values = false;
  const NearValues<T> near(state, values, space);
  state.engine().set_left(near.data(), near.space(), false);
  impl_->has_values = true;
}

template <class T>
void NormalEquations<T>::compute(Span<const T> d, MemorySpace space, T shift) {
  ProductState<T>& state = impl_->state;
  state.require_analyzed("compute");
  if (!impl_->has_values) fail<InvalidState>("{} needs the values of the matrix; call update first", "compute");
  state.check_values("compute", "the diagonal of D", d, impl_->columns, space);
  impl_->is_computed = false;
  const NearValues<T> near(state, d, space);
  state.engine().weigh(near.data(), near.space());
  state.engine().compute(shift);
  impl_->is_computed = true;
}

template <class T>
void NormalEquations<T>::copy_values(Span<T> values) const {
  impl_->state.copy_values(values, impl_->is_computed, "M");
}

template <class T>
MatrixView<T> NormalEquations<T>::matrix() const {
  impl_->state.require_analyzed("matrix");
  MatrixView<T> view;
  view.n = impl_->state.report().rows;
  view.offsets = impl_->offsets.data();
  view.indices = impl_->indices.data();
  view.values = impl_->state.engine().values();
  view.part = StoredPart::lower;
  view.compression = Compression::rows;
  view.value_space = impl_->state.engine().space();
  return view;
}

template <class T>
void NormalEquations<T>::set_stream(void* cuda_stream) {
  impl_->state.set_stream(cuda_stream);
}
template <class T>
bool NormalEquations<T>::is_analyzed() const {
  return impl_->state.is_analyzed();
}
template <class T>
const ProductReport& NormalEquations<T>::report() const {
  return impl_->state.report();
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class NormalEquations<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
