#pragma once

/// \file
/// Timing of calls, and medians.

#include <algorithm>
#include <vector>

#include "base/stopwatch.hpp"

namespace gpusupernodal::bench {

template <class Call>
double seconds_of(const Call& call) {
  const Stopwatch watch;
  call();
  return watch.seconds();
}

/// Median of `values`. Precondition: `values` is not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace gpusupernodal::bench
