#include "base/stopwatch.hpp"
#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/solver.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/obtained_plan.hpp"
#include "solver/api/solver_state.hpp"

namespace gpusupernodal {
namespace {

template <class T>
std::string host_name(const Options& options) {
  return fmt::format("{} threads, {}", worker_count(options.threads), host_kernels<T>().name);
}

}  // namespace

template <class T>
Preview Solver<T>::preview(const MatrixView<T>& a, const Options& wanted, const std::string& plan_file) {
  check_options(wanted);
  check_matrix(a);
  const Options options = followed_options<T>(wanted);
  const Stopwatch watch;
  ObtainedPlan obtained =
      plan_file.empty() ? obtain_plan_of(a, options, nullptr) : read_plan(pattern_of(a), options, plan_file);
  const PlannedBackend planned = plan_backend(std::move(obtained.plan), options, scalar_type_of<T>);
  if (plan_file.empty()) keep_plan(pattern_of(a), options, planned.plan);
  Preview result;
  result.plan = planned.plan;
  result.report = describe_analysis(*planned.plan, obtained.source, planned.backend, scalar_type_of<T>, options);
  result.report.backend_reason = backend_reason<T>(wanted, planned.reason);
  result.report.device = planned.backend == Backend::cuda ? device_to_plan_for(options) : host_name<T>(options);
  if (planned.backend == Backend::cuda && takes_several_devices(options)) {
    const auto devices = plan_devices(*planned.plan, options, scalar_type_of<T>);
    add_devices(describe_devices(*devices, options, scalar_type_of<T>), result.report);
  } else if (planned.backend == Backend::cuda && options.device_memory_limit > 0) {
    const FittedPlan fitted = fit_to_memory(*planned.plan, options, scalar_type_of<T>, options.device_memory_limit);
    if (fitted.plan->stages) result.report.memory = fitted.plan->memory(memory_request(options, scalar_type_of<T>));
    result.report.backend_reason += fitted.about;
  }
  result.report.seconds_total = watch.seconds();
  return result;
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template Preview Solver<T>::preview(const MatrixView<T>&, const Options&, const std::string&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
