#pragma once

/// \file
/// A permutation on disk, so that one ordering serves several runs and peers: 64-bit integers old_of_new, with a JSON file
/// of the same name and `.json` that says what finding it cost.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"

namespace gpusupernodal::bench {

/// An empty permutation where there is no file.
struct StoredPermutation {
  std::vector<std::int64_t> old_of_new;
  Fields cost = Fields::object();  ///< As written.
};

/// Throws std::runtime_error where a file is there that has not n entries.
StoredPermutation read_permutation(const std::string& path, std::int64_t n);
void write_permutation(const std::string& path, const StoredPermutation& permutation);

}  // namespace gpusupernodal::bench
