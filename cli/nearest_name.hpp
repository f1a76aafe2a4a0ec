#pragma once

/// \file
/// Suggestions for misspelt names.

#include <string>
#include <vector>

namespace gpusupernodal::cli {

/// Returns the name nearest to `word`, the first of several equally near; empty if none is within two edits or if the edits
/// would replace every character. An edit inserts, deletes or replaces a character, or swaps two adjacent ones.
std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

}  // namespace gpusupernodal::cli
