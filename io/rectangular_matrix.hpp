#pragma once

/// \file
/// A matrix of any shape in memory, read from a file or generated, for products on the command line and in tests.

#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/sparse_operator.hpp"

namespace gpusupernodal::io {

/// All entries in compressed sparse columns, with ascending rows and without duplicates.
struct RectangularMatrix {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;

  /// Returns a view of the matrix. It is valid until the matrix is changed or destroyed.
  SparseView<double> view() const {
    SparseView<double> v;
    v.rows = rows;
    v.columns = columns;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    v.compression = Compression::columns;
    return v;
  }
};

/// Reads Matrix Market `coordinate real|integer general|symmetric|skew-symmetric`, plain or gzip, of any shape. Both halves
/// of a symmetric or skew-symmetric matrix are stored. Rows and columns may be empty. Throws FileError, which names file and
/// line. It is also an error if an entry is given twice, or if there are more than 10⁶ + 1000·entries rows or columns: this
/// bounds memory by the size of the file.
RectangularMatrix read_rectangular_matrix_market(const std::string& path);

/// Generates a matrix if the argument begins with a generator's name and a colon; reads a file otherwise.
RectangularMatrix load_rectangular(const std::string& spec_or_path);

/// Returns A x, summed by columns. Precondition: x has `columns` numbers.
std::vector<double> multiply(const RectangularMatrix& a, Span<const double> x);

}  // namespace gpusupernodal::io
