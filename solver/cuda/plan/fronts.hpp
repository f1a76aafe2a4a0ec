#pragma once

/// \file
/// Which fronts are factorized together on a device, and how each: the three regimes, by the cost of a level's launches.

#include <cstdint>
#include <vector>

#include "solver/model/cost_figures.hpp"
#include "solver/symbolic/supernodes.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// By a warp; by a CTA; or cut into pieces of 64 columns, whose diagonal blocks, rows below and products are launched apart.
enum class CudaFrontKind : std::uint8_t { tiny, small, pieces };

/// What the launches of one level do.
struct CudaLevelWork {
  double tiny_fronts = 0.0;
  double small_fronts = 0.0;
  double small_strips = 0.0;  ///< Of 16 columns, of the widest front.
  double diagonal_blocks = 0.0;
  double diagonal_strips = 0.0;  ///< Of the widest block, those included that are factorized a level ahead.
  double ahead_blocks = 0.0;     ///< Of the next level, factorized beside the products.
  double ahead_strips = 0.0;
  double scale_tiles = 0.0;
  double product_tiles = 0.0;
  double product_depth = 0.0;    ///< Of the deepest tile.
  double product_columns = 0.0;  ///< Depths of all tiles added up.

  void add(const CudaLevelWork& other);
};

/// That of piece p of a front, its diagonal block among the level's own.
CudaLevelWork cuda_piece_work(std::int32_t width, std::int32_t front, std::int32_t piece);

/// Estimated time of a level whose launches follow each other.
double cuda_level_seconds(const CudaLevelWork& work, const LaunchFigures& figures);

struct CudaFronts {
  IdVector<SupernodeId, std::int32_t> first_level;  ///< Of each supernode's first piece; the next piece's is one more.
  IdVector<SupernodeId, CudaFrontKind> kind;
  std::vector<CudaLevelWork> levels;
  double seconds = 0.0;  ///< Of all levels.
};

/// A front could be all that its size allows: tiny, small or pieces. A level takes what its launches take, so a few fronts
/// that would need a launch of their own join those of another kind which is there anyway. Cost O(supernodes + tiles).
CudaFronts plan_cuda_fronts(const SymbolicFactor& factor, const LaunchFigures& figures);
/// The same before rows are listed.
CudaFronts plan_cuda_fronts(const SupernodeForest& forest, const LaunchFigures& figures);

/// What a front's size alone would make of it.
CudaFrontKind natural_front_kind(std::int32_t width, std::int32_t front);

}  // namespace gpusupernodal
