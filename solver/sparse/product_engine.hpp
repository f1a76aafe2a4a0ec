#pragma once

/// \file
/// ProductEngine: C = A·B for sparse A and B on one backend. SparseProduct and NormalEquations use it.

#include <algorithm>
#include <cstdint>
#include <memory>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {

struct ProductEngineOptions {
  int threads = 0;                       ///< Host threads; 0: all that the process may use.
  int device = -1;                       ///< CUDA device; −1: the current one.
  void* stream = nullptr;                ///< cudaStream_t of the calls.
  std::shared_ptr<Allocator> allocator;  ///< nullptr: the backend's own.
};

/// A matrix by rows with ascending columns: in host memory, or on a device whose rows were checked by
/// device_rows_ascend. The arrays may be freed once the engine is made.
struct ProductOperand {
  RowPattern host;  ///< Unused if the operand is on a device.
  bool on_device = false;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int64_t entries = 0;
  IndexArray offsets;                   ///< On the device.
  const std::int32_t* index = nullptr;  ///< On the device.
};

/// C = A·B, or, if `is_normal`, the lower half of A·D·Aᵀ + δI, which always has a diagonal.
struct ProductInput {
  ProductOperand a;
  ProductOperand b;  ///< If `is_normal`, transposed(a).
  bool is_normal = false;
};

/// What an analysis found.
struct ProductFacts {
  std::int64_t entries = 0;       ///< Entries of C.
  std::int64_t products = 0;      ///< Products of an entry of A and one of B that C sums.
  std::int32_t block = 1;         ///< A, B and C consist of dense blocks of this order.
  bool has_places = false;        ///< The place of each product in its row of C is stored.
  std::int64_t memory_bytes = 0;  ///< Memory that the engine holds.
  std::int64_t peak_bytes = 0;    ///< Most memory that it held during the analysis.
};

/// A product of matrices of float or double. Sums are made in the order of the entries of a row of A: equal input gives
/// equal bits. On a device the calls are enqueued on the stream.
template <class S>
class ProductEngine {
 public:
  virtual ~ProductEngine() = default;
  ProductEngine() = default;
  ProductEngine(const ProductEngine&) = delete;
  ProductEngine& operator=(const ProductEngine&) = delete;

  virtual MemorySpace space() const = 0;
  virtual const ProductFacts& facts() const = 0;
  virtual void set_stream(void* stream) = 0;
  /// Takes the values of an operand, in the order of the caller's array, for later calls of compute. They are copied, or,
  /// if `may_refer`, only referred to where they are in space() and in the order of rows.
  virtual void set_left(const S* values, MemorySpace space, bool may_refer) = 0;
  virtual void set_right(const S* values, MemorySpace space, bool may_refer) = 0;
  /// For normal equations: the right operand becomes D·Aᵀ for the diagonal d, whose length is that of A's rows.
  virtual void weigh(const S* d, MemorySpace space) = 0;
  /// Computes the values of C, plus `shift` on the diagonal for normal equations.
  virtual void compute(S shift) = 0;
  virtual void wait() = 0;

  virtual const std::int64_t* offsets() const = 0;  ///< offsets, index and values are in space().
  virtual const std::int32_t* index() const = 0;
  virtual const S* values() const = 0;

  /// Order of the largest part of a row of C that is summed at once, in blocks of order `block`.
  static constexpr std::int32_t part_size(std::int32_t block) { return block == 1 ? 1024 : 2048 / (block * block); }
};

/// Whether places of products, `place_bytes` in all, keep all memory within 1.3 times that of A, B and C. With places, B
/// needs no columns; they are given back once the places are known, before C has values.
inline bool places_fit(std::int64_t matrices_bytes, std::int64_t place_bytes, std::int64_t b_column_bytes,
                       std::int64_t c_value_bytes) {
  return place_bytes - std::min(b_column_bytes, c_value_bytes) <= matrices_bytes * 3 / 10;
}

/// Bytes of a matrix by rows.
constexpr std::int64_t matrix_bytes(std::int64_t rows, std::int64_t entries, std::int64_t value_bytes) {
  return entries * (4 + value_bytes) + (rows + 1) * 4;
}

/// Throws OutOfMemory.
template <class S>
std::unique_ptr<ProductEngine<S>> make_host_product(ProductInput input, const ProductEngineOptions& options);
/// Throws OutOfMemory and BackendUnavailable.
template <class S>
std::unique_ptr<ProductEngine<S>> make_cuda_product(ProductInput input, const ProductEngineOptions& options);

/// Whether the arrays of a pattern on a device describe rows with ascending columns, all within the matrix. Waits.
/// Precondition: they have rows + 1 offsets and `entries` indices.
bool device_rows_ascend(const ProductOperand& operand, const ProductEngineOptions& options);

}  // namespace gpusupernodal
