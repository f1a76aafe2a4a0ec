#pragma once

/// \file
/// Launches of the kernels that factorize a symmetric (complex: Hermitian) indefinite matrix, P A Pᵀ = L·S·Lᵀ, where S is
/// diagonal with entries 1 and −1. They are the kernels of factor_kernels.hpp, instantiated with signs. What is stored is W
/// = L·S: a triangle whose diagonal has the signs of S, with A = W·S·Wᵀ. All launches are asynchronous on `stream`, allocate
/// nothing, and throw DeviceError if the launch is refused. Pointers are device memory.

#include "kernels/cuda/factor_kernels.hpp"

namespace gpusupernodal::cuda {

/// FactorData of a symmetric indefinite matrix. tasks_added is nullptr: there is no fixed order of additions.
template <class T>
struct LdltData : FactorData<T> {
  /// For each column, the pivot that was found, in the scaled matrix; real, too, if T is complex. Its sign bit is the
  /// column's sign in S.
  T* pivots = nullptr;
  const DeviceStatus* status = nullptr;
  double perturbation = 0.0;  ///< A pivot smaller than this times status->largest_in_a is replaced.
};

/// Whether columns of these data have signs.
template <class Data>
inline constexpr bool is_signed = false;
template <class T>
inline constexpr bool is_signed<LdltData<T>> = true;

/// Counterparts of factor_tiny_fronts, factor_narrow_fronts and factor_small_fronts: write W into the lower part and the
/// transpose of W⁻¹ strictly above the diagonal. A pivot that is too small is replaced by one of its sign; one that is not
/// finite stays on the diagonal.
template <class T>
void factor_tiny_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream);
template <class T>
void factor_narrow_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream);
template <class T>
void factor_small_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream);

/// Counterparts of factor_diagonal and factor_diagonal_and_apply_updates.
template <class T>
void factor_ldlt_diagonal(const LdltData<T>& data, const DiagonalTask* tasks, int count, cudaStream_t stream);
template <class T>
void factor_ldlt_diagonal_and_apply_updates(const LdltData<T>& data, const DiagonalTask* blocks, int count,
                                            const ProductTask* tiles, int tile_count, cudaStream_t stream);

/// Counterpart of trsm_below: B := B · W⁻ᵀ · S.
template <class T>
void ldlt_trsm_below(const LdltData<T>& data, const TrsmTask* tasks, int count, bool rows_are_ready, cudaStream_t stream);

/// Counterpart of factor_block_columns.
template <class T>
void factor_ldlt_block_columns(const LdltData<T>& data, const DiagonalTask* blocks, int block_count, const TrsmTask* rows,
                               int row_count, cudaStream_t stream);
/// Counterpart of prepare_block_columns.
template <class T>
bool prepare_ldlt_block_columns();

/// Counterpart of apply_updates: subtracts tiles of W·S·Wᵀ.
template <class T>
void apply_ldlt_updates(const LdltData<T>& data, const ProductTask* tasks, int count, cudaStream_t stream);

/// Loads the kernels onto the current device and raises their limits of dynamic shared memory, except for
/// factor_ldlt_block_columns. Call it once before the first launch.
template <class T>
void prepare_ldlt_kernels();
/// Parts of prepare_ldlt_kernels.
template <class T>
void prepare_ldlt_products();
template <class T>
void prepare_ldlt_diagonal();
template <class T>
void prepare_ldlt_trsm();

}  // namespace gpusupernodal::cuda
