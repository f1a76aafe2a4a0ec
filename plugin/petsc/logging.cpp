#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {
namespace {

LogEvents events;
bool registered = false;

// The plugin stays in memory when PETSc unloads it (-z nodelete), so the next PetscInitialize must find it as new.
PetscErrorCode forget_log_events() {
  events = LogEvents();
  registered = false;
  return PETSC_SUCCESS;
}

}  // namespace

PetscErrorCode register_log_events() {
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = true;
  PetscCall(PetscRegisterFinalize(forget_log_events));
  PetscCall(PetscClassIdRegister("GpuSupernodal", &events.class_id));
  PetscCall(PetscLogEventRegister("GpuSnUpload", events.class_id, &events.upload));
  PetscCall(PetscLogEventRegister("GpuSnAnalyze", events.class_id, &events.analyze));
  PetscCall(PetscLogEventRegister("GpuSnFactor", events.class_id, &events.factor));
  PetscCall(PetscLogEventRegister("GpuSnSolve", events.class_id, &events.solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const LogEvents& log_events() { return events; }

}  // namespace gpusupernodal::petsc
