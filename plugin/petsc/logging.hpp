#pragma once

/// \file
/// What -log_view and -info show of us: a class and its events.

#include "gpusupernodal/options.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Ids given by PETSc for this PetscInitialize; PETSc forgets them in PetscFinalize.
struct LogEvents {
  PetscClassId class_id = 0;
  PetscLogEvent upload = 0;  ///< Reading A's arrays, taking blocks apart, collecting them from other ranks.
  PetscLogEvent analyze = 0;
  PetscLogEvent factor = 0;
  PetscLogEvent solve = 0;
};

/// Registers them once a PetscInitialize.
PetscErrorCode register_log_events();
const LogEvents& log_events();

/// Counts flops where they were done: under -log_view those of a device have a column of their own, in a PETSc with devices.
PetscErrorCode log_flops(Backend backend, PetscLogDouble flops);
/// Counts bytes that the solver itself brings to the device, and from it.
PetscErrorCode log_to_device(PetscLogDouble bytes);
PetscErrorCode log_from_device(PetscLogDouble bytes);

/// Marks an event from construction to the end of the scope, also when an exception leaves it. With `on_device` the time of
/// PETSc's stream is taken too, where -log_view_gpu_time asks for it.
class LogScope {
 public:
  LogScope(PetscLogEvent event, Mat object, bool on_device = false);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  PetscLogEvent event_;
  Mat object_;
  bool begun_ = false;
  bool timed_ = false;
};

}  // namespace gpusupernodal::petsc
