#pragma once

/// \file
/// Long sweeps, thinned out where a tool makes them slow.

#include <cstdint>
#include <cstdlib>

namespace gpusupernodal::test {

/// GPUSUPERNODAL_TEST_EVERY: sweeps take only each so manieth case; 1 where it is not set.
inline std::int64_t every() {
  const char* const wanted = std::getenv("GPUSUPERNODAL_TEST_EVERY");
  const std::int64_t step = wanted != nullptr ? std::atoll(wanted) : 1;
  return step > 0 ? step : 1;
}

/// Says of the cases that it is asked about one after the other whether they are to run.
class Thinned {
 public:
  bool takes_next() { return count_++ % step_ == 0; }

 private:
  std::int64_t step_ = every();
  std::int64_t count_ = 0;
};

}  // namespace gpusupernodal::test
