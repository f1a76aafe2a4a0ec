#pragma once

/// \file
/// Seconds and bytes of the steps of an analysis.

#include <mutex>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

/// Bytes of the elements of the lists, unused capacity excluded.
template <class... Lists>
std::int64_t bytes_in(const Lists&... lists) {
  return (std::int64_t{0} + ... + static_cast<std::int64_t>(lists.size() * sizeof(*lists.data())));
}

/// Records steps in the order in which they end. Thread-safe except for take().
class StepLog {
 public:
  StepLog() { steps_.reserve(max_often_enough); }

  /// Calls and times work(), which returns the bytes of its results.
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

  /// Moves the steps out. Precondition: no other thread adds steps.
  std::vector<AnalysisStep> take() { return std::move(steps_); }

 private:
  static constexpr std::size_t max_often_enough = 16;

  std::mutex mutex_;
  std::vector<AnalysisStep> steps_;
};

}  // namespace gpusupernodal
