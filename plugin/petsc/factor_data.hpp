#pragma once

/// \file
/// The data of a factored matrix and its operations.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "plugin/petsc/device_memory.hpp"
#include "plugin/petsc/distribute.hpp"
#include "plugin/petsc/joint_factor.hpp"
#include "plugin/petsc/matrix_input.hpp"
#include "plugin/petsc/monitor.hpp"
#include "plugin/petsc/petsc_compat.hpp"
#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// PETSc's name of the solver: MatSolverType and type of the factored matrix.
inline constexpr char solver_name[] = "gpusupernodal";

/// Outcome of the owner's last factorization. Broadcast to all ranks as bytes.
struct Outcome {
  Status status = Status::success;
  std::int64_t failed_row = -1;  ///< Row of A.
  double failed_value = 0.0;
  double shift = 0.0;          ///< Added to the diagonal.
  Form form = Form::llt;       ///< Form of this factorization.
  Inertia inertia;             ///< For LDLᵀ.
  int shift_attempts = 0;      ///< Factorizations tried with a shift.
  std::int64_t repivoted = 0;  ///< FactorReport::repivoted.
};

/// Buffers for sending right-hand sides and solutions between ranks.
struct VectorBuffers {
  std::vector<PetscScalar> mine;       ///< This rank's rows of a batch of columns.
  std::vector<PetscScalar> collected;  ///< On the owner: the rows of all ranks, concatenated.
  std::vector<PetscScalar> dense;      ///< On the owner: the rows of all ranks, column by column.
  std::vector<std::int64_t> counts;    ///< On the owner: number of entries per rank.
};

/// The `data` field of a factored Mat.
struct FactorData {
  Form form = Form::llt;  ///< Form of the last factorization; before one, the form that is tried first.
  /// Whether LDLᵀ factorizes where Cholesky finds that A is not definite.
  bool may_take_ldlt = false;
  bool form_is_auto = false;  ///< Whether the form of a factor of Cholesky is `auto`.
  Ranks ranks;
  Solver<PetscScalar> solver;  ///< Used on the owner only, and only if it factorizes alone.
  Options options;             ///< As the symbolic phase read them, for a repeated analysis; on all ranks.
  Distribute distribute = Distribute::owner;
  std::string distribution_reason;     ///< On the owner: why `auto` chose who factorizes.
  std::unique_ptr<JointFactor> joint;  ///< The factor of all ranks; on all ranks or on none.
  AnalyzeReport analysis;              ///< Report on the joint factor, on the owner.
  MatrixInput input;
  Monitor monitor;
  VectorBuffers buffers;

  Backend backend = Backend::host;   ///< Chosen by the owner.
  bool takes_device_arrays = false;  ///< Whether the solver can use PETSc's device arrays in place.

  /// Identify the analyzed pattern, so that an unchanged pattern is recognized without comparing it.
  PetscObjectId matrix_id = 0;
  PetscObjectState nonzero_state = -1;
  std::uint64_t structure = 0;  ///< hash_structure of this rank's rows, where PETSc does not count all changes.

  MatInfo info = MatInfo();  ///< Result of MatGetInfo for the whole factor.
  MatFactorShiftType shift_type = MAT_SHIFT_NONE;
  Outcome outcome;
};

/// The entries of A that the form needs.
inline Entries entries_of(Form form) { return form == Form::lu ? Entries::all : Entries::upper_triangle; }

inline FactorData& factor_data(Mat f) { return *static_cast<FactorData*>(f->data); }

/// Implements MatGetFactor: creates an empty factored matrix for A. Registered with PETSc.
PetscErrorCode get_factor(Mat a, MatFactorType type, Mat* f);

/// Reads the options -mat_gpusupernodal_* with the prefix of F. `options` holds the defaults on entry, the result on exit.
/// For a factor of Cholesky, sets data.form, form_is_auto and may_take_ldlt.
PetscErrorCode read_options(Mat f, Options* options, bool* monitor);

PetscErrorCode factor_symbolic(Mat f, Mat a, IS old_of_new, const MatFactorInfo* info);
/// The symbolic phase of LU. Takes the order of the columns; rows follow them, or are exchanged by Options::matching.
PetscErrorCode lu_factor_symbolic(Mat f, Mat a, IS rows, IS columns, const MatFactorInfo* info);
PetscErrorCode factor_numeric(Mat f, Mat a, const MatFactorInfo* info);

/// Whether A has the analyzed pattern, according to its object id and PETSc's counter of pattern changes.
bool has_analyzed_pattern(const FactorData& data, Mat a);
PetscErrorCode remember_pattern(FactorData* data, Mat a);
/// Analyzes A again if its pattern has changed since the analysis although PETSc's counters have not; all ranks together.
PetscErrorCode follow_uncounted_changes(Mat f, Mat a, const MatFactorInfo* info);
/// Analyzes A again with the options of the last symbolic phase. Collective.
PetscErrorCode analyze_again(Mat f, Mat a, const MatFactorInfo* info);
/// Sets data.info to what MatGetInfo says of the factor that the solver's report describes. On the owner.
void describe_factor(FactorData* data, const MatFactorInfo* given);
/// Sets the solver's stream to PETSc's current stream.
PetscErrorCode follow_stream(FactorData* data);

/// Sets MatSolve and its variants, MatMatSolve and, for Cholesky, MatGetInertia of a factored matrix.
void set_solve_operations(Mat f);
/// Solves x = part(b) on the owner for vectors distributed over the ranks; `b` and `x` are this rank's rows in host memory
/// and may be the same array. Collective.
PetscErrorCode solve_collected(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part);
/// Solves x = part(b) on the owner and logs flops and transfers.
PetscErrorCode solve_logged(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part);

/// Implement MatGetInfo and MatView of a factored matrix.
PetscErrorCode get_info(Mat f, MatInfoType flag, MatInfo* info);
PetscErrorCode view_factor(Mat f, PetscViewer viewer);

/// Runs `body` as guarded() does, and returns A's borrowed arrays if it fails.
template <class Body>
PetscErrorCode guarded_with_input(Mat f, const char* function, int line, Body&& body) {
  const PetscErrorCode error = guarded(function, line, body);
  if (error != PETSC_SUCCESS) static_cast<void>(factor_data(f).input.close());
  return error;
}

}  // namespace gpusupernodal::petsc
