#pragma once

/// \file
/// PcgEngine: the iteration of conjugate gradients on one backend, between two looks at the true residual.

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "base/raw_vector.hpp"
#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/views.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {

struct ProductFigures;

/// A square sparse matrix by rows, in host memory. Row i has entries offsets[i] … offsets[i+1]−1, with ascending columns.
template <class S>
struct SparseRows {
  std::int32_t n = 0;
  RawVector<std::int32_t> offsets;  ///< n + 1 entries.
  RawVector<std::int32_t> columns;
  RawVector<S> values;

  std::int64_t entries() const { return n > 0 ? offsets[static_cast<std::size_t>(n)] : 0; }
};

/// y := f(x) for n entries in the engine's memory space, on the engine's stream.
template <class S>
using VectorFunction = std::function<void(const S* x, S* y)>;

/// The single-precision scalar that is real or complex as S is.
template <class S>
using SingleOf = std::conditional_t<ScalarTraits<S>::is_complex, std::complex<float>, float>;

/// M⁻¹ of a preconditioner M in one of four ways, or the identity. The engine copies the arrays.
template <class S>
struct PcgInverse {
  int block = 0;                              ///< Not 0: M⁻¹ has square blocks of this order on its diagonal.
  const S* blocks = nullptr;                  ///< Their rows, n × block; those of the last block are padded by zeros.
  const SparseRows<S>* g = nullptr;           ///< Not null: M⁻¹ = Gᴴ G.
  const SparseRows<S>* transposed = nullptr;  ///< Gᴴ.
  VectorFunction<S> function;                 ///< Not empty: a function.
  VectorFunction<SingleOf<S>> single;         ///< Not empty: a function of vectors in single precision.
};

/// Why an iteration ended.
enum class PcgStop : int { none, reached, limit, breakdown, not_finite };

struct PcgRun {
  PcgStop stop = PcgStop::none;
  std::int64_t iterations = 0;
  double residual = 0.0;  ///< ‖r‖₂ of the recurrence.
};

/// A look at a run between two iterations.
struct PcgStep {
  std::int64_t iterations = 0;  ///< Iterations of this run.
  double residual = 0.0;        ///< ‖r‖₂ of the recurrence.
  double alpha = 0.0;           ///< Coefficient of the last iteration; 0 if several ran since the last look.
  double beta = 0.0;            ///< Coefficient of the last iteration; 0 in the first of a run.
};

/// Is called with each look at a run; what it throws ends the run.
using PcgMonitor = std::function<void(const PcgStep&)>;

struct PcgEngineOptions {
  int threads = 0;
  int device = -1;
  std::shared_ptr<Allocator> allocator;  ///< nullptr: the backend's own.
  /// Figures by which products choose a format; nullptr: the built-in ones.
  std::shared_ptr<const ProductFigures> figures = nullptr;
  /// Whether a function given as A is a product with a matrix, which x = 0 does not need. Functions of a caller are called.
  bool function_is_product = false;
};

/// Vectors of order n and A on one backend, complex ones on the host only; A is a matrix or a function. Sums are accumulated
/// in double, in an order that depends on n alone. All calls wait for the device.
template <class S>
class PcgEngine {
 public:
  virtual ~PcgEngine() = default;
  PcgEngine() = default;
  PcgEngine(const PcgEngine&) = delete;
  PcgEngine& operator=(const PcgEngine&) = delete;

  virtual MemorySpace space() const = 0;
  virtual void set_stream(void* stream) = 0;
  /// Takes A's pattern and values, or new values of the same pattern.
  virtual void set_matrix(const SparseRows<S>& a) = 0;
  /// Takes A as a function, in place of a matrix.
  virtual void set_function(VectorFunction<S> product) = 0;
  virtual void set_inverse(const PcgInverse<S>& inverse) = 0;

  /// Copies b, and x if it is not null, else x := 0. Returns the largest |b[i]|, or the largest part of complex
  /// numbers; NaN or Inf if there is one in b.
  virtual double load(const S* b, MemorySpace b_space, const S* x, MemorySpace x_space) = 0;
  /// Multiplies b and x by `factor`.
  virtual void scale(double factor) = 0;
  /// ‖b‖₂.
  virtual double norm_of_b() = 0;
  /// r := b − A x; returns ‖r‖₂.
  virtual double residual() = 0;
  /// Iterates from r until ‖r‖₂ ≤ threshold or for at most `limit` iterations; x and r belong together afterwards. `monitor`
  /// may be empty. If it throws, x and r are undefined until the next load.
  virtual PcgRun run(std::int64_t limit, double threshold, const PcgMonitor& monitor) = 0;
  /// z := M⁻¹ r. The vectors of an iteration are undefined until the next load.
  virtual void precondition(const S* r, MemorySpace r_space, S* z, MemorySpace z_space) = 0;
  /// The largest |x[i]|, as load. Cost: O(n), for a device a copy to the host.
  virtual double largest_of_x() = 0;
  /// Copies factor · x.
  virtual void store(S* x, MemorySpace space, double factor) = 0;
};

template <class S>
std::unique_ptr<PcgEngine<S>> make_host_pcg(std::int32_t n, const PcgEngineOptions& options);

/// Throws BackendUnavailable with the reason. Builds without a toolkit link a stub of this function.
template <class S>
std::unique_ptr<PcgEngine<S>> make_cuda_pcg(std::int32_t n, const PcgEngineOptions& options);

}  // namespace gpusupernodal
