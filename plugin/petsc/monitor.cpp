#include "plugin/petsc/monitor.hpp"

#include <petsctime.h>

namespace gpusupernodal::petsc {
namespace {

PetscLogDouble now() {
  PetscLogDouble seconds = 0.0;
  static_cast<void>(PetscTime(&seconds));
  return seconds;
}

}  // namespace

void Monitor::attach(Options* options) {
  attached_ = true;
  options->progress = [this](const Progress& progress) { return report_progress(progress); };
  options->factor_progress = options->progress;
}

void Monitor::begin(const char* activity) {
  if (!attached_) return;
  activity_ = activity;
  start_ = now();
  tenths_ = 0;
}

void Monitor::end() {
  if (attached_) {
    static_cast<void>(PetscPrintf(PETSC_COMM_SELF, "  gpusupernodal %s: done after %.3f s\n", activity_, now() - start_));
  }
}

// Prints one line when a phase begins and one for each tenth of it that is done.
bool Monitor::report_progress(const Progress& progress) {
  const auto tenths = static_cast<int>(progress.fraction * 10.0);
  if (tenths == 0 && progress.fraction == 0.0) {
    tenths_ = 0;
    static_cast<void>(
        PetscPrintf(PETSC_COMM_SELF, "  gpusupernodal %s: %s, after %.3f s\n", activity_, progress.phase, now() - start_));
  } else if (tenths > tenths_ && tenths < 10) {
    tenths_ = tenths;
    static_cast<void>(
        PetscPrintf(PETSC_COMM_SELF, "  gpusupernodal %s: %d %%, after %.3f s\n", activity_, 10 * tenths, now() - start_));
  }
  return true;
}

}  // namespace gpusupernodal::petsc
