#pragma once

/// \file
/// Tells a caller how far a factorization is.

#include <algorithm>
#include <atomic>

#include "solver/backend/factorization.hpp"

namespace gpusupernodal {

/// Any worker may add what it has done; worker 0, which runs on the caller's thread, tells the caller, whenever at least
/// `step` more is done than when it last did. Fractions ascend from 0 to 1, and 1 is told at the end only.
class FactorProgress {
 public:
  /// `tell` may be nullptr: then all of it does nothing. It may throw, which breaks the factorization off.
  FactorProgress(const ProgressCallback* report_progress, double total_flops)
      : report_progress_(report_progress), total_(total_flops) {
    if (report_progress_ != nullptr) (*report_progress_)(0.0);
  }
  void done(int worker, double flops) {
    if (report_progress_ == nullptr) return;
    const double sum = done_.fetch_add(flops, std::memory_order_relaxed) + flops;
    if (worker != 0 || total_ <= 0.0) return;
    const double fraction = sum / total_;
    if (fraction < told_ + step || fraction >= 1.0) return;
    told_ = fraction;
    (*report_progress_)(fraction);
  }
  void end() {
    if (report_progress_ != nullptr) (*report_progress_)(1.0);
  }

  static constexpr double step = 0.01;

 private:
  const ProgressCallback* report_progress_;
  double total_;
  std::atomic<double> done_ = 0.0;
  double told_ = 0.0;  ///< Worker 0's alone.
};

}  // namespace gpusupernodal
