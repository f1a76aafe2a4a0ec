/// \file
/// Where libFuzzer enters; GPUSUPERNODAL_FUZZ_TARGET names the target. What a target throws ends the fuzzer.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpusupernodal::fuzz::GPUSUPERNODAL_FUZZ_TARGET({data, size});
  return 0;
}
