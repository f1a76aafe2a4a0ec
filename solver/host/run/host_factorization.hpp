#pragma once

/// \file
/// The tasks of a factorization on the host's panels.
///
/// LU has two panels a supernode in the same layout: L, and the partner Uᵀ at a fixed distance behind it. Where Cholesky
/// subtracts L Lᵀ, LU subtracts L (Uᵀ)ᵀ from L and Uᵀ Lᵀ from Uᵀ, by the same kernels. Only the diagonal blocks differ.
/// For complex scalars read ᴴ for ᵀ: the partner is Uᴴ.
/// LDLᵀ has the panels of Cholesky, and its pivots beside them (ldlt_pivots.hpp).

#include <cstdint>

#include "gpusupernodal/build_config.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/ldlt_pivots.hpp"
#include "solver/host/run/panel_products.hpp"
#include "solver/host/run/pivot_monitor.hpp"

namespace gpusupernodal {

/// Factors of the rows and columns of a general matrix, in elimination order, and the rule for small pivots.
template <class T>
struct LuRules {
  using Real = typename ScalarTraits<T>::Real;
  const Real* row_scale = nullptr;
  const Real* column_scale = nullptr;
  Real smallest_pivot = 0;       ///< See LuPivots::smallest_allowed.
  Real* largest_in_l = nullptr;  ///< Receives the largest magnitude of each column of L.
  Real* largest_in_u = nullptr;  ///< Receives the largest magnitude of each row of U.
};

/// Runs single tasks of plan.schedule. The caller decides which run concurrently, within the order of the graph.
template <class T, Form form = Form::llt>
class HostFactorization {
 public:
  using Real = typename ScalarTraits<T>::Real;

  /// All references must outlive this. `values` holds plan.structure->factor_values() elements. `rules` is for LU,
  /// and `ldlt` for LDLᵀ.
  HostFactorization(const HostPlan& plan, const FactorInput<T>& input, bool check_finite, T* values, PivotMonitor& monitor,
                    const LuRules<T>& rules = {}, const LdltRules<T>& ldlt = {});

  void run(const Task& task, int worker) const;

 private:
  /// Entries of one block column of a panel, in the panel's rows and columns.
  struct StoredBlock {
    T* origin;
    std::int64_t ld;

    T* at(std::int64_t i, std::int64_t j) const { return origin + i + j * ld; }
  };
  T* panel(SupernodeId s) const { return values_ + plan_.structure->panels.value_offset[s]; }
  StoredBlock block(SupernodeId s, std::int32_t column) const {
    const PanelBlock stored = plan_.structure->panels.block(s, column);
    return {values_ + stored.origin, stored.ld};
  }
  T* partner(T* in_l) const { return in_l + plan_.structure->panels.values(); }
  std::int32_t first_column(SupernodeId s) const { return plan_.structure->symbolic.first_column[s].value; }
  /// The pivots of LDLᵀ from a column of s on; only products of LDLᵀ read them.
  const T* pivots(SupernodeId s, std::int32_t column = 0) const {
    return form == Form::ldlt ? ldlt_.pivots.d + 2 * (std::int64_t{first_column(s)} + column) : nullptr;
  }
  void factor_columns(SupernodeId s, std::int32_t first, std::int32_t width, std::int32_t rows, int worker) const;
  void factor_wide_panel(SupernodeId s, int worker) const;
  void factor_subtree(const LeafSubtree& subtree, int worker) const;
  void put_entry(std::size_t i, int worker) const;
  void add_shift(SupernodeId s, std::int32_t first, std::int32_t width) const;
  void assemble_all(SupernodeId first, SupernodeId last, int worker) const;
  void assemble(const BlockColumn& columns, int worker) const;
  template <class Visit>
  void for_each_target_block(const Update& update, const Visit& visit) const;
  void update_whole_panel(const Update& update) const;
  void update_blocks(const Update& update) const;
  void update_between(const Task& task) const;
  void update_internal(const Task& task) const;
  void note_pivots(SupernodeId s, std::int32_t first, std::int32_t width, std::int32_t failed, Real pivot, int worker) const;
  void scale_diagonal(const BlockColumn& columns, int worker) const;
  void scale_below(const Task& task) const;

  const HostPlan& plan_;
  const FactorInput<T>& input_;
  const AssemblyMap& map_;
  const HostKernels<T>& kernels_;
  PanelProducts<T, form> products_;
  bool check_finite_;
  T* values_;
  PivotMonitor& monitor_;
  LuRules<T> rules_;
  LdltRules<T> ldlt_;
};

#define GPUSUPERNODAL_INSTANTIATE(T, form) extern template class HostFactorization<T, form>;
GPUSUPERNODAL_FOR_EACH_SCALAR_AND_FORM(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
