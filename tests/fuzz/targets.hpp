#pragma once

/// \file
/// Fuzz targets. A target returns if all went well: the input was accepted, or refused with a sentence. A Finding, an
/// exception of a foreign type or a sanitizer's report is a failure, at which the fuzzers and the replay of the corpora
/// stop.

#include <cstdint>
#include <span>
#include <stdexcept>

namespace gpusupernodal::fuzz {

class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Fuzzes the readers of Matrix Market files. The first byte selects one of the three readers and how it gets the other
/// bytes: as a plain file (gzip if they begin like gzip), compressed, or compressed and damaged. What the reader of
/// symmetric matrices accepts, that of general ones must read as well, with equal entries.
void fuzz_reader(std::span<const std::uint8_t> bytes);

/// Fuzzes Solver<float> and Solver<double> on the host with options, patterns, values, permutations, right-hand sides
/// and calls in any order. Solutions must have a small backward error; a refused call must leave the object unchanged
/// and able to solve.
void fuzz_solver(std::span<const std::uint8_t> bytes);

}  // namespace gpusupernodal::fuzz
