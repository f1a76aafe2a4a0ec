#pragma once

/// \file
/// Random numbers of the dissection. They depend only on the seed and the place in the tree and are equal on all machines.

#include <cstdint>

namespace gpusupernodal::dissection {

/// The finalizer of splitmix64: a bijection in which each input bit affects all output bits.
constexpr std::uint64_t scatter(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// The generator splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    return scatter(state_);
  }

  /// A number from 0 to bound−1, uniform up to 2⁻³². Precondition: bound > 0.
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(((next() >> 32U) * static_cast<std::uint64_t>(bound)) >> 32U);
  }

 private:
  std::uint64_t state_;
};

/// Derives the seed of `place` from `seed`.
constexpr std::uint64_t seed_of(std::uint64_t seed, std::uint64_t place) {
  return scatter(seed + 0x9e3779b97f4a7c15U * (place + 1));
}

}  // namespace gpusupernodal::dissection
