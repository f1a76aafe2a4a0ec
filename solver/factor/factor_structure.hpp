#pragma once

/// \file
/// FactorStructure: the structure of L and A that every backend needs before values exist.

#include <cstdint>
#include <memory>

#include "gpusupernodal/report.hpp"
#include "solver/factor/assembly_map.hpp"
#include "solver/factor/column_structure.hpp"
#include "solver/factor/dense_structure.hpp"
#include "solver/factor/general_structure.hpp"
#include "solver/factor/panel_layout.hpp"
#include "solver/factor/schedule.hpp"
#include "solver/factor/updates.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Vectors of order n that refinement takes from a backend.
inline constexpr int refinement_vectors = 5;

/// Further vectors of order n that the probe of a doubtful LU factorization takes.
inline constexpr int probe_vectors = 2;

/// Extremes of the assembly tree, for reports.
struct TreeShape {
  std::int64_t largest_width = 0;
  std::int64_t largest_front = 0;
  std::int64_t height = 0;  ///< Supernodes on the longest path to a root.
};

/// Cost O(supernodes).
TreeShape tree_shape(const SymbolicFactor& factor);

/// The structure of L, the layout of its panels, the map from A's entries to panels, and the updates between supernodes.
/// Independent of backend and scalar type. Immutable once a plan holds it; any number of threads may read it.
struct FactorStructure {
  SymbolicFactor symbolic;
  SymbolicReport symbolic_report;
  PanelLayout panels;
  AssemblyMap assembly;
  /// For LU of a general matrix, otherwise null. The panels of Uᵀ follow those of L, in the same layout.
  std::shared_ptr<const GeneralStructure> general;
  /// For LU by columns, otherwise null. There are then no supernodes, panels or updates: `symbolic` has the order of
  /// columns.
  std::shared_ptr<const ColumnStructure> columns;
  /// For LU on dense storage, otherwise null. There are no supernodes, panels or updates either: `symbolic` has the order of
  /// rows and columns before the exchanges of a factorization.
  std::shared_ptr<const DenseStructure> dense;
  UpdateList updates;
  double stored_flops = 0.0;  ///< Includes operations on the explicit zeros of merging.
  std::uint64_t pattern_hash = 0;
  std::int32_t block_width = 0;  ///< Requested width of block columns; 0: default of the backend.
  TreeShape shape;

  /// Values of the factor: the panels of L and, for LU, those of Uᵀ; for LU by columns or on dense storage, those of L and
  /// U.
  std::int64_t factor_values() const {
    if (dense) return dense->values();
    return columns ? columns->values() : panels.values() * (general ? 2 : 1);
  }
  /// Schedule of LU. Precondition: `general` is not null.
  LuSchedule lu_schedule() const {
    if (dense) return LuSchedule::dense;
    return columns ? LuSchedule::columns : LuSchedule::supernodes;
  }
  /// Host memory of the lists, in bytes.
  std::int64_t bytes() const;
};

std::int64_t bytes_of(const PanelLayout& panels);
std::int64_t bytes_of(const AssemblyMap& assembly);
std::int64_t bytes_of(const UpdateList& updates);
std::int64_t bytes_of(const GeneralStructure& general);
std::int64_t bytes_of(const Schedule& schedule);

}  // namespace gpusupernodal
