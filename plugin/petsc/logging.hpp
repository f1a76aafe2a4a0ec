#pragma once

/// \file
/// What -log_view and -info show of us: a class and its events.

#include "gpusupernodal/options.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Ids given by PETSc for this PetscInitialize; PETSc forgets them in PetscFinalize.
struct LogEvents {
  PetscClassId class_id = 0;
  PetscLogEvent upload = 0;  ///< Reading A's arrays, expanding blocks.
  PetscLogEvent analyze = 0;
  PetscLogEvent factor = 0;
  PetscLogEvent solve = 0;
};

/// Registers them once a PetscInitialize.
PetscErrorCode register_log_events();
const LogEvents& log_events();

/// Counts flops where they were done: under -log_view those of a device have a column of their own.
inline PetscErrorCode log_flops(Backend backend, PetscLogDouble flops) {
  return backend == Backend::cuda ? PetscLogGpuFlops(flops) : PetscLogFlops(flops);
}

/// Marks an event from construction to the end of the scope, also when an exception leaves it.
class LogScope {
 public:
  LogScope(PetscLogEvent event, Mat object) : event_(event), object_(object) {
    begun_ = PetscLogEventBegin(event_, object_, nullptr, nullptr, nullptr) == PETSC_SUCCESS;
  }
  ~LogScope() {
    if (begun_) static_cast<void>(PetscLogEventEnd(event_, object_, nullptr, nullptr, nullptr));
  }
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  PetscLogEvent event_;
  Mat object_;
  bool begun_ = false;
};

}  // namespace gpusupernodal::petsc
