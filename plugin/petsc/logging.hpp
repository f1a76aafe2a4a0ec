#pragma once

/// \file
/// The plugin's class and events in -log_view and -info.

#include "gpusupernodal/options.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Ids that PETSc assigned. They are valid until PetscFinalize.
struct LogEvents {
  PetscClassId class_id = 0;
  PetscLogEvent upload = 0;  ///< Reading A's arrays, expanding blocks, collecting entries from other ranks.
  PetscLogEvent analyze = 0;
  PetscLogEvent factor = 0;
  PetscLogEvent solve = 0;
};

/// Registers the class and its events, once per PetscInitialize.
PetscErrorCode register_log_events();
const LogEvents& log_events();

/// Logs flops as device or host flops. -log_view has a separate column for device flops if PETSc supports devices.
PetscErrorCode log_flops(Backend backend, PetscLogDouble flops);
/// Log the bytes that the solver itself copies to and from the device.
PetscErrorCode log_to_device(PetscLogDouble bytes);
PetscErrorCode log_from_device(PetscLogDouble bytes);

/// Logs an event from construction to destruction, also when an exception ends the scope. With `on_device` it also measures
/// the time on PETSc's stream if -log_view_gpu_time is set.
class LogScope {
 public:
  LogScope(PetscLogEvent event, PetscObject object, bool on_device = false);
  LogScope(PetscLogEvent event, Mat object, bool on_device = false)
      : LogScope(event, reinterpret_cast<PetscObject>(object), on_device) {}
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  PetscLogEvent event_;
  PetscObject object_;
  bool begun_ = false;
  bool timed_ = false;
};

}  // namespace gpusupernodal::petsc
