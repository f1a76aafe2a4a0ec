#pragma once

/// \file
/// PartPlan: what one of several parts does in a factorization LLᵀ on hosts, in its solves, and what it sends and receives.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solver/factor/top_columns.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/plan/part_structure.hpp"

namespace gpusupernodal {

/// A block column of the top, as all parts know it. It stores its rows (own columns, then rows below) with leading
/// dimension rows(): rows first … front−1 of the supernode's panel.
struct TopBlock {
  SupernodeId supernode;   ///< A supernode of the top.
  std::int32_t first = 0;  ///< First column, within the supernode.
  std::int32_t width = 0;
  std::int32_t front = 0;  ///< Rows of the supernode's panel.
  TopIndex begin;          ///< First column, within the top.
  PartId owner;
  std::int64_t offset = -1;       ///< On the owner, where its values begin among those of the part's block columns.
  std::int32_t last_source = -1;  ///< Last block column that updates it; −1: none.
  std::vector<PartId> readers;    ///< Parts that need its values, other than the owner; ascending.
  /// Parts, other than the owner, that add to its entries of a vector forward, and need its solution backward; ascending.
  std::vector<PartId> neighbours;

  std::int32_t rows() const { return front - first; }
  std::int64_t values() const { return std::int64_t{rows()} * width; }
};

/// A product of a block column with itself, which updates a block column of this part.
struct TopProduct {
  std::int32_t target = 0;
  UpdateId update;             ///< Between supernodes of the top; invalid within one supernode.
  std::int32_t row_begin = 0;  ///< With `update`: rows row_begin … row_end−1 of the update are columns of the target.
  std::int32_t row_end = 0;
};

/// Columns of a part's contribution block that lie in one block column of the top, and in one of the contribution block. Its
/// values are whole columns of that block column, from row first_of_block(first) on.
struct ContributionPiece {
  PartId from;
  std::int32_t block = 0;  ///< A block column of the top.
  std::int32_t first = 0;  ///< Columns first … last−1 of the contribution block.
  std::int32_t last = 0;
  std::int64_t offset = 0;  ///< Place of the first value in the panel of the contribution block.
  std::int64_t ld = 0;

  std::int64_t values() const { return ld * (last - first); }
};

struct PartPlan {
  std::shared_ptr<const SymbolicFactor> whole;
  PartMap map;
  PartId part;

  /// The subtrees of this part, and as the last supernode its contribution block. The assembly map is empty, because the
  /// entries are not known: see PartEntries.
  std::shared_ptr<const HostPlan> subtrees;
  std::vector<NewIndex> subtree_columns;  ///< Columns of the whole.
  IdVector<NewIndex, NewIndex> local;     ///< Column of `subtrees` for each column of the whole; else invalid.
  SupernodeId contribution;               ///< In `subtrees`; invalid if there is none.

  TopStructure top;
  UpdateList top_updates;
  std::vector<TopBlock> blocks;                     ///< All, ascending.
  IdVector<SupernodeId, std::int32_t> first_block;  ///< First block column of each supernode of the top.
  std::vector<std::int32_t> own_blocks;             ///< Indices into `blocks`.
  std::int64_t own_values = 0;                      ///< Values of own_blocks.
  std::vector<TopProduct> products;                 ///< By source; only those whose targets are own blocks.
  std::vector<std::int64_t> product_offset;         ///< blocks + 1
  std::vector<ContributionPiece> sent;              ///< By this part; in the order of sending.
  std::vector<ContributionPiece> received;          ///< From all parts, for own blocks; by sender, then ascending.

  /// Block columns of the top of which this part is a neighbour, with the last of its own block columns, or −1, that
  /// contributes to each.
  struct Forwarded {
    std::int32_t block = 0;
    std::int32_t last_source = -1;
  };
  std::vector<Forwarded> forwarded;

  std::span<const TopProduct> products_of(std::int32_t source) const {
    const auto s = static_cast<std::size_t>(source);
    return {products.data() + product_offset[s], static_cast<std::size_t>(product_offset[s + 1] - product_offset[s])};
  }
  const std::vector<TopIndex>& boundary(PartId p) const { return top.boundaries[static_cast<std::size_t>(p.value)]; }
  std::int32_t block_of(TopIndex column) const {
    const SupernodeId s = top.symbolic.supernode_of[NewIndex(column.value)];
    return first_block[s] + (column.value - top.symbolic.first_column[s].value) / panel_block;
  }
  /// The part that has the entries of A in column `column` of the whole, and its entries of vectors.
  PartId owner_of(NewIndex column) const {
    const PartId p = map.part_of[whole->supernode_of[column]];
    return p.valid() ? p : blocks[static_cast<std::size_t>(block_of(top.index[column]))].owner;
  }
  /// Number of rows of A that are this part's: the length of rows().
  std::int64_t own_rows() const;
  /// Values of the largest message that this part receives in a factorization.
  std::int64_t largest_message() const;
  /// Entries of this part's vectors, as columns of the whole: those of its subtrees, then those of its block columns.
  std::vector<NewIndex> rows() const;
};

/// Makes the plan of one part. All parts make theirs from the same factor and map. Cost O(n + rows of the part + rows and
/// updates of the top).
PartPlan make_part_plan(std::shared_ptr<const SymbolicFactor> factor, PartMap map, PartId part, ThreadTeam& team);

}  // namespace gpusupernodal
