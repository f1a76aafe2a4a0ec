#pragma once

/// \file
/// What a factored matrix carries, and the operations that it is given.

#include <cstdint>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "plugin/petsc/device_memory.hpp"
#include "plugin/petsc/matrix_input.hpp"
#include "plugin/petsc/monitor.hpp"
#include "plugin/petsc/petsc_compat.hpp"
#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// Name under which PETSc knows the solver: MatSolverType and type of the factored matrix.
inline constexpr char solver_name[] = "gpusupernodal";

/// What all ranks know of the owner's last factorization. Sent as bytes.
struct Outcome {
  Status status = Status::success;
  std::int64_t failed_row = -1;  ///< In the numbering of A.
  double failed_value = 0.0;
  double shift = 0.0;      ///< Added to the diagonal.
  int shift_attempts = 0;  ///< Factorizations tried with a shift.
};

/// Memory for right-hand sides on their way between ranks, which share no part of them.
struct VectorBuffers {
  std::vector<PetscScalar> mine;       ///< This rank's rows of some columns.
  std::vector<PetscScalar> collected;  ///< On the owner, those of all ranks, one behind the other.
  std::vector<PetscScalar> dense;      ///< On the owner, the same as columns.
  std::vector<std::int64_t> counts;    ///< On the owner, how many numbers each rank has of them.
};

/// `data` of a factored Mat.
struct FactorData {
  Ranks ranks;
  Solver<PetscScalar> solver;  ///< Analyzes and factorizes on the owner alone.
  MatrixInput input;
  Monitor monitor;
  VectorBuffers buffers;

  Backend backend = Backend::host;   ///< The one chosen by the owner.
  bool takes_device_arrays = false;  ///< Whether PETSc's arrays on a device can be used where they are.

  /// The matrix whose pattern was analyzed, to know without a comparison that new values have the same pattern.
  PetscObjectId matrix_id = 0;
  PetscObjectState nonzero_state = -1;
  std::uint64_t structure = 0;  ///< hash_structure of this rank's rows, where PETSc does not count all changes.

  MatInfo info = MatInfo();  ///< What MatGetInfo answers, of the factor as a whole.
  MatFactorShiftType shift_type = MAT_SHIFT_NONE;
  Outcome outcome;
};

inline FactorData& factor_data(Mat f) { return *static_cast<FactorData*>(f->data); }

/// MatGetFactor: makes an empty factored matrix for A. Registered with PETSc.
PetscErrorCode get_factor(Mat a, MatFactorType type, Mat* f);

/// Options -mat_gpusupernodal_* with the prefix of F, shown by -help; `options` holds the defaults and receives the result.
PetscErrorCode read_options(Mat f, Options* options, bool* monitor);

PetscErrorCode factor_symbolic(Mat f, Mat a, IS old_of_new, const MatFactorInfo* info);
PetscErrorCode factor_numeric(Mat f, Mat a, const MatFactorInfo* info);

/// Whether A has the pattern that was analyzed, as far as PETSc's own counters of changes tell.
bool has_analyzed_pattern(const FactorData& data, Mat a);
PetscErrorCode remember_pattern(FactorData* data, Mat a);
/// Analyzes A again if its pattern has changed since the analysis although PETSc's counters have not; all ranks together.
PetscErrorCode follow_uncounted_changes(Mat f, Mat a, const MatFactorInfo* info);
/// Makes the solver work on the stream on which PETSc works now.
PetscErrorCode follow_stream(FactorData* data);

/// Gives a factored matrix its solves: MatSolve and relatives, MatMatSolve, MatGetInertia.
void set_solve_operations(Mat f);
/// x = part(b) for this rank's rows of all columns, in host memory; all ranks together. In place where the arrays are the
/// same.
PetscErrorCode solve_collected(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part);
/// x = part(b) on the owner, logged.
PetscErrorCode solve_logged(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part);

/// MatGetInfo and MatView of a factored matrix.
PetscErrorCode get_info(Mat f, MatInfoType flag, MatInfo* info);
PetscErrorCode view_factor(Mat f, PetscViewer viewer);

/// A call that failed must not keep A's arrays borrowed.
template <class Body>
PetscErrorCode guarded_with_input(Mat f, const char* function, int line, Body&& body) {
  const PetscErrorCode error = guarded(function, line, body);
  if (error != PETSC_SUCCESS) static_cast<void>(factor_data(f).input.close());
  return error;
}

}  // namespace gpusupernodal::petsc
