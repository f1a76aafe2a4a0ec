#pragma once

/// \file
/// Thins out long sweeps under tools that make them slow.

#include <cstdint>
#include <cstdlib>

namespace gpusupernodal::test {

/// The value of GPUSUPERNODAL_TEST_EVERY: sweeps run only every k-th case; 1 if not set.
inline std::int64_t every() {
  const char* const wanted = std::getenv("GPUSUPERNODAL_TEST_EVERY");
  const std::int64_t step = wanted != nullptr ? std::atoll(wanted) : 1;
  return step > 0 ? step : 1;
}

/// Decides for successive cases whether to run them.
class Thinned {
 public:
  bool takes_next() { return count_++ % step_ == 0; }

 private:
  std::int64_t step_ = every();
  std::int64_t count_ = 0;
};

}  // namespace gpusupernodal::test
