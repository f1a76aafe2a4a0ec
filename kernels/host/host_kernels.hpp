#pragma once

/// \file
/// Dense block kernels of the host: single-threaded, independent of the process's BLAS, one table per instruction set.
/// All matrices are column-major; sizes may be 0. Nothing is allocated. For complex scalars Aᵀ means Aᴴ; the diagonal of a
/// Cholesky factor is real, and imaginary parts on the diagonal of the matrix are not read.

#include <cstdint>
#include <limits>

#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {

/// Instruction sets that the kernels are compiled for: x86-64-v2, -v3 (AVX2, FMA), -v4 (AVX-512); `baseline` elsewhere.
enum class HostIsa { baseline, v2, v3, v4 };

/// Rule for the pivots of an LU factorization, and what was found.
template <class T>
struct LuPivots {
  using Real = typename ScalarTraits<T>::Real;
  Real smallest_allowed = 0;  ///< A smaller pivot becomes one of this magnitude, with its sign or direction.
  std::int32_t replaced = 0;  ///< Number of pivots that were smaller.
  std::int32_t failed = -1;   ///< First column whose pivot is NaN or infinite; −1: none.
  Real smallest = std::numeric_limits<Real>::infinity();  ///< Smallest magnitude of a pivot before replacement.
  std::int32_t smallest_at = -1;                          ///< Its column.
  Real largest = 0;                                       ///< Largest magnitude of a pivot.
};

/// Most columns of a block that HostKernels::factor_ldlt takes.
inline constexpr std::int32_t max_ldlt_columns = 512;

/// Where the pivots of a block go in an LDLᵀ factorization, and the rule for small ones. Each array begins at the block.
template <class T>
struct LdltPivots {
  using Real = typename ScalarTraits<T>::Real;
  Real smallest_allowed =
      0;           ///< A single pivot below this magnitude becomes ±smallest_allowed, with its own sign. Positive.
  T* d = nullptr;  ///< 2n: entries (k, k) and (k + 1, k) of D; the latter is 0 unless a pair begins at k.
  std::int32_t* exchange = nullptr;  ///< n: in step k, rows k and k + exchange[k] ≥ k were exchanged.
  /// n: magnitude of a single pivot before it was replaced, or of the eigenvalues of a pair; for complex symmetric matrices,
  /// estimates of the singular values of a pair.
  Real* magnitude = nullptr;
  bool symmetric = false;  ///< For complex scalars: A = L D Lᵀ. Otherwise A is Hermitian, A = L D Lᴴ.
};

template <class T>
struct HostKernels {
  using Real = typename ScalarTraits<T>::Real;

  const char* name;  ///< Name of the instruction set, for reports.

  /// Computes the lower Cholesky factor of the n×n matrix a in place; the strict upper part is neither read nor
  /// written. Returns −1, or the first column whose pivot (returned in *pivot) is not positive and finite; columns
  /// before it are final.
  std::int32_t (*factor_diagonal)(std::int32_t n, T* a, std::int64_t lda, Real* pivot);
  /// B (m×n) := B · L⁻ᵀ; L is n×n lower triangular.
  void (*solve_below)(std::int32_t m, std::int32_t n, const T* l, std::int64_t ldl, T* b, std::int64_t ldb);
  /// Runs factor_diagonal on the first n rows of a (m×n, m ≥ n), and solve_below on the other rows of the final
  /// columns.
  std::int32_t (*factor_panel)(std::int32_t m, std::int32_t n, T* a, std::int64_t lda, Real* pivot);
  /// C (m×n) −= A (m×k) · B (n×k)ᵀ.
  void (*subtract_product)(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b,
                           std::int64_t ldb, T* c, std::int64_t ldc);
  /// Lower trapezoid (i ≥ j) of C (m×n, m ≥ n) −= A (m×k) · B (n×k)ᵀ. Nothing above the diagonal is written.
  void (*subtract_product_lower)(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b,
                                 std::int64_t ldb, T* c, std::int64_t ldc);
  /// C(rows[i], cols[j]) −= (A · Bᵀ)(i, j) for i < m, j < n. rows and cols are strictly ascending.
  void (*subtract_product_indexed)(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b,
                                   std::int64_t ldb, T* c, std::int64_t ldc, const std::int32_t* rows,
                                   const std::int32_t* cols);
  /// C(rows[i], cols[j]) −= (A · Bᵀ)(i, j) for i ≥ j only, m ≥ n.
  void (*subtract_product_lower_indexed)(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda,
                                         const T* b, std::int64_t ldb, T* c, std::int64_t ldc, const std::int32_t* rows,
                                         const std::int32_t* cols);

  /// X (n×nrhs) := L⁻¹ X.
  void (*forward_block)(std::int32_t n, std::int32_t nrhs, const T* l, std::int64_t ldl, T* x, std::int64_t ldx);
  /// X (n×nrhs) := L⁻ᵀ X.
  void (*backward_block)(std::int32_t n, std::int32_t nrhs, const T* l, std::int64_t ldl, T* x, std::int64_t ldx);
  /// Y (m×nrhs) −= A (m×n) · X (n×nrhs).
  void (*subtract_times)(std::int32_t m, std::int32_t n, std::int32_t nrhs, const T* a, std::int64_t lda, const T* x,
                         std::int64_t ldx, T* y, std::int64_t ldy);
  /// X (n×nrhs) −= A (m×n)ᵀ · Y (m×nrhs).
  void (*subtract_transpose_times)(std::int32_t m, std::int32_t n, std::int32_t nrhs, const T* a, std::int64_t lda,
                                   const T* y, std::int64_t ldy, T* x, std::int64_t ldx);

  /// LU factorization of a panel of m rows and n columns (m ≥ n) without exchanges: A = L U with a unit diagonal in L. Both
  /// matrices are m×n: on entry, l has A below the diagonal, and u has Aᵀ from the diagonal down (rows of A to the right
  /// of it). On return, they hold L, its diagonal 1, and Uᵀ. Nothing above their diagonals is read or written. Pivots
  /// smaller than pivots->smallest_allowed are replaced. For complex scalars u has Aᴴ, then Uᴴ. A null pointer in builds
  /// without LU.
  void (*factor_lu)(std::int32_t m, std::int32_t n, T* l, std::int64_t ldl, T* u, std::int64_t ldu, LuPivots<T>* pivots);

  /// LDLᵀ factorization of the symmetric n×n matrix a, n ≤ max_ldlt_columns: P A Pᵀ = L D Lᵀ with a unit diagonal in L and
  /// pivots of order 1 and 2 in D, by rook pivoting. Reads and overwrites the lower triangle. Returns −1, or the first step
  /// that met an entry that is not finite. A complex A is Hermitian or symmetric, as the pivots say. A null pointer in
  /// builds without LDLᵀ.
  std::int32_t (*factor_ldlt)(std::int32_t n, T* a, std::int64_t lda, const LdltPivots<T>* pivots);
};

/// Returns the table of the best instruction set that both this processor and the build have.
template <class T>
const HostKernels<T>& host_kernels();

/// Returns the table of one instruction set, or nullptr if the build or the processor lacks it.
template <class T>
const HostKernels<T>* host_kernels(HostIsa isa);

}  // namespace gpusupernodal
