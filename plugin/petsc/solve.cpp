#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {
namespace {

/// x = part(b) for arrays with `cols` columns; in place where the arrays are the same.
PetscErrorCode solve_arrays(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  const PetscErrorCode error =
      guarded(reinterpret_cast<PetscObject>(f), PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
        const LogScope scope(log_events().solve, f);
        data.solver.solve(b, x, part);
        // A product and a sum an entry of L, once for each triangle.
        const double triangles = part == System::a ? 2.0 : 1.0;
        const auto entries = static_cast<double>(data.solver.analyze_report().nonzeros_l);
        return log_flops(data.solver.backend(), 2.0 * triangles * entries * static_cast<double>(b.cols));
      });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_vector(Mat f, Vec b, Vec x, System part) {
  const PetscScalar* b_array = nullptr;
  PetscScalar* x_array = nullptr;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(b, &b_array));
  PetscCall(VecGetArrayWrite(x, &x_array));
  const PetscErrorCode error =
      solve_arrays(f, DenseView<const PetscScalar>(b_array, n), DenseView<PetscScalar>(x_array, n), part);
  PetscCall(VecRestoreArrayWrite(x, &x_array));
  PetscCall(VecRestoreArrayRead(b, &b_array));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve(Mat f, Vec b, Vec x) { return solve_vector(f, b, x, System::a); }
PetscErrorCode forward_solve(Mat f, Vec b, Vec x) { return solve_vector(f, b, x, System::forward); }
PetscErrorCode backward_solve(Mat f, Vec b, Vec x) { return solve_vector(f, b, x, System::backward); }

/// X := B for a sparse (or any other) B.
PetscErrorCode copy_to_dense(Mat b, Mat x) {
  Mat dense = nullptr;
  PetscFunctionBegin;
  PetscCall(MatConvert(b, MATSEQDENSE, MAT_INITIAL_MATRIX, &dense));
  PetscCall(MatCopy(dense, x, SAME_NONZERO_PATTERN));
  PetscCall(MatDestroy(&dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// X := A⁻¹ X.
PetscErrorCode solve_in_place(Mat f, Mat x) {
  PetscScalar* array = nullptr;
  PetscInt n = 0;
  PetscInt columns = 0;
  PetscInt ld = 0;

  PetscFunctionBegin;
  PetscCall(MatGetSize(x, &n, &columns));
  PetscCall(MatDenseGetLDA(x, &ld));
  PetscCall(MatDenseGetArray(x, &array));
  const PetscErrorCode error = solve_arrays(f, DenseView<const PetscScalar>(array, n, columns, ld),
                                            DenseView<PetscScalar>(array, n, columns, ld), System::a);
  PetscCall(MatDenseRestoreArray(x, &array));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_dense(Mat f, Mat b, Mat x) {
  const PetscScalar* b_array = nullptr;
  PetscScalar* x_array = nullptr;
  PetscInt n = 0;
  PetscInt columns = 0;
  PetscInt b_ld = 0;
  PetscInt x_ld = 0;

  PetscFunctionBegin;
  PetscCall(MatGetSize(x, &n, &columns));
  PetscCall(MatDenseGetLDA(b, &b_ld));
  PetscCall(MatDenseGetLDA(x, &x_ld));
  PetscCall(MatDenseGetArrayRead(b, &b_array));
  PetscCall(MatDenseGetArrayWrite(x, &x_array));
  const PetscErrorCode error = solve_arrays(f, DenseView<const PetscScalar>(b_array, n, columns, b_ld),
                                            DenseView<PetscScalar>(x_array, n, columns, x_ld), System::a);
  PetscCall(MatDenseRestoreArrayWrite(x, &x_array));
  PetscCall(MatDenseRestoreArrayRead(b, &b_array));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mat_solve(Mat f, Mat b, Mat x) {
  PetscBool b_is_dense = PETSC_FALSE;

  PetscFunctionBegin;
  // MatMatSolve, unlike MatSolve, does not look whether there is a factor.
  if (f->factorerrortype != MAT_FACTOR_NOERROR) {
    PetscCall(PetscInfo(f, "MatMatSolve not done: the factorization failed\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(b), MATSEQDENSE, &b_is_dense));
  if (b == x) {
    PetscCall(solve_in_place(f, x));
  } else if (b_is_dense == PETSC_TRUE) {
    PetscCall(solve_dense(f, b, x));
  } else {
    PetscCall(copy_to_dense(b, x));
    PetscCall(solve_in_place(f, x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of L Lᵀ: all positive. After a failed factorization nothing is known.
PetscErrorCode get_inertia(Mat f, PetscInt* negative, PetscInt* zero, PetscInt* positive) {
  PetscFunctionBegin;
  PetscCheck(f->factorerrortype == MAT_FACTOR_NOERROR, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             "gpusupernodal: no inertia, the matrix is not positive definite");
  if (negative != nullptr) *negative = 0;
  if (zero != nullptr) *zero = 0;
  if (positive != nullptr) *positive = f->rmap->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

void set_solve_operations(Mat f) {
  f->ops->solve = solve;
  f->ops->solvetranspose = solve;
  f->ops->forwardsolve = forward_solve;
  f->ops->backwardsolve = backward_solve;
  f->ops->matsolve = mat_solve;
  f->ops->matsolvetranspose = mat_solve;
  f->ops->getinertia = get_inertia;
}

}  // namespace gpusupernodal::petsc
