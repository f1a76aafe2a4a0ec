#include <algorithm>
#include <cmath>
#include <limits>

#include "gpusupernodal/error.hpp"
#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/joint_phases.hpp"
#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {
namespace {

/// Flops of a solve with `columns` right-hand sides, including its refinement steps and iterations of FGMRES.
PetscLogDouble flops_of_solve(const FactorData& data, std::int64_t columns, System part) {
  const AnalyzeReport& report = data.solver.analyze_report();
  const auto n = static_cast<double>(report.n);
  // Per triangle: one product and one sum per entry below the diagonal, one division per diagonal entry.
  const double triangle = 2.0 * static_cast<double>(report.nonzeros_l) - n;
  const double solve = part == System::a || part == System::transposed ? 2.0 * triangle : triangle;
  // A refinement step computes b − A x with both triangles, solves, and adds the correction. LU has both triangles' entries.
  const auto entries = static_cast<double>(report.nonzeros_a);
  const double residual = 2.0 * (data.form == Form::lu ? entries : 2.0 * entries - n);
  const SolveReport& done = data.solver.solve_report();
  const double steps = done.refinement_steps + done.fgmres_iterations;
  // The k-th iteration of FGMRES makes a vector orthogonal to k others, twice, each time with two products of n entries.
  const double orthogonal = 4.0 * n * done.fgmres_iterations * done.fgmres_iterations;
  return static_cast<double>(columns) * (solve + steps * (residual + solve + n) + orthogonal);
}

PetscErrorCode log_solve(const FactorData& data, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x,
                         System part) {
  PetscFunctionBegin;
  PetscCall(log_flops(data.backend, flops_of_solve(data, b.cols, part)));
  if (data.backend == Backend::cuda) {
    const auto bytes = static_cast<double>(sizeof(PetscScalar)) * static_cast<double>(b.rows * b.cols);
    if (b.space == MemorySpace::host) PetscCall(log_to_device(bytes));
    if (x.space == MemorySpace::host) PetscCall(log_from_device(bytes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_arrays(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part) {
  PetscFunctionBegin;
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    const bool on_device = b.space == MemorySpace::device || x.space == MemorySpace::device;
    const LogScope scope(log_events().solve, f, on_device);
    FactorData& data = factor_data(f);
    if (data.joint) return solve_jointly(f, b, x, part);
    if (!data.ranks.alone()) return solve_collected(f, b, x, part);
    if (on_device) PetscCall(follow_stream(&data));
    return solve_logged(f, b, x, part);
  });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_vector(Mat f, Vec b, Vec x, System part) {
  const bool in_place = factor_data(f).takes_device_arrays;
  PlacedArray<const PetscScalar> right;
  PlacedArray<PetscScalar> solution;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(borrow_read(b, in_place, &right));
  PetscCall(borrow_write(x, in_place, &solution));
  const PetscErrorCode error = solve_arrays(f, DenseView<const PetscScalar>(right.data, n, right.space),
                                            DenseView<PetscScalar>(solution.data, n, solution.space), part);
  PetscCall(restore_write(x, in_place, &solution));
  PetscCall(restore_read(b, in_place, &right));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve(Mat f, Vec b, Vec x) { return solve_vector(f, b, x, System::a); }
PetscErrorCode solve_transposed(Mat f, Vec b, Vec x) { return solve_vector(f, b, x, System::transposed); }
PetscErrorCode forward_solve(Mat f, Vec b, Vec x) { return solve_vector(f, b, x, System::forward); }
PetscErrorCode backward_solve(Mat f, Vec b, Vec x) { return solve_vector(f, b, x, System::backward); }

/// X := B for a sparse (or any other) B.
PetscErrorCode copy_to_dense(Mat b, Mat x) {
  Mat dense = nullptr;
  PetscFunctionBegin;
  PetscCall(MatConvert(b, MATDENSE, MAT_INITIAL_MATRIX, &dense));
  PetscCall(MatCopy(dense, x, SAME_NONZERO_PATTERN));
  PetscCall(MatDestroy(&dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Shape of this rank's part of a dense matrix.
struct DenseShape {
  PetscInt rows = 0;
  PetscInt columns = 0;
  PetscInt ld = 0;
};

PetscErrorCode shape_of(Mat m, DenseShape* shape) {
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(m, &shape->rows, nullptr));
  PetscCall(MatGetSize(m, nullptr, &shape->columns));
  PetscCall(MatDenseGetLDA(m, &shape->ld));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// X := part(X).
PetscErrorCode solve_in_place(Mat f, Mat x, System part) {
  const bool in_place = factor_data(f).takes_device_arrays;
  PlacedArray<PetscScalar> array;
  DenseShape shape;

  PetscFunctionBegin;
  PetscCall(shape_of(x, &shape));
  PetscCall(borrow_both(x, in_place, &array));
  const DenseView<PetscScalar> view(array.data, shape.rows, shape.columns, shape.ld, array.space);
  const PetscErrorCode error = solve_arrays(f, view, view, part);
  PetscCall(restore_both(x, in_place, &array));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_dense(Mat f, Mat b, Mat x, System part) {
  const bool in_place = factor_data(f).takes_device_arrays;
  PlacedArray<const PetscScalar> right;
  PlacedArray<PetscScalar> solution;
  DenseShape b_shape;
  DenseShape x_shape;

  PetscFunctionBegin;
  PetscCall(shape_of(b, &b_shape));
  PetscCall(shape_of(x, &x_shape));
  PetscCall(borrow_read(b, in_place, &right));
  PetscCall(borrow_write(x, in_place, &solution));
  const PetscErrorCode error =
      solve_arrays(f, DenseView<const PetscScalar>(right.data, b_shape.rows, b_shape.columns, b_shape.ld, right.space),
                   DenseView<PetscScalar>(solution.data, x_shape.rows, x_shape.columns, x_shape.ld, solution.space), part);
  PetscCall(restore_write(x, in_place, &solution));
  PetscCall(restore_read(b, in_place, &right));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_columns(Mat f, Mat b, Mat x, System part) {
  PetscBool is_dense = PETSC_FALSE;
  PetscBool is_parallel_dense = PETSC_FALSE;

  PetscFunctionBegin;
  // MatMatSolve, unlike MatSolve, does not check whether the factorization failed.
  if (f->factorerrortype != MAT_FACTOR_NOERROR) {
    PetscCall(PetscInfo(f, "MatMatSolve not done: the factorization failed\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(b), MATSEQDENSE, &is_dense));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(b), MATMPIDENSE, &is_parallel_dense));
  if (b == x) {
    PetscCall(solve_in_place(f, x, part));
  } else if (is_dense || is_parallel_dense) {
    PetscCall(solve_dense(f, b, x, part));
  } else {
    PetscCall(copy_to_dense(b, x));
    PetscCall(solve_in_place(f, x, part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mat_solve(Mat f, Mat b, Mat x) { return solve_columns(f, b, x, System::a); }
PetscErrorCode mat_solve_transposed(Mat f, Mat b, Mat x) { return solve_columns(f, b, x, System::transposed); }

/// X := A⁻¹ Bᵀ.
PetscErrorCode mat_transpose_solve(Mat f, Mat b, Mat x) {
  Mat right = nullptr;
  PetscFunctionBegin;
  PetscCall(MatTranspose(b, MAT_INITIAL_MATRIX, &right));
  PetscCall(mat_solve(f, right, x));
  PetscCall(MatDestroy(&right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatGetInertia: all eigenvalues are positive if L Lᵀ exists, and LDLᵀ has the signs of its pivots; an error
/// after a failed factorization.
PetscErrorCode get_inertia(Mat f, PetscInt* negative, PetscInt* zero, PetscInt* positive) {
  PetscFunctionBegin;
  PetscCheck(f->factorerrortype == MAT_FACTOR_NOERROR, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             "gpusupernodal: no inertia, the factorization failed");
  const Outcome& outcome = factor_data(f).outcome;
  if (outcome.form == Form::ldlt) {
    if (negative != nullptr) *negative = static_cast<PetscInt>(outcome.inertia.negative);
    if (zero != nullptr) *zero = static_cast<PetscInt>(outcome.inertia.zero);
    if (positive != nullptr) *positive = static_cast<PetscInt>(outcome.inertia.positive);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (negative != nullptr) *negative = 0;
  if (zero != nullptr) *zero = 0;
  if (positive != nullptr) *positive = f->rmap->N;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves with LU or LDLᵀ, which verify solutions. One that it cannot trust is an error; one of a
/// right-hand side with NaN or Inf is not finite either, which KSP sees.
PetscErrorCode solve_verified(FactorData* data, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x,
                              System part) {
  try {
    data->solver.solve(b, x, part);
  } catch (const NumericalFailure& e) {
    if (!std::isnan(data->solver.solve_report().backward_error)) {
      return PetscError(PETSC_COMM_SELF, e.line(), PETSC_FUNCTION_NAME, e.file(), PETSC_ERR_NOT_CONVERGED,
                        PETSC_ERROR_INITIAL, "gpusupernodal: %s", e.what());
    }
    for (std::int64_t column = 0; column < x.cols; ++column) {
      std::fill_n(x.data + column * x.ld, x.rows, PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN()));
    }
  }
  return PETSC_SUCCESS;
}

}  // namespace

PetscErrorCode solve_logged(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part) {
  FactorData& data = factor_data(f);
  if (data.form != Form::llt) {
    const PetscErrorCode error = solve_verified(&data, b, x, part);
    if (error != PETSC_SUCCESS) return error;
  } else {
    data.solver.solve(b, x, part);
  }
  return log_solve(data, b, x, part);
}

void set_solve_operations(Mat f) {
  f->ops->solve = solve;
  f->ops->matsolve = mat_solve;
  f->ops->mattransposesolve = mat_transpose_solve;
  if (factor_data(f).form == Form::lu) {
    f->ops->solvetranspose = solve_transposed;
    f->ops->matsolvetranspose = mat_solve_transposed;
    return;
  }
  f->ops->solvetranspose = complex_scalars ? solve_transposed : solve;
  const bool has_halves = factor_data(f).form == Form::llt;  // LDLᵀ solves with all of its factors, and verifies that.
  f->ops->forwardsolve = has_halves ? forward_solve : nullptr;
  f->ops->backwardsolve = has_halves ? backward_solve : nullptr;
  if (factor_data(f).joint) f->ops->forwardsolve = f->ops->backwardsolve = no_half_of_joint_factor;
  f->ops->matsolvetranspose = complex_scalars ? mat_solve_transposed : mat_solve;
  f->ops->getinertia = get_inertia;
}

}  // namespace gpusupernodal::petsc
