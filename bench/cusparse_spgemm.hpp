#pragma once

/// \file
/// cuSPARSE's products of sparse matrices, the peer of bench_spgemm.

#include <cstdint>
#include <string>
#include <vector>

namespace gpusupernodal::bench {

/// A², the matrix by rows in device memory, in double precision.
struct SpgemmProblem {
  std::int32_t rows = 0;
  std::int64_t entries = 0;
  std::int32_t* offsets = nullptr;
  std::int32_t* index = nullptr;
  double* values = nullptr;
  int rounds = 3;
};

/// One of cuSPARSE's algorithms.
struct SpgemmPeer {
  std::string kernel;
  std::string failure;          ///< Why it did not run; empty if it did.
  double total_seconds = 0.0;   ///< Pattern and values, without allocation.
  double repeat_seconds = 0.0;  ///< New values for a known pattern; 0 where the algorithm has no such step.
  double buffer_bytes = 0.0;    ///< Beside A and C.
  std::int64_t entries = 0;     ///< Entries of C.
};

/// Times all algorithms of SpGEMM, and SpGEMMreuse. Throws std::runtime_error if cuSPARSE cannot be used at all.
std::vector<SpgemmPeer> time_cusparse_spgemm(const SpgemmProblem& problem);

}  // namespace gpusupernodal::bench
