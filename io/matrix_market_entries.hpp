#pragma once

/// \file
/// Parses what readers of symmetric and of general Matrix Market files have in common.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/compressed_columns.hpp"
#include "io/line_reader.hpp"
#include "io/matrix_market_header.hpp"

namespace gpusupernodal::io {

/// Which entries of a matrix a file lists: all, or one of each pair (i, j) and (j, i).
enum class FileSymmetry { general, symmetric, skew_symmetric, hermitian };

struct CoordinateHeader {
  FileSymmetry symmetry = FileSymmetry::general;
  bool integer = false;     ///< Whether values are integers.
  bool is_complex = false;  ///< Whether each value is a real and an imaginary part.
};

struct CoordinateSizes {
  std::int64_t n = 0;  ///< Rows; of a square matrix also columns.
  std::int64_t entries = 0;
  std::int64_t line = 0;  ///< Number of the line with the sizes.
  std::int64_t columns = 0;
};

/// Shapes that a reader takes. Symmetric files are always square.
enum class Shapes { square, rectangular };

/// Reads the first line. Throws FileError unless it is that of a sparse matrix of such numbers.
CoordinateHeader read_coordinate_header(LineReader& reader, Numbers numbers = Numbers::real);

/// Reads the line of sizes. Throws FileError if they are negative or too large, if the matrix is not square but must be, or
/// if there are more entries than a matrix of this symmetry has places.
CoordinateSizes read_coordinate_sizes(LineReader& reader, FileSymmetry symmetry, Shapes shapes = Shapes::square);

/// Reads the entries as the file has them, in its order. Throws FileError if their number differs from the announced one or
/// a line is malformed. Memory is proportional to the entries in the file.
std::vector<Entry> read_entries(LineReader& reader, const CoordinateSizes& sizes, bool integer);

/// As above. `take_value` removes what stands for the value from the line, and returns Entry::value.
std::vector<Entry> read_entries(LineReader& reader, const CoordinateSizes& sizes,
                                const std::function<double(std::string_view&)>& take_value);

/// Adds the mirror images of the off-diagonal entries of a symmetric or skew-symmetric file; leaves those of a general file.
/// Throws FileError for an entry on the diagonal of a skew-symmetric matrix.
std::vector<Entry> mirrored(const LineReader& reader, std::vector<Entry> entries, FileSymmetry symmetry);

/// Compresses entries. Throws FileError at the second of two entries with the same row and column; its sentence ends with
/// `also`.
CompressedEntries compress_unique(const LineReader& reader, std::int64_t n, const std::vector<Entry>& entries,
                                  const char* also);

/// Copies compressed entries into the arrays of a SymmetricMatrix or GeneralMatrix, which has columns of that many entries.
template <class Matrix>
void store(CompressedEntries&& columns, Matrix& matrix) {
  matrix.n = static_cast<std::int64_t>(columns.offsets.size()) - 1;
  matrix.offsets = std::move(columns.offsets);
  matrix.indices.reserve(columns.entries.size());
  matrix.values.reserve(columns.entries.size());
  for (const Entry& e : columns.entries) {
    matrix.indices.push_back(e.row);
    matrix.values.push_back(e.value);
  }
}

/// Returns the file name without folder, ".gz" and ".mtx".
std::string matrix_name(const std::string& path);

}  // namespace gpusupernodal::io
