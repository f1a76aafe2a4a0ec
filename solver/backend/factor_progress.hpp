#pragma once

/// \file
/// Reports the progress of a factorization to the caller.

#include <algorithm>
#include <atomic>

#include "solver/backend/factorization.hpp"

namespace gpusupernodal {

/// Any worker may add the flops that it has done. Worker 0, which runs on the caller's thread, calls the callback when the
/// fraction has grown by at least `step` since the last call. Fractions ascend from 0 to 1; only end() reports 1.
class FactorProgress {
 public:
  /// `report_progress` may be nullptr; then nothing is reported. It may throw, which aborts the factorization.
  FactorProgress(const ProgressCallback* report_progress, double total_flops)
      : report_progress_(report_progress), total_(total_flops) {
    if (report_progress_ != nullptr) (*report_progress_)(0.0);
  }
  void done(int worker, double flops) {
    if (report_progress_ == nullptr) return;
    const double sum = done_.fetch_add(flops, std::memory_order_relaxed) + flops;
    if (worker != 0 || total_ <= 0.0) return;
    const double fraction = sum / total_;
    if (fraction < reported_ + step_ || fraction >= 1.0) return;
    reported_ = fraction;
    (*report_progress_)(fraction);
  }
  /// The work is done once more: its fractions share what is left below 1.
  void repeat() {
    const double left = 1.0 - reported_;
    total_ /= left;
    step_ *= left;
    done_ = reported_ * total_;
  }
  void end() {
    if (report_progress_ != nullptr) (*report_progress_)(1.0);
  }

  static constexpr double step = 0.01;

 private:
  const ProgressCallback* report_progress_;
  double total_;
  std::atomic<double> done_ = 0.0;
  double reported_ = 0.0;  ///< Used by worker 0 only, as is step_.
  double step_ = step;
};

}  // namespace gpusupernodal
