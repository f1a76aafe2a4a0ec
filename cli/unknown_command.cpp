#include "cli/unknown_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"

namespace gpusupernodal::cli {
namespace {

/// Levenshtein distance: number of insertions, deletions and replacements that turn one word into the other.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);  // Distances between the current prefix of a and the prefixes of b.
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// Returns the name nearest to `word`; empty if none is within two edits.
std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t longest_word = 20;  // Limits the cost, which is the product of both lengths.
  constexpr std::size_t max_edits = 2;
  std::string found;
  std::size_t least = max_edits + 1;
  for (const std::string& name : names) {
    const std::size_t edits = word.size() > longest_word ? least : edit_distance(word, name);
    if (edits >= least) continue;
    least = edits;
    found = name;
  }
  return found;
}

}  // namespace

void refuse_unknown_command(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  if (words.empty() || words.front().rfind('-', 0) == 0) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string meant = nearest(words.front(), names);
  if (meant.empty()) {
    throw InvalidInput(
        fmt::format("there is no subcommand '{}'; the subcommands are {}.", words.front(), fmt::join(names, ", ")), __FILE__,
        __LINE__);
  }
  throw InvalidInput(fmt::format("there is no subcommand '{}'; did you mean '{}'?", words.front(), meant), __FILE__,
                     __LINE__);
}

}  // namespace gpusupernodal::cli
