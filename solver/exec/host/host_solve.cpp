#include "solver/exec/host/host_solve.hpp"

#include <algorithm>

namespace gpusupernodal {

template <class T>
HostSolve<T>::HostSolve(const FactorPlan& plan, const T* values, T* scratch)
    : plan_(plan), kernels_(host_kernels<T>()), values_(values), scratch_(scratch) {}

template <class T>
void HostSolve<T>::forward(T* y, std::int32_t nrhs) const {
  for (SupernodeId s : plan_.symbolic.supernode_ids()) forward_supernode(s, y, nrhs);
}

template <class T>
void HostSolve<T>::backward(T* y, std::int32_t nrhs) const {
  for (std::int32_t s = plan_.symbolic.supernodes() - 1; s >= 0; --s) backward_supernode(SupernodeId(s), y, nrhs);
}

/// y_J := L_JJ⁻¹ y_J, then the rows below receive −L_21 y_J through a dense buffer.
template <class T>
void HostSolve<T>::forward_supernode(SupernodeId s, T* y, std::int32_t nrhs) const {
  const SymbolicFactor& factor = plan_.symbolic;
  const std::int64_t n = factor.order();
  const std::int64_t ld = plan_.panels.ld[s];
  const std::int32_t width = factor.width(s);
  const std::int32_t below = factor.rows_below(s);
  const T* const panel = values_ + plan_.panels.value_offset[s];
  T* const own = y + factor.first_column[s].value;
  kernels_.forward_block(width, nrhs, panel, ld, own, n);
  if (below == 0) return;
  std::fill(scratch_, scratch_ + static_cast<std::int64_t>(below) * nrhs, T(0));
  kernels_.subtract_times(below, width, nrhs, panel + width, ld, own, n, scratch_, below);
  const auto rows = factor.rows_of(s);
  for (std::int32_t c = 0; c < nrhs; ++c) {
    for (std::int32_t i = 0; i < below; ++i) {
      y[rows[static_cast<std::size_t>(i)].value + c * n] += scratch_[i + static_cast<std::int64_t>(c) * below];
    }
  }
}

/// y_J := L_JJ⁻ᵀ (y_J − L_21ᵀ y_below).
template <class T>
void HostSolve<T>::backward_supernode(SupernodeId s, T* y, std::int32_t nrhs) const {
  const SymbolicFactor& factor = plan_.symbolic;
  const std::int64_t n = factor.order();
  const std::int64_t ld = plan_.panels.ld[s];
  const std::int32_t width = factor.width(s);
  const std::int32_t below = factor.rows_below(s);
  const T* const panel = values_ + plan_.panels.value_offset[s];
  T* const own = y + factor.first_column[s].value;
  const auto rows = factor.rows_of(s);
  for (std::int32_t c = 0; c < nrhs; ++c) {
    for (std::int32_t i = 0; i < below; ++i) {
      scratch_[i + static_cast<std::int64_t>(c) * below] = y[rows[static_cast<std::size_t>(i)].value + c * n];
    }
  }
  if (below > 0) kernels_.subtract_transpose_times(below, width, nrhs, panel + width, ld, scratch_, below, own, n);
  kernels_.backward_block(width, nrhs, panel, ld, own, n);
}

template class HostSolve<float>;
template class HostSolve<double>;

}  // namespace gpusupernodal
