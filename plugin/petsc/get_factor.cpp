#include <memory>

#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {
namespace {

PetscErrorCode get_solver_type(Mat, MatSolverType* type) {
  *type = solver_name;
  return PETSC_SUCCESS;
}

PetscErrorCode destroy_factor(Mat f) {
  PetscFunctionBegin;
  delete static_cast<FactorData*>(f->data);
  f->data = nullptr;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(f), "MatFactorGetSolverType_C", nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_up_factor(Mat f, MatFactorType type) {
  PetscFunctionBegin;
  if (type == MAT_FACTOR_LU) {
    f->ops->lufactorsymbolic = lu_factor_symbolic;
  } else {
    f->ops->choleskyfactorsymbolic = factor_symbolic;
  }
  f->ops->getinfo = get_info;
  f->ops->view = view_factor;
  f->ops->destroy = destroy_factor;
  f->factortype = type;
  f->preallocated = PETSC_TRUE;
  PetscCall(PetscFree(f->solvertype));
  PetscCall(PetscStrallocpy(solver_name, &f->solvertype));
  f->canuseordering = PETSC_TRUE;
  PetscCall(PetscFree(f->preferredordering[type]));
  PetscCall(PetscStrallocpy(MATORDERINGEXTERNAL, const_cast<char**>(&f->preferredordering[type])));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(f), "MatFactorGetSolverType_C", get_solver_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode get_factor(Mat a, MatFactorType type, Mat* f) {
  Mat factor = nullptr;
  PetscInt rows = 0;
  PetscInt columns = 0;
  PetscInt own_rows = 0;
  PetscInt own_columns = 0;

  PetscFunctionBegin;
  PetscCall(register_log_events());
  PetscCall(MatGetSize(a, &rows, &columns));
  PetscCheck(rows == columns, PetscObjectComm(reinterpret_cast<PetscObject>(a)), PETSC_ERR_ARG_SIZ,
             "gpusupernodal factorizes square matrices, this one has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns",
             rows, columns);
  PetscCall(MatGetLocalSize(a, &own_rows, &own_columns));
  // Check before creating the Mat, which would leak if the check failed. All ranks check together, because only some may
  // fail.
  std::unique_ptr<FactorData> data;
  Ranks ranks;
  PetscCall(ranks_of(reinterpret_cast<PetscObject>(a), &ranks));
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    PetscCheck(own_rows == own_columns, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "gpusupernodal needs the same rows and columns on a rank, this one has %" PetscInt_FMT
               " rows and %" PetscInt_FMT " columns",
               own_rows, own_columns);
    data = std::make_unique<FactorData>();
    data->form = type == MAT_FACTOR_LU ? Form::lu : Form::llt;
    return PETSC_SUCCESS;
  }));
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(a)), &factor));
  PetscCall(MatSetSizes(factor, own_rows, own_columns, rows, columns));
  PetscCall(PetscStrallocpy(solver_name, &reinterpret_cast<PetscObject>(factor)->type_name));
  PetscCall(MatSetUp(factor));
  PetscCall(ranks_of(reinterpret_cast<PetscObject>(factor), &data->ranks));
  factor->data = data.release();
  PetscCall(set_up_factor(factor, type));
  *f = factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
