#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {
namespace {

/// Each shift is this many times the one that failed.
constexpr double shift_growth = 10.0;

/// PETSc's permutation of rows, or of block rows as its orderings give for block formats, as rows.
PetscErrorCode read_permutation(IS old_of_new, PetscInt n, std::vector<std::int64_t>* permutation) {
  const PetscInt* indices = nullptr;
  PetscInt count = 0;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(old_of_new, &count));
  PetscCheck(count > 0 ? n % count == 0 : n == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "gpusupernodal: the ordering has %" PetscInt_FMT " entries, the matrix %" PetscInt_FMT " rows", count, n);
  const PetscInt block = count > 0 ? n / count : 1;
  permutation->reserve(static_cast<std::size_t>(n));
  PetscCall(ISGetIndices(old_of_new, &indices));
  for (PetscInt k = 0; k < count; ++k) {
    for (PetscInt row = 0; row < block; ++row) permutation->push_back(static_cast<std::int64_t>(indices[k]) * block + row);
  }
  PetscCall(ISRestoreIndices(old_of_new, &indices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool has_analyzed_pattern(const FactorData& data, Mat a) {
  return reinterpret_cast<PetscObject>(a)->id == data.matrix_id && a->nonzerostate == data.nonzero_state;
}

void remember_pattern(FactorData* data, Mat a) {
  data->matrix_id = reinterpret_cast<PetscObject>(a)->id;
  data->nonzero_state = a->nonzerostate;
}

PetscErrorCode analyze(Mat f, Mat a, Options options) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  PetscCall(data.input.open(a));
  {
    const LogScope scope(log_events().analyze, f);
    data.solver.set_options(std::move(options));
    data.solver.analyze(data.input.view());
  }
  PetscCall(data.input.close());
  remember_pattern(&data, a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Largest |entry| on the diagonal, by which a first shift is measured.
PetscErrorCode largest_diagonal(Mat a, double* largest) {
  Vec diagonal = nullptr;
  PetscReal norm = 0;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(a, &diagonal, nullptr));
  PetscCall(MatGetDiagonal(a, diagonal));
  PetscCall(VecNorm(diagonal, NORM_INFINITY, &norm));
  PetscCall(VecDestroy(&diagonal));
  *largest = static_cast<double>(norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factorizes A + shift I with the values borrowed from A.
FactorReport run_factorization(FactorData* data, bool same_pattern, double shift) {
  data->solver.set_shift(shift);
  data->shift = shift;
  const MatrixView<PetscScalar>& view = data->input.view();
  if (same_pattern && data->solver.is_factorized()) {
    data->solver.refactorize(Span<const PetscScalar>(view.values, static_cast<std::size_t>(data->input.value_count())));
  } else {
    data->solver.factorize(view);
  }
  return data->solver.factor_report();
}

/// Where the values allow it, makes A definite by an ever larger shift: PETSc's other shifts need pivots to be changed
/// one at a time. Ends because A + shift I is dominated by its diagonal once the shift passes ‖A‖∞.
PetscErrorCode retry_with_shifts(Mat a, FactorData* data, bool same_pattern, const MatFactorInfo* info,
                                 FactorReport* report) {
  double diagonal = 0.0;
  PetscReal norm = 0;

  PetscFunctionBegin;
  PetscCall(largest_diagonal(a, &diagonal));
  PetscCall(MatNorm(a, NORM_INFINITY, &norm));
  if (!std::isfinite(norm) || norm == 0) PetscFunctionReturn(PETSC_SUCCESS);
  // As large as rounding in the factorization may be, so that it can change the outcome.
  const double smallest =
      100.0 * static_cast<double>(std::numeric_limits<PetscReal>::epsilon()) * std::max(diagonal, static_cast<double>(norm));
  double shift = std::max(static_cast<double>(info->shiftamount), smallest);
  const double enough = 2.0 * static_cast<double>(norm);
  while (report->status == Status::not_positive_definite) {
    ++data->shift_attempts;
    *report = run_factorization(data, same_pattern, shift);
    if (shift > enough) break;
    shift *= shift_growth;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode report_failure(Mat f, Mat a, const FactorReport& report) {
  const auto row = static_cast<PetscInt>(report.failed_column);
  const auto value = static_cast<PetscReal>(report.failed_value);
  const bool finite = report.status != Status::non_finite_input;

  PetscFunctionBegin;
  PetscCheck(!a->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             finite ? "gpusupernodal: the matrix is not positive definite: pivot %g in row %" PetscInt_FMT
                    : "gpusupernodal: the matrix has a value that is not finite (%g) in row %" PetscInt_FMT,
             static_cast<double>(value), row);
  PetscCall(PetscInfo(f,
                      finite ? "Not positive definite: pivot %g in row %" PetscInt_FMT "\n"
                             : "Not finite: value %g in row %" PetscInt_FMT "\n",
                      static_cast<double>(value), row));
  // Also for values that are not finite: it is the only error that PETSc clears for the next factorization.
  f->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  f->factorerror_zeropivot_row = row;
  f->factorerror_zeropivot_value = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode factorize(Mat f, Mat a, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  {
    const LogScope scope(log_events().upload, f);
    PetscCall(data.input.open(a));
  }
  data.shift_type = static_cast<MatFactorShiftType>(static_cast<int>(info->shifttype));
  data.shift_attempts = 0;
  FactorReport report;
  {
    const LogScope scope(log_events().factor, f);
    const bool same_pattern = has_analyzed_pattern(data, a);
    report = run_factorization(&data, same_pattern, 0.0);
    if (report.status == Status::not_positive_definite && data.shift_type != MAT_SHIFT_NONE) {
      PetscCall(retry_with_shifts(a, &data, same_pattern, info, &report));
    }
    PetscCall(log_flops(data.solver.backend(), data.solver.analyze_report().flops * (1 + data.shift_attempts)));
  }
  PetscCall(data.input.close());
  remember_pattern(&data, a);
  f->factorerrortype = MAT_FACTOR_NOERROR;
  if (report.status != Status::success) PetscCall(report_failure(f, a, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A failed call must not keep A's arrays borrowed.
template <class Body>
PetscErrorCode guarded_with_input(Mat f, const char* function, int line, Body&& body) {
  const PetscErrorCode error = guarded(reinterpret_cast<PetscObject>(f), function, line, body);
  if (error != PETSC_SUCCESS) static_cast<void>(factor_data(f).input.close());
  return error;
}

}  // namespace

PetscErrorCode factor_symbolic(Mat f, Mat a, IS old_of_new, const MatFactorInfo* info) {
  PetscFunctionBegin;
  const PetscErrorCode error = guarded_with_input(f, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    FactorData& data = factor_data(f);
    Options options;
    options.check_right_hand_sides = false;  // KSP looks for NaN and Inf itself, and says so as its converged reason.
    if (info != nullptr && wants_host(*info)) options.backend = Backend::host;
    PetscCall(read_options(f, &options));
    if (old_of_new != nullptr) {
      PetscCall(read_permutation(old_of_new, a->rmap->n, &options.permutation));
      options.ordering = Ordering::user;
    }
    PetscCall(analyze(f, a, std::move(options)));
    data.fill_given = info != nullptr ? info->fill : 0;
    return PETSC_SUCCESS;
  });
  PetscCall(error);
  f->ops->choleskyfactornumeric = factor_numeric;
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
