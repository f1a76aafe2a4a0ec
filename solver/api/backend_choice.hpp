#pragma once

/// \file
/// Which backend a solver takes, and why.

#include <memory>
#include <string>

#include "gpusupernodal/options.hpp"
#include "solver/backend/executor.hpp"
#include "solver/model/cost_figures.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// An executor with the reason for its backend.
template <class T>
struct ChosenBackend {
  std::unique_ptr<Executor<T>> executor;
  Backend backend = Backend::host;
  std::string reason;
  std::shared_ptr<const FactorPlan> plan;  ///< The plan that was given, with a part for the device where one was needed.
};

/// Whether choose_backend could take a device, so that a plan for one is worth making ahead.
bool may_take_device(const Options& options);

/// Whether it could take the host.
bool may_take_host(const Options& options);

/// How a plan for the device that `options` name is made.
CudaPlanOptions cuda_plan_options(const Options& options);

/// What the cost model counts with for the device that `options` name. Throws as cost_figures_for.
CostFigures figures_of_device(const Options& options);

/// Makes the executor that `options` ask for. `automatic` (unless the environment variable GPUSUPERNODAL_BACKEND says
/// `host` or `cuda`) takes CUDA where a device is there, the cost model calls it faster, and its memory suffices.
/// Throws BackendUnavailable or OutOfMemory where a backend was asked for by name.
template <class T>
ChosenBackend<T> choose_backend(std::shared_ptr<const FactorPlan> plan, const Options& options);

}  // namespace gpusupernodal
