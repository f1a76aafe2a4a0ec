#pragma once

/// \file
/// Launches of the kernels that factorize. Each works on a list of tasks of any number of panels. All are asynchronous
/// on `stream`, allocate nothing, and throw DeviceError if the launch is refused. Pointers are device memory.

#include <cuda_runtime_api.h>

#include "kernels/common/device_complex.hpp"
#include "kernels/common/records.hpp"
#include "kernels/cuda/trace_buffer.hpp"

namespace gpusupernodal::cuda {

/// Arrays that all kernels read, and the panels' values, which they change.
template <class T>
struct FactorData {
  T* values = nullptr;
  const PanelInfo* panels = nullptr;
  const UpdateInfo* updates = nullptr;
  const std::int32_t* update_of_row = nullptr;  ///< For each row below of each panel: the update that contains it as a
                                                ///< column.
  const std::int32_t* relative_rows = nullptr;
  /// Ordered accumulation: number of tasks that have added to each column of L; nullptr if any order is allowed.
  std::int32_t* tasks_added = nullptr;
  const std::int32_t* tasks_before_row = nullptr;  ///< For each row below of each panel: value of tasks_added at which it
                                                   ///< may be updated.
  const std::int32_t* rows = nullptr;              ///< For each row below of each panel: its column of L.
  std::int32_t* claims = nullptr;                  ///< Number of tasks that the launch has begun.
  std::int32_t* readers = nullptr;                 ///< For each panel: counter of factor_block_columns, 0 between launches.
  TraceBuffer* trace = nullptr;                    ///< Where CTAs record their tasks; nullptr: nowhere.
  bool early = false;  ///< Launches may begin before the preceding launch in the stream has ended.
};

/// Factorizes whole fronts of at most 16 columns and tiny_front rows: writes L into the lower part and the transpose of
/// L⁻¹ strictly above the diagonal, solves for the rows below, and subtracts the update from the ancestors as
/// apply_updates does. A pivot that is not positive and finite stays on the diagonal unchanged; a pivot whose root or
/// reciprocal would overflow or underflow becomes NaN.
template <class T>
void factor_tiny_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream);

/// Like factor_tiny_fronts for fronts of at most narrow_width columns and narrow_below rows below. Precondition:
/// data.tasks_added is nullptr.
template <class T>
void factor_narrow_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream);

/// Like factor_tiny_fronts for fronts of at most tile_size columns and small_front rows. `entries`: shared-memory
/// entries of the largest front.
template <class T>
void factor_small_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream);

/// Computes L and L⁻¹ of diagonal blocks of at most tile_size columns, without rows below. Precondition: if a task
/// subtracts preceding columns, its column and its panel's offset and leading dimension are multiples of 4.
template <class T>
void factor_diagonal(const FactorData<T>& data, const DiagonalTask* tasks, int count, cudaStream_t stream);

/// Whether diagonal blocks can share a launch with products: blocks of 16-byte scalars need so many registers that products
/// beside them would be slow.
template <class T>
inline constexpr bool blocks_join_products = ScalarTraits<T>::bytes < 16;

/// Does the work of factor_diagonal and apply_updates in one launch. Precondition: blocks_join_products<T>, neither reads
/// what the other writes, and data.tasks_added is nullptr.
template <class T>
void factor_diagonal_and_apply_updates(const FactorData<T>& data, const DiagonalTask* blocks, int count,
                                       const ProductTask* tiles, int tile_count, cudaStream_t stream);

/// Computes B := B · L⁻ᵀ for rows below a factorized block, 64 per task. `rows_are_ready`: the launch follows
/// factor_diagonal in the stream, and launches before that one have finished the rows.
template <class T>
void trsm_below(const FactorData<T>& data, const TrsmTask* tasks, int count, bool rows_are_ready, cudaStream_t stream);

/// Does the work of factor_diagonal and trsm_below in one launch. `rows` are all tasks of rows below these blocks; each
/// panel has one block. Efficient only for as many tasks as the device runs at once, since each task repeats the
/// factorization of its block.
template <class T>
void factor_block_columns(const FactorData<T>& data, const DiagonalTask* blocks, int block_count, const TrsmTask* rows,
                          int row_count, cudaStream_t stream);
/// Loads the kernel and raises its limit of shared memory on the current device. Returns false if the device has too
/// little.
template <class T>
bool prepare_block_columns();

/// Subtracts the tasks' product tiles with one atomic reduction per entry. Precondition: panel offsets, leading
/// dimensions, rows and columns are multiples of 4. If several tasks of one launch or of concurrent launches update the
/// same entry, the order of additions, and so the last bits, depends on timing. With data.tasks_added, a task instead
/// waits until its predecessors have added to its columns. Tasks are then begun in the order of their list, by counting
/// in data.claims, so every task that another waits for is running or done; no other launch may use the factor
/// meanwhile.
template <class T>
void apply_updates(const FactorData<T>& data, const ProductTask* tasks, int count, cudaStream_t stream);

/// Loads the kernels onto the current device and raises their limits of dynamic shared memory, except for
/// factor_block_columns. Call it once before the first launch.
template <class T>
void prepare_factor_kernels();
/// Parts of prepare_factor_kernels.
template <class T>
void prepare_products();
template <class T>
void prepare_diagonal();
template <class T>
void prepare_trsm();

}  // namespace gpusupernodal::cuda
