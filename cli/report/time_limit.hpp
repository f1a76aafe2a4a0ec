#pragma once

/// \file
/// The time that the measured parts of a report may take.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/stopwatch.hpp"

namespace gpusupernodal::cli {

/// Counts down from construction.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds) : seconds_(seconds) {}

  double seconds() const { return seconds_; }
  double left() const { return seconds_ - watch_.seconds(); }
  bool is_over() const { return left() <= 0.0; }

 private:
  double seconds_;
  Stopwatch watch_;
};

/// The median of the times of call(): `most` calls, fewer if the calls together take more than `limit` seconds. Calls at
/// least once.
template <class Call>
double median_seconds(int most, double limit, const Call& call) {
  std::vector<double> times;
  const Stopwatch all;
  do {
    const Stopwatch watch;
    call();
    times.push_back(watch.seconds());
  } while (static_cast<int>(times.size()) < most && all.seconds() < limit);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace gpusupernodal::cli
