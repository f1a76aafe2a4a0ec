#pragma once

/// \file
/// What a good user writes: Jacobi-PCG by cuSPARSE and cuBLAS, all scalars on the device, iterations in a captured graph.

#include <cstdint>
#include <vector>

namespace gpusupernodal::bench {

/// Both triangles of A by rows.
struct PeerMatrix {
  std::int32_t n = 0;
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

/// Microseconds per iteration, the median of `repeat` timings of `iterations` iterations from a graph. Throws
/// std::runtime_error if a call fails.
double peer_microseconds(const PeerMatrix& a, const std::vector<double>& b, int iterations, int repeat);

}  // namespace gpusupernodal::bench
