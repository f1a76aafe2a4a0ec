/* Preloaded, it makes any PETSc say that its scalars are complex. */
#include <petscsys.h>

PETSC_EXTERN PetscErrorCode PetscDataTypeFromString(const char *name, PetscDataType *type, PetscBool *found)
{
  (void)name;
  *type  = PETSC_COMPLEX;
  *found = PETSC_TRUE;
  return (PetscErrorCode)0;
}
