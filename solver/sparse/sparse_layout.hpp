#pragma once

/// \file
/// SparseLayout: how a matrix is stored for products on any backend. Plain arrays without a scalar type.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/raw_vector.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "solver/sparse/product_figures.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {

/// The index arrays of one format; an array that a format does not use is empty. kernels/common/sparse_arrays.hpp says what
/// each format keeps in them.
struct SparseLayout {
  Format format = Format::csr;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int64_t input_values = 0;   ///< Length of the caller's array of values.
  std::int64_t entries = 0;        ///< Entries of the matrix that are stored here, without padding.
  std::int64_t stored_values = 0;  ///< Values kept, with padding.
  std::int32_t width = 0;          ///< width, block, units and symmetric as in SparseArrays.
  std::int32_t block = 1;
  std::int32_t units = 0;
  bool symmetric = false;
  RawVector<std::int32_t> offsets;
  RawVector<std::int32_t> index;
  RawVector<std::uint16_t> delta;
  RawVector<std::int32_t> order;
  RawVector<std::int32_t> source;  ///< As RowPattern::source, with padding_source for padding.
  std::vector<SparseLayout> rest;  ///< hyb: the entries that this layout leaves out, in COO. At most one.

  /// The format with its parameters.
  std::string kernel() const;
  /// Bytes of the index arrays that products read, without those of `rest`.
  std::int64_t index_bytes() const {
    return 4 * static_cast<std::int64_t>(offsets.size() + index.size() + order.size()) +
           2 * static_cast<std::int64_t>(delta.size());
  }
};

/// The request that make_layout fulfils.
struct LayoutWish {
  Format format = Format::automatic;
  Backend backend = Backend::host;  ///< host or cuda.
  std::int64_t scalar_bytes = 8;
  int threads = 0;  ///< Threads of the host, for predicted times only; 0: all that the process may use.
  std::shared_ptr<const ProductFigures> figures = nullptr;  ///< nullptr: the built-in ones of the backend.
};

/// The pattern in the requested format; `automatic` takes the one that is predicted to be the fastest with one thread,
/// whatever the number of threads. Throws InvalidInput if the format would pad too much.
SparseLayout make_layout(const RowPattern& pattern, const LayoutWish& wish);

}  // namespace gpusupernodal
