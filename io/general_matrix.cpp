#include "io/general_matrix.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "base/fmt.hpp"
#include "io/generators.hpp"
#include "io/matrix_market_entries.hpp"

namespace gpusupernodal::io {
namespace {

CompressedEntries all_entries(const LineReader& reader, std::int64_t n, std::vector<Entry> entries, FileSymmetry symmetry) {
  if (symmetry == FileSymmetry::general) return compress_unique(reader, n, entries, "");
  return compress_unique(reader, n, mirrored(reader, std::move(entries), symmetry), ", as itself or as its mirror image");
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
