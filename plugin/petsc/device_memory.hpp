#pragma once

/// \file
/// PETSc's arrays in device memory, and the stream on which it works. With a PETSc that has no CUDA, or is older than 3.20,
/// all arrays are taken on the host.

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// The CUDA device on which PETSc works, and the stream of its current context; −1 and none where it works on the host.
struct DeviceStream {
  PetscInt device = -1;
  void* stream = nullptr;
};
PetscErrorCode current_stream(DeviceStream* current);

/// The values of a sequential AIJ matrix where they lie in CUDA memory, brought there if the host's are newer; nullptr for a
/// type that keeps them on the host.
PetscErrorCode device_values(Mat a, PetscScalar** values);

/// An array of a vector or dense matrix and where it is.
template <class T>
struct PlacedArray {
  T* data = nullptr;
  MemorySpace space = MemorySpace::host;
};

// Where the numbers are, if `in_place`; else on the host. Restore with the same `in_place`.
PetscErrorCode borrow_read(Vec v, bool in_place, PlacedArray<const PetscScalar>* array);
PetscErrorCode restore_read(Vec v, bool in_place, PlacedArray<const PetscScalar>* array);
PetscErrorCode borrow_write(Vec v, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode restore_write(Vec v, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode borrow_read(Mat m, bool in_place, PlacedArray<const PetscScalar>* array);
PetscErrorCode restore_read(Mat m, bool in_place, PlacedArray<const PetscScalar>* array);
PetscErrorCode borrow_write(Mat m, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode restore_write(Mat m, bool in_place, PlacedArray<PetscScalar>* array);
/// To read and to write.
PetscErrorCode borrow_both(Mat m, bool in_place, PlacedArray<PetscScalar>* array);
PetscErrorCode restore_both(Mat m, bool in_place, PlacedArray<PetscScalar>* array);

}  // namespace gpusupernodal::petsc
