#include "gpusupernodal/sparse_product.hpp"

#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/product_state.hpp"

namespace gpusupernodal {

template <class T>
struct SparseProduct<T>::Impl {
  ProductState<T> state;
  bool has_values = false;
};

template <class T>
SparseProduct<T>::SparseProduct() : impl_(std::make_unique<Impl>()) {}
template <class T>
SparseProduct<T>::SparseProduct(ProductOptions options) : SparseProduct() {
  set_options(std::move(options));
}
template <class T>
SparseProduct<T>::~SparseProduct() = default;
template <class T>
SparseProduct<T>::SparseProduct(SparseProduct&&) noexcept = default;
template <class T>
SparseProduct<T>& SparseProduct<T>::operator=(SparseProduct&&) noexcept = default;

template <class T>
const ProductOptions& SparseProduct<T>::options() const {
  return impl_->state.options;
}

template <class T>
void SparseProduct<T>::set_options(ProductOptions options) {
  check_product_options(options);
  impl_->state.options = std::move(options);
}

template <class T>
void SparseProduct<T>::analyze(const SparseView<T>& a, const SparseView<T>& b) {
  impl_->state.analyze(a, &b);
  impl_->has_values = false;
}

template <class T>
void SparseProduct<T>::compute(Span<const T> a_values, Span<const T> b_values, MemorySpace space) {
  ProductState<T>& state = impl_->state;
  state.require_analyzed("compute");
  state.check_values("compute", "A", a_values, state.a_values(), space);
  state.check_values("compute", "B", b_values, state.b_values(), space);
  ProductEngine<T>& engine = state.engine();
  const NearValues<T> a(state, a_values, space), b(state, b_values, space);
  impl_->has_values = false;  // Until all sums are made, C has values of neither the old factors nor the new ones.
  engine.set_left(a.data(), a.space(), true);
  engine.set_right(b.data(), b.space(), true);
  engine.compute(T(0));
  impl_->has_values = true;
}

template <class T>
SparseView<T> SparseProduct<T>::result() const {
  return impl_->state.result();
}
template <class T>
void SparseProduct<T>::copy_pattern(Span<std::int64_t> offsets, Span<std::int32_t> indices) const {
  impl_->state.copy_pattern(offsets, indices);
}
template <class T>
void SparseProduct<T>::copy_values(Span<T> values) const {
  impl_->state.copy_values(values, impl_->has_values);
}

template <class T>
void SparseProduct<T>::set_stream(void* cuda_stream) {
  impl_->state.set_stream(cuda_stream);
}
template <class T>
bool SparseProduct<T>::is_analyzed() const {
  return impl_->state.is_analyzed();
}
template <class T>
std::int64_t SparseProduct<T>::rows() const {
  return impl_->state.report().rows;
}
template <class T>
std::int64_t SparseProduct<T>::columns() const {
  return impl_->state.report().columns;
}
template <class T>
const ProductReport& SparseProduct<T>::report() const {
  return impl_->state.report();
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class SparseProduct<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
