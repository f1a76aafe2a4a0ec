#pragma once

/// \file
/// The two tables of one instruction set.

#include "kernels/host/host_kernels.hpp"
#include "kernels/host/isa/ldlt.hpp"
#include "kernels/host/isa/lu.hpp"
#include "kernels/host/isa/panel.hpp"
#include "kernels/host/isa/solve.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

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
          &factor_lu<T>,
          &factor_ldlt<T>};
}

// Constant-initialized: no code of this instruction set runs before the processor is known to support it.
extern const HostKernels<float> float_kernels;
extern const HostKernels<double> double_kernels;
constexpr HostKernels<float> float_kernels = make_table<float>();
constexpr HostKernels<double> double_kernels = make_table<double>();

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
