#pragma once

/// \file
/// Preconditioners that are products with sparse matrices: inverses of diagonal blocks, FSAI, and SSOR's approximate
/// inverse.

#include <cstdint>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "solver/backend/pcg_engine.hpp"
#include "solver/iterative/symmetric_rows.hpp"

namespace gpusupernodal {

/// Largest order of the blocks of block_jacobi.
inline constexpr int max_jacobi_block = 8;
/// Most entries of a row of G, so that a dense row of A does not cost n³; the largest are kept.
inline constexpr std::int32_t max_fsai_row = 96;

/// The row of A at which no preconditioner exists, because its diagonal entry or pivot is not positive; −1: none.
using BadRow = std::int32_t;

/// The largest order of blocks, 6 to 2, that divides n and whose rows all have equal patterns; else 4. Cost O(nnz).
int natural_block(const SymmetricRows& pattern);

/// Sets `inverses` (n × block) to the rows of the inverses of A's diagonal blocks. `block` 1 is Jacobi.
template <class S>
BadRow invert_blocks(const SymmetricRows& pattern, const SparseRows<S>& a, int block, ThreadTeam& team,
                     RawVector<S>& inverses);

/// G with M⁻¹ = Gᴴ G, and Gᴴ.
template <class S>
struct FactorizedInverse {
  SparseRows<S> g;
  SparseRows<S> transposed;
  std::int64_t plain_rows = 0;  ///< Rows whose local matrix is singular up to rounding: G has their diagonal only.
};

/// Makes G on the pattern of A's lower triangle so that diag(G A Gᴴ) = I and ‖I − G L‖ is least [KY93]: for each row one
/// Cholesky factorization of a matrix as large as the row, in double. Deterministic. Cost: Σ m³/3 for rows of m entries.
template <class S>
BadRow make_fsai(const SymmetricRows& pattern, const SparseRows<S>& a, ThreadTeam& team, FactorizedInverse<S>& inverse);

/// Makes G = (I − D^−½ L D^−½) D^−½, with which Gᴴ G is SSOR's inverse up to first order; D and L are the diagonal of A
/// and what is below. Sets `bound` ≥ ‖D^−½ L D^−½‖₂²; the relative error of Gᴴ G is at most of this order, and the
/// preconditioner may be useless where it exceeds 1. Cost O(nnz).
template <class S>
BadRow make_ssor_inverse(const SymmetricRows& pattern, const SparseRows<S>& a, FactorizedInverse<S>& inverse, double& bound);

}  // namespace gpusupernodal
