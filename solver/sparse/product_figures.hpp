#pragma once

/// \file
/// Figures of a machine and of its kernels, by which the models of the formats predict times.

#include <string>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

/// Figures of a machine.
struct MachineFigures {
  double memory_rate = 0.0;  ///< Bytes a second from memory.
  double cache_rate = 0.0;   ///< Bytes a second from the last cache; on the host for each thread.
  double cache_bytes = 0.0;  ///< Bytes of matrix and vectors that stay in it from product to product.
  double thread_rate = 0.0;  ///< Host: bytes a second from memory that one thread reaches; 0: no such bound.
  double wake = 0.0;         ///< Host: seconds for each thread beyond the first.

  bool operator==(const MachineFigures&) const = default;
};

/// Figures of a kernel on a machine.
struct KernelFigures {
  double start = 0.0;       ///< Seconds of an empty product.
  double step = 0.0;        ///< Seconds of each step of the longest row, while a few warps wait for it.
  double efficiency = 1.0;  ///< Factor of the machine's rates; a fit for CUDA may exceed 1.
  double warp = 0.0;        ///< Seconds of a warp, shared by all that run at once; host: thread time of StoredShape::warps.
  double warp_step = 0.0;   ///< Seconds of a step of a warp; host: thread time of StoredShape::warp_steps.

  bool operator==(const KernelFigures&) const = default;
};

/// All figures of one backend.
struct ProductFigures {
  MachineFigures machine;
  KernelFigures csr;
  KernelFigures sell;  ///< ELL, too.
  KernelFigures block;
  KernelFigures dia;
  KernelFigures dia_half;  ///< Diagonals of a symmetric half.
  KernelFigures hyb;
  KernelFigures coo;

  bool operator==(const ProductFigures&) const = default;
};

/// The figures of the code for `host` or `cuda`, and where they were fitted.
const ProductFigures& built_in_figures(Backend backend);
const char* built_in_figures_source(Backend backend);

/// Calls visit(name, value) for each figure that is fitted for a backend. `Figures` is ProductFigures, const or not.
template <class Figures, class Visit>
void for_each_product_figure(Figures& f, Backend backend, const Visit& visit) {
  const bool cuda = backend == Backend::cuda;
  visit("memory_rate", f.machine.memory_rate);
  visit("cache_rate", f.machine.cache_rate);
  visit("cache_bytes", f.machine.cache_bytes);
  if (!cuda) {
    visit("thread_rate", f.machine.thread_rate);
    visit("wake", f.machine.wake);
  }
  const auto visit_kernel = [&](const std::string& name, auto& kernel) {
    visit(name + "_start", kernel.start);
    visit(name + "_warp", kernel.warp);
    visit(name + "_warp_step", kernel.warp_step);
    if (!cuda) return;
    visit(name + "_efficiency", kernel.efficiency);
    if (name != "coo") visit(name + "_step", kernel.step);  // No row is too long for COO.
  };
  visit_kernel("csr", f.csr);
  visit_kernel("sell", f.sell);
  visit_kernel("block", f.block);
  visit_kernel("dia", f.dia);
  visit_kernel("dia_half", f.dia_half);
  visit_kernel("hyb", f.hyb);
  visit_kernel("coo", f.coo);
}

}  // namespace gpusupernodal
