#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "gpusupernodal/built_with.hpp"
#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/joint_phases.hpp"
#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {
namespace {

/// Ratio of each shift to the one before, which failed.
constexpr double shift_growth = 10.0;

/// Factorizes A + shift I on the owner, with the values borrowed from A. Waits for the status only.
void run_factorization(FactorData* data, bool same_pattern, double shift) {
  data->solver.set_shift(shift);
  const MatrixView<PetscScalar>& view = data->input.view();
  if (same_pattern && data->solver.is_factorized()) {
    data->solver.refactorize(Span<const PetscScalar>(view.values, static_cast<std::size_t>(data->input.value_count())),
                             view.value_space);
  } else {
    data->solver.factorize(view);
  }
  const FactorReport report = data->solver.factor_report();
  data->outcome.status = report.status;
  const bool in_row = data->form == Form::lu && report.status == Status::non_finite_input;
  data->outcome.failed_row = in_row ? report.failed_row : report.failed_column;
  data->outcome.failed_value = report.failed_value;
  data->outcome.shift = shift;
  data->outcome.form = data->form == Form::lu ? Form::lu : report.form;
  data->outcome.inertia = report.inertia;
  data->outcome.repivoted = report.repivoted;
}

/// The shifts to try: from `first`, growing by shift_growth, until one exceeds `enough`.
struct ShiftRange {
  double first = 0.0;
  double enough = 0.0;
};

/// Chooses the shifts that make A definite; all of PETSc's shift types use them, because the solver cannot change single
/// pivots. Once the shift exceeds ‖A‖∞, A + shift I is diagonally dominant, so the search ends. The range is empty if ‖A‖∞
/// is zero or not finite.
PetscErrorCode find_shifts(Mat a, const MatFactorInfo* info, ShiftRange* range) {
  Vec diagonal = nullptr;
  PetscReal largest = 0;
  PetscReal norm = 0;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(a, &diagonal, nullptr));
  PetscCall(MatGetDiagonal(a, diagonal));
  PetscCall(VecNorm(diagonal, NORM_INFINITY, &largest));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(MatNorm(a, NORM_INFINITY, &norm));
  *range = ShiftRange();
  if (!std::isfinite(norm) || norm == 0) PetscFunctionReturn(PETSC_SUCCESS);
  // A shift below the rounding errors of the factorization could not change the outcome.
  const double smallest =
      100.0 * static_cast<double>(std::numeric_limits<PetscReal>::epsilon()) * static_cast<double>(std::max(largest, norm));
  range->first = std::max(static_cast<double>(info->shiftamount), smallest);
  range->enough = 2.0 * static_cast<double>(norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void try_shifts(FactorData* data, bool same_pattern, const ShiftRange& range) {
  double shift = range.first;
  while (range.enough > 0.0 && data->outcome.status == Status::not_positive_definite) {
    ++data->outcome.shift_attempts;
    run_factorization(data, same_pattern, shift);
    if (shift > range.enough) break;
    shift *= shift_growth;
  }
}

/// Runs `body`, which factorizes, on the owner and broadcasts the outcome to all ranks.
template <class Body>
PetscErrorCode on_owner(FactorData* data, int line, Body&& body) {
  PetscFunctionBegin;
  PetscCall(together(data->ranks, PETSC_FUNCTION_NAME, line, [&]() -> PetscErrorCode {
    if (data->ranks.owner()) body();
    return PETSC_SUCCESS;
  }));
  PetscCall(broadcast(data->ranks, &data->outcome, sizeof(data->outcome)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// On the owner: factorizes by LDLᵀ with this backend and the plan that Cholesky had. Its factor is freed first.
void run_ldlt(FactorData* data, Backend backend) {
  Options options = data->solver.options();
  options.form = Form::ldlt;
  options.backend = backend;
  const std::shared_ptr<const FactorPlan> plan = data->solver.plan();
  const Options before = data->solver.options();
  try {
    data->solver = Solver<PetscScalar>(std::move(options));
    data->solver.analyze(data->input.view(), plan);
  } catch (...) {  // Later factorizations need an analysis.
    data->solver = Solver<PetscScalar>(before);
    data->solver.analyze(data->input.view(), plan);
    throw;
  }
  data->backend = data->solver.backend();
  run_factorization(data, false, 0.0);
}

/// On the owner: takes LDLᵀ. A device takes pivots in the order of the plan, so where that is unstable and the user left the
/// choice of the backend, the host, which exchanges pivots, is taken.
void try_ldlt(FactorData* data) {
  const Backend wanted = data->solver.options().backend;
  run_ldlt(data, wanted);
  if (data->outcome.status == Status::unstable && wanted == Backend::automatic && data->backend == Backend::cuda)
    run_ldlt(data, Backend::host);
}

/// Cholesky has failed: takes LDLᵀ, from now on until the next symbolic phase. All ranks together.
PetscErrorCode fall_back(Mat f) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  PetscCall(PetscInfo(f,
                      "LDLT is taken from now on, because A is not positive definite: pivot %g in row %" PetscInt_FMT "\n",
                      data.outcome.failed_value, static_cast<PetscInt>(data.outcome.failed_row)));
  PetscCall(on_owner(&data, __LINE__, [&] {
    try_ldlt(&data);
    data.options.backend = data.solver.options().backend;
  }));
  data.form = data.outcome.form;
  data.options.form = data.form;
  PetscCall(broadcast(data.ranks, &data.options.backend, sizeof(data.options.backend)));
  PetscCall(broadcast(data.ranks, &data.backend, sizeof(data.backend)));
  data.takes_device_arrays = data.takes_device_arrays && data.backend == Backend::cuda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run_factorizations(Mat f, Mat a, bool same_pattern, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  const bool on_device = data.input.view().value_space == MemorySpace::device;
  PetscFunctionBegin;
  const LogScope scope(log_events().factor, f, on_device);
  data.outcome = Outcome();
  const Backend backend = data.backend;
  data.monitor.begin("factorize");
  PetscCall(on_owner(&data, __LINE__, [&] { run_factorization(&data, same_pattern, 0.0); }));
  if (data.outcome.repivoted > 0) {
    PetscCall(
        PetscInfo(f, "The factorization was unstable with these or earlier values, and was repeated with other pivots\n"));
    if (data.ranks.owner()) describe_factor(&data, info);
    PetscCall(broadcast(data.ranks, &data.info, sizeof(data.info)));
  }
  if (data.outcome.status == Status::not_positive_definite && data.shift_type != MAT_SHIFT_NONE) {
    ShiftRange range;
    PetscCall(find_shifts(a, info, &range));
    PetscCall(on_owner(&data, __LINE__, [&] { try_shifts(&data, same_pattern, range); }));
  }
  const bool failed = data.outcome.status == Status::not_positive_definite;
  PetscBool known = PETSC_FALSE;
  PetscBool definite = PETSC_FALSE;
  PetscCall(MatIsSPDKnown(a, &known, &definite));
  const bool fallen_back = failed && data.may_take_ldlt && data.shift_type == MAT_SHIFT_NONE && definite == PETSC_FALSE;
  if (fallen_back) PetscCall(fall_back(f));
  data.monitor.end();
  if (!data.ranks.owner()) PetscFunctionReturn(PETSC_SUCCESS);
  const int factorizations = 1 + data.outcome.shift_attempts + (fallen_back ? 1 : 0);
  PetscCall(log_flops(backend, data.solver.analyze_report().flops * factorizations));
  if (backend == Backend::cuda && !on_device) {
    PetscCall(log_to_device(sizeof(PetscScalar) * static_cast<double>(data.input.value_count()) * factorizations));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What to add to the sentence of a Cholesky factorization that failed: "" unless only the build keeps `auto` from LDLᵀ.
const char* ldlt_hint(const FactorData& data, const Outcome& outcome) {
  const bool has_fallback = data.form_is_auto && data.shift_type == MAT_SHIFT_NONE;
  if (built_with(Form::ldlt) || !has_fallback || outcome.status != Status::not_positive_definite) return "";
  return built_with(Form::lu) ? "; LDLT, which auto would take, was left out of this library; build it with "
                                "-DGPUSUPERNODAL_FORMS='llt;ldlt;lu'"
                              : "; LDLT, which auto would take, was left out of this library; build it with "
                                "-DGPUSUPERNODAL_FORMS='llt;ldlt'";
}

/// Raises an error if the program asks for errors, else writes to -info.
PetscErrorCode raise_or_log_failure(Mat f, Mat a, const Outcome& outcome) {
  const auto row = static_cast<PetscInt>(outcome.failed_row);
  const bool finite = outcome.status != Status::non_finite_input;

  PetscFunctionBegin;
  if (outcome.status == Status::singular || outcome.status == Status::unstable) {
    const bool singular = outcome.status == Status::singular;
    PetscCheck(!a->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               singular ? "gpusupernodal: the matrix is singular up to rounding: pivot %g in column %" PetscInt_FMT
                        : "gpusupernodal: the factorization is unstable: pivot %g in column %" PetscInt_FMT,
               outcome.failed_value, row);
    PetscCall(PetscInfo(f,
                        singular ? "Singular up to rounding: pivot %g in column %" PetscInt_FMT "\n"
                                 : "Unstable: pivot %g in column %" PetscInt_FMT "\n",
                        outcome.failed_value, row));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const char* const hint = ldlt_hint(factor_data(f), outcome);
  PetscCheck(!a->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             finite ? "gpusupernodal: the matrix is not positive definite: pivot %g in row %" PetscInt_FMT "%s"
                    : "gpusupernodal: the matrix has a value that is not finite (%g) in row %" PetscInt_FMT "%s",
             outcome.failed_value, row, hint);
  PetscCall(PetscInfo(f,
                      finite ? "Not positive definite: pivot %g in row %" PetscInt_FMT "%s\n"
                             : "Not finite: value %g in row %" PetscInt_FMT "%s\n",
                      outcome.failed_value, row, hint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode report_failure(Mat f, Mat a, const Outcome& outcome) {
  PetscFunctionBegin;
  PetscCall(raise_or_log_failure(f, a, outcome));
  // Used for non-finite values, too, because it is the only error that PETSc clears before the next factorization.
  f->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  f->factorerror_zeropivot_row = static_cast<PetscInt>(outcome.failed_row);
  f->factorerror_zeropivot_value = static_cast<PetscReal>(outcome.failed_value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode say_that_shifts_are_ignored(Mat f) {
  const FactorData& data = factor_data(f);
  PetscFunctionBegin;
  if (data.form != Form::llt && data.shift_type != MAT_SHIFT_NONE) {
    PetscCall(PetscInfo(f, "%s adds no shift (-pc_factor_shift_type %s): it replaces pivots and verifies the solutions\n",
                        data.form == Form::lu ? "LU" : "LDLT", MatFactorShiftTypes[data.shift_type]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before a factorization by all ranks that may need a shift, which only the owner can add: an error if the user wants all
/// ranks, else the owner is taken from now on. All ranks together.
PetscErrorCode leave_shift_to_owner(Mat f, Mat a, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  int wanted = data.distribute == Distribute::all ? 1 : 0;
  PetscCall(broadcast(data.ranks, &wanted, sizeof(wanted)));
  if (wanted == 1) {
    PetscCall(together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return refuse_shift(*info); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  int shift = info->shifttype != static_cast<PetscReal>(MAT_SHIFT_NONE) ? 1 : 0;
  PetscCall(broadcast(data.ranks, &shift, sizeof(shift)));
  if (shift == 1) PetscCall(analyze_again(f, a, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode factorize_on_owner(Mat f, Mat a, bool same_pattern, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  {
    const LogScope scope(log_events().upload, f);
    const Wanted wanted = data.takes_device_arrays ? Wanted::values_in_place : Wanted::host_values;
    // Forget the analyzed matrix: if this call fails, the new pattern must not be taken for the analyzed one.
    if (!same_pattern) data.matrix_id = 0;
    PetscCall(data.input.open(data.ranks, a, entries_of(data.form), same_pattern, wanted));
    if (data.input.view().value_space == MemorySpace::device) PetscCall(follow_stream(&data));
  }
  PetscCall(say_that_shifts_are_ignored(f));
  PetscCall(run_factorizations(f, a, same_pattern, info));
  PetscCall(data.input.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode factorize(Mat f, Mat a, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  bool same_pattern = has_analyzed_pattern(data, a);
  PetscFunctionBegin;
  PetscCall(on_all_ranks(data.ranks, &same_pattern));
  if (same_pattern) PetscCall(follow_uncounted_changes(f, a, info));
  data.shift_type = static_cast<MatFactorShiftType>(static_cast<int>(info->shifttype));
  if (data.joint) PetscCall(leave_shift_to_owner(f, a, info));
  if (data.joint) {
    if (!same_pattern) data.matrix_id = 0;
    PetscCall(factorize_jointly(f, a, same_pattern));
  } else {
    PetscCall(factorize_on_owner(f, a, same_pattern && has_analyzed_pattern(data, a), info));
  }
  if (!same_pattern) PetscCall(remember_pattern(&data, a));
  f->factorerrortype = MAT_FACTOR_NOERROR;
  if (data.outcome.status != Status::success) PetscCall(report_failure(f, a, data.outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode follow_stream(FactorData* data) {
  DeviceStream current;
  PetscFunctionBegin;
  PetscCall(current_stream(&current));
  data->solver.set_stream(current.stream);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode factor_numeric(Mat f, Mat a, const MatFactorInfo* info) {
  PetscFunctionBegin;
  const PetscErrorCode error =
      guarded_with_input(f, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return factorize(f, a, info); });
  PetscCall(error);
  set_solve_operations(f);
  f->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
