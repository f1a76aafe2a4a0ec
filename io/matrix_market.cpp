#include <string>
#include <utility>
#include <vector>

#include "base/fmt.hpp"
#include "io/generators.hpp"
#include "io/line_reader.hpp"
#include "io/matrix_market_entries.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {
namespace {

/// Throws FileError unless `upper`, the mirrored upper triangle, equals the off-diagonal part of `lower`.
void check_symmetric(const LineReader& reader, const CompressedEntries& lower, const CompressedEntries& upper) {
  std::size_t u = 0;
  for (const Entry& l : lower.entries) {
    if (l.row == l.column) continue;
    const Entry* m = u < upper.entries.size() ? &upper.entries[u] : nullptr;
    const auto place = std::pair(l.column, l.row);
    if (m == nullptr || place < std::pair(m->column, m->row)) {
      reader.fail_at(l.line, fmt::format("the matrix is not symmetric: there is an entry ({}, {}), but none at ({}, {}).",
                                         l.row + 1, l.column + 1, l.column + 1, l.row + 1));
    }
    if (std::pair(m->column, m->row) < place) break;
    if (m->value != l.value) {
      reader.fail_at(m->line, fmt::format("the matrix is not symmetric: ({0}, {1}) is {2} but ({1}, {0}) is {3}.",
                                          l.column + 1, l.row + 1, m->value, l.value));
    }
    ++u;
  }
  if (u < upper.entries.size()) {
    const Entry& m = upper.entries[u];
    reader.fail_at(m.line, fmt::format("the matrix is not symmetric: there is an entry ({0}, {1}), but none at ({1}, {0}).",
                                       m.column + 1, m.row + 1));
  }
}

/// Calls `check`; a FileError that it throws becomes a NotSymmetric.
template <class Check>
void as_not_symmetric(const Check& check) {
  try {
    check();
  } catch (const FileError& e) {
    throw NotSymmetric(e.what(), __FILE__, __LINE__);
  }
}

/// Returns the lower triangle. Mirrors upper entries of a symmetric file; checks the symmetry of a general file.
CompressedEntries lower_triangle(const LineReader& reader, std::int64_t n, std::vector<Entry> entries, bool general) {
  const auto mirror = [](Entry& e) { std::swap(e.row, e.column); };
  if (!general) {
    for (Entry& e : entries) {
      if (e.row < e.column) mirror(e);
    }
    return compress_unique(reader, n, entries, ", as itself or as its mirror image");
  }
  std::vector<Entry> upper;
  std::vector<Entry> lower;
  for (Entry& e : entries) {
    if (e.row < e.column)
      mirror(upper.emplace_back(e));
    else
      lower.push_back(e);
  }
  CompressedEntries columns = compress_unique(reader, n, lower, "");
  const CompressedEntries mirrored = compress_unique(reader, n, upper, ", counted in the mirrored upper triangle");
  as_not_symmetric([&] { check_symmetric(reader, columns, mirrored); });
  return columns;
}

}  // namespace

SymmetricMatrix read_matrix_market(const std::string& path) {
  LineReader reader(path);
  const CoordinateHeader header = read_coordinate_header(reader);
  if (header.symmetry == FileSymmetry::skew_symmetric)
    as_not_symmetric([&] { reader.fail("a skew-symmetric matrix is never positive definite."); });
  const bool general = header.symmetry == FileSymmetry::general;
  const CoordinateSizes sizes = read_coordinate_sizes(reader, header.symmetry);
  // An entry and its mirror image fill two rows. With a wrong, large n the file is refused before memory for n columns is
  // allocated.
  if (sizes.entries < sizes.n - sizes.entries) {
    reader.fail(fmt::format("{} entries and their mirror images fill fewer than the {} rows, so the matrix is singular.",
                            sizes.entries, sizes.n));
  }
  SymmetricMatrix matrix;
  matrix.name = matrix_name(path);
  store(lower_triangle(reader, sizes.n, read_entries(reader, sizes, header.integer), general), matrix);
  return matrix;
}

SymmetricMatrix load(const std::string& spec_or_path) {
  return is_generator(spec_or_path) ? generate(spec_or_path) : read_matrix_market(spec_or_path);
}

}  // namespace gpusupernodal::io
