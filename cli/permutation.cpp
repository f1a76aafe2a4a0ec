#include "cli/permutation.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "base/fmt.hpp"
#include "io/matrix_market_header.hpp"

namespace gpusupernodal::cli {
namespace {

struct Row {
  std::int64_t number = 0;
  std::int64_t line = 0;
};

std::vector<Row> read_rows(io::LineReader& reader) {
  std::vector<Row> rows;
  std::string_view line;
  while (io::next_data_line(reader, line)) {
    rows.push_back({io::take_integer(reader, line, "row"), reader.number()});
    io::expect_end_of_line(reader, line);
  }
  return rows;
}

}  // namespace

std::vector<std::int64_t> read_permutation(const std::string& path) {
  io::LineReader reader(path);
  const std::vector<Row> rows = read_rows(reader);
  const auto n = static_cast<std::int64_t>(rows.size());
  // A 0 occurs exactly in 0-based permutations.
  const bool from_zero = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.number == 0; });
  const std::int64_t first = from_zero ? 0 : 1;
  std::vector<std::int64_t> line_of(rows.size(), 0);
  std::vector<std::int64_t> old_of_new;
  old_of_new.reserve(rows.size());
  for (const Row& row : rows) {
    if (row.number < first || row.number >= first + n) {
      reader.fail_at(row.line, fmt::format("the row {} is not between {} and {}: the file has {} rows, counted from {}.",
                                           row.number, first, first + n - 1, n, first));
    }
    std::int64_t& earlier = line_of[static_cast<std::size_t>(row.number - first)];
    if (earlier != 0) {
      reader.fail_at(row.line, fmt::format("the row {} is given twice, first in line {}; this is no permutation.",
                                           row.number, earlier));
    }
    earlier = row.line;
    old_of_new.push_back(row.number - first);
  }
  return old_of_new;
}

std::vector<std::vector<std::int64_t>> read_last_rows(const std::string& path) {
  io::LineReader reader(path);
  std::map<std::int64_t, std::vector<std::int64_t>> groups;
  std::string_view line;
  while (io::next_data_line(reader, line)) {
    const std::int64_t row = io::take_integer(reader, line, "row");
    const bool has_group = line.find_first_not_of(" \t\r") != std::string_view::npos;
    const std::int64_t group = has_group ? io::take_integer(reader, line, "group") : 1;
    io::expect_end_of_line(reader, line);
    if (row < 1 || group < 1) reader.fail(fmt::format("row {}, group {}: both are counted from 1.", row, group));
    groups[group].push_back(row - 1);
  }
  std::vector<std::vector<std::int64_t>> lists;
  for (auto& [number, rows] : groups) lists.push_back(std::move(rows));
  return lists;
}

}  // namespace gpusupernodal::cli
