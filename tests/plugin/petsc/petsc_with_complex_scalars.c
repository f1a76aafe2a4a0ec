/* Preloaded, this makes any PETSc report complex scalars. */
#include <petscsys.h>

PETSC_EXTERN PetscErrorCode PetscDataTypeFromString(const char *name, PetscDataType *type, PetscBool *found)
{
  (void)name;
  *type  = PETSC_COMPLEX;
  *found = PETSC_TRUE;
  return (PetscErrorCode)0;
}
