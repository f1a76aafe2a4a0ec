#pragma once

/// \file
/// The preconditioner -pc_type gpusupernodal.

#include <petsc/private/pcimpl.h>

#include <memory>

#include "plugin/petsc/collected_system.hpp"

namespace gpusupernodal::petsc {

inline constexpr char preconditioner_name[] = "gpusupernodal";

/// The `data` of the PC.
struct PreconditionerData {
  PreconditionerSettings settings;
  bool settings_changed = false;  ///< Since the last set-up.
  std::unique_ptr<CollectedSystem> system = std::make_unique<CollectedSystem>();
};

/// Registers the type; once for each PetscInitialize.
PetscErrorCode register_preconditioner();

/// Implements PCView.
PetscErrorCode view_preconditioner(PC pc, PetscViewer viewer);

/// The kind that the PC has been set up with; before that, the kind of its options.
Kind kind_of(PC pc, const PreconditionerData& data);
/// Whether the last set-up found that there is no preconditioner.
bool has_failed(const PreconditionerData& data);
/// Returns the data of a PC of this type, nullptr of another one.
PetscErrorCode preconditioner_data(PC pc, PreconditionerData** data);

}  // namespace gpusupernodal::petsc
