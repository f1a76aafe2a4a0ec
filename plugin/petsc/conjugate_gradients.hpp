#pragma once

/// \file
/// The Krylov method -ksp_type gpusupernodalcg.
///
/// It is PETSc's KSPCG with another solve: with -pc_type gpusupernodal, conjugate gradients run in the library (Pcg), where
/// the matrix is. Whatever that cannot do runs as KSPCG, and the view says why.

#include <petsc/private/kspimpl.h>

#include <string>

#include "plugin/petsc/preconditioner.hpp"

namespace gpusupernodal::petsc {

inline constexpr char cg_name[] = "gpusupernodalcg";

/// What a KSP of this type has beside the data of KSPCG.
struct CgData {
  _KSPOps cg = {};                                                   ///< The operations of KSPCG.
  PetscErrorCode (*plain_solve)(KSP) = nullptr;                      ///< Solve of KSPCG without -ksp_cg_single_reduction.
  PetscErrorCode (*use_single_reduction)(KSP, PetscBool) = nullptr;  ///< KSPCG's KSPCGUseSingleReduction.
  bool cg_is_set_up = false;
  bool single_reduction = false;  ///< Whether -ksp_cg_single_reduction or KSPCGUseSingleReduction asks for that variant.
  std::string replaced;           ///< PETSc's default preconditioner, if -pc_type gpusupernodal stands in for it.
  Vec residual = nullptr;
  bool has_report = false;  ///< Whether the last solve ran in the library.
  IterationResult last;
};

/// Returns the data of a KSP of this type.
PetscErrorCode cg_data(KSP ksp, CgData** data);

/// Says in one sentence why the next solve must be KSPCG; empty if it can run in the library. Equal on all ranks.
PetscErrorCode why_ksp_cg(KSP ksp, std::string* reason);
/// Solves in the library. Precondition: why_ksp_cg has no reason.
PetscErrorCode solve_in_library(KSP ksp, CgData* data);
/// Implements KSPView.
PetscErrorCode view_cg(KSP ksp, PetscViewer viewer);

/// Registers the type; once for each PetscInitialize.
PetscErrorCode register_conjugate_gradients();

}  // namespace gpusupernodal::petsc
