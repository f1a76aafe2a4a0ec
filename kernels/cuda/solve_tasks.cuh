#pragma once

/// \file
/// Tasks of one kind. A function that runs tasks of a kind sees only the fields of that kind.

#include <cstring>
#include <type_traits>

#include "kernels/common/records.hpp"

namespace gpusupernodal::cuda {

template <SolveKind of>
struct TaskOf : SolveFront, SolveHead, SolveDetails<of> {
  using Details = SolveDetails<of>;
  static constexpr SolveKind own_kind = of;

  __device__ explicit TaskOf(const SolveTask& task) : SolveFront(task), SolveHead(task) {
    if constexpr (!std::is_empty_v<Details>) {
      Details details;
      memcpy(&details, task.details, sizeof(Details));
      static_cast<Details&>(*this) = details;
    }
  }
};

/// The kind of a TaskOf type, which may be a reference.
template <class Task>
inline constexpr SolveKind kind_of = std::decay_t<Task>::own_kind;

/// Calls run(task) with the task as one of its kind. Every kind of the sweep needs an overload of run; any other kind
/// stops the kernel with an error.
template <SolveKind... kinds, class Run>
__device__ void run_as_kind(const SolveTask& task, SolveKinds<kinds...>, Run run) {
  const bool is_known = ((task.kind == kinds ? (run(TaskOf<kinds>(task)), true) : false) || ...);
  if (!is_known) __trap();
}

}  // namespace gpusupernodal::cuda
