#pragma once

/// \file
/// Measures the times of a factorization's launches on a device, and fits figures of the cost model to them.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpusupernodal/gpusupernodal.hpp"
#include "solver/model/cuda_fronts.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal::bench {

/// One launch. A level's launches of tiny and of small fronts count as one.
struct LaunchSample {
  std::string matrix;
  CudaLevelWork work;
  double seconds = 0.0;
};

/// Measures all launches of a factorization from the marks of a trace; medians of `repeat`. Subtracts the estimated cost of
/// a mark, so that the sum of all launches matches an untraced factorization. Both copy A's values from the host.
std::vector<LaunchSample> measure_launches(const std::string& matrix, const MatrixView<double>& a,
                                           const std::shared_ptr<const FactorPlan>& plan, int repeat);

nlohmann::json to_json(const LaunchSample& sample);
LaunchSample launch_sample_of(const nlohmann::json& json);

/// Mean square of log(estimated / measured) over the launches.
double launch_loss(const std::vector<LaunchSample>& samples, const LaunchFigures& figures);
void fit_launches(const std::vector<LaunchSample>& samples, LaunchFigures& figures);

}  // namespace gpusupernodal::bench
