#pragma once

/// \file
/// The phases of a factored matrix that all ranks have together. All functions are collective.

#include "plugin/petsc/factor_data.hpp"

namespace gpusupernodal::petsc {

/// Analyzes A with data.options. The first rank has its pattern in data.input, and may have a plan in `preview`.
PetscErrorCode analyze_jointly(Mat f, Mat a, Preview* preview, const MatFactorInfo* info);
/// Factorizes A and sets data.outcome. `same_pattern` as in JointFactor::take_values.
PetscErrorCode factorize_jointly(Mat f, Mat a, bool same_pattern);
/// Solves with rows in host memory.
PetscErrorCode solve_jointly(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part);
/// MatForwardSolve and MatBackwardSolve: an error that says what to do.
PetscErrorCode no_half_of_joint_factor(Mat f, Vec b, Vec x);
/// Lists what each rank has. Only the first rank prints.
PetscErrorCode view_joint_factor(const FactorData& data, PetscViewer viewer);
/// What MatGetInfo says: of this rank's part the stored values, of all parts their sum or maximum.
MatInfo info_of_parts(const FactorData& data, MatInfoType flag);

}  // namespace gpusupernodal::petsc
