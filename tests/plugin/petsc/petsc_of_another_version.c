/* Preloaded, this makes any PETSc report a version that does not exist. */
#include <petscsys.h>

PETSC_EXTERN PetscErrorCode PetscGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor, PetscInt *release)
{
  if (major) *major = 3;
  if (minor) *minor = 999;
  if (subminor) *subminor = 0;
  if (release) *release = 1;
  return (PetscErrorCode)0;
}
