#pragma once

/// \file
/// What crosses the bus and what the host waits for: definitions in the test program that stand before those of the CUDA
/// runtime, for every library of the process.

#include <cstdint>

namespace gpusupernodal::test {

/// Since the program began.
struct BusTraffic {
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t waits = 0;  ///< For streams, events, the device, and by copies that are not asynchronous.
};
BusTraffic bus_traffic();

inline BusTraffic operator-(const BusTraffic& a, const BusTraffic& b) {
  return {a.bytes_to_device - b.bytes_to_device, a.bytes_to_host - b.bytes_to_host, a.waits - b.waits};
}

/// Whether there is a device to work on.
bool there_is_a_device();

}  // namespace gpusupernodal::test
