#pragma once

/// \file
/// DeviceContext: the device that a solver works on, its stream, its memory and its trace.

#include <cstdint>
#include <memory>
#include <string>

#include "gpusupernodal/allocator.hpp"

namespace gpusupernodal {

class Trace;

class DeviceContext {
 public:
  virtual ~DeviceContext() = default;
  DeviceContext() = default;
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  /// Name for reports.
  virtual std::string device_name() const = 0;
  /// Sets the cudaStream_t of later calls; the host ignores it.
  virtual void set_stream(void* stream) = 0;
  /// Source of all memory of the solver.
  virtual const std::shared_ptr<Allocator>& allocator() const = 0;
  /// Bytes taken beyond what the plan announces: workspaces whose size only a library knows.
  virtual std::int64_t workspace_beyond_plan() const = 0;
  /// Whether a graph of the caller has captured a call. Such a graph uses the solver's memory whenever it is launched, so
  /// this memory must be kept until the executor is destroyed, which waits for the device.
  virtual bool is_in_graph() const = 0;
  /// Why graphs of the caller cannot capture calls, to complete "but it …"; nullptr if they can.
  virtual const char* reason_against_capture() const { return nullptr; }
  /// What ran since the last factorize began; waits for the device. nullptr without ExecutorOptions::trace.
  virtual const Trace* trace() = 0;
};

}  // namespace gpusupernodal
