#pragma once

/// \file
/// Chooses which fronts are factorized together on a device, and with which of three kinds of kernels, by the cost of each
/// level's launches.

#include <cstdint>
#include <vector>

#include "solver/model/cost_figures.hpp"
#include "solver/model/front_tree.hpp"

namespace gpusupernodal {

/// tiny: by one warp; small: by one CTA; pieces: cut into pieces of 64 columns whose diagonal blocks, rows below and
/// products have separate launches.
enum class CudaFrontKind : std::uint8_t { tiny, small, pieces };

/// Work of one level's launches.
struct CudaLevelWork {
  double tiny_fronts = 0.0;
  double small_fronts = 0.0;
  double small_strips = 0.0;  ///< Strips of 16 columns in the widest small front.
  double diagonal_blocks = 0.0;
  double diagonal_strips = 0.0;  ///< Strips of the widest block, including blocks factorized one level ahead.
  double ahead_blocks = 0.0;     ///< Blocks of the next level, factorized beside this level's products.
  double ahead_strips = 0.0;
  double scale_tiles = 0.0;
  double product_tiles = 0.0;
  double product_depth = 0.0;    ///< Depth of the deepest tile.
  double product_columns = 0.0;  ///< Sum of the depths of all tiles.

  void add(const CudaLevelWork& other);
};

/// Returns the work of piece `piece` of a front, with its diagonal block counted in the piece's own level.
CudaLevelWork cuda_piece_work(std::int32_t width, std::int32_t front, std::int32_t piece);

/// Returns the estimated time of a level whose launches run one after another.
double cuda_level_seconds(const CudaLevelWork& work, const LaunchFigures& figures);

/// What a choice of kinds depends on besides the fronts.
struct CudaFrontRules {
  std::int32_t panels = 1;  ///< Of each front: 2 for LU.
  bool may_run = false;     ///< Whether the fronts of several levels may share a launch.
};

struct CudaFronts {
  IdVector<SupernodeId, std::int32_t> first_level;  ///< Level of each supernode's first piece; each further piece is
                                                    ///< one level later.
  IdVector<SupernodeId, CudaFrontKind> kind;
  std::vector<CudaLevelWork> levels;
  /// A run: one launch for whole fronts of several levels, each of which waits for its own children. They are not part of
  /// the work of their levels. A front in the run has all of its descendants there or in levels before run_level.
  std::int32_t run_level = -1;  ///< Level before which it is launched; −1: there is none.
  std::vector<bool> in_run;     ///< For each front; empty without a run.
  double run_seconds = 0.0;
  double seconds = 0.0;  ///< Estimated time of all levels, and of the run.
};

/// Chooses the kind of each front. By size alone a front would get natural_front_kind(). Because launches dominate a level's
/// time, fronts that would need a separate launch may join another launch of the level. Fronts of the run have their natural
/// kind. Cost O(supernodes + tiles).
CudaFronts plan_cuda_fronts(const FrontTree& tree, const LaunchFigures& figures, const CudaFrontRules& rules = {});

/// Returns the kind that a front of `panels` panels would get by its size alone.
CudaFrontKind natural_front_kind(std::int32_t width, std::int32_t front, std::int32_t panels = 1);

}  // namespace gpusupernodal
