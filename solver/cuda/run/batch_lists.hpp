#pragma once

/// \file
/// The lists of a BatchProgram on a device.

#include <memory>

#include "gpusupernodal/allocator.hpp"
#include "kernels/cuda/batch_kernels.hpp"
#include "solver/cuda/plan/batch_program.hpp"
#include "solver/cuda/run/device_memory.hpp"

namespace gpusupernodal::cuda {

struct BatchLists {
  BatchFactorLists factor;
  BatchSolveLists solve;
  BatchSolveLists transposed;  ///< As `solve` if the matrix is symmetric.

  /// Copies the lists to the current device. Throws OutOfMemory.
  BatchLists(const BatchProgram& program, const std::shared_ptr<Allocator>& allocator);

 private:
  Slab slab_;
};

}  // namespace gpusupernodal::cuda
