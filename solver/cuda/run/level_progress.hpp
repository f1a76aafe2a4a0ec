#pragma once

/// \file
/// Reports how much of a factorization is done.

#include "solver/backend/factorization.hpp"

namespace gpusupernodal::cuda {

/// Reports the finished share of all levels' flops, in steps of at least 5 %, each time after waiting for them.
class LevelProgress {
 public:
  /// `report_progress` may be nullptr: then nothing is reported and nothing waits.
  LevelProgress(double all_flops, const ProgressCallback* report_progress)
      : all_(all_flops), report_progress_(report_progress) {}

  /// Called after the launches of each level but the last; wait() waits for them.
  template <class Wait>
  void level_launched(double flops, const Wait& wait) {
    done_ += flops;
    if (report_progress_ == nullptr || done_ < reported_ + step * all_) return;
    wait();
    (*report_progress_)(done_ / all_);
    reported_ = done_;
  }

 private:
  static constexpr double step = 0.05;
  double all_;
  const ProgressCallback* report_progress_;
  double done_ = 0.0;
  double reported_ = 0.0;
};

}  // namespace gpusupernodal::cuda
