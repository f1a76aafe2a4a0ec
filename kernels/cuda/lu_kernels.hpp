#pragma once

/// \file
/// Launches of the kernels that factorize a general matrix, P B Pᵀ = L·U. Each works on a list of tasks as its counterpart
/// in factor_kernels.hpp does, for L and for Uᵀ. All are asynchronous on `stream`, allocate nothing, and throw DeviceError
/// if the launch is refused. Pointers are device memory.

#include "kernels/cuda/factor_kernels.hpp"

namespace gpusupernodal::cuda {

/// What a factorization of a general matrix has besides the panels of L.
template <class T>
struct LuData {
  FactorData<T> data;        ///< data.tasks_added is nullptr: there is no fixed order of additions.
  std::int64_t partner = 0;  ///< Values between an entry of L's panels and that of Uᵀ in the same place.
  DeviceStatus* status = nullptr;
  double perturbation = 0.0;  ///< A pivot smaller than this times status->largest_in_a is replaced.
};

/// Factorizes whole fronts of at most 16 columns and tiny_front rows: writes L, with ones on its diagonal, and Uᵀ into
/// the lower parts and the transposes of L⁻¹ and of (Uᵀ)⁻¹ strictly above the diagonals, solves for the rows below, and
/// subtracts the updates from the ancestors. A pivot that is not finite stays on U's diagonal.
template <class T>
void factor_tiny_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, cudaStream_t stream);

/// Like factor_tiny_lu_fronts for fronts of at most narrow_width columns and narrow_below rows below.
template <class T>
void factor_narrow_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, cudaStream_t stream);

/// Like factor_tiny_lu_fronts for fronts of at most tile_size columns and small_front rows. `entries`: shared-memory
/// entries of the largest front's panel, at most small_entries / 2.
template <class T>
void factor_small_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, int entries, cudaStream_t stream);

/// Computes L, U and their inverses of diagonal blocks of at most tile_size columns, without rows below. Precondition as
/// for factor_diagonal.
template <class T>
void factor_lu_diagonal(const LuData<T>& lu, const DiagonalTask* tasks, int count, cudaStream_t stream);

/// Computes rows of L by B := B · U⁻¹ and rows of Uᵀ by C := C · L⁻ᵀ below a factorized block, 64 of each per task.
/// `rows_are_ready` as for trsm_below.
template <class T>
void lu_trsm_below(const LuData<T>& lu, const TrsmTask* tasks, int count, bool rows_are_ready, cudaStream_t stream);

/// Subtracts the tasks' product tiles, L·(Uᵀ)ᵀ from L and Uᵀ·Lᵀ from Uᵀ. Precondition as for apply_updates.
template <class T>
void apply_lu_updates(const LuData<T>& lu, const ProductTask* tasks, int count, cudaStream_t stream);

/// Loads the kernels onto the current device and raises their limits of dynamic shared memory. Call it once before the
/// first launch.
template <class T>
void prepare_lu_kernels();
/// Parts of prepare_lu_kernels.
template <class T>
void prepare_lu_products();
template <class T>
void prepare_lu_trsm();
template <class T>
void prepare_lu_diagonal();

}  // namespace gpusupernodal::cuda
