#include "gpusupernodal/galerkin_product.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/product_state.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

template <class T>
struct GalerkinProduct<T>::Impl {
  ProductOptions options;
  void* stream = nullptr;
  ProductState<T> ap;    ///< A·P.
  ProductState<T> ptap;  ///< Pᵀ·(A·P).
  ProductReport report;  ///< Report on both products.
  bool has_values = false;

  /// Analyzes both products on one backend, so that A·P stays where it is.
  void make(const SparseView<T>& a, const SparseView<T>& p, Backend backend) {
    ap.options = ptap.options = options;
    ap.stream = ptap.stream = stream;
    ap.options.backend = backend;
    ap.analyze(a, &p);
    ptap.options.backend = ap.report().backend;
    const SparseView<T> middle = ap.result();
    ptap.analyze(transposed(p), &middle);
    report = both();
  }

  ProductReport both() const {
    const ProductReport &first = ap.report(), &second = ptap.report();
    ProductReport sum = second;
    sum.backend_reason = first.backend_reason;
    sum.products += first.products;
    sum.block = std::min(first.block, second.block);
    sum.has_places = first.has_places && second.has_places;
    sum.peak_bytes = std::max(first.peak_bytes, first.memory_bytes + second.peak_bytes);
    sum.memory_bytes += first.memory_bytes;
    sum.reference_bytes = first.reference_bytes + matrix_bytes(second.rows, second.entries, sizeof(T));
    sum.analyze_seconds += first.analyze_seconds;
    return sum;
  }
};

template <class T>
GalerkinProduct<T>::GalerkinProduct() : impl_(std::make_unique<Impl>()) {}
template <class T>
GalerkinProduct<T>::GalerkinProduct(ProductOptions options) : GalerkinProduct() {
  set_options(std::move(options));
}
template <class T>
GalerkinProduct<T>::~GalerkinProduct() = default;
template <class T>
GalerkinProduct<T>::GalerkinProduct(GalerkinProduct&&) noexcept = default;
template <class T>
GalerkinProduct<T>& GalerkinProduct<T>::operator=(GalerkinProduct&&) noexcept = default;

template <class T>
const ProductOptions& GalerkinProduct<T>::options() const {
  return impl_->options;
}

template <class T>
void GalerkinProduct<T>::set_options(ProductOptions options) {
  check_product_options(options);
  impl_->options = std::move(options);
}

template <class T>
void GalerkinProduct<T>::analyze(const SparseView<T>& a, const SparseView<T>& p) {
  if (a.rows != a.columns || a.columns != p.rows)
    fail<InvalidInput>("A is {} by {} and P is {} by {}; Pᵀ·A·P needs a square A with as many columns as P has rows", a.rows,
                       a.columns, p.rows, p.columns);
  auto made = std::make_unique<Impl>();
  made->options = impl_->options;
  made->stream = impl_->stream;
  try {
    made->make(a, p, made->options.backend);
  } catch (const OutOfMemory& error) {
    // A·P may fit on the device without Pᵀ·(A·P); where A·P does not fit, it is on the host already.
    if (made->options.backend != Backend::automatic || !made->ap.is_analyzed() || made->ap.report().backend == Backend::host)
      throw;
    const std::string reason = error.what();
    made->make(a, p, Backend::host);
    made->report.backend_reason = reason;
  }
  impl_ = std::move(made);
}

template <class T>
void GalerkinProduct<T>::compute(Span<const T> a_values, Span<const T> p_values, MemorySpace space) {
  ProductState<T>&ap = impl_->ap, &ptap = impl_->ptap;
  ap.require_analyzed("compute");
  ap.check_values("compute", "A", a_values, ap.a_values(), space);
  ap.check_values("compute", "P", p_values, ap.b_values(), space);
  ProductEngine<T>&first = ap.engine(), &second = ptap.engine();
  const NearValues<T> a(ap, a_values, space), p(ap, p_values, space);
  impl_->has_values = false;  // Until all sums are made, C has values of neither the old factors nor the new ones.
  first.set_left(a.data(), a.space(), true);
  first.set_right(p.data(), p.space(), true);
  first.compute(T(0));
  second.set_left(p.data(), p.space(), true);
  second.set_right(first.values(), first.space(), true);
  second.compute(T(0));
  impl_->has_values = true;
}

template <class T>
SparseView<T> GalerkinProduct<T>::result() const {
  return impl_->ptap.result();
}
template <class T>
void GalerkinProduct<T>::copy_pattern(Span<std::int64_t> offsets, Span<std::int32_t> indices) const {
  impl_->ptap.copy_pattern(offsets, indices);
}
template <class T>
void GalerkinProduct<T>::copy_values(Span<T> values) const {
  impl_->ptap.copy_values(values, impl_->has_values);
}

template <class T>
void GalerkinProduct<T>::set_stream(void* cuda_stream) {
  impl_->stream = cuda_stream;
  impl_->ap.set_stream(cuda_stream);
  impl_->ptap.set_stream(cuda_stream);
}
template <class T>
bool GalerkinProduct<T>::is_analyzed() const {
  return impl_->ptap.is_analyzed();
}
template <class T>
std::int64_t GalerkinProduct<T>::rows() const {
  return impl_->report.rows;
}
template <class T>
std::int64_t GalerkinProduct<T>::columns() const {
  return impl_->report.columns;
}
template <class T>
const ProductReport& GalerkinProduct<T>::report() const {
  return impl_->report;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class GalerkinProduct<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
