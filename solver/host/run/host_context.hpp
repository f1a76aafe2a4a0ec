#pragma once

/// \file
/// HostContext: threads, memory and trace of one host solver.

#include <memory>
#include <string>

#include "kernels/host/host_kernels.hpp"
#include "solver/backend/device_context.hpp"
#include "solver/backend/executor.hpp"
#include "solver/backend/trace.hpp"
#include "solver/common/fail.hpp"
#include "solver/host/run/host_allocator.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

class HostContext final : public DeviceContext {
 public:
  /// `kernels` is the name of the kernels' instruction set.
  HostContext(const ExecutorOptions& options, const char* kernels)
      : kernels_(kernels),
        allocator_(options.allocator ? options.allocator : default_host_allocator()),
        workers_(worker_count(options.threads)),
        team_(workers_),
        trace_(options.trace ? std::make_unique<Trace>(workers_) : nullptr) {}

  std::string device_name() const override {
    return fmt::format("{} {}, {}", workers_, workers_ == 1 ? "thread" : "threads", kernels_);
  }
  void set_stream(void*) override {}
  const std::shared_ptr<Allocator>& allocator() const override { return allocator_; }
  std::int64_t workspace_beyond_plan() const override { return 0; }
  bool is_in_graph() const override { return false; }
  const Trace* trace() override { return trace_.get(); }

  int workers() const { return workers_; }
  WorkerTeam& team() { return team_; }
  /// One list of slices per worker; calls of the caller are in that of worker 0. May be nullptr.
  Trace* writable_trace() { return trace_.get(); }

 private:
  const char* kernels_;
  std::shared_ptr<Allocator> allocator_;
  int workers_;
  WorkerTeam team_;
  std::unique_ptr<Trace> trace_;
};

}  // namespace gpusupernodal
