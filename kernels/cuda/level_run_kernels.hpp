#pragma once

/// \file
/// Launches that factorize whole fronts of several levels: each front begins when its children are done. They do what
/// factor_narrow_fronts and factor_small_fronts of factor_kernels.hpp, or their counterparts of LU and LDLᵀ, do level by
/// level. All are asynchronous on `stream`, allocate nothing, and throw DeviceError if the launch is refused. Pointers are
/// device memory.

#include "kernels/common/level_run_records.hpp"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/ldlt_kernels.hpp"
#include "kernels/cuda/lu_kernels.hpp"

namespace gpusupernodal::cuda {

/// A run of levels. Groups are in an order in which the children of every front are in earlier ones.
struct LevelRun {
  const RunFront* fronts = nullptr;
  const RunGroup* groups = nullptr;
  std::int32_t count = 0;            ///< Groups.
  std::int32_t entries = 0;          ///< Entries of the largest panel in shared memory that a CTA factorizes.
  std::int32_t* counters = nullptr;  ///< For each panel: its children that are done. 0 between launches.
  std::int32_t* claims = nullptr;    ///< Groups that have begun. 0 between launches.
};

/// Precondition: data.tasks_added is nullptr.
template <class T>
void factor_level_run(const FactorData<T>& data, const LevelRun& run, cudaStream_t stream);
template <class T>
void factor_ldlt_level_run(const LdltData<T>& data, const LevelRun& run, cudaStream_t stream);
template <class T>
void factor_lu_level_run(const LuData<T>& lu, const LevelRun& run, cudaStream_t stream);

/// Load the kernels onto the current device and raise their limits of dynamic shared memory. Call them once before the first
/// launch.
template <class T>
void prepare_level_run();
template <class T>
void prepare_ldlt_level_run(bool symmetric);
template <class T>
void prepare_lu_level_run();

}  // namespace gpusupernodal::cuda
