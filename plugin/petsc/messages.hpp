#pragma once

/// \file
/// Messages of MPI that may be longer than its counts allow.

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// MPI counts are int, so longer messages are split.
inline constexpr std::int64_t longest_message = std::int64_t{1} << 30;

/// Calls post(begin, length) for each of the messages that carry `bytes`.
template <class Post>
PetscErrorCode for_each_message(std::int64_t bytes, Post&& post) {
  PetscFunctionBegin;
  for (std::int64_t begin = 0; begin < bytes; begin += longest_message) {
    PetscCall(post(begin, static_cast<PetscMPIInt>(std::min(longest_message, bytes - begin))));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Records a pending message; waits for the message if the record cannot be allocated. The other rank must then be able to
/// complete the message without another one from this rank.
inline PetscErrorCode note(std::vector<MPI_Request>* requests, MPI_Request request) {
  PetscFunctionBegin;
  try {
    requests->push_back(request);
    PetscFunctionReturn(PETSC_SUCCESS);
  } catch (const std::bad_alloc&) {
    PetscCallMPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
