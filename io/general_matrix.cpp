#include "io/general_matrix.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "io/generators.hpp"
#include "io/matrix_market_entries.hpp"

namespace gpusupernodal::io {
namespace {

/// Adds the mirror images of the off-diagonal entries of a symmetric or skew-symmetric file.
std::vector<Entry> mirrored(const LineReader& reader, const std::vector<Entry>& entries, FileSymmetry symmetry) {
  std::vector<Entry> all;
  all.reserve(2 * entries.size());
  for (const Entry& e : entries) {
    all.push_back(e);
    if (e.row != e.column) {
      all.push_back({e.column, e.row, symmetry == FileSymmetry::symmetric ? e.value : -e.value, e.line});
    } else if (symmetry == FileSymmetry::skew_symmetric) {
      reader.fail_at(e.line, fmt::format("the entry ({}, {}) is on the diagonal of a skew-symmetric matrix, which is zero.",
                                         e.row + 1, e.column + 1));
    }
  }
  return all;
}

CompressedEntries all_entries(const LineReader& reader, std::int64_t n, std::vector<Entry> entries, FileSymmetry symmetry) {
  if (symmetry == FileSymmetry::general) return compress_unique(reader, n, entries, "");
  entries = mirrored(reader, entries, symmetry);
  return compress_unique(reader, n, entries, ", as itself or as its mirror image");
}

}  // namespace

GeneralMatrix read_general_matrix_market(const std::string& path) {
  LineReader reader(path);
  const CoordinateHeader header = read_coordinate_header(reader);
  const CoordinateSizes sizes = read_coordinate_sizes(reader, header.symmetry);
  // A file with a wrong, large n must fail before memory for n columns is allocated.
  const std::int64_t rows_per_entry = header.symmetry == FileSymmetry::general ? 1 : 2;
  if (sizes.entries < sizes.n - sizes.entries * (rows_per_entry - 1)) {
    reader.fail(fmt::format("{} entries are too few for a nonsingular matrix of order {}: a row would be empty.",
                            sizes.entries, sizes.n));
  }
  GeneralMatrix matrix;
  matrix.name = matrix_name(path);
  store(all_entries(reader, sizes.n, read_entries(reader, sizes, header.integer), header.symmetry), matrix);
  return matrix;
}

GeneralMatrix expanded(const SymmetricMatrix& a) {
  std::vector<Entry> entries;
  entries.reserve(2 * a.values.size());
  for (std::int64_t j = 0; j < a.n; ++j) {
    const auto column = static_cast<std::int32_t>(j);
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++k) {
      entries.push_back({a.indices[k], column, a.values[k]});
      if (a.indices[k] != column) entries.push_back({column, a.indices[k], a.values[k]});
    }
  }
  GeneralMatrix matrix;
  matrix.name = a.name;
  store(compress(a.n, entries), matrix);
  return matrix;
}

GeneralMatrix load_general(const std::string& spec_or_path) {
  if (is_general_generator(spec_or_path)) return generate_general(spec_or_path);
  return is_generator(spec_or_path) ? expanded(generate(spec_or_path)) : read_general_matrix_market(spec_or_path);
}

}  // namespace gpusupernodal::io
