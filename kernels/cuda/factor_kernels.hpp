#pragma once

/// \file
/// Launches of the kernels that factorize: each works on a list of tasks of any number of panels. All are asynchronous on
/// `stream`, allocate nothing, and throw DeviceError if the launch is refused. Pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/common/records.hpp"
#include "kernels/cuda/trace_buffer.hpp"

namespace gpusupernodal::cuda {

/// What all of them read, and the panels' values, which they change.
template <class T>
struct FactorData {
  T* values = nullptr;
  const PanelInfo* panels = nullptr;
  const UpdateInfo* updates = nullptr;
  const std::int32_t* update_of_row = nullptr;  ///< For each row below of each panel, the update that has it as a column.
  const std::int32_t* relative_rows = nullptr;
  /// Where the order of additions is fixed, how many tasks have added to each column of L; else nullptr, as are the others.
  std::int32_t* tasks_added = nullptr;
  const std::int32_t* tasks_before_row =
      nullptr;                         ///< For each row below of each panel, what it must be before its own turn.
  const std::int32_t* rows = nullptr;  ///< The rows themselves, as columns of L.
  std::int32_t* claims = nullptr;      ///< Tasks that the launch has begun.
  std::int32_t* readers = nullptr;     ///< For each panel 0: those that factor_block_columns counts.
  TraceBuffer* trace = nullptr;        ///< Where CTAs write down that they ran; nullptr: nowhere.
  bool early = false;                  ///< Launches may begin before the one before them in the stream has ended.
};

/// Whole fronts of at most 16 columns and tiny_front rows: L in the lower part, L⁻¹ transposed strictly above the diagonal,
/// rows below scaled, and the update subtracted from the ancestors as apply_updates does. A pivot that is not positive
/// and finite is left on the diagonal as it is, one whose root or reciprocal is lost becomes NaN there.
template <class T>
void factor_tiny_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream);

/// The same for fronts of at most narrow_width columns and narrow_below rows below; data.tasks_added must be nullptr.
template <class T>
void factor_narrow_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream);

/// The same for fronts of at most tile_size columns and small_front rows, of which the largest takes `entries` in shared
/// memory.
template <class T>
void factor_small_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream);

/// Diagonal blocks of at most tile_size columns: L and L⁻¹, without rows below. Where a task subtracts the columns before
/// its own, offset and leading dimension of its panel, and its column, are multiples of 4.
template <class T>
void factor_diagonal(const FactorData<T>& data, const DiagonalTask* tasks, int count, cudaStream_t stream);

/// The same and apply_updates in one launch, neither of which needs what the other writes; data.tasks_added must be nullptr.
template <class T>
void factor_diagonal_beside(const FactorData<T>& data, const DiagonalTask* blocks, int count, const ProductTask* tiles,
                            int tile_count, cudaStream_t stream);

/// B := B · L⁻ᵀ for 64 rows below a factorized block a task. `rows_are_ready`: it follows factor_diagonal in the stream, and
/// launches before that one have left the rows as they are.
template <class T>
void trsm_below(const FactorData<T>& data, const TrsmTask* tasks, int count, bool rows_are_ready, cudaStream_t stream);

/// Both in one launch: `rows` are all tasks of rows below these blocks, of which each panel has one. For as many
/// tasks as the device begins at once, since each factorizes its block for itself.
template <class T>
void factor_block_columns(const FactorData<T>& data, const DiagonalTask* blocks, int block_count, const TrsmTask* rows,
                          int row_count, cudaStream_t stream);
/// Loads it and raises its limit of shared memory on the current device; false where that has not enough.
template <class T>
bool prepare_block_columns();

/// Subtracts the tasks' product tiles, each entry by a reduction in memory. Offsets and leading dimensions of their panels,
/// and their rows and columns, are multiples of 4. Where several tasks of one launch or of
/// concurrent ones hit one entry, the order of additions, and so the last bits, depends on timing; but with
/// data.tasks_added, a task waits until all that have their turn before it have added to the columns it adds to. Then tasks
/// are begun in the order of their list, by counting in `data.claims`, so that whoever is waited for is under way or done,
/// and the launch must be alone in using this factor.
template <class T>
void apply_updates(const FactorData<T>& data, const ProductTask* tasks, int count, cudaStream_t stream);

/// Loads the kernels onto the current device and raises their limits of dynamic shared memory there; once before the first
/// launch. Not that of factor_block_columns.
template <class T>
void prepare_factor_kernels();
/// Its parts.
template <class T>
void prepare_products();
template <class T>
void prepare_diagonal();
template <class T>
void prepare_trsm();

}  // namespace gpusupernodal::cuda
