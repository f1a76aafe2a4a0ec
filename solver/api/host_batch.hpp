#pragma once

/// \file
/// HostBatch: a batch on the host's threads.

#include <functional>
#include <memory>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/batch_engine.hpp"
#include "solver/api/obtained_plan.hpp"
#include "solver/api/own_systems.hpp"
#include "solver/api/solver_state.hpp"
#include "solver/backend/batch_store.hpp"

namespace gpusupernodal {

/// A SolverState's executor is attached to one system after another, so systems go through the code of Solver. Each worker
/// has a state, or, where there are no more systems than workers, each system. A system that exchanges rows again needs
/// another plan: it moves to a SolverState of its own. Systems of several batches can be computed in one loop of the workers
/// that the batches share: after forget_factors or begin_solve, each batch's factorize_system or solve_system.
template <class T>
class HostBatch final : public BatchEngine<T> {
 public:
  /// One right-hand side and solution, and the part of the solve.
  struct SystemSolve {
    System part;
    DenseView<const T> b;
    DenseView<T> x;
  };

  /// `threads`: those of each system. With more than one, systems are computed one by one on the calling thread and the
  /// threads of the only state. Throws OutOfMemory.
  HostBatch(const ObtainedPlan& plan, const Options& options, std::int64_t count, std::shared_ptr<BatchWorkers> workers,
            int threads = 1);

  const AnalyzeReport& analyze_report() const override { return report_; }
  void refactorize(const BatchValues<T>& values, const std::vector<unsigned char>& wanted) override;
  void start_solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
                   const std::vector<unsigned char>& wanted) override;
  void finish_solve() override {}
  void reserve_right_hand_sides(std::int64_t columns) override;
  void forget_factors(const std::vector<unsigned char>& wanted) override;
  void forget_solve(const std::vector<unsigned char>& wanted) override;
  void require_part(System part) const override { states_.front().require_part(part); }
  BatchOutcomes& outcomes() override { return outcomes_; }
  MemorySpace space() const override { return MemorySpace::host; }
  void set_stream(void*) override {}

  /// Threads of each system.
  int threads() const { return own_options_.threads; }
  /// Factorizes a system. Precondition: forget_factors was called for it. Workers may call it together for different
  /// systems.
  void factorize_system(int worker, std::size_t i, const T* values);
  /// Forgets the outcomes of the last solve and takes workspace for this many columns. Throws OutOfMemory.
  void begin_solve(std::int64_t columns, const std::vector<unsigned char>& wanted);
  /// Solves a system. Precondition: begin_solve was called for it. Workers may call it together for different systems.
  void solve_system(int worker, std::size_t i, const SystemSolve& call);

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(doubtful_.size()); }
  void for_each(const std::function<void(int worker, std::int64_t system)>& work);
  SolverState<T>& state_for(int worker, std::size_t i);
  bool move_out(std::size_t i, const T* values);
  void note(std::size_t i, const FactorReport& report);
  SolverState<T>& attached(int worker, std::size_t i);
  BatchStatus solution_status(int worker, std::size_t i, const SystemSolve& call);

  Options own_options_;  ///< Options of systems with a SolverState of their own.
  std::shared_ptr<BatchWorkers> workers_;
  std::unique_ptr<BatchStore<T>> store_;  ///< Before the lists by system, so that too many systems are refused first.
  OwnSystems<T> own_;                     ///< Systems that are not in the store.
  std::vector<SolverState<T>> states_;
  std::vector<unsigned char> doubtful_;  ///< By system: SolverState::doubtful.
  bool may_repivot_ = false;
  AnalyzeReport report_;
  BatchOutcomes outcomes_;
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class HostBatch<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
