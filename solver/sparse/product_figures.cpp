#include "solver/sparse/product_figures.hpp"

namespace gpusupernodal {
namespace {

/// Fitted by bench_spmv (bench/notebook/operators.md).
const ProductFigures of_cuda{{4.3e12, 8.0e12, 2.5e7, 0.0, 0.0},
                             {3.25e-6, 1.15e-7, 0.884, 7.94e-11, 6.75e-11},
                             {3.04e-6, 1.94e-7, 0.769, 4.17e-10, 5.1e-13},
                             {3.09e-6, 1.36e-7, 0.975, 1.99e-10, 1.23e-11},
                             {2.89e-6, 2.14e-7, 0.95, 9.1e-12, 3.93e-11},
                             {2.89e-6, 2.14e-7, 0.821, 9.1e-12, 3.93e-11},
                             {1.2e-5, 1.94e-7, 0.769, 4.17e-10, 5.1e-13},
                             {1.21e-5, 0.0, 0.578, 7.7e-11, 2.2e-11}};

/// Fitted by bench_host_formats to products on one thread (bench/notebook/operators.md). The memory's rate for all threads
/// and the time to wake one are estimates.
const ProductFigures of_host{{1.5e11, 8.0e10, 5.7e6, 2.04e10, 2.0e-6}, {5.69e-8, 0.0, 1.0, 5.19e-10, 5.16e-10},
                             {4.18e-8, 0.0, 1.0, 1.78e-9, 4.87e-10},   {8.41e-8, 0.0, 1.0, 8.16e-10, 4.14e-10},
                             {4.66e-8, 0.0, 1.0, 5.42e-9, 3.22e-10},   {1.14e-7, 0.0, 1.0, 6.45e-9, 2.99e-10},
                             {9.58e-8, 0.0, 1.0, 1.66e-9, 5.08e-10},   {3.46e-8, 0.0, 1.0, 1.45e-9, 6.24e-10}};

}  // namespace

const ProductFigures& built_in_figures(Backend backend) { return backend == Backend::cuda ? of_cuda : of_host; }

const char* built_in_figures_source(Backend backend) {
  return backend == Backend::cuda ? "an NVIDIA H200" : "one thread of an AMD EPYC";
}

}  // namespace gpusupernodal
