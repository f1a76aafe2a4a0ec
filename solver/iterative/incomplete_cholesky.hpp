#pragma once

/// \file
/// IC(0): incomplete Cholesky without fill, on one host thread.

#include "base/raw_vector.hpp"
#include "solver/iterative/sparse_inverses.hpp"

namespace gpusupernodal {

/// L with the pattern of A's lower triangle, and its adjoint.
template <class S>
class IncompleteCholesky {
 public:
  /// Factorizes. Returns the first row without a positive pivot, or −1. Cost: Σ over the entries of L of the shorter of two
  /// rows.
  BadRow factorize(const SymmetricRows& pattern, const SparseRows<S>& a);
  /// z := L⁻ᴴ L⁻¹ r. Cost: 4 operations per entry.
  void solve(const S* r, S* z) const;

 private:
  FactorizedInverse<S> l_;  ///< L and Lᴴ.
};

}  // namespace gpusupernodal
