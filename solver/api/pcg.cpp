#include "gpusupernodal/pcg.hpp"

#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/pcg_state.hpp"

namespace gpusupernodal {

template <class S>
Pcg<S>::Pcg() : Pcg(PcgOptions()) {}

template <class S>
Pcg<S>::Pcg(PcgOptions options) : impl_(std::make_unique<Impl>()) {
  check_pcg_options_of<S>(options);
  impl_->options = std::move(options);
}

template <class S>
Pcg<S>::~Pcg() = default;
template <class S>
Pcg<S>::Pcg(Pcg&&) noexcept = default;
template <class S>
Pcg<S>& Pcg<S>::operator=(Pcg&&) noexcept = default;

template <class S>
const PcgOptions& Pcg<S>::options() const {
  return impl_->options;
}

template <class S>
void Pcg<S>::set_options(PcgOptions options) {
  check_pcg_options_of<S>(options);
  impl_->options = std::move(options);
}

template <class S>
void Pcg<S>::analyze(const MatrixView<S>& a) {
  impl_->analyze(a);
}

template <class S>
void Pcg<S>::update(Span<const S> values, MemorySpace space) {
  impl_->update(values, space);
}

template <class S>
void Pcg<S>::compute(const MatrixView<S>& a) {
  impl_->analyze(a);
  const std::int64_t entries = a.n > 0 ? a.offsets[a.n] : 0;
  impl_->update(Span<const S>(a.values, static_cast<std::size_t>(a.values == nullptr ? 0 : entries)), a.value_space);
}

template <class S>
void Pcg<S>::set_operator(std::int64_t n, Apply product) {
  impl_->take_operator(n, std::move(product));
}

template <class S>
void Pcg<S>::set_preconditioner(Apply inverse) {
  impl_->take_inverse(std::move(inverse));
}

template <class S>
const PcgReport& Pcg<S>::solve(const DenseView<const S>& b, const DenseView<S>& x, bool use_start) {
  return impl_->solve(b, x, use_start);
}

template <class S>
void Pcg<S>::precondition(const DenseView<const S>& r, const DenseView<S>& z) {
  impl_->precondition(r, z);
}

template <class S>
PcgReport Pcg<S>::setup_report() const {
  return impl_->setup_report();
}

template <class S>
const std::vector<PcgReport>& Pcg<S>::reports() const {
  return impl_->reports;
}

template <class S>
std::int64_t Pcg<S>::order() const {
  return impl_->analyzed ? impl_->analyzed->n : 0;
}

template <class S>
Backend Pcg<S>::backend() const {
  return impl_->analyzed ? impl_->analyzed->backend : Backend::host;
}

template <class S>
void Pcg<S>::set_stream(void* cuda_stream) {
  impl_->stream = cuda_stream;
  if (!impl_->analyzed) return;
  impl_->analyzed->engine->set_stream(cuda_stream);
  impl_->analyzed->preconditioner.set_stream(cuda_stream);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class Pcg<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
