#pragma once

/// \file
/// What is fuzzed. A target returns where all was well: input was taken, or refused with a sentence. What must not happen
/// is a Finding, an exception of a foreign type, or what a sanitizer sees; the fuzzers and the replay of the corpora stop at
/// each of them.

#include <cstdint>
#include <span>
#include <stdexcept>

namespace gpusupernodal::fuzz {

class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The readers of Matrix Market files. The first byte says which of the two readers gets the others, and as what: a file as
/// they are (gzip where they begin like gzip), compressed, or compressed and damaged.
void fuzz_reader(std::span<const std::uint8_t> bytes);

/// Options, patterns, values, permutations, right-hand sides and calls in any order, through Solver<float> or
/// Solver<double> on the host. What solves without an error must have a small backward error; what was refused must leave
/// the object as it was, and able to solve.
void fuzz_solver(std::span<const std::uint8_t> bytes);

}  // namespace gpusupernodal::fuzz
