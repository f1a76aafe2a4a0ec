#pragma once

/// \file
/// SparseProduct: C = A·B for sparse A and B. NormalEquations: A·D·Aᵀ + δI for a solver. On host threads or one CUDA device.

#include <cstdint>
#include <memory>
#include <string>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Options of a product. Changes act from the next analyze on.
struct ProductOptions {
  Backend backend = Backend::automatic;         ///< Where to multiply; `automatic` takes CUDA if a device is found.
  int threads = 0;                              ///< Host threads; 0: all that the process may use.
  int device = -1;                              ///< CUDA device; −1: the calling thread's current device.
  std::shared_ptr<Allocator> host_allocator;    ///< nullptr: aligned operator new.
  std::shared_ptr<Allocator> device_allocator;  ///< nullptr: cudaMalloc.
};

/// What analyze found.
struct ProductReport {
  Backend backend = Backend::host;   ///< Backend that multiplies.
  std::string backend_reason;        ///< Why.
  std::int64_t rows = 0;             ///< Rows of C.
  std::int64_t columns = 0;          ///< Columns of C.
  std::int64_t entries = 0;          ///< Entries of C; of normal equations those of the lower half.
  std::int64_t products = 0;         ///< Products of two numbers that compute sums.
  int block = 1;                     ///< A and B consist of dense blocks of this order: 1, 2, 3 or 6.
  bool has_places = false;           ///< The place of each product in C is stored: compute searches nothing.
  std::int64_t memory_bytes = 0;     ///< Memory that the product holds, C included.
  std::int64_t peak_bytes = 0;       ///< Most memory that analyze held for it.
  std::int64_t reference_bytes = 0;  ///< Bytes of A, B and C by rows, with 4-byte indices.
  double analyze_seconds = 0.0;      ///< Time of analyze.
};

/// C = A·B for sparse matrices of float or double. C has an entry wherever an entry of A meets one of B, even if the sum is
/// 0. analyze finds the pattern; compute makes values, as often as values change. All members throw typed exceptions
/// (error.hpp) on wrong input and leave the product as it was. One thread at a time uses a product. For Aᵀ·B, pass
/// transposed(a); GalerkinProduct makes Pᵀ·A·P.
template <class T>
class GPUSUPERNODAL_API SparseProduct {
  static_assert(detail::CheckReal<T>::value);

 public:
  SparseProduct();                                 ///< A product with default options.
  explicit SparseProduct(ProductOptions options);  ///< Throws InvalidInput for options outside their range.
  ~SparseProduct();
  SparseProduct(SparseProduct&&) noexcept;             ///< Leaves an object that can only be assigned to or destroyed.
  SparseProduct& operator=(SparseProduct&&) noexcept;  ///< As the constructor.

  const ProductOptions& options() const;     ///< The options of the next analyze.
  void set_options(ProductOptions options);  ///< Throws InvalidInput for options outside their range.

  /// Checks the patterns, finds that of C, and takes all memory but what compute needs for values in another order or memory
  /// than rows on the backend. Values are not read. The arrays may be freed afterwards. Throws InvalidInput for wrong
  /// patterns and if columns of A and rows of B differ, BackendUnavailable, OutOfMemory. Waits; not possible during a graph
  /// capture. Patterns by rows on the device, with ascending columns and 4-byte indices, stay there.
  void analyze(const SparseView<T>& a, const SparseView<T>& b);

  /// Computes the values of C from those of A and B, each in the order of the analyzed arrays. With all of them on the
  /// device: asynchronous on the stream, which must be done with the values before they change; capturable from the second
  /// call on; nothing is allocated then. Equal input gives equal bits, on the host for any number of threads. Throws
  /// InvalidInput if a count differs, InvalidState before analyze.
  void compute(Span<const T> a_values, Span<const T> b_values, MemorySpace space = MemorySpace::host);

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

  bool is_analyzed() const;             ///< Whether analyze has succeeded.
  std::int64_t rows() const;            ///< Rows of C; 0 before analyze.
  std::int64_t columns() const;         ///< Columns of C; 0 before analyze.
  const ProductReport& report() const;  ///< What analyze found.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// M = A·D·Aᵀ + δI with a diagonal D, for interior point methods and least squares: the lower half of M goes straight into
/// Solver<T>::refactorize, on a device without a trip to the host. M has all of its diagonal, even where a row of A is
/// empty.
template <class T>
class GPUSUPERNODAL_API NormalEquations {
  static_assert(detail::CheckReal<T>::value);

 public:
  NormalEquations();                                 ///< With default options.
  explicit NormalEquations(ProductOptions options);  ///< Throws InvalidInput for options outside their range.
  ~NormalEquations();
  NormalEquations(NormalEquations&&) noexcept;             ///< Leaves an object that can only be assigned to or destroyed.
  NormalEquations& operator=(NormalEquations&&) noexcept;  ///< As the constructor.

  const ProductOptions& options() const;     ///< The options of the next analyze.
  void set_options(ProductOptions options);  ///< Throws InvalidInput for options outside their range.

  /// As SparseProduct::analyze, and takes the values if the view has some; the rows of A are those of M.
  void analyze(const SparseView<T>& a);

  /// Takes new values of A, in the order of the analyzed arrays. Throws InvalidInput if the count differs.
  void update(Span<const T> values, MemorySpace space = MemorySpace::host);

  /// Computes the lower half of M for the diagonal of D, one number for each column of A, and δ = `shift`. With d on the
  /// device: asynchronous on the stream, capturable, nothing is allocated. Equal input gives equal bits. Throws InvalidInput
  /// if the count differs, InvalidState before analyze or while values of A are missing.
  void compute(Span<const T> d, MemorySpace space = MemorySpace::host, T shift = T(0));

  /// M by rows, its pattern in host memory, its values in the memory of the backend: for Solver<T>::analyze, factorize and
  /// refactorize. Valid until the next analyze; throws InvalidState before it.
  MatrixView<T> matrix() const;

  /// Copies the values of the lower half of M, report().entries of them, to host memory. Waits. Throws InvalidState before
  /// compute, InvalidInput if the count differs.
  void copy_values(Span<T> values) const;

  /// Enqueues the work of later calls on this cudaStream_t, which must live until the next set_stream; the host ignores it.
  /// Does not order the two streams. All calls write the same memory, so before the next call the caller makes the new
  /// stream wait for the calls on the earlier one (cudaStreamWaitEvent), or waits for the earlier one itself.
  void set_stream(void* cuda_stream);

  bool is_analyzed() const;             ///< Whether analyze has succeeded.
  const ProductReport& report() const;  ///< What analyze found.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T)                        \
  extern template class GPUSUPERNODAL_API SparseProduct<T>; \
  extern template class GPUSUPERNODAL_API NormalEquations<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
