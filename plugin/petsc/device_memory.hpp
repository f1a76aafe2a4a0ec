#pragma once

/// \file
/// PETSc's arrays in device memory, and PETSc's stream. All arrays are accessed on the host if PETSc has no CUDA or is older
/// than 3.20.

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// PETSc's CUDA device and the stream of its current context; −1 and nullptr if PETSc works on the host.
struct DeviceStream {
  PetscInt device = -1;
  void* stream = nullptr;
};
PetscErrorCode current_stream(DeviceStream* current);

/// The values of a sequential AIJ matrix in CUDA memory, copied there if the host's are newer; nullptr for a type that keeps
/// its values on the host.
PetscErrorCode device_values(Mat a, PetscScalar** values);

/// The array of a vector or dense matrix and its memory space.
template <class T>
struct PlacedArray {
  T* data = nullptr;
  MemorySpace space = MemorySpace::host;
};

// Borrow the array where its values are if `in_place`, on the host otherwise. Restore with the same `in_place`.
PetscErrorCode borrow_read(Vec v, bool in_place, PlacedArray<const PetscScalar>* array);
PetscErrorCode restore_read(Vec v, bool in_place, PlacedArray<const PetscScalar>* array);
PetscErrorCode borrow_write(Vec v, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode restore_write(Vec v, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode borrow_read(Mat m, bool in_place, PlacedArray<const PetscScalar>* array);
PetscErrorCode restore_read(Mat m, bool in_place, PlacedArray<const PetscScalar>* array);
PetscErrorCode borrow_write(Mat m, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode restore_write(Mat m, bool in_place, PlacedArray<PetscScalar>* array);
/// Borrow the array for reading and writing.
PetscErrorCode borrow_both(Vec v, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode restore_both(Vec v, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode borrow_both(Mat m, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode restore_both(Mat m, bool in_place, PlacedArray<PetscScalar>* array);

}  // namespace gpusupernodal::petsc
