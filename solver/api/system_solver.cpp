#include "gpusupernodal/system_solver.hpp"

#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/system_state.hpp"

namespace gpusupernodal {

template <class S>
SystemSolver<S>::SystemSolver() : SystemSolver(SystemOptions()) {}

template <class S>
SystemSolver<S>::SystemSolver(SystemOptions options) : impl_(std::make_unique<Impl>()) {
  check_system_options(options);
  impl_->options = std::move(options);
}

template <class S>
SystemSolver<S>::~SystemSolver() = default;
template <class S>
SystemSolver<S>::SystemSolver(SystemSolver&&) noexcept = default;
template <class S>
SystemSolver<S>& SystemSolver<S>::operator=(SystemSolver&&) noexcept = default;

template <class S>
const SystemOptions& SystemSolver<S>::options() const {
  return impl_->options;
}

template <class S>
void SystemSolver<S>::set_options(SystemOptions options) {
  check_system_options(options);
  impl_->options = std::move(options);
}

template <class S>
void SystemSolver<S>::analyze(const MatrixView<S>& a) {
  impl_->analyze(a);
}

template <class S>
void SystemSolver<S>::update(Span<const S> values, MemorySpace space) {
  impl_->update(values, space);
}

template <class S>
void SystemSolver<S>::compute(const MatrixView<S>& a) {
  impl_->analyze(a);
  const std::int64_t entries = a.n > 0 ? a.offsets[a.n] : 0;
  impl_->update(Span<const S>(a.values, static_cast<std::size_t>(a.values == nullptr ? 0 : entries)), a.value_space);
}

template <class S>
const SystemReport& SystemSolver<S>::solve(const DenseView<const S>& b, const DenseView<S>& x) {
  return impl_->solve(b, x);
}

template <class S>
const SystemReport& SystemSolver<S>::report() const {
  return impl_->report;
}

template <class S>
std::int64_t SystemSolver<S>::order() const {
  return impl_->analyzed ? impl_->analyzed->rows->n : 0;
}

template <class S>
void SystemSolver<S>::set_stream(void* cuda_stream) {
  impl_->set_stream(cuda_stream);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class SystemSolver<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
