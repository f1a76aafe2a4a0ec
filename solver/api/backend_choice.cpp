#include "solver/api/backend_choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/cost_file.hpp"
#include "solver/common/fail.hpp"
#include "solver/cuda/plan/devices_plan.hpp"
#include "solver/cuda/plan/staged_plan.hpp"
#include "solver/plan/plan_cost.hpp"

namespace gpusupernodal {

template <class T>
ExecutorOptions executor_options(const Options& options, Backend backend) {
  ExecutorOptions result;
  result.threads = options.threads;
  result.device = first_device(options);
  result.check_finite = options.check_finite;
  result.trace = options.trace;
  result.keep_a = keeps_a(options);
  result.perturbation = options.perturbation;
  result.ldlt = options.form == Form::ldlt;
  result.symmetric = options.symmetry == Symmetry::symmetric && ScalarTraits<T>::is_complex;
  result.allocator = backend == Backend::cuda ? options.device_allocator : options.host_allocator;
  return result;
}

MemoryRequest memory_request(const Options& options, ScalarType scalar) {
  MemoryRequest request;
  request.scalar = scalar;
  request.keep_a = keeps_a(options);
  request.ldlt = options.form == Form::ldlt;
  return request;
}

namespace {

template <class T>
ChosenBackend<T> make_executor(PlannedBackend planned, const Options& options, std::int64_t held_bytes) {
  const ExecutorOptions wanted = executor_options<T>(options, planned.backend);
  std::unique_ptr<Executor<T>> executor;
  std::vector<DeviceUse> devices;
  std::optional<MemoryEstimate> memory;
  if (planned.backend == Backend::host) {
    executor = make_host_executor<T>(planned.plan->host_plan(), wanted);
  } else if (takes_several_devices(options)) {
    const auto of_devices = plan_devices(*planned.plan, options, scalar_type_of<T>);
    devices = describe_devices(*of_devices, options, scalar_type_of<T>);
    executor = make_devices_executor<T>(of_devices, wanted, options.devices);
  } else {
    const std::int64_t free =
        wanted.allocator ? std::numeric_limits<std::int64_t>::max() : free_device_memory(wanted.device);
    const FittedPlan fitted = fit_to_memory(*planned.plan, options, scalar_type_of<T>, free, held_bytes);
    if (fitted.plan->stages) memory = fitted.plan->memory(memory_request(options, scalar_type_of<T>));
    planned.reason += fitted.about;
    executor = make_cuda_executor<T>(fitted.plan, wanted);
  }
  return {std::move(executor),     planned.backend,    std::move(planned.reason),
          std::move(planned.plan), std::move(devices), memory};
}

std::string estimate_sentence(const CostEstimate& cost) {
  return fmt::format("estimated refactorize and solve: cuda {}{:.3g} ms, host {:.3g} ms",
                     cost.cuda_is_lower_bound ? "more than " : "", cost.cuda * 1e3, cost.host * 1e3);
}

PlannedBackend plan_automatic_backend(std::shared_ptr<const FactorPlan> plan, const Options& options, ScalarType scalar) {
  const CudaAvailability cuda = cuda_availability();
  // Read even where they are not needed: a damaged file of figures is reported on every machine.
  const CostModel model(figures_of_device(options));
  if (!cuda.available) return {std::move(plan), Backend::host, cuda.reason};
  const int threads = worker_count(options.threads);
  CostEstimate cost = estimate_cost(*plan, model, threads, scalar);
  if (cost.cuda < cost.host) {
    plan = with_cuda(plan, cuda_plan_options(options), threads);
    cost = estimate_cost(*plan, model, threads, scalar);
  }
  return {std::move(plan), cost.cuda < cost.host ? Backend::cuda : Backend::host, estimate_sentence(cost)};
}

}  // namespace

std::string device_to_plan_for(const Options& options) {
  if (!options.device_profile.empty()) return options.device_profile;
  const CudaAvailability cuda = cuda_availability();
  // The caller's current device is taken for the first.
  const auto index = static_cast<std::size_t>(std::max(first_device(options), 0));
  return index < cuda.devices.size() ? cuda.devices[index] : std::string(default_device);
}

CudaPlanOptions cuda_plan_options(const Options& options) {
  CudaPlanOptions result;
  result.schedule = options.cuda_schedule;
  result.streams = options.streams;
  result.deterministic = options.deterministic;
  result.launch = figures_of_device(options).launch;
  result.form = options.form;
  return result;
}

Backend wanted_backend(Backend option) {
  if (option != Backend::automatic) return option;
  const char* const variable = std::getenv("GPUSUPERNODAL_BACKEND");
  const std::string name = variable == nullptr ? "" : variable;
  if (name.empty()) return Backend::automatic;
  if (const auto named = backend_of(name)) return *named;
  fail<InvalidInput>("the environment variable GPUSUPERNODAL_BACKEND is '{}'; it may be {}, {} or {}", name,
                     backend_names[0], backend_names[1], backend_names[2]);
}

bool allows_device(const Options& options) {
  const Backend wanted = wanted_backend(options.backend);
  return wanted == Backend::cuda || (wanted == Backend::automatic && cuda_availability().available);
}

bool allows_host(const Options& options) { return wanted_backend(options.backend) != Backend::cuda; }

CostFigures figures_of_device(const Options& options) { return cost_figures_for(device_to_plan_for(options)); }

std::shared_ptr<const DevicesPlan> plan_devices(const FactorPlan& plan, const Options& options, ScalarType scalar) {
  const CudaPlan& whole = plan.cuda();
  if (!whole.solve.fits) {
    fail<BackendUnavailable>(
        "the supernodes have {} rows below their diagonal blocks in total, but the CUDA backend supports at most "
        "2147483647; use the host backend",
        whole.structure->symbolic.rows.size());
  }
  const PartMapOptions parts =
      device_parts(static_cast<int>(options.devices.size()), scalar, figures_of_device(options).cuda);
  ThreadTeam team(worker_count(options.threads));
  std::shared_ptr<const DevicesPlan> devices;
  team.execute([&] { devices = build_devices_plan(whole, parts, team); });
  return devices;
}

FittedPlan fit_to_memory(const FactorPlan& plan, const Options& options, ScalarType scalar, std::int64_t free_bytes,
                         std::int64_t held_bytes) {
  const CudaPlan& whole = plan.cuda();
  const MemoryRequest request = memory_request(options, scalar);
  const std::int64_t needed = whole.memory(request).total();
  const std::int64_t limit = options.device_memory_limit;
  const std::int64_t most = limit > 0 ? std::min(limit, free_bytes) : free_bytes;
  if (needed <= most) return {plan.cuda_plan(), ""};
  if (limit == 0 && needed - free_bytes <= held_bytes) return {plan.cuda_plan(), ""};
  const bool may_divide = options.memory != FactorMemory::device && options.form == Form::llt && !options.deterministic &&
                          !options.trace && options.cuda_schedule == CudaSchedule::levels && whole.solve.fits;
  std::int64_t least = needed;
  if (may_divide) {
    ThreadTeam team(worker_count(options.threads));
    std::shared_ptr<const CudaPlan> staged;
    team.execute([&] { staged = build_staged_plan(whole, request, most, team, &least); });
    if (staged) {
      return {staged, fmt::format("; {:.3g} of {:.3g} GB of the factor are in host memory, in {} stages",
                                  1e-9 * static_cast<double>(staged->memory(request).host),
                                  1e-9 * static_cast<double>(whole.memory(request).factor), staged->stages->stages.size())};
    }
  }
  if (limit == 0 || limit > free_bytes) return {plan.cuda_plan(), ""};  // Its executor says what is missing.
  throw OutOfMemory(
      fmt::format("the factorization needs {} bytes of device memory{}, but {} bytes are allowed (device_memory_limit)",
                  least, may_divide ? " even with panels in host memory" : "", limit),
      __FILE__, __LINE__, least, limit);
}

std::vector<DeviceUse> describe_devices(const DevicesPlan& plan, const Options& options, ScalarType scalar) {
  std::vector<DeviceUse> uses;
  double flops = 0.0;
  for (const PartShare& share : plan.map->parts.shares) flops += share.flops;
  for (std::size_t d = 0; d < plan.plans.size(); ++d) {
    MemoryRequest request;
    request.scalar = scalar;
    request.keep_a = keeps_a(options) && d == 0;
    DeviceUse use;
    use.device = options.devices[d];
    use.memory = plan.plans[d]->memory(request);
    use.share = flops > 0.0 ? plan.map->parts.shares[PartId(static_cast<std::int64_t>(d))].flops / flops : 0.0;
    uses.push_back(use);
  }
  return uses;
}

PlannedBackend plan_backend(std::shared_ptr<const FactorPlan> plan, const Options& options, ScalarType scalar) {
  switch (wanted_backend(options.backend)) {
    case Backend::host:
      return {std::move(plan), Backend::host, "requested"};
    case Backend::cuda:
      plan = with_cuda(plan, cuda_plan_options(options), worker_count(options.threads));
      return {std::move(plan), Backend::cuda, "requested"};
    case Backend::automatic:
      break;
  }
  return plan_automatic_backend(std::move(plan), options, scalar);
}

template <class T>
Options followed_options(const Options& options) {
  if (ScalarTraits<T>::is_complex && options.form == Form::llt && options.symmetry == Symmetry::symmetric) {
    fail<InvalidInput>(
        "the form llt was requested for a complex symmetric matrix, but it is for Hermitian ones; set the option form to "
        "ldlt");
  }
  const char* const reason = host_only_reason<T>(options);
  if (reason == nullptr) return options;
  if (wanted_backend(options.backend) == Backend::cuda) {
    fail<BackendUnavailable>("the CUDA backend was requested, but {}; set the backend to host or automatic", reason);
  }
  Options host = options;
  host.backend = Backend::host;
  return host;
}

template <class T>
ChosenBackend<T> choose_backend(std::shared_ptr<const FactorPlan> plan, const Options& options, std::int64_t held_bytes) {
  PlannedBackend planned = plan_backend(std::move(plan), options, scalar_type_of<T>);
  if (planned.backend == Backend::host || !allows_host(options))
    return make_executor<T>(std::move(planned), options, held_bytes);
  std::string reason;
  try {
    return make_executor<T>(planned, options, held_bytes);
  } catch (const Error& error) {  // Too little memory, or the device is in use or too old.
    reason = error.what();
  }
  return make_executor<T>({std::move(planned.plan), Backend::host, std::move(reason)}, options, held_bytes);
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                         \
  template ExecutorOptions executor_options<T>(const Options&, Backend);                                     \
  template ChosenBackend<T> choose_backend(std::shared_ptr<const FactorPlan>, const Options&, std::int64_t); \
  template Options followed_options<T>(const Options&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
