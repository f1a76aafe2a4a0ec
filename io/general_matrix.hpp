#pragma once

/// \file
/// A general square matrix in memory, read from a file or generated, for the command line, benchmarks, examples and tests.

#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/views.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {

/// All entries in compressed sparse columns, with ascending rows and without duplicates.
struct GeneralMatrix {
  std::string name;
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;

  /// Returns a view of the matrix. It is valid until the matrix is changed or destroyed.
  MatrixView<double> view() const {
    MatrixView<double> v;
    v.n = n;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    v.part = StoredPart::full;
    return v;
  }
};

/// Reads Matrix Market `coordinate real|integer general|symmetric|skew-symmetric`, plain or gzip. Both halves of symmetric
/// and skew-symmetric matrices are stored in the result; explicit zeros stay. Throws FileError with file and line, also if
/// the matrix is rectangular, if an entry is given twice, or if there are too few entries for a nonsingular matrix. Memory
/// is proportional to the entries in the file, not to the sizes that it announces: less than 200 bytes per entry.
GeneralMatrix read_general_matrix_market(const std::string& path);

/// Generates convdiff:N or circuit:N, which io/generators.hpp defines.
/// Throws InvalidInput if the name is unknown or the size is not positive or too large.
GeneralMatrix generate_general(const std::string& spec);

/// Returns the symmetric matrix with both of its halves. Cost: O(n + nnz).
GeneralMatrix expanded(const SymmetricMatrix& a);

/// Generates a matrix if the argument begins with a generator's name and a colon; matrices of symmetric generators are
/// expanded. Calls read_general_matrix_market otherwise.
GeneralMatrix load_general(const std::string& spec_or_path);

}  // namespace gpusupernodal::io
