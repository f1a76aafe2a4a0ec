#include "solver/api/backend_choice.hpp"

#include <algorithm>
#include <cstdlib>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/cost_file.hpp"
#include "solver/exec/host/workers.hpp"
#include "solver/symbolic/fail.hpp"

namespace gpusupernodal {
namespace {

ExecutorOptions executor_options(const Options& options, Backend backend) {
  ExecutorOptions result;
  result.threads = options.threads;
  result.device = options.device;
  result.streams = options.streams;
  result.cuda_schedule = options.cuda_schedule;
  result.check_finite = options.check_finite;
  result.deterministic = options.deterministic;
  result.trace = options.trace;
  result.keep_a = options.refinement.max_steps > 0;
  result.allocator = backend == Backend::cuda ? options.device_allocator : options.host_allocator;
  return result;
}

/// The backend named by the environment, for programs whose options cannot be reached.
Backend wanted_backend(Backend option) {
  if (option != Backend::automatic) return option;
  const char* const variable = std::getenv("GPUSUPERNODAL_BACKEND");
  const std::string name = variable == nullptr ? "" : variable;
  if (name.empty()) return Backend::automatic;
  if (const auto named = backend_of(name)) return *named;
  fail<InvalidInput>("the environment variable GPUSUPERNODAL_BACKEND is '{}'; it may be {}, {} or {}", name,
                     backend_names[0], backend_names[1], backend_names[2]);
}

template <class T>
ChosenBackend<T> host_backend(std::shared_ptr<const FactorPlan> plan, const Options& options, std::string reason) {
  return {make_host_executor<T>(std::move(plan), executor_options(options, Backend::host)), Backend::host,
          std::move(reason)};
}

template <class T>
ChosenBackend<T> cuda_backend(std::shared_ptr<const FactorPlan> plan, const Options& options, std::string reason) {
  return {make_cuda_executor<T>(std::move(plan), executor_options(options, Backend::cuda)), Backend::cuda,
          std::move(reason)};
}

/// How the device is described that `option` names; the caller's current one is taken for the first.
std::string device_line(const CudaAvailability& cuda, int option) {
  const auto index = static_cast<std::size_t>(std::max(option, 0));
  return index < cuda.devices.size() ? cuda.devices[index] : std::string();
}

template <class T>
ChosenBackend<T> automatic_backend(std::shared_ptr<const FactorPlan> plan, const Options& options) {
  const CudaAvailability cuda = cuda_availability();
  // Before it is known whether they are needed: a file that is wrong should be told wherever it is.
  const CostFigures figures = figures_of_device(options);
  if (!cuda.available) return host_backend<T>(std::move(plan), options, cuda.reason);
  const CostEstimate cost = estimate_cost(*plan, figures, worker_count(options.threads), sizeof(T));
  const std::string estimate = fmt::format("estimated refactorize and solve: cuda {}{:.3g} ms, host {:.3g} ms",
                                           cost.cuda_is_more ? "more than " : "", cost.cuda * 1e3, cost.host * 1e3);
  if (cost.host <= cost.cuda) return host_backend<T>(std::move(plan), options, estimate);
  try {
    return cuda_backend<T>(plan, options, estimate);
  } catch (
      const Error& error) {  // Too little memory, a device that another process holds, one that the build has no code for.
    return host_backend<T>(std::move(plan), options, error.what());
  }
}

}  // namespace

bool may_take_device(const Options& options) {
  const Backend wanted = wanted_backend(options.backend);
  return wanted == Backend::cuda || (wanted == Backend::automatic && cuda_availability().available);
}

bool may_take_host(const Options& options) { return wanted_backend(options.backend) != Backend::cuda; }

CostFigures figures_of_device(const Options& options) {
  return cost_figures_for(device_line(cuda_availability(), options.device));
}

template <class T>
ChosenBackend<T> choose_backend(std::shared_ptr<const FactorPlan> plan, const Options& options) {
  switch (wanted_backend(options.backend)) {
    case Backend::host:
      return host_backend<T>(std::move(plan), options, "asked for");
    case Backend::cuda:
      return cuda_backend<T>(std::move(plan), options, "asked for");
    case Backend::automatic:
      break;
  }
  return automatic_backend<T>(std::move(plan), options);
}

template ChosenBackend<float> choose_backend(std::shared_ptr<const FactorPlan>, const Options&);
template ChosenBackend<double> choose_backend(std::shared_ptr<const FactorPlan>, const Options&);

}  // namespace gpusupernodal
