#include "plugin/petsc/guard.hpp"

#include <exception>
#include <new>

#include "gpusupernodal/error.hpp"

namespace gpusupernodal::petsc {
namespace {

PetscErrorCode raise(const char* function, const Error& e, PetscErrorCode code) {
  return PetscError(PETSC_COMM_SELF, e.line(), function, e.file(), code, PETSC_ERROR_INITIAL, "gpusupernodal: %s", e.what());
}

}  // namespace

PetscErrorCode raise_current_exception(const char* function, int line) {
  try {
    throw;
  } catch (const InvalidInput& e) {
    return raise(function, e, PETSC_ERR_ARG_WRONG);
  } catch (const InvalidState& e) {
    return raise(function, e, PETSC_ERR_ORDER);
  } catch (const NumericalFailure& e) {
    return raise(function, e, PETSC_ERR_MAT_CH_ZRPVT);
  } catch (const BackendUnavailable& e) {
    return raise(function, e, PETSC_ERR_SUP_SYS);
  } catch (const OutOfMemory& e) {
    return raise(function, e, PETSC_ERR_MEM);
  } catch (const DeviceError& e) {
    return raise(function, e, PETSC_ERR_GPU);
  } catch (const Error& e) {
    return raise(function, e, PETSC_ERR_LIB);
  } catch (const std::bad_alloc&) {
    return PetscError(PETSC_COMM_SELF, line, function, __FILE__, PETSC_ERR_MEM, PETSC_ERROR_INITIAL,
                      "gpusupernodal: no host memory left");
  } catch (const std::exception& e) {
    return PetscError(PETSC_COMM_SELF, line, function, __FILE__, PETSC_ERR_LIB, PETSC_ERROR_INITIAL, "gpusupernodal: %s",
                      e.what());
  } catch (...) {
    return PetscError(PETSC_COMM_SELF, line, function, __FILE__, PETSC_ERR_LIB, PETSC_ERROR_INITIAL,
                      "gpusupernodal: an exception of unknown type");
  }
}

}  // namespace gpusupernodal::petsc
