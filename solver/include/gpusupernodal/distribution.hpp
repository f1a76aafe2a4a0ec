#pragma once

/// \file
/// How a factorization divides among several processes or devices, called parts.

#include <complex>
#include <cstdint>
#include <vector>

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal {

/// Among how many parts a factorization is divided, and what each part can take.
struct DistributionOptions {
  int parts = 1;                            ///< At least 1.
  std::vector<double> speeds;               ///< Relative speeds, positive, one for each part; empty: all are equal.
  std::vector<std::int64_t> memory_limits;  ///< Most bytes on each part (PartReport::bytes_in_all); empty: no limits.
};

/// What one part does and holds.
struct PartReport {
  std::int64_t subtrees = 0;            ///< Subtrees of the assembly tree that it factorizes alone.
  std::int64_t top_columns = 0;         ///< Block columns that it owns above the subtrees.
  std::int64_t bytes = 0;               ///< Values of the factor, in bytes.
  std::int64_t contribution_bytes = 0;  ///< What its subtrees subtract from the top, held beside the factor.
  std::int64_t buffer_bytes = 0;        ///< Buffer for what other parts send: at most one block column or piece of one.
  std::int64_t bytes_in_all = 0;        ///< Sum of the three. Entries of A, lists and vectors of solves are not counted.
  double flops = 0.0;                   ///< Including explicit zeros.
  double seconds = 0.0;                 ///< Estimated time at which its last task of a factorization ends.
};

/// A division of a factorization. Times are estimates of the cost model for one thread a part, not counting transfers, so
/// real ones are longer.
struct DistributionReport {
  std::vector<PartReport> parts;  ///< By part.
  double flops = 0.0;             ///< Work of all parts.
  double top_flops = 0.0;         ///< Work of the block columns above the subtrees, which all parts share.
  std::int64_t bytes = 0;         ///< Values of the factor, of all parts.
  double seconds = 0.0;           ///< Time of all parts together.
  double seconds_of_one = 0.0;    ///< Time of one part that does all work, at speed 1.
};

/// Divides the Cholesky factorization of a plan for values of type T. Throws InvalidInput if the plan is for LU, if the
/// options have wrong lengths or numbers, or if the limits of memory are too small. Makes no factor. Cost of each of at most
/// about 100 divisions that are tried: O(supernodes + rows of the top and of the roots of subtrees + pairs of block columns
/// of which one updates the other).
template <class T = double>
DistributionReport distribution(const FactorPlan& plan, const DistributionOptions& options);

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) \
  extern template GPUSUPERNODAL_API DistributionReport distribution<T>(const FactorPlan&, const DistributionOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
