#pragma once

/// \file
/// Permanent loss of the device for this process.

#include <cuda_runtime_api.h>

namespace gpusupernodal::test {

/// Launches a kernel that faults; returns the error that all later calls meet.
cudaError_t lose_device_for_good();

}  // namespace gpusupernodal::test
