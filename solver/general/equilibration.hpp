#pragma once

/// \file
/// Scales rows and columns so that the largest entry of each is about 1, by Ruiz's iteration [Ruiz01].

#include <vector>

#include "solver/general/column_entries.hpp"

namespace gpusupernodal {

/// Factors of rows and columns, powers of two: multiplying by them is exact unless the result leaves the range of its type.
struct Scales {
  std::vector<double> row;
  std::vector<double> column;

  std::vector<double> largest;  ///< Workspace of equilibrate.
};

/// Sets scales so that the largest of the magnitudes row[i]·|a(i, j)|·column[j] in each row and each column is about 1. No
/// magnitude exceeds 3. After the first sweep, each sweep takes the square root of all maxima; there are at most 5 sweeps.
/// They end early when all maxima are known to exceed 1/6. Only the exponents of the entries are used, so nothing overflows;
/// exponents of scales beyond ±1022 are cut off, which happens only to magnitudes beyond 2^±700 and can break these bounds.
/// The scales depend on the values alone, not on what `scales` held. Rows and columns without nonzeros have the scale 1.
/// The magnitude of a complex entry is that of its larger part. Infinite or NaN entries do not count.
/// T: float, double and their complex types. Allocates only if a vector of `scales` does not have n entries.
/// Precondition: values has an element for each index in a.entry. Cost: O(n + nnz) per sweep.
template <class T>
void equilibrate(const ColumnEntries& a, const T* values, Scales& scales);

}  // namespace gpusupernodal
