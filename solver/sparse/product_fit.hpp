#pragma once

/// \file
/// Fits the figures of products to measured times.

#include <string>
#include <vector>

#include "solver/sparse/format_model.hpp"

namespace gpusupernodal {

/// A measured product.
struct ProductSample {
  std::string matrix;
  std::string kernel;
  StoredShape shape;
  KernelOfFigures figures = &ProductFigures::csr;
  double seconds = 0.0;
};

/// The model's time of a measured product.
double predicted_seconds(const ProductSample& sample, const ProductFigures& figures);

/// The figures that minimize the squared logarithms of predicted over measured times, found by descent from `start`. Figures
/// that the samples do not determine stay near their start. Precondition: seconds are positive. Cost: some seconds for
/// hundreds of samples.
ProductFigures fit_product_figures(const std::vector<ProductSample>& samples, const ProductFigures& start, Backend backend);

/// How well predictions match. Relative errors are |predicted / measured − 1|.
struct ProductErrors {
  double median = 0.0;
  double error_90 = 0.0;     ///< Nine of ten predictions are at least as good.
  double mean_regret = 0.0;  ///< Time of the kernel chosen by prediction over that of the fastest, less 1.
  double max_regret = 0.0;
};

/// Samples of a matrix must be neighbours and have been measured with the same threads, or differ in `matrix`.
ProductErrors product_errors(const std::vector<ProductSample>& samples, const ProductFigures& figures);

}  // namespace gpusupernodal
