#pragma once

/// \file
/// HostColumnFactor: LU by columns on the host. The static pattern of L + U is factorized in place, row by row.

#include <cstdint>
#include <memory>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/factor_progress.hpp"
#include "solver/factor/column_rows.hpp"
#include "solver/host/run/pivot_monitor.hpp"
#include "solver/host/run/system_factor.hpp"

namespace gpusupernodal {

/// Factorizes the rows, by levels if several threads have enough to do, and the dense tail after them. Each row is computed
/// by one thread in the order of its entries, so the bits do not depend on the number of threads. Solves run on one thread
/// for each right-hand side.
template <class T>
class HostColumnFactor final : public SystemFactor<T> {
 public:
  using Real = typename ScalarTraits<T>::Real;

  /// Precondition: the plan is for LU by columns. `context` and `matrix`, which may be null, must outlive this. Throws
  /// OutOfMemory.
  HostColumnFactor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options, HostContext& context,
                   HostOperator<T>* matrix);

  void attach(HostSystem<T>& system) override { system_ = &system; }

  void factorize(const FactorInput<T>& input) override;
  FactorOutcome outcome() override { return system_->outcome; }
  bool outcome_known() const override { return true; }
  void solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) override;
  void reserve_right_hand_sides(std::int64_t) override {}
  void copy_panels(Span<T> host) override;
  void copy_diagonal(Span<T> host) override;

 private:
  /// FactorOutcome::growth outside of the tail, times the largest entry. Workers write theirs on separate cache lines.
  struct alignas(128) Growth {
    double value = 0;
  };

  void factorize_rows(const FactorInput<T>& input);
  void factorize_in_order(const FactorInput<T>& input, FactorProgress& progress);
  void factorize_by_levels(const FactorInput<T>& input, FactorProgress& progress);
  void factorize_row(const FactorInput<T>& input, std::int32_t row, int worker);
  void assemble_row(const FactorInput<T>& input, std::int32_t row, int worker);
  void report_entry(const FactorInput<T>& input, std::int64_t entry, int worker);
  void factorize_tail(FactorProgress& progress);
  void subtract_in_tail(std::int32_t first, std::int32_t last, std::int32_t row_begin, std::int32_t row_end);
  void accept_pivot(std::int32_t row, int worker);
  double growth_of_tail();
  T* workspace(int worker) const { return workspace_.data() + std::int64_t{structure_.n} * worker; }
  /// Threads for so much work: at least one, at most `most`.
  int workers_for(double flops, std::int64_t most) const;
  double flops_per_row() const;
  bool levels_are_worth_threads() const;
  void solve_column(const SolveSteps& steps, const T* b, T* x, T* y) const;
  void solve_blocks(const SolveSteps& steps, T* y) const;
  template <class Entry>
  void solve_rows(T* y, const Entry& entry) const;
  template <class Entry>
  void solve_columns(T* y, const Entry& entry) const;

  std::shared_ptr<const HostPlan> plan_;
  const ColumnStructure& structure_;
  HostContext& context_;
  HostOperator<T>* matrix_;
  const HostKernels<T>& kernels_;
  HostSystem<T>* system_ = nullptr;
  bool check_finite_;
  double perturbation_;
  PivotMonitor monitor_;
  Scales scales_workspace_;
  Buffer<T> scaled_;                     ///< Entries of the scaled A, in the order of the assembly map.
  Buffer<RowOfU<T>> rows_of_u_;          ///< n; those of the tail are not used.
  std::vector<Growth> growth_;           ///< For each worker.
  std::vector<Real> largest_in_column_;  ///< Largest magnitude in each column of L in the tail, the diagonal included.
  int row_workers_;                      ///< Threads that factorize rows or solve.
  bool by_levels_ = false;               ///< Whether several threads factorize the rows.
  Buffer<T> workspace_;                  ///< A dense row, or a vector of a solve, for each of them.
  Real smallest_allowed_ = 0;
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class HostColumnFactor<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
