#pragma once

/// \file
/// What LU adds to the structure of a symmetric factorization.

#include <cstdint>
#include <vector>

#include "solver/factor/assembly_map.hpp"
#include "solver/general/column_entries.hpp"
#include "solver/general/matching.hpp"

namespace gpusupernodal {

/// A general matrix A is factorized as P B Pᵀ = L U, where B has the rows of A in the order of a matching, so that B's
/// diagonal is A's matched entries. The elimination order P, and with it the columns of A, are in
/// SymbolicFactor::permutation.
struct GeneralStructure {
  ColumnEntries entries;  ///< All entries of A.
  /// Row of A that is eliminated k-th.
  IdVector<NewIndex, OldIndex> old_row_of_new;
  /// The matching, with its scales; these are empty if rows are not exchanged.
  Matching matching;
  /// Binary exponents of scales for the values that were analyzed, by row and column of A: those of the matching, otherwise
  /// those of an equilibration. Empty if the values were not read.
  std::vector<std::int32_t> row_exponent;
  std::vector<std::int32_t> column_exponent;
};

/// Returns where the entries of A go in the panels of L and U: entries on and above the diagonal of P B Pᵀ to those of Uᵀ,
/// whose targets begin at layout.values(); entries below it to those of L. `row` and `column` of the map are those of P B
/// Pᵀ. Precondition: `factor` is the structure of B's symmetrized pattern. Cost O(nnz + rows of the panels).
AssemblyMap build_general_assembly_map(const GeneralStructure& general, const SymbolicFactor& factor,
                                       const PanelLayout& layout);

}  // namespace gpusupernodal
