#pragma once

/// \file
/// Tasks of the triangular solves, along the cut of a factorization's schedule.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

enum class SolveTaskKind : std::uint8_t {
  subtree,  ///< A whole leaf subtree or chain; forward, a chain first adds the contributions of its descendants.
  gather,  ///< Forward: adds the descendants' contributions to a supernode's columns. Backward: collects the entries of x in
           ///< its rows.
  diagonal,  ///< Solve with the diagonal tile of a block column.
  below,     ///< Product with a tile below the diagonal.
  complete   ///< No work: marks a supernode's contributions to its ancestors as final.
};

struct SolveTask {
  SolveTaskKind kind = SolveTaskKind::complete;
  SubtreeId subtree;           ///< For subtree.
  SupernodeId supernode;       ///< For gather, complete.
  BlockColumnId block;         ///< For diagonal, below.
  std::int32_t row_begin = 0;  ///< For below: first row of the tile in the panel.
  std::int32_t row_end = 0;
  double flops = 0.0;  ///< Flops with one right-hand side.
};

/// Contributions of leaf subtrees, chains and supernodes above them to rows outside themselves are kept in a boundary
/// vector z, from which the ancestors gather them in a fixed order: no two tasks write the same entry, and the result's
/// bits do not depend on threads.
struct SolveSchedule {
  SolveSchedule() = default;
  SolveSchedule(SolveSchedule&&) = default;
  SolveSchedule& operator=(SolveSchedule&&) = default;
  SolveSchedule(const SolveSchedule&) = delete;  // Gathers point into subtree_rows.
  SolveSchedule& operator=(const SolveSchedule&) = delete;

  Graph<SolveTask> forward;
  Graph<SolveTask> backward;

  std::int64_t boundary_entries = 0;                   ///< Length of z.
  IdVector<SubtreeId, std::int64_t> subtree_boundary;  ///< subtrees + 1 entries: start of each subtree's part of z.
  std::vector<NewIndex> subtree_rows;  ///< Rows outside each subtree, ascending; z[i] belongs to subtree_rows[i].
  IdVector<SupernodeId, std::int64_t> supernode_boundary;  ///< Where z starts for a supernode above; its rows are rows_of.
  IdVector<SupernodeId, std::int32_t> rows_inside;     ///< In a subtree: number of a supernode's rows inside the subtree.
  IdVector<SupernodeId, std::int64_t> outside_offset;  ///< supernodes + 1 offsets into outside_position.
  std::vector<std::int32_t> outside_position;          ///< Positions of the other rows in the subtree's part of z.
  std::int64_t largest_rows_in_subtrees = 0;           ///< Maximum of rows_below over supernodes in subtrees.

  /// `count` entries of z starting at `boundary`; they belong to the rows at `rows`.
  struct Gather {
    std::int64_t boundary = 0;
    const NewIndex* rows = nullptr;
    std::int32_t count = 0;
    SubtreeId subtree;      ///< Source: a subtree or chain, …
    SupernodeId supernode;  ///< … or another supernode above.
  };
  IdVector<SupernodeId, std::int64_t> gather_offset;  ///< supernodes + 1 offsets into gathers.
  std::vector<Gather> gathers;

  std::span<const Gather> gathers_of(SupernodeId k) const { return gathers_of(k, k); }
  /// Gathers of supernodes first … last.
  std::span<const Gather> gathers_of(SupernodeId first, SupernodeId last) const {
    const std::int64_t begin = gather_offset[first];
    return {gathers.data() + begin, static_cast<std::size_t>(gather_offset[last + 1] - begin)};
  }
};

/// Cost: O(|rows| log |rows|). The result points into `factor`, which must outlive it at the same address.
SolveSchedule build_solve_schedule(const SymbolicFactor& factor, const Schedule& schedule);

/// Builds the task graphs. Precondition: boundaries and gathers of `solve` are filled in.
void build_solve_graphs(const SymbolicFactor& factor, const Schedule& schedule, SolveSchedule& solve);

}  // namespace gpusupernodal
