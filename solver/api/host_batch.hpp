#pragma once

/// \file
/// HostBatch: a batch on the host's threads.

#include <memory>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/batch_engine.hpp"
#include "solver/api/obtained_plan.hpp"
#include "solver/api/own_systems.hpp"
#include "solver/api/solver_state.hpp"
#include "solver/backend/batch_store.hpp"

namespace gpusupernodal {

/// Each worker has a SolverState, whose executor is attached to one system after another; so systems go through the code of
/// Solver. A system that exchanges rows again needs another plan: it moves to a SolverState of its own.
template <class T>
class HostBatch final : public BatchEngine<T> {
 public:
  /// Throws OutOfMemory.
  HostBatch(const ObtainedPlan& plan, const Options& options, std::int64_t count);

  const AnalyzeReport& analyze_report() const override { return report_; }
  void refactorize(const BatchValues<T>& values, const std::vector<unsigned char>& wanted) override;
  void solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
             const std::vector<unsigned char>& wanted) override;
  void reserve_right_hand_sides(std::int64_t columns) override;
  BatchOutcomes& outcomes() override { return outcomes_; }
  MemorySpace space() const override { return MemorySpace::host; }
  void set_stream(void*) override {}

 private:
  struct SolveCall {
    System part;
    const BatchView<const T>& b;
    const BatchView<T>& x;
  };
  void factorize_system(int worker, std::size_t i, const T* values);
  bool move_out(std::size_t i, const T* values);
  void note(std::size_t i, const FactorReport& report);
  SolverState<T>& attached(int worker, std::size_t i);
  void solve_system(int worker, std::size_t i, const SolveCall& call);
  BatchStatus solution_status(int worker, std::size_t i, const SolveCall& call);

  Options own_options_;  ///< Options of systems with a SolverState of their own.
  OwnSystems<T> own_;    ///< Systems that are not in the store.
  std::unique_ptr<BatchStore<T>> store_;
  std::vector<SolverState<T>> workers_;
  std::vector<unsigned char> doubtful_;  ///< By system: SolverState::doubtful.
  bool may_repivot_ = false;
  AnalyzeReport report_;
  BatchOutcomes outcomes_;
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class HostBatch<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
