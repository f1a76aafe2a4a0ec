#pragma once

/// \file
/// Lines about the progress of long analyses and factorizations, for -mat_gpusupernodal_monitor.

#include "gpusupernodal/options.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Prints what a solver tells of its progress; silent until it is attached.
class Monitor {
 public:
  /// Has the solver with these options tell this object, which must outlive it.
  void attach(Options* options);

  /// Marks what is watched.
  void begin(const char* activity);
  void end();

 private:
  bool report_progress(const Progress& progress);

  bool attached_ = false;
  const char* activity_ = "";
  PetscLogDouble start_ = 0.0;
  int tenths_ = 0;  // of the phase, told
};

}  // namespace gpusupernodal::petsc
