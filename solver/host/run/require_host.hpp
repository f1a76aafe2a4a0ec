#pragma once

/// \file
/// Refuses vectors that the host backend cannot read.

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

/// Throws InvalidInput if the view, called `name` in the message, is in device memory.
template <class T>
void require_host(const DenseView<T>& view, const char* name) {
  if (view.space == MemorySpace::device) {
    fail<InvalidInput>("{} is in device memory, but the solver runs on the host backend; copy it to the host first", name);
  }
}

}  // namespace gpusupernodal
