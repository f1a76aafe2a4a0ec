#pragma once

/// \file
/// Times of a factorization's launches on a device, and the figures that are fitted to them.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpusupernodal/gpusupernodal.hpp"
#include "solver/cuda/plan/fronts.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal::bench {

/// A launch, or that of tiny fronts and that of small ones of a level together.
struct LaunchSample {
  std::string matrix;
  CudaLevelWork work;
  double seconds = 0.0;
};

/// All launches of a factorization, one after the other, by the marks of a trace; medians of `repeat`. What a mark itself
/// takes is taken off: all launches together take as long as a factorization does that nobody traces. A's values are copied
/// from the host in both.
std::vector<LaunchSample> measure_launches(const std::string& matrix, const MatrixView<double>& a,
                                           const std::shared_ptr<const FactorPlan>& plan, int repeat);

nlohmann::json to_json(const LaunchSample& sample);
LaunchSample launch_sample_of(const nlohmann::json& json);

/// Mean square of log(estimated / measured) over the launches.
double launch_loss(const std::vector<LaunchSample>& samples, const LaunchFigures& figures);
void fit_launches(const std::vector<LaunchSample>& samples, LaunchFigures& figures);

}  // namespace gpusupernodal::bench
