#pragma once

/// \file
/// Lines about the progress of long analyses and factorizations, for -mat_gpusupernodal_monitor.

#include "gpusupernodal/options.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Prints a solver's progress; silent until it is attached.
class Monitor {
 public:
  /// Sets the progress callbacks in `options` to this object. Precondition: it outlives the solver that uses them.
  void attach(Options* options);

  /// Mark begin and end of an activity ("analyze" or "factorize").
  void begin(const char* activity);
  void end();

 private:
  bool report_progress(const Progress& progress);

  bool attached_ = false;
  const char* activity_ = "";
  PetscLogDouble start_ = 0.0;
  int tenths_ = 0;  // tenths of the phase already printed
};

}  // namespace gpusupernodal::petsc
