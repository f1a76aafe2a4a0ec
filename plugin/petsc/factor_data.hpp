#pragma once

/// \file
/// What a factored matrix carries, and the operations that it is given.

#include "gpusupernodal/solver.hpp"
#include "plugin/petsc/matrix_input.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Name under which PETSc knows the solver: MatSolverType and type of the factored matrix.
inline constexpr char solver_name[] = "gpusupernodal";

/// `data` of a factored Mat.
struct FactorData {
  Solver<PetscScalar> solver;
  MatrixInput input;

  /// The matrix whose pattern was analyzed, to know without a comparison that new values have the same pattern.
  PetscObjectId matrix_id = 0;
  PetscObjectState nonzero_state = -1;
  PetscReal fill_given = 0;

  MatFactorShiftType shift_type = MAT_SHIFT_NONE;
  double shift = 0.0;      ///< Added to the diagonal in the last factorization.
  int shift_attempts = 0;  ///< Factorizations tried with a shift then.
};

inline FactorData& factor_data(Mat f) { return *static_cast<FactorData*>(f->data); }

/// MatGetFactor: makes an empty factored matrix for A. Registered with PETSc.
PetscErrorCode get_factor(Mat a, MatFactorType type, Mat* f);

/// Options -mat_gpusupernodal_* with the prefix of F, shown by -help; `options` holds the defaults and receives the result.
PetscErrorCode read_options(Mat f, Options* options);

PetscErrorCode factor_symbolic(Mat f, Mat a, IS old_of_new, const MatFactorInfo* info);
PetscErrorCode factor_numeric(Mat f, Mat a, const MatFactorInfo* info);

/// Gives a factored matrix its solves: MatSolve and relatives, MatMatSolve, MatGetInertia.
void set_solve_operations(Mat f);

/// MatGetInfo and MatView of a factored matrix.
PetscErrorCode get_info(Mat f, MatInfoType flag, MatInfo* info);
PetscErrorCode view_factor(Mat f, PetscViewer viewer);

}  // namespace gpusupernodal::petsc
