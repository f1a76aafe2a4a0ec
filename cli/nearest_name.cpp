#include "cli/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace gpusupernodal::cli {
namespace {

/// Damerau-Levenshtein distance (optimal string alignment): edits that turn one word into the other.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);  // Row i − 2 of the table of distances between prefixes.
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(previous, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, previous[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t longest_word = 40;  // Limits the cost, which is the product of both lengths.
  constexpr std::size_t max_edits = 2;
  std::string found;
  std::size_t least = max_edits + 1;
  if (word.size() > longest_word) return found;
  for (const std::string& name : names) {
    const std::size_t edits = edit_distance(word, name);
    if (edits >= least || edits >= std::max(word.size(), name.size())) continue;
    least = edits;
    found = name;
  }
  return found;
}

}  // namespace gpusupernodal::cli
