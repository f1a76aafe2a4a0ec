#pragma once

/// \file
/// What is timed ends when the device has done it. Defined with CUDA or without by the source file that the build takes.

namespace gpusupernodal::bench {

/// Waits for all work of the current device, where there is one.
void wait_for_device();

}  // namespace gpusupernodal::bench
