#pragma once

/// \file
/// The tasks of triangular solves on the host's panels.

#include <cstdint>
#include <span>

#include "gpusupernodal/build_config.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/host/plan/host_plan.hpp"

namespace gpusupernodal {

/// Vectors of a solve of nrhs right-hand sides, column-major.
template <class T>
struct SolveVectors {
  T* y = nullptr;         ///< n × nrhs in elimination order, solved in place.
  T* boundary = nullptr;  ///< SolveSchedule::boundary_entries × nrhs.
  T* scratch = nullptr;   ///< A worker: largest_rows_in_subtrees × nrhs.
  std::int32_t nrhs = 1;
};

/// Runs one task at a time of plan.solve.forward or backward.
template <class T>
class HostSolve {
 public:
  /// `forward` and `backward` are the panels of L and of Lᴴ's counterpart, which is Uᴴ for LU and L for Cholesky.
  /// `exchange` is SolvePanels::exchange.
  HostSolve(const HostPlan& plan, const T* forward, const T* backward, const std::int32_t* exchange,
            const SolveVectors<T>& vectors);

  void forward(const SolveTask& task, int worker) const;
  void backward(const SolveTask& task, int worker) const;

 private:
  /// A block column of the schedule, which lies in one block column of its panel, and its entries of y.
  struct Columns {
    const T* panel = nullptr;  ///< Where row 0 of the first column would lie.
    std::int64_t ld = 0;
    std::int32_t first = 0;  ///< First of the supernode's columns.
    std::int32_t width = 0;
    T* y = nullptr;
  };
  /// What the rows of a tile below stand for: entries of y within the supernode, of the boundary vector beyond.
  struct Rows {
    T* data = nullptr;
    std::int64_t ld = 0;
  };
  Columns columns_of(const SolveTask& task, const T* panels) const;
  Rows rows_of(const SolveTask& task) const;
  const T* panel(const T* panels, SupernodeId s) const { return panels + plan_.structure->panels.value_offset[s]; }
  static const T* entry(const T* panels, const PanelBlock& block, std::int64_t i, std::int64_t j) {
    return panels + block.index(i, j);
  }
  /// y := L_CC⁻¹ y, and y := L_CC⁻ᴴ y, for a diagonal block of `width` columns, whose entries of the first right-hand side
  /// begin at y.
  void forward_block(T* y, std::int32_t width, const T* l, std::int64_t ld) const;
  void backward_block(T* y, std::int32_t width, const T* l, std::int64_t ld) const;
  T* scratch(int worker) const;
  void forward_subtree(SubtreeId t, int worker) const;
  void backward_subtree(SubtreeId t, int worker) const;
  void forward_column(SubtreeId t, SupernodeId s) const;
  void backward_column(SupernodeId s) const;
  void forward_supernode(SubtreeId t, SupernodeId s, T* below) const;
  void backward_supernode(SupernodeId s, T* below) const;
  void forward_wide(SupernodeId s, T* own, T* below) const;
  void backward_wide(SupernodeId s, T* own, const T* below) const;
  void add(std::span<const SolveSchedule::Gather> gathers) const;
  void add_gathered(SupernodeId s) const;
  void collect_rows(SupernodeId s) const;

  const HostPlan& plan_;
  const HostKernels<T>& kernels_;
  const T* forward_;              ///< Panels that forward substitution reads.
  const T* backward_;             ///< Panels that backward substitution reads.
  const std::int32_t* exchange_;  ///< Exchanges of rows of LDLᵀ, else nullptr.
  SolveVectors<T> vectors_;
  std::int64_t n_;
  std::int64_t boundary_ld_;
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class HostSolve<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
