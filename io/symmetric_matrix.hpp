#pragma once

/// \file
/// A symmetric matrix in memory, read from a file or generated, for the command line, benchmarks, examples and tests.

#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal::io {

/// Thrown for a file that cannot be read, has invalid content or cannot be written. The message begins with "file:line: ",
/// or with "file: " if the file cannot be opened or written.
class FileError : public Error {
 public:
  using Error::Error;
};

/// The file holds a square matrix that is not symmetric; read_general_matrix_market (general_matrix.hpp) reads it.
class NotSymmetric : public FileError {
 public:
  using FileError::FileError;
};

/// The lower triangle in compressed sparse columns, with ascending rows and without duplicates.
struct SymmetricMatrix {
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
    v.part = StoredPart::lower;
    return v;
  }
};

/// Reads Matrix Market `coordinate real|integer symmetric` (entries above the diagonal are mirrored), or `general` if
/// pattern and values of both halves are equal; plain or gzip. Throws FileError with file and line, NotSymmetric if they are
/// not. Memory is proportional to the entries in the file, not to the sizes that it announces: less than 200 bytes per
/// entry.
SymmetricMatrix read_matrix_market(const std::string& path);

/// Generates lap3d:N, lap27:N, elas:N, lap2d:N or shell:N, which io/generators.hpp defines.
/// Throws InvalidInput if the name is unknown or the size is not positive or too large.
SymmetricMatrix generate(const std::string& spec);

/// Calls generate if the argument begins with a generator's name and a colon, read_matrix_market otherwise.
SymmetricMatrix load(const std::string& spec_or_path);

constexpr std::int64_t any_rows = -1;

/// A dense matrix, column-major.
struct DenseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<double> values;
};
/// Reads right-hand sides: Matrix Market `array real|integer general`, plain or gzip. Throws FileError with file and line,
/// also if `rows_expected` is given and differs from the number of rows in the file.
DenseMatrix read_dense(const std::string& path, std::int64_t rows_expected = any_rows);
/// Writes `array real general` with 17 significant digits through OutputFile (base/output_file.hpp): an existing file is
/// replaced only when the new one is complete. Throws FileError.
void write_dense(const std::string& path, const DenseMatrix& matrix);

}  // namespace gpusupernodal::io
