#pragma once

/// \file
/// Which backend a solver takes, and why.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "solver/backend/executor.hpp"
#include "solver/model/cost_figures.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

struct DevicesPlan;

/// Whether solvers with these options keep a copy of A's values: for refinement, and always for LU and LDLᵀ, whose solves
/// are verified.
inline bool keeps_a(const Options& options) { return options.refinement.max_steps > 0 || options.form != Form::llt; }

/// What an executor of this backend takes from the options.
template <class T>
ExecutorOptions executor_options(const Options& options, Backend backend);

/// The device that has the vectors; −1: the current one.
inline int first_device(const Options& options) {
  return options.devices.empty() ? options.device : options.devices.front();
}

/// Whether the options name several CUDA devices.
inline bool takes_several_devices(const Options& options) { return options.devices.size() > 1; }

/// Divides the work between the devices of the options. Precondition: takes_several_devices(options), and the plan has a
/// part for CUDA.
std::shared_ptr<const DevicesPlan> plan_devices(const FactorPlan& plan, const Options& options, ScalarType scalar);

/// The needs and shares of the devices.
std::vector<DeviceUse> describe_devices(const DevicesPlan& plan, const Options& options, ScalarType scalar);

/// What the memory of a solver with these options depends on.
MemoryRequest memory_request(const Options& options, ScalarType scalar);

/// A plan for one device within its memory.
struct FittedPlan {
  std::shared_ptr<const CudaPlan> plan;
  std::string about;  ///< What is in host memory; empty if nothing is.
};

/// Returns the plan, or one with stages if Options::memory allows it and the plan needs more than `free_bytes` or the limit
/// of the options. `free_bytes` does not count with an allocator of the caller. A plan is not
/// divided if it would fit once an earlier factor of the same solver gave back its `held_bytes`. Throws OutOfMemory if that
/// is not enough. Precondition: the plan has a part for CUDA.
FittedPlan fit_to_memory(const FactorPlan& plan, const Options& options, ScalarType scalar, std::int64_t free_bytes,
                         std::int64_t held_bytes = 0);

/// The chosen backend, the reason, and the plan, which has a part for the device if CUDA is chosen.
struct PlannedBackend {
  std::shared_ptr<const FactorPlan> plan;
  Backend backend = Backend::host;
  std::string reason;
};

/// Decides as choose_backend, by the plan alone: no device is used and no memory for a factorization is taken, so a backend
/// that is requested by name need not be available.
PlannedBackend plan_backend(std::shared_ptr<const FactorPlan> plan, const Options& options, ScalarType scalar);

/// The device whose figures plans are made with: Options::device_profile, else the device found, else a default.
std::string device_to_plan_for(const Options& options);

/// An executor with the reason for its backend.
template <class T>
struct ChosenBackend {
  std::unique_ptr<Executor<T>> executor;
  Backend backend = Backend::host;
  std::string reason;
  std::shared_ptr<const FactorPlan> plan;  ///< As PlannedBackend::plan.
  std::vector<DeviceUse> devices;          ///< If there are several.
  std::optional<MemoryEstimate> memory;    ///< If it is not that of the plan.
};

/// The backend of the options; for `automatic` the one that the environment variable GPUSUPERNODAL_BACKEND names, for
/// programs whose options are fixed. Throws InvalidInput if that variable has another value.
Backend wanted_backend(Backend option);

/// Whether choose_backend may take a device, so that a plan for one is worth making ahead.
bool allows_device(const Options& options);

/// Whether choose_backend may take the host.
bool allows_host(const Options& options);

/// How a plan for the device that `options` name is made.
CudaPlanOptions cuda_plan_options(const Options& options);

/// What the cost model counts with for the device that `options` name. Throws as cost_figures_for.
CostFigures figures_of_device(const Options& options);

/// Why a solver of scalars T with these options runs on the host only; nullptr if it may run on a device.
template <class T>
const char* host_only_reason(const Options& options) {
  if (ScalarTraits<T>::is_complex) {
    if (options.form == Form::lu && options.lu_schedule == LuSchedule::columns)
      return "LU by columns of complex matrices runs on the host only";
    if (options.form == Form::llt && options.cuda_schedule == CudaSchedule::streams)
      return "the schedule streams with complex matrices runs on the host only";
  }
  if (options.form == Form::llt) return nullptr;
  const bool is_lu = options.form == Form::lu;
  if (is_lu && options.lu_schedule == LuSchedule::dense)
    return "LU on dense storage (lu_schedule is dense) runs on the host only";
  const bool has_equal_bits = is_lu && options.lu_schedule == LuSchedule::columns;
  if (options.deterministic && !has_equal_bits)
    return is_lu ? "LU with equal bits (the option deterministic) runs on the host only"
                 : "LDLT with equal bits (the option deterministic) runs on the host only";
  if (options.cuda_schedule == CudaSchedule::streams)
    return is_lu ? "LU with the schedule streams runs on the host only"
                 : "LDLT with the schedule streams runs on the host only";
  return nullptr;
}

/// The options that a solver of scalars T can follow, with the host as backend if there is a host_only_reason. Throws
/// BackendUnavailable if the options or GPUSUPERNODAL_BACKEND then request CUDA, and InvalidInput if that variable has
/// another value or if Form::llt is requested for complex symmetric matrices.
template <class T>
Options followed_options(const Options& options);

/// Why the host was taken if followed_options decided it; `reason` otherwise.
template <class T>
std::string backend_reason(const Options& options, const std::string& reason) {
  const char* const host_only = host_only_reason<T>(options);
  return host_only != nullptr && options.backend == Backend::automatic ? host_only : reason;
}

/// Makes the executor that `options` request. `automatic` (unless the environment variable GPUSUPERNODAL_BACKEND says
/// `host` or `cuda`) takes CUDA where a device is available, the cost model calls it faster, and its memory suffices.
/// `held_bytes`: what an earlier factor of the same solver holds on the device. Throws BackendUnavailable or OutOfMemory
/// where a backend was requested by name.
template <class T>
ChosenBackend<T> choose_backend(std::shared_ptr<const FactorPlan> plan, const Options& options, std::int64_t held_bytes = 0);

}  // namespace gpusupernodal
