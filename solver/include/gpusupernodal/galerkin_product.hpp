#pragma once

/// \file
/// GalerkinProduct: C = Pᵀ·A·P for sparse A and P, the coarse matrix of a multigrid method. On host threads or one CUDA
/// device.

#include <cstdint>
#include <memory>

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// C = Pᵀ·A·P for sparse matrices of float or double, as two products: A·P, then Pᵀ·(A·P). It keeps A·P and the order of
/// P's entries by columns, so that compute repeats the numbers only. C has an entry wherever the patterns make one, even if
/// its sum is 0; all entries of a symmetric C are stored. All members throw typed exceptions (error.hpp) on wrong input and
/// leave the product as it was. One thread at a time uses a product.
template <class T>
class GPUSUPERNODAL_API GalerkinProduct {
  static_assert(detail::CheckReal<T>::value);

 public:
  GalerkinProduct();                                 ///< A product with default options.
  explicit GalerkinProduct(ProductOptions options);  ///< Throws InvalidInput for options outside their range.
  ~GalerkinProduct();
  GalerkinProduct(GalerkinProduct&&) noexcept;             ///< Leaves an object that can only be assigned to or destroyed.
  GalerkinProduct& operator=(GalerkinProduct&&) noexcept;  ///< As the constructor.

  const ProductOptions& options() const;     ///< The options of the next analyze.
  void set_options(ProductOptions options);  ///< Throws InvalidInput for options outside their range.

  /// Checks the patterns, finds those of A·P and of C, and takes memory as SparseProduct::analyze does. A is n × n, P is
  /// n × m, and C is m × m. Values are not read. The arrays may be freed afterwards. Throws InvalidInput for wrong patterns
  /// and shapes, BackendUnavailable, OutOfMemory. Waits; not possible during a graph capture.
  void analyze(const SparseView<T>& a, const SparseView<T>& p);

  /// Computes the values of C from those of A and P, each in the order of the analyzed arrays; otherwise as
  /// SparseProduct::compute. Each entry of C is a sum of at most k products of entries of P and of A·P, where k is the
  /// number of entries of P's column, and an entry of A·P one of at most as many as A's row has entries. Equal input gives
  /// equal bits, on the host for any number of threads.
  void compute(Span<const T> a_values, Span<const T> p_values, MemorySpace space = MemorySpace::host);

  /// C by rows, with ascending columns and 64-bit offsets: a view of the product's arrays in the memory of the backend,
  /// valid until the next analyze. The values are those of the last compute. Throws InvalidState before analyze.
  SparseView<T> result() const;

  /// Copies the pattern of C to host memory: rows() + 1 offsets and report().entries indices. Waits.
  void copy_pattern(Span<std::int64_t> offsets, Span<std::int32_t> indices) const;
  /// Copies the values of C to host memory. Waits. Throws InvalidState before compute.
  void copy_values(Span<T> values) const;

  /// Enqueues the work of later calls on this cudaStream_t, which must live until the next set_stream; the host ignores it.
  /// Does not order the two streams. All calls write the same memory, so before the next call the caller makes the new
  /// stream wait for the calls on the earlier one (cudaStreamWaitEvent), or waits for the earlier one itself.
  void set_stream(void* cuda_stream);

  bool is_analyzed() const;      ///< Whether analyze has succeeded.
  std::int64_t rows() const;     ///< Rows of C; 0 before analyze.
  std::int64_t columns() const;  ///< Columns of C; 0 before analyze.
  /// What analyze found: `products` and bytes are those of both products together, `reference_bytes` are those of A, P, A·P
  /// and C, and `block` is the order of dense blocks of which A, P and A·P consist.
  const ProductReport& report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GPUSUPERNODAL_API GalerkinProduct<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
