#include "plugin/petsc/device_memory.hpp"

#if PETSC_VERSION_GE(3, 20, 0) && PetscDefined(HAVE_CUDA)
#include <petscdevice.h>
#define GPUSUPERNODAL_PETSC_DEVICE 1
/// The variant of a PETSc array function that leaves the values where they are and returns their memory type.
#define GPUSUPERNODAL_PLACED(function) function##AndMemType
#else
#define GPUSUPERNODAL_PETSC_DEVICE 0
#define GPUSUPERNODAL_PLACED(function) nullptr
#endif

#include <cstddef>

namespace gpusupernodal::petsc {
namespace {

#if GPUSUPERNODAL_PETSC_DEVICE

MemorySpace space_of(PetscMemType type) { return PetscMemTypeCUDA(type) ? MemorySpace::device : MemorySpace::host; }

// PetscDeviceContextGetStreamHandle returned the stream in older versions of PETSc and returns a pointer to it now.
[[maybe_unused]] PetscErrorCode read_stream(PetscErrorCode (*get)(PetscDeviceContext, void*), PetscDeviceContext context,
                                            void** stream) {
  return get(context, stream);
}
[[maybe_unused]] PetscErrorCode read_stream(PetscErrorCode (*get)(PetscDeviceContext, void**), PetscDeviceContext context,
                                            void** stream) {
  void* address = nullptr;
  const PetscErrorCode error = get(context, &address);
  if (error == PETSC_SUCCESS) *stream = *static_cast<void**>(address);
  return error;
}

template <class Object, class T, class Get, class GetPlaced>
PetscErrorCode borrow(Object object, bool in_place, PlacedArray<T>* array, Get get, GetPlaced get_placed) {
  PetscMemType type = PETSC_MEMTYPE_HOST;
  PetscFunctionBegin;
  if (in_place) {
    PetscCall(get_placed(object, &array->data, &type));
  } else {
    PetscCall(get(object, &array->data));
  }
  array->space = space_of(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Object, class T, class Restore, class RestorePlaced>
PetscErrorCode restore(Object object, bool in_place, PlacedArray<T>* array, Restore restore_host,
                       RestorePlaced restore_placed) {
  return in_place ? restore_placed(object, &array->data) : restore_host(object, &array->data);
}

#else

template <class Object, class T, class Function>
PetscErrorCode borrow(Object object, bool, PlacedArray<T>* array, Function get, std::nullptr_t) {
  array->space = MemorySpace::host;
  return get(object, &array->data);
}

template <class Object, class T, class Function>
PetscErrorCode restore(Object object, bool, PlacedArray<T>* array, Function restore_host, std::nullptr_t) {
  return restore_host(object, &array->data);
}

#endif

}  // namespace

#if GPUSUPERNODAL_PETSC_DEVICE

PetscErrorCode current_stream(DeviceStream* current) {
  PetscDeviceContext context = nullptr;
  PetscDeviceType type = PETSC_DEVICE_HOST;
  PetscDevice device = nullptr;

  PetscFunctionBegin;
  *current = DeviceStream();
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDeviceType(context, &type));
  if (type != PETSC_DEVICE_CUDA) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDeviceContextGetDevice(context, &device));
  PetscCall(PetscDeviceGetDeviceId(device, &current->device));
  PetscCall(read_stream(PetscDeviceContextGetStreamHandle, context, &current->stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode device_values(Mat a, PetscScalar** values) {
  PetscMemType type = PETSC_MEMTYPE_HOST;
  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetCSRAndMemType(a, nullptr, nullptr, values, &type));
  if (space_of(type) != MemorySpace::device) *values = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode current_stream(DeviceStream* current) {
  *current = DeviceStream();
  return PETSC_SUCCESS;
}

PetscErrorCode device_values(Mat, PetscScalar** values) {
  *values = nullptr;
  return PETSC_SUCCESS;
}

#endif

PetscErrorCode borrow_read(Vec v, bool in_place, PlacedArray<const PetscScalar>* array) {
  return borrow(v, in_place, array, VecGetArrayRead, GPUSUPERNODAL_PLACED(VecGetArrayRead));
}
PetscErrorCode restore_read(Vec v, bool in_place, PlacedArray<const PetscScalar>* array) {
  return restore(v, in_place, array, VecRestoreArrayRead, GPUSUPERNODAL_PLACED(VecRestoreArrayRead));
}
PetscErrorCode borrow_write(Vec v, bool in_place, PlacedArray<PetscScalar>* array) {
  return borrow(v, in_place, array, VecGetArrayWrite, GPUSUPERNODAL_PLACED(VecGetArrayWrite));
}
PetscErrorCode restore_write(Vec v, bool in_place, PlacedArray<PetscScalar>* array) {
  return restore(v, in_place, array, VecRestoreArrayWrite, GPUSUPERNODAL_PLACED(VecRestoreArrayWrite));
}
PetscErrorCode borrow_read(Mat m, bool in_place, PlacedArray<const PetscScalar>* array) {
  return borrow(m, in_place, array, MatDenseGetArrayRead, GPUSUPERNODAL_PLACED(MatDenseGetArrayRead));
}
PetscErrorCode restore_read(Mat m, bool in_place, PlacedArray<const PetscScalar>* array) {
  return restore(m, in_place, array, MatDenseRestoreArrayRead, GPUSUPERNODAL_PLACED(MatDenseRestoreArrayRead));
}
PetscErrorCode borrow_write(Mat m, bool in_place, PlacedArray<PetscScalar>* array) {
  return borrow(m, in_place, array, MatDenseGetArrayWrite, GPUSUPERNODAL_PLACED(MatDenseGetArrayWrite));
}
PetscErrorCode restore_write(Mat m, bool in_place, PlacedArray<PetscScalar>* array) {
  return restore(m, in_place, array, MatDenseRestoreArrayWrite, GPUSUPERNODAL_PLACED(MatDenseRestoreArrayWrite));
}
PetscErrorCode borrow_both(Vec v, bool in_place, PlacedArray<PetscScalar>* array) {
  return borrow(v, in_place, array, VecGetArray, GPUSUPERNODAL_PLACED(VecGetArray));
}
PetscErrorCode restore_both(Vec v, bool in_place, PlacedArray<PetscScalar>* array) {
  return restore(v, in_place, array, VecRestoreArray, GPUSUPERNODAL_PLACED(VecRestoreArray));
}
PetscErrorCode borrow_both(Mat m, bool in_place, PlacedArray<PetscScalar>* array) {
  return borrow(m, in_place, array, MatDenseGetArray, GPUSUPERNODAL_PLACED(MatDenseGetArray));
}
PetscErrorCode restore_both(Mat m, bool in_place, PlacedArray<PetscScalar>* array) {
  return restore(m, in_place, array, MatDenseRestoreArray, GPUSUPERNODAL_PLACED(MatDenseRestoreArray));
}

}  // namespace gpusupernodal::petsc
