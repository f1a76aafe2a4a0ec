#pragma once

/// \file
/// Options and matrices for the tests of LDLᵀ on a device.

#include "tests/solver/api/cuda/device_problem.hpp"
#include "tests/solver/api/ldlt_problems.hpp"

namespace gpusupernodal::test::symmetric {

inline constexpr StoredPart lower = StoredPart::lower;

inline Options cuda_options() {
  Options options = ldlt_options();
  options.backend = Backend::cuda;
  return options;
}

/// Diagonally dominant, with a third of the diagonal negative.
inline GeneralEntries dominant(std::int64_t n, int per_row, std::uint64_t seed) {
  GeneralEntries a{n, {}};
  for (const auto& [place, value] : random_entries(n, per_row, 4.0, seed).entries) {
    const bool negative = place.first == place.second && place.first % 3 == 0;
    put(a, place.first, place.second, negative ? -value : value);
  }
  return a;
}

}  // namespace gpusupernodal::test::symmetric
