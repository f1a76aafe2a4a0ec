#pragma once

/// \file
/// HostFactor: the factor of a matrix in host memory, computed and applied by the host's threads.

#include <memory>

#include "solver/backend/buffer.hpp"
#include "solver/backend/executor.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/graph_runner.hpp"
#include "solver/host/run/host_context.hpp"
#include "solver/host/run/host_factorization.hpp"
#include "solver/host/run/host_operator.hpp"
#include "solver/host/run/host_solve_runner.hpp"
#include "solver/host/run/host_system.hpp"
#include "solver/host/run/pivot_monitor.hpp"
#include "solver/host/run/system_factor.hpp"

namespace gpusupernodal {

/// See Factorization. All views must lie in host memory.
template <class T>
class HostFactor final : public SystemFactor<T> {
 public:
  /// `context` must outlive this, and so must `matrix`, which receives the values of each factorize; it may be nullptr.
  HostFactor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options, HostContext& context,
             HostOperator<T>* matrix);

  void attach(HostSystem<T>& system) override { system_ = &system; }

  void factorize(const FactorInput<T>& input) override;
  FactorOutcome outcome() override { return system_->outcome; }
  bool outcome_known() const override { return true; }
  void solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) override;
  void reserve_right_hand_sides(std::int64_t columns) override;
  void copy_panels(Span<T> host) override;
  void copy_diagonal(Span<T> host) override;
  void copy_pivots(Span<T> diagonal, Span<T> beside) override;
  std::vector<SmallPivot> small_pivots(double magnitude) override;

 private:
  using Real = typename ScalarTraits<T>::Real;

  SolveVectors<T> solve_vectors(std::int32_t columns) const;
  SolvePanels<T> panels_for(const SolveSteps& steps) const;
  SolvePanels<T> unconjugated_panels(const SolveSteps& steps) const;
  LuRules<T> lu_rules() const;
  LdltRules<T> ldlt_rules() const;
  Form form() const;
  double growth() const;
  void run_factorization(const FactorInput<T>& input);
  template <Form form>
  void run_tasks(const FactorInput<T>& input);

  std::shared_ptr<const HostPlan> plan_;
  HostContext& context_;
  HostOperator<T>* matrix_;
  int factor_workers_;  ///< How many of the workers a factorization of this size can use.
  bool check_finite_;
  double perturbation_;
  GraphRunner runner_;
  PivotMonitor monitor_;
  std::int64_t reserved_columns_ = 1;
  HostSystem<T>* system_ = nullptr;
  Scales scales_workspace_;          ///< For LU.
  LdltWorkspace<T> ldlt_workspace_;  ///< For LDLᵀ.
  Buffer<T> vectors_;                ///< host_solve_elements · reserved_columns_.
  HostSolveRunner<T> solves_;
};

}  // namespace gpusupernodal
