/// \file
/// The host backend: makes executors.

#include "solver/host/run/host_executor.hpp"

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

template std::unique_ptr<Executor<float>> make_host_executor(std::shared_ptr<const HostPlan>, const ExecutorOptions&);
template std::unique_ptr<Executor<double>> make_host_executor(std::shared_ptr<const HostPlan>, const ExecutorOptions&);
template std::unique_ptr<Executor<std::complex<float>>> make_host_executor(std::shared_ptr<const HostPlan>,
                                                                           const ExecutorOptions&);
template std::unique_ptr<Executor<std::complex<double>>> make_host_executor(std::shared_ptr<const HostPlan>,
                                                                            const ExecutorOptions&);

}  // namespace gpusupernodal
