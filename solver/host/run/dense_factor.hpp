#pragma once

/// \file
/// HostDenseFactor: LU on dense storage, with exchanges of rows in each factorization.

#include <memory>

#include "gpusupernodal/build_config.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/factor_progress.hpp"
#include "solver/host/run/dense_panel.hpp"
#include "solver/host/run/pivot_monitor.hpp"
#include "solver/host/run/system_factor.hpp"

namespace gpusupernodal {

/// Right-looking: a panel of columns is factorized by one thread, then all threads update tiles of the other columns. A tile
/// is computed by one thread, so the bits do not depend on the number of threads. Products leave out the rows and columns of
/// L and U that are zero in the whole panel.
template <class T>
class HostDenseFactor final : public SystemFactor<T> {
 public:
  using Real = typename ScalarTraits<T>::Real;

  /// Precondition: the plan is for LU on dense storage. `context` and `matrix`, which may be null, must outlive this. Throws
  /// OutOfMemory.
  HostDenseFactor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options, HostContext& context,
                  HostOperator<T>* matrix);

  void attach(HostSystem<T>& system) override { system_ = &system; }

  void factorize(const FactorInput<T>& input) override;
  FactorOutcome outcome() override { return system_->outcome; }
  bool outcome_known() const override { return true; }
  void solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) override;
  void reserve_right_hand_sides(std::int64_t columns) override;
  void copy_panels(Span<T> host) override;
  void copy_diagonal(Span<T> host) override;

 private:
  /// The rows of a panel of L below its square that are not zero.
  struct RowsOfL {
    const T* values = nullptr;
    std::int64_t ld = 0;
    std::int32_t count = 0;
    bool all = true;  ///< Whether no row is zero; the rows are then in their places in the matrix.
  };

  bool factorize_with(const FactorInput<T>& input, Real threshold, FactorProgress& progress);
  void assemble(const FactorInput<T>& input);
  void update_tiles(const DensePanels<T>& panels, std::int32_t first, std::int32_t last);
  RowsOfL collect_rows(std::int32_t first, std::int32_t last);
  void update_tile(std::int32_t first, std::int32_t last, std::int32_t column, const RowsOfL& rows, int worker);
  double growth() const;
  bool has_odd_order() const;
  int workers_for(double flops, std::int64_t most) const;
  T* at(std::int64_t row, std::int64_t column) const { return system_->factor.data() + dense_.index(row, column); }
  void solve_columns(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x, T* y) const;
  void scale_and_permute(const SolveSteps& steps, const T* b, T* y) const;
  void permute_and_scale(const SolveSteps& steps, const T* y, T* x) const;
  void solve_plain(std::int32_t columns, T* y) const;
  void solve_adjoint(std::int32_t columns, T* y) const;

  std::shared_ptr<const HostPlan> plan_;
  const DenseStructure& dense_;
  HostContext& context_;
  HostOperator<T>* matrix_;
  const HostKernels<T>& kernels_;
  HostSystem<T>* system_ = nullptr;
  bool check_finite_;
  double perturbation_;
  PivotMonitor monitor_;
  Scales scales_workspace_;
  DenseWorkspace size_;
  RowPatterns patterns_;
  Buffer<std::int32_t> exchange_;
  Buffer<std::int32_t> rows_;     ///< Places of the rows of RowsOfL, from the end of the panel on.
  Buffer<std::int32_t> columns_;  ///< For each worker, the columns of a tile that are not zero.
  Buffer<T> rows_of_l_;
  Buffer<T> tile_of_u_;
  std::int64_t reserved_columns_ = 1;
  Buffer<T> vectors_;  ///< n · reserved_columns_.
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class HostDenseFactor<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
