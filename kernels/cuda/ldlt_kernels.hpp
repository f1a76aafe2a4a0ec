#pragma once

/// \file
/// Launches of the kernels that factorize a symmetric (complex: Hermitian) indefinite matrix, P A Pᵀ = L·S·Lᵀ, where S is
/// diagonal with entries 1 and −1. They are the kernels of factor_kernels.hpp, instantiated with signs. What is stored is W
/// = L·S: a triangle whose diagonal has the signs of S, with A = W·S·Wᵀ. All launches are asynchronous on `stream`, allocate
/// nothing, and throw DeviceError if the launch is refused. Pointers are device memory.

#include "kernels/cuda/factor_kernels.hpp"

namespace gpusupernodal::cuda {

/// Which complex matrices are factorized; real ones are both.
template <class T>
struct LdltSymmetry {};
template <class R>
struct LdltSymmetry<Complex<R>> {
  bool is_symmetric = false;  ///< A is symmetric, not Hermitian: P A Pᵀ = L·Lᵀ, without signs, with complex roots of pivots.
};

/// FactorData of a symmetric indefinite matrix. tasks_added is nullptr: there is no fixed order of additions.
template <class T>
struct LdltData : FactorData<T>, LdltSymmetry<T> {
  /// For each column, the pivot that was found, in the scaled matrix; real for a Hermitian one. Its sign bit is the
  /// column's sign in S.
  T* pivots = nullptr;
  const DeviceStatus* status = nullptr;
  double perturbation = 0.0;  ///< A pivot smaller than this times status->largest_in_a is replaced.
};

/// LdltData of a complex symmetric matrix, as kernels take it.
template <class T>
struct SymmetricData : LdltData<T> {
  explicit SymmetricData(const LdltData<T>& data) : LdltData<T>(data) {}
};

/// Calls launch(data) with the data as kernels take them: LdltData or SymmetricData.
template <class T, class Launch>
void as_kernels_take(const LdltData<T>& data, const Launch& launch) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (data.is_symmetric) return launch(SymmetricData<T>(data));
  }
  launch(data);
}

/// Whether the second factor of these data is Lᴴ, not Lᵀ.
template <class Data>
inline constexpr bool is_adjoint = true;
template <class T>
inline constexpr bool is_adjoint<SymmetricData<T>> = false;

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
bool prepare_ldlt_block_columns(bool symmetric);

/// Counterpart of apply_updates: subtracts tiles of W·S·Wᵀ.
template <class T>
void apply_ldlt_updates(const LdltData<T>& data, const ProductTask* tasks, int count, cudaStream_t stream);

/// Loads the kernels onto the current device and raises their limits of dynamic shared memory, except for
/// factor_ldlt_block_columns. Call it once before the first launch. `symmetric`: those for complex symmetric matrices.
template <class T>
void prepare_ldlt_kernels(bool symmetric);
/// Parts of prepare_ldlt_kernels.
template <class T>
void prepare_ldlt_products(bool symmetric);
template <class T>
void prepare_ldlt_diagonal(bool symmetric);
template <class T>
void prepare_ldlt_trsm(bool symmetric);

}  // namespace gpusupernodal::cuda
