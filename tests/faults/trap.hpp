#pragma once

/// \file
/// The loss of a device, for good as far as this process goes.

#include <cuda_runtime_api.h>

namespace gpusupernodal::test {

/// Launches a kernel that traps; returns the error that all later calls meet.
cudaError_t lose_device_for_good();

}  // namespace gpusupernodal::test
