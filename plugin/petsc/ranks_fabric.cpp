#include "plugin/petsc/ranks_fabric.hpp"

#include "gpusupernodal/error.hpp"
#include "plugin/petsc/messages.hpp"

namespace gpusupernodal::petsc {
namespace {

void require(PetscErrorCode error) {
  if (error != PETSC_SUCCESS)
    throw Error("a message between ranks failed; PETSc's message above says why", __FILE__, __LINE__);
}

PetscErrorCode wait_for_all(std::vector<MPI_Request>* requests) {
  PetscFunctionBegin;
  PetscCallMPI(MPI_Waitall(static_cast<PetscMPIInt>(requests->size()), requests->data(), MPI_STATUSES_IGNORE));
  requests->clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

void RanksFabric::send(int to, const void* data, std::int64_t bytes) {
  require(for_each_message(bytes, [&](std::int64_t begin, PetscMPIInt length) -> PetscErrorCode {
    MPI_Request request = MPI_REQUEST_NULL;
    PetscCallMPI(MPI_Isend(static_cast<const char*>(data) + begin, length, MPI_BYTE, to, ranks_.tag, ranks_.comm, &request));
    return note(&requests_, request);
  }));
}

void RanksFabric::receive(int from, void* data, std::int64_t bytes) {
  require(for_each_message(bytes, [&](std::int64_t begin, PetscMPIInt length) -> PetscErrorCode {
    PetscCallMPI(
        MPI_Recv(static_cast<char*>(data) + begin, length, MPI_BYTE, from, ranks_.tag, ranks_.comm, MPI_STATUS_IGNORE));
    return PETSC_SUCCESS;
  }));
}

void RanksFabric::wait_for_sends() { require(wait_for_all(&requests_)); }

void RanksFabric::broadcast(int from, void* data, std::int64_t bytes) {
  if (ranks_.alone()) return;
  require(for_each_message(bytes, [&](std::int64_t begin, PetscMPIInt length) -> PetscErrorCode {
    PetscCallMPI(MPI_Bcast(static_cast<char*>(data) + begin, length, MPI_BYTE, from, ranks_.comm));
    return PETSC_SUCCESS;
  }));
}

}  // namespace gpusupernodal::petsc
