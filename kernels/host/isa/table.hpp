#pragma once

/// \file
/// The tables for real scalars of one instruction set.

#include "gpusupernodal/build_config.hpp"
#include "kernels/host/host_kernels.hpp"
#include "kernels/host/isa/ldlt.hpp"
#include "kernels/host/isa/lu.hpp"
#include "kernels/host/isa/panel.hpp"
#include "kernels/host/isa/solve.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

/// The kernels of forms that the build leaves out are null pointers.
template <class T>
constexpr auto lu_kernel() -> decltype(HostKernels<T>::factor_lu) {
  if constexpr (GPUSUPERNODAL_HAVE_LU) return &factor_lu<T>;
  return nullptr;
}
template <class T>
constexpr auto ldlt_kernel() -> decltype(HostKernels<T>::factor_ldlt) {
  if constexpr (GPUSUPERNODAL_HAVE_LDLT) return &factor_ldlt<T>;
  return nullptr;
}

template <class T>
constexpr HostKernels<T> make_table() {
  return {GPUSUPERNODAL_ISA_NAME,
          &factor_diagonal<T>,
          &solve_below<T>,
          &factor_panel<T>,
          &subtract_product<T>,
          &subtract_product_lower<T>,
          &subtract_product_indexed<T>,
          &subtract_product_lower_indexed<T>,
          &forward_block<T>,
          &backward_block<T>,
          &subtract_times<T>,
          &subtract_transpose_times<T>,
          lu_kernel<T>(),
          ldlt_kernel<T>()};
}

template <class T>
struct Table {
  static const HostKernels<T> kernels;
};

// Constant-initialized: no code of this instruction set runs before the processor is known to support it.
#define GPUSUPERNODAL_INSTANTIATE(T) \
  template <>                        \
  constinit const HostKernels<T> Table<T>::kernels = make_table<T>();
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
