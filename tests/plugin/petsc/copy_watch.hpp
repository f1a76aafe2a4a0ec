#pragma once

/// \file
/// Counts copies between host and device and waits of the host: the test program defines functions that precede those
/// of the CUDA runtime for every library of the process.

#include <cstdint>

namespace gpusupernodal::test {

/// Totals since the program started.
struct BusTraffic {
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t waits = 0;  ///< Waits for streams, events and the device, and synchronous copies.
};
BusTraffic bus_traffic();

inline BusTraffic operator-(const BusTraffic& a, const BusTraffic& b) {
  return {a.bytes_to_device - b.bytes_to_device, a.bytes_to_host - b.bytes_to_host, a.waits - b.waits};
}

/// Whether a CUDA device is available.
bool has_device();

}  // namespace gpusupernodal::test
