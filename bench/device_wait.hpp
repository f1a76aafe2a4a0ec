#pragma once

/// \file
/// Waits for the device, so that timings include its work. The build compiles the source file with or without CUDA.

namespace gpusupernodal::bench {

/// Waits for all work of the current device; does nothing in builds without CUDA.
void wait_for_device();

}  // namespace gpusupernodal::bench
