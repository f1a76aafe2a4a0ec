#include "kernels/cuda/check.hpp"

#include <string>

#include "gpusupernodal/error.hpp"

namespace gpusupernodal::cuda {

void check(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  // Clears the error, so that no later check of a launch reports it again.
  static_cast<void>(cudaGetLastError());
  const std::string sentence =
      std::string(call) + " failed: " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")";
  if (code == cudaErrorMemoryAllocation) throw OutOfMemory(sentence, file, line, -1, -1);
  throw DeviceError(sentence, file, line);
}

}  // namespace gpusupernodal::cuda
