#pragma once

/// \file
/// A symmetric matrix in memory, as read from a file or generated; for the command line, benches, examples and tests.

#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal::io {

/// A file that cannot be read or is not what it claims; the sentence begins with "file:line: ", or with "file: " where it
/// cannot be opened or written.
class FileError : public Error {
 public:
  using Error::Error;
};

/// Lower triangle by columns, rows ascending, no duplicates.
struct SymmetricMatrix {
  std::string name;
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;

  /// View of the matrix; valid while the matrix lives and is not changed.
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
/// pattern and values of both halves are equal; plain or gzip. Throws FileError with file and line.
/// Memory follows what the file holds, not what its line of sizes claims: less than 200 bytes an entry.
SymmetricMatrix read_matrix_market(const std::string& path);

/// Generates lap3d:N, lap27:N, elas:N, lap2d:N or shell:N (io/generators.hpp says what they are).
/// Throws InvalidInput for another name or a size that is not positive or too large.
SymmetricMatrix generate(const std::string& spec);

/// generate for a known generator's name with a colon, read_matrix_market otherwise.
SymmetricMatrix load(const std::string& spec_or_path);

constexpr std::int64_t any_rows = -1;

/// Columns of numbers, column-major.
struct DenseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<double> values;
};
/// Reads right-hand sides: Matrix Market `array real|integer general`, plain or gzip. Throws FileError with file and line,
/// also where `rows_expected` is given and the file has another number of rows.
DenseMatrix read_dense(const std::string& path, std::int64_t rows_expected = any_rows);
/// Writes `array real general` with 17 significant digits, as OutputFile (base/output_file.hpp) writes: what has the name
/// stays as it was until the file is complete. Throws FileError.
void write_dense(const std::string& path, const DenseMatrix& matrix);

}  // namespace gpusupernodal::io
