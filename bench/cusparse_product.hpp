#pragma once

/// \file
/// cuSPARSE's products, the peer of bench_spmv.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpusupernodal::bench {

/// One of cuSPARSE's algorithms with one of its formats.
struct PeerProduct {
  std::string kernel;
  double seconds = 0.0;
};

/// A matrix by rows on the host, and vectors on the device.
struct PeerProblem {
  std::int32_t rows = 0, columns = 0;
  const std::int32_t* offsets = nullptr;
  const std::int32_t* index = nullptr;
  const double* values = nullptr;
  const double* device_x = nullptr;
  double* device_y = nullptr;
  std::int64_t vectors = 1;  ///< Columns of x and y, without gaps.
};

/// Times CSR with each algorithm, preprocessed where cuSPARSE does that; with one vector also sliced ELL of 32 rows, with
/// several also x and y by rows. `seconds_of` times a call that enqueues one product on the default stream. Throws
/// std::runtime_error if cuSPARSE fails.
std::vector<PeerProduct> time_cusparse(const PeerProblem& problem,
                                       const std::function<double(const std::function<void()>&)>& seconds_of);

}  // namespace gpusupernodal::bench
