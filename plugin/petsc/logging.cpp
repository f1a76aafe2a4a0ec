#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {
namespace {

LogEvents events;
bool registered = false;

// The plugin stays in memory when PETSc unloads it (-z nodelete), so its state must be reset for the next PetscInitialize.
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

PetscErrorCode log_flops(Backend backend, PetscLogDouble flops) {
  PetscFunctionBegin;
  if (PetscDefined(HAVE_DEVICE) && backend == Backend::cuda) {
    PetscCall(PetscLogGpuFlops(flops));
  } else {
    PetscCall(PetscLogFlops(flops));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Without device support PETSc defines the functions called below as macros that ignore their argument.
PetscErrorCode log_to_device(PetscLogDouble bytes) {
  PetscFunctionBegin;
  static_cast<void>(bytes);
  PetscCall(PetscLogCpuToGpu(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode log_from_device(PetscLogDouble bytes) {
  PetscFunctionBegin;
  static_cast<void>(bytes);
  PetscCall(PetscLogGpuToCpu(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

LogScope::LogScope(PetscLogEvent event, PetscObject object, bool on_device) : event_(event), object_(object) {
  begun_ = PetscLogEventBegin(event_, object_, nullptr, nullptr, nullptr) == PETSC_SUCCESS;
  timed_ = on_device && static_cast<PetscErrorCode>(PetscLogGpuTimeBegin()) == PETSC_SUCCESS;
}

LogScope::~LogScope() {
  if (timed_) static_cast<void>(PetscLogGpuTimeEnd());
  if (begun_) static_cast<void>(PetscLogEventEnd(event_, object_, nullptr, nullptr, nullptr));
}

}  // namespace gpusupernodal::petsc
