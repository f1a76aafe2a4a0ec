#pragma once

/// \file
/// The entries of A that one of several parts has, and where they go.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/host/plan/part_plan.hpp"

namespace gpusupernodal {

/// Entry k of a part's values is entry (row[k], column[k]) of A in the caller's numbering. It adds to a panel of the part's
/// subtrees or to one of its block columns.
struct PartEntries {
  /// The entries in subtrees, as HostFactor reads them (FactorInput::map).
  AssemblyMap subtrees;
  /// The entries in block columns. `target` counts from the first value of the part's block columns; `source` is k; rows and
  /// columns are those of the whole, row ≥ column.
  struct OfTop {
    std::int64_t source = 0;
    std::int64_t target = 0;
    NewIndex row;
    NewIndex column;
    bool conjugated = false;  ///< Whether the entry of L's half is the conjugate of the stored one.
  };
  std::vector<OfTop> top;
};

/// Which half of A the entries are from does not matter for real numbers. Precondition: those of a complex matrix all are
/// from one half, the upper one if `upper` (require_half). Throws InvalidInput if an entry belongs to another part, is
/// outside of the pattern, or occurs twice. Cost O(entries · log(rows)).
PartEntries place_entries(const PartPlan& plan, std::span<const std::int64_t> rows, std::span<const std::int64_t> columns,
                          bool upper);

/// Throws InvalidInput if an entry is in the other half than the one that `upper` names. The diagonal is in both.
void require_half(std::span<const std::int64_t> rows, std::span<const std::int64_t> columns, bool upper);

}  // namespace gpusupernodal
