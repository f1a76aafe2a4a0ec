#pragma once

/// \file
/// The triangular solves cut into tasks along the cut of a factorization.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

enum class SolveTaskKind : std::uint8_t {
  subtree,   ///< All of a leaf subtree or chain; of a chain forward, what descendants leave for its columns is added first.
  gather,    ///< Forward: adds what descendants leave for a supernode's columns. Backward: collects the entries of its rows.
  diagonal,  ///< Solve with the diagonal tile of a block column.
  below,     ///< Product with a tile below.
  complete   ///< No work: what a supernode leaves for its ancestors is final.
};

struct SolveTask {
  SolveTaskKind kind = SolveTaskKind::complete;
  SubtreeId subtree;           ///< subtree
  SupernodeId supernode;       ///< gather, complete
  BlockColumnId block;         ///< diagonal, below
  std::int32_t row_begin = 0;  ///< below: rows of the panel.
  std::int32_t row_end = 0;
  double flops = 0.0;  ///< With one right-hand side.
};

/// What a leaf subtree, a chain or another supernode above contributes to rows outside itself is kept in a boundary vector
/// z, from where the ancestors gather it in a fixed order: no two tasks write the same entry, and the bits do not depend on
/// threads.
struct SolveSchedule {
  SolveSchedule() = default;
  SolveSchedule(SolveSchedule&&) = default;
  SolveSchedule& operator=(SolveSchedule&&) = default;
  SolveSchedule(const SolveSchedule&) = delete;  // Gathers point into subtree_rows.
  SolveSchedule& operator=(const SolveSchedule&) = delete;

  Graph<SolveTask> forward;
  Graph<SolveTask> backward;

  std::int64_t boundary_entries = 0;                   ///< Length of z.
  IdVector<SubtreeId, std::int64_t> subtree_boundary;  ///< subtrees + 1: where a subtree's part of z starts.
  std::vector<NewIndex> subtree_rows;  ///< Rows outside each subtree, ascending; entry z[i] is for subtree_rows[i].
  IdVector<SupernodeId, std::int64_t> supernode_boundary;  ///< Where z of a supernode above starts; its rows are rows_of.
  IdVector<SupernodeId, std::int32_t> rows_inside;         ///< In a subtree: how many of a supernode's rows stay inside.
  IdVector<SupernodeId, std::int64_t> outside_offset;      ///< supernodes + 1, into outside_position.
  std::vector<std::int32_t> outside_position;              ///< Of the other rows: place in the subtree's part of z.
  std::int64_t largest_rows_in_subtrees = 0;               ///< Most rows below of a supernode in a subtree.

  /// `count` entries of z from `boundary` on belong to the rows that start at `rows`.
  struct Gather {
    std::int64_t boundary = 0;
    const NewIndex* rows = nullptr;
    std::int32_t count = 0;
    SubtreeId subtree;      ///< Source: a subtree or chain …
    SupernodeId supernode;  ///< … or another supernode above.
  };
  IdVector<SupernodeId, std::int64_t> gather_offset;  ///< supernodes + 1, into gathers.
  std::vector<Gather> gathers;

  std::span<const Gather> gathers_of(SupernodeId k) const { return gathers_of(k, k); }
  /// Of supernodes first … last.
  std::span<const Gather> gathers_of(SupernodeId first, SupernodeId last) const {
    const std::int64_t begin = gather_offset[first];
    return {gathers.data() + begin, static_cast<std::size_t>(gather_offset[last + 1] - begin)};
  }
};

/// Cost O(|rows| log). The result points into `factor`, which must stay where it is.
SolveSchedule build_solve_schedule(const SymbolicFactor& factor, const Schedule& schedule);

/// The task graphs of a schedule whose boundaries and gathers are filled in.
void build_solve_graphs(const SymbolicFactor& factor, const Schedule& schedule, SolveSchedule& solve);

}  // namespace gpusupernodal
