#pragma once

/// \file
/// Stores a permutation on disk, so that several runs and peers can use one ordering: old_of_new as 64-bit integers, and its
/// cost in a JSON file with `.json` appended to the name.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"

namespace gpusupernodal::bench {

/// A permutation and its cost; the permutation is empty if the file does not exist.
struct StoredPermutation {
  std::vector<std::int64_t> old_of_new;
  Fields cost = Fields::object();  ///< The content of the JSON file.
};

/// Reads a permutation. Throws std::runtime_error if the file exists and does not have n entries.
StoredPermutation read_permutation(const std::string& path, std::int64_t n);
void write_permutation(const std::string& path, const StoredPermutation& permutation);

}  // namespace gpusupernodal::bench
