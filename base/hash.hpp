#pragma once

#include <cstdint>

namespace gpusupernodal {

/// Mixes one number into a hash (the finalizer of splitmix64). For a given hash it maps numbers one to one, and for a given
/// number hashes: where one number of a sequence differs, the hash of the sequence does.
inline void mix(std::uint64_t& hash, std::uint64_t number) {
  std::uint64_t z = hash + number + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  hash = z ^ (z >> 31U);
}

}  // namespace gpusupernodal
