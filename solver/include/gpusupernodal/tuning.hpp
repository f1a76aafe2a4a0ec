#pragma once

/// \file
/// ProductTuner: fits the model that chooses formats of sparse operators to the machine it runs on.

#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/export.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/sparse_operator.hpp"

namespace gpusupernodal {

/// Where and how products are measured.
struct TuneOptions {
  Backend backend = Backend::host;  ///< `automatic` takes that of GPUSUPERNODAL_BACKEND, else CUDA if a device is found.
  int threads = 0;                  ///< Host: products are measured with one thread and with this many; 0: all.
  int device = -1;                  ///< CUDA device; −1: the calling thread's current device.
  int rounds = 5;                   ///< Runs of each product, 1 to 1000; the fastest counts.
};

/// A measured product, and what the model says about it.
struct TunedProduct {
  std::string matrix;              ///< Name that the caller gave.
  std::string kernel;              ///< The format with its parameters.
  int threads = 1;                 ///< Host threads.
  bool is_fitted = true;           ///< Whether figures were fitted to it.
  double measured_seconds = 0.0;   ///< Time of a product.
  double predicted_seconds = 0.0;  ///< By the fitted figures.
  double built_in_seconds = 0.0;   ///< By the library's own figures.
};

/// How well predictions match measurements. An error is |predicted / measured − 1|.
struct TuneErrors {
  double median = 0.0;    ///< Median error.
  double error_90 = 0.0;  ///< Nine of ten errors are at most this.
  /// Time of the format that the model chooses over that of the fastest, less 1: mean over matrices.
  double mean_regret = 0.0;
  double max_regret = 0.0;  ///< Its maximum.
};

/// What was measured and fitted.
struct TuneReport {
  Backend backend = Backend::host;     ///< host or cuda.
  std::string machine;                 ///< Processor or device.
  std::vector<TunedProduct> products;  ///< Grouped by matrix, in the order of measure().
  int judged = 0;                      ///< Products that were not fitted; the errors are theirs, or those of all if none.
  TuneErrors fitted;                   ///< Errors of the fitted figures.
  TuneErrors built_in;                 ///< Errors of the library's own figures.
};

/// Measures products, fits the model's figures to them, and stores the figures in a file for the environment variable
/// GPUSUPERNODAL_COST_MODEL. All members throw typed exceptions (error.hpp). One thread at a time uses a tuner.
class GPUSUPERNODAL_API ProductTuner {
 public:
  explicit ProductTuner(TuneOptions options = {});  ///< Throws InvalidInput, BackendUnavailable.
  ~ProductTuner();
  ProductTuner(ProductTuner&&) noexcept;             ///< Leaves an object that can only be assigned to or destroyed.
  ProductTuner& operator=(ProductTuner&&) noexcept;  ///< As the constructor.

  /// Measures products by `a` in all formats that it fits; its values are not read. With `fits`, fit() fits figures to them,
  /// else it only judges by them. Throws as SparseOperator::analyze, and InvalidInput for a name that was used before; the
  /// tuner is then as it was. Cost: a conversion and some milliseconds for each format.
  void measure(const std::string& name, const SparseView<double>& a, bool fits = true);

  /// Fits the figures to what was measured. The report stays as it is until the next fit. Throws InvalidState if nothing to
  /// fit was measured. Cost: some seconds.
  const TuneReport& fit();

  /// Writes the fitted figures to a file, which keeps what else a cost model has there. One program at a time may write to a
  /// file: of two that write at once, one loses its figures. Throws InvalidState before fit or if the machine has no name,
  /// and InvalidInput, naming the file, if it exists and is no cost model, or cannot be written.
  void store(const std::string& path) const;

  /// Throws as store would for this file, and writes nothing: for a look before long measurements.
  void check_file(const std::string& path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpusupernodal
