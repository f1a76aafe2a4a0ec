#include "plugin/petsc/ranks.hpp"

#include <cstring>

#include "plugin/petsc/messages.hpp"

namespace gpusupernodal::petsc {
namespace {

/// The owner's side of collect and distribute: calls post(rank, address, length, request) for each message from or to
/// another rank, then waits for all messages.
template <class Post>
PetscErrorCode with_all_others(const Ranks& ranks, std::size_t element, const std::vector<std::int64_t>& counts, char* all,
                               std::vector<MPI_Request>* requests, Post&& post) {
  PetscFunctionBegin;
  char* part = all;
  for (PetscMPIInt rank = 0; rank < ranks.size; ++rank) {
    const std::int64_t bytes = counts[static_cast<std::size_t>(rank)] * static_cast<std::int64_t>(element);
    if (rank != ranks.rank) {
      PetscCall(for_each_message(bytes, [&](std::int64_t begin, PetscMPIInt length) -> PetscErrorCode {
        MPI_Request request = MPI_REQUEST_NULL;
        PetscCall(post(rank, part + begin, length, &request));
        return note(requests, request);
      }));
    }
    part += bytes;
  }
  PetscCallMPI(MPI_Waitall(static_cast<PetscMPIInt>(requests->size()), requests->data(), MPI_STATUSES_IGNORE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode ranks_of(PetscObject object, Ranks* ranks) {
  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm(object, &ranks->comm));
  PetscCallMPI(MPI_Comm_rank(ranks->comm, &ranks->rank));
  PetscCallMPI(MPI_Comm_size(ranks->comm, &ranks->size));
  PetscCall(PetscObjectGetNewTag(object, &ranks->tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode agree(const Ranks& ranks, PetscErrorCode mine) {
  int code = static_cast<int>(mine);
  int worst = 0;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, ranks.comm));
  PetscCall(mine);
  PetscCheck(worst == 0, PETSC_COMM_SELF, static_cast<PetscErrorCode>(worst),
             "gpusupernodal: another rank failed; its message says why");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode on_all_ranks(const Ranks& ranks, bool* flag) {
  int all = *flag ? 1 : 0;
  PetscFunctionBegin;
  if (!ranks.alone()) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, ranks.comm));
  *flag = all == 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode broadcast(const Ranks& ranks, void* data, std::size_t bytes) {
  PetscFunctionBegin;
  if (!ranks.alone()) PetscCallMPI(MPI_Bcast(data, static_cast<PetscMPIInt>(bytes), MPI_BYTE, 0, ranks.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode collect_number(const Ranks& ranks, std::int64_t mine, std::vector<std::int64_t>* all) {
  PetscFunctionBegin;
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    all->assign(ranks.owner() ? static_cast<std::size_t>(ranks.size) : 0, mine);
    return PETSC_SUCCESS;
  }));
  if (!ranks.alone()) {
    PetscCallMPI(MPI_Gather(&mine, 1, MPI_INT64_T, all->data(), 1, MPI_INT64_T, 0, ranks.comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode collect(const Ranks& ranks, std::size_t element, const void* mine, std::int64_t count,
                       const std::vector<std::int64_t>& counts, void* all) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(element);
  PetscFunctionBegin;
  if (ranks.owner()) {
    if (bytes > 0) std::memcpy(all, mine, static_cast<std::size_t>(bytes));
    std::vector<MPI_Request> requests;
    PetscCall(with_all_others(ranks, element, counts, static_cast<char*>(all), &requests,
                              [&](PetscMPIInt rank, char* to, PetscMPIInt length, MPI_Request* request) -> PetscErrorCode {
                                PetscCallMPI(MPI_Irecv(to, length, MPI_BYTE, rank, ranks.tag, ranks.comm, request));
                                return PETSC_SUCCESS;
                              }));
  } else {
    PetscCall(for_each_message(bytes, [&](std::int64_t begin, PetscMPIInt length) -> PetscErrorCode {
      PetscCallMPI(MPI_Send(static_cast<const char*>(mine) + begin, length, MPI_BYTE, 0, ranks.tag, ranks.comm));
      return PETSC_SUCCESS;
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode distribute(const Ranks& ranks, std::size_t element, const void* all, const std::vector<std::int64_t>& counts,
                          void* mine, std::int64_t count) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(element);
  PetscFunctionBegin;
  if (ranks.owner()) {
    if (bytes > 0) std::memcpy(mine, all, static_cast<std::size_t>(bytes));
    std::vector<MPI_Request> requests;
    auto* parts = const_cast<char*>(static_cast<const char*>(all));
    PetscCall(with_all_others(ranks, element, counts, parts, &requests,
                              [&](PetscMPIInt rank, char* from, PetscMPIInt length, MPI_Request* request) -> PetscErrorCode {
                                PetscCallMPI(MPI_Isend(from, length, MPI_BYTE, rank, ranks.tag, ranks.comm, request));
                                return PETSC_SUCCESS;
                              }));
  } else {
    PetscCall(for_each_message(bytes, [&](std::int64_t begin, PetscMPIInt length) -> PetscErrorCode {
      PetscCallMPI(
          MPI_Recv(static_cast<char*>(mine) + begin, length, MPI_BYTE, 0, ranks.tag, ranks.comm, MPI_STATUS_IGNORE));
      return PETSC_SUCCESS;
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
