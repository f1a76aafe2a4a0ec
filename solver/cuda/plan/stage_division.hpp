#pragma once

/// \file
/// How a factorization is divided into stages.

#include <cstdint>
#include <optional>
#include <vector>

#include "solver/cuda/plan/stages.hpp"
#include "solver/factor/factor_structure.hpp"

namespace gpusupernodal {

/// Values of a panel, with what aligning it may take.
std::int64_t panel_values(const FactorStructure& structure, SupernodeId s);

/// Stages with their places, and the values that the device then holds.
struct StageDivision {
  std::vector<Stage> stages;
  std::int64_t values = 0;
};

/// What happens to the top: it stays on the device, or its supernodes take turns.
enum class TopPlace { stays, in_turns };

/// Divides the supernodes into groups of subtrees, as far up as possible, and the top above them.
class StageDivider {
 public:
  /// Precondition: `structure` outlives this. Cost O(supernodes).
  explicit StageDivider(const FactorStructure& structure);

  /// Groups have at most `most` values. Nothing if the panels of the top cannot take turns, or if there are too many stages.
  /// Cost O(supernodes + stages²).
  std::optional<StageDivision> divide(std::int64_t most, TopPlace top) const;

 private:
  const SymbolicFactor& factor() const { return structure_.symbolic; }
  SupernodeId largest_subtree_from(SupernodeId s, std::int64_t most) const;
  template <class Subtree, class OfTop>
  void walk(std::int64_t most, const Subtree& subtree, const OfTop& of_top) const;
  void append(Stage& stage, SupernodeId first, SupernodeId last) const;
  StageDivision with_whole_top(std::int64_t most) const;
  StageDivision with_top_in_turns(std::int64_t most) const;

  const FactorStructure& structure_;
  IdVector<SupernodeId, std::int64_t> subtree_;  ///< Values of each subtree.
};

}  // namespace gpusupernodal
