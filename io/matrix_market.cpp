#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/compressed_columns.hpp"
#include "io/generators.hpp"
#include "io/line_reader.hpp"
#include "io/matrix_market_header.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {
namespace {

constexpr std::size_t look_at_proportion_every = std::size_t{1} << 20;

struct Sizes {
  std::int64_t n = 0;
  std::int64_t entries = 0;
  std::int64_t line = 0;
};

MatrixMarketHeader read_matrix_header(LineReader& reader) {
  MatrixMarketHeader header = read_header(reader);
  if (header.format == "array") {
    reader.fail("the file holds a dense array; a sparse matrix in the format 'coordinate' is needed.");
  }
  if (header.symmetry == "skew-symmetric") reader.fail("a skew-symmetric matrix is never positive definite.");
  if (header.symmetry == "hermitian") reader.fail("a Hermitian matrix is complex; only real symmetric matrices are solved.");
  if (header.symmetry != "symmetric" && header.symmetry != "general") {
    reader.fail("the header must end with 'symmetric' or 'general'.");
  }
  return header;
}

Sizes read_sizes(LineReader& reader, bool general) {
  std::string_view line;
  if (!next_data_line(reader, line)) reader.fail("the file ends before the line of sizes.");
  const std::int64_t rows = take_integer(reader, line, "number of rows");
  const std::int64_t columns = take_integer(reader, line, "number of columns");
  const std::int64_t entries = take_integer(reader, line, "number of entries");
  expect_end_of_line(reader, line);
  if (rows < 0 || columns < 0 || entries < 0) {
    reader.fail(
        fmt::format("{} rows, {} columns and {} entries were announced; none may be negative.", rows, columns, entries));
  }
  if (rows != columns) reader.fail(fmt::format("the matrix is {} × {}; a symmetric one is square.", rows, columns));
  if (rows >= std::numeric_limits<std::int32_t>::max()) {
    reader.fail(fmt::format("{} rows are too many: at most 2³¹ − 2 are supported.", rows));
  }
  // Every matrix must have n entries, so that a file with a wrong, large n fails before memory for n columns is allocated.
  if (entries < rows) {
    reader.fail(fmt::format("{} entries are fewer than the {} diagonal entries that a positive definite matrix has.",
                            entries, rows));
  }
  const std::int64_t max_entries = general ? rows * rows : rows * (rows + 1) / 2;
  if (entries > max_entries) {
    reader.fail(fmt::format("{} entries do not fit in a {} matrix of order {}: at most {}.", entries,
                            general ? "general" : "symmetric", rows, max_entries));
  }
  return {rows, entries, reader.number()};
}

std::int32_t take_index(const LineReader& reader, std::string_view& line, const char* what, std::int64_t n) {
  const std::int64_t index = take_integer(reader, line, what);
  if (index < 1 || index > n) reader.fail(fmt::format("the {} {} is not between 1 and {}.", what, index, n));
  return static_cast<std::int32_t>(index - 1);
}

/// Rejects files that expand far more than a matrix does (gzip bombs). Distinct entries take at least a few bits each after
/// compression: the densest compressed matrices have about one entry per two bytes, repetitive text up to 100 per byte.
void check_proportion(const LineReader& reader, std::size_t entries) {
  constexpr std::size_t max_entries_a_byte = 8;
  if (entries > max_entries_a_byte * static_cast<std::size_t>(reader.bytes_read())) {
    reader.fail(
        fmt::format("{} entries from {} compressed bytes: no matrix compresses so well; decompress the file and check it.",
                    entries, reader.bytes_read()));
  }
}

std::vector<Entry> read_entries(LineReader& reader, const Sizes& sizes, bool integer) {
  std::vector<Entry> entries;
  // The announced number of entries may be wrong, so it does not determine how much memory is reserved.
  entries.reserve(static_cast<std::size_t>(std::min<std::int64_t>(sizes.entries, std::int64_t{1} << 12)));
  std::string_view line;
  while (next_data_line(reader, line)) {
    if (static_cast<std::int64_t>(entries.size()) == sizes.entries) {
      reader.fail(fmt::format("more entries than the {} announced in line {}.", sizes.entries, sizes.line));
    }
    Entry entry;
    entry.row = take_index(reader, line, "row", sizes.n);
    entry.column = take_index(reader, line, "column", sizes.n);
    entry.value = take_value(reader, line, integer);
    entry.line = reader.number();
    expect_end_of_line(reader, line);
    entries.push_back(entry);
    if (entries.size() % look_at_proportion_every == 0) check_proportion(reader, entries.size());
  }
  if (static_cast<std::int64_t>(entries.size()) < sizes.entries) {
    reader.fail(fmt::format("the file ends after {} of the {} entries announced in line {}.", entries.size(), sizes.entries,
                            sizes.line));
  }
  return entries;
}

CompressedEntries compress_unique(const LineReader& reader, std::int64_t n, const std::vector<Entry>& entries,
                                  const char* also) {
  CompressedEntries columns = compress(n, entries);
  if (const Entry* twice = find_duplicate(columns)) {
    reader.fail_at(twice->line,
                   fmt::format("the entry ({}, {}) is given twice{}.", twice->row + 1, twice->column + 1, also));
  }
  return columns;
}

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
  check_symmetric(reader, columns, compress_unique(reader, n, upper, ", counted in the mirrored upper triangle"));
  return columns;
}

/// Returns the file name without folder, ".gz" and ".mtx".
std::string matrix_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".mtx") name = name.stem();
  return name.string();
}

}  // namespace

SymmetricMatrix read_matrix_market(const std::string& path) {
  LineReader reader(path);
  const MatrixMarketHeader header = read_matrix_header(reader);
  const bool general = header.symmetry == "general";
  const Sizes sizes = read_sizes(reader, general);
  std::vector<Entry> entries = read_entries(reader, sizes, header.field == "integer");
  CompressedEntries columns = lower_triangle(reader, sizes.n, std::move(entries), general);

  SymmetricMatrix matrix;
  matrix.name = matrix_name(path);
  matrix.n = sizes.n;
  matrix.offsets = std::move(columns.offsets);
  matrix.indices.reserve(columns.entries.size());
  matrix.values.reserve(columns.entries.size());
  for (const Entry& e : columns.entries) {
    matrix.indices.push_back(e.row);
    matrix.values.push_back(e.value);
  }
  return matrix;
}

SymmetricMatrix load(const std::string& spec_or_path) {
  return is_generator(spec_or_path) ? generate(spec_or_path) : read_matrix_market(spec_or_path);
}

}  // namespace gpusupernodal::io
