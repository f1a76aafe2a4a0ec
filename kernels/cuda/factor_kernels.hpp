#pragma once

/// \file
/// Launches of the kernels that factorize: each works on a list of tasks of any number of panels. All are asynchronous on
/// `stream`, allocate nothing, and throw DeviceError if the launch is refused. Pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/cuda/tasks.hpp"

namespace gpusupernodal::cuda {

/// Blocks of at most warp_width columns: L in the lower part, L⁻¹ transposed strictly above the diagonal, and rows below
/// up to the task's row_end scaled by L⁻ᵀ. A pivot that is not positive and finite is left on the diagonal as it is.
template <class T>
void factor_narrow(T* values, const PanelInfo* panels, const DiagonalTask* tasks, int count, cudaStream_t stream);

/// The same for blocks of warp_width+1 … tile_size columns, without rows below.
template <class T>
void factor_wide(T* values, const PanelInfo* panels, const DiagonalTask* tasks, int count, cudaStream_t stream);

/// B := B · L⁻ᵀ for 64 rows below a factorized block a task.
template <class T>
void scale_rows(T* values, const PanelInfo* panels, const ScaleTask* tasks, int count, cudaStream_t stream);

/// Subtracts the tasks' product tiles, each entry by a reduction in memory. Where several tasks of one launch or of
/// concurrent ones hit one entry, the order of additions, and so the last bits, depends on timing.
/// `update_of_row` has, for each row below of each panel, the update whose target holds this row as a column.
template <class T>
void subtract_products(T* values, const PanelInfo* panels, const UpdateInfo* updates, const std::int32_t* update_of_row,
                       const std::int32_t* relative_rows, const ProductTask* tasks, int count, cudaStream_t stream);

/// Raises the kernels' limits of dynamic shared memory on the current device; once before the first launch.
template <class T>
void prepare_factor_kernels();
/// Its part for subtract_products.
template <class T>
void prepare_products();

}  // namespace gpusupernodal::cuda
