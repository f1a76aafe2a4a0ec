#include "solver/api/backend_choice.hpp"

#include <algorithm>
#include <cstdlib>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/cost_file.hpp"
#include "solver/plan/plan_cost.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

ExecutorOptions executor_options(const Options& options, Backend backend) {
  ExecutorOptions result;
  result.threads = options.threads;
  result.device = options.device;
  result.check_finite = options.check_finite;
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
  return {make_host_executor<T>(plan->host_plan(), executor_options(options, Backend::host)), Backend::host,
          std::move(reason), plan};
}

template <class T>
ChosenBackend<T> cuda_backend(const std::shared_ptr<const FactorPlan>& plan, const Options& options, std::string reason) {
  std::shared_ptr<const FactorPlan> full = with_cuda(plan, cuda_plan_options(options), worker_count(options.threads));
  return {make_cuda_executor<T>(full->cuda_plan(), executor_options(options, Backend::cuda)), Backend::cuda,
          std::move(reason), full};
}

/// How the device is described that `option` names; the caller's current one is taken for the first.
std::string device_line(const CudaAvailability& cuda, int option) {
  const auto index = static_cast<std::size_t>(std::max(option, 0));
  return index < cuda.devices.size() ? cuda.devices[index] : std::string();
}

std::string estimate_sentence(const CostEstimate& cost) {
  return fmt::format("estimated refactorize and solve: cuda {}{:.3g} ms, host {:.3g} ms",
                     cost.cuda_is_lower_bound ? "more than " : "", cost.cuda * 1e3, cost.host * 1e3);
}

template <class T>
ChosenBackend<T> automatic_backend(std::shared_ptr<const FactorPlan> plan, const Options& options) {
  const CudaAvailability cuda = cuda_availability();
  // Read even where they are not needed: a damaged file of figures is reported on every machine.
  const CostFigures figures = figures_of_device(options);
  if (!cuda.available) return host_backend<T>(std::move(plan), options, cuda.reason);
  const int threads = worker_count(options.threads);
  CostEstimate cost = estimate_cost(*plan, figures, threads, sizeof(T));
  if (cost.host <= cost.cuda) return host_backend<T>(std::move(plan), options, estimate_sentence(cost));
  try {
    plan = with_cuda(plan, cuda_plan_options(options), threads);
    cost = estimate_cost(*plan, figures, threads, sizeof(T));
    if (cost.cuda < cost.host) return cuda_backend<T>(plan, options, estimate_sentence(cost));
  } catch (const OutOfMemory& error) {
    return host_backend<T>(std::move(plan), options, error.what());
  } catch (const BackendUnavailable& error) {
    return host_backend<T>(std::move(plan), options, error.what());
  } catch (const DeviceError& error) {  // Another process owns the device, or the build has no code for it.
    return host_backend<T>(std::move(plan), options, error.what());
  }
  return host_backend<T>(std::move(plan), options, estimate_sentence(cost));
}

}  // namespace

CudaPlanOptions cuda_plan_options(const Options& options) {
  CudaPlanOptions result;
  result.schedule = options.cuda_schedule;
  result.streams = options.streams;
  result.deterministic = options.deterministic;
  result.launch = figures_of_device(options).launch;
  return result;
}

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
