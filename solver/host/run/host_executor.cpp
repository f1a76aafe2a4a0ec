/// \file
/// The host backend: makes executors.

#include "solver/host/run/host_executor.hpp"

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal {

template <class S>
std::unique_ptr<Executor<S>> make_host_executor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options) {
  // The factor first: if memory is refused, the sentence names what takes most of it.
  auto system =
      std::make_unique<HostSystem<S>>(*plan, options, options.allocator ? options.allocator : default_host_allocator());
  auto executor = std::make_unique<HostExecutor<S>>(plan, options);
  executor->attach(std::move(system));
  return executor;
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<Executor<T>> make_host_executor(std::shared_ptr<const HostPlan>, const ExecutorOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
