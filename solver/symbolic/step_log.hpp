#pragma once

/// \file
/// What the steps of an analysis took.

#include <mutex>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

/// Bytes in lists, as they are filled.
template <class... Lists>
std::int64_t bytes_in(const Lists&... lists) {
  return (std::int64_t{0} + ... + static_cast<std::int64_t>(lists.size() * sizeof(*lists.data())));
}

/// Steps in the order in which they ended; threads may add at the same time.
class StepLog {
 public:
  StepLog() { steps_.reserve(max_often_enough); }

  /// Calls work(), which returns the bytes of what it made.
  template <class Work>
  void time(const char* name, Work&& work) {
    const Stopwatch watch;
    const std::int64_t bytes = std::forward<Work>(work)();
    add({name, watch.seconds(), bytes});
  }

  void add(const AnalysisStep& step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(step);
  }

  /// Precondition: nobody adds any more.
  std::vector<AnalysisStep> take() { return std::move(steps_); }

 private:
  static constexpr std::size_t max_often_enough = 16;

  std::mutex mutex_;
  std::vector<AnalysisStep> steps_;
};

}  // namespace gpusupernodal
