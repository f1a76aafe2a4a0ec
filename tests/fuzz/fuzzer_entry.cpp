/// \file
/// Entry point for libFuzzer; GPUSUPERNODAL_FUZZ_TARGET names the target. An exception from a target ends the fuzzer.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpusupernodal::fuzz::GPUSUPERNODAL_FUZZ_TARGET({data, size});
  return 0;
}
