#include "plugin/petsc/iterative_types.hpp"

#include "plugin/petsc/conjugate_gradients.hpp"
#include "plugin/petsc/preconditioner.hpp"
#include "plugin/petsc/product_data.hpp"

namespace gpusupernodal::petsc {

PetscErrorCode register_iterative_types() {
  PetscFunctionBegin;
  PetscCall(register_product_types());
  PetscCall(register_preconditioner());
  PetscCall(register_conjugate_gradients());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
