#pragma once

/// \file
/// Solves on the host's threads: which worker does what and when.

#include <cstdint>

#include "gpusupernodal/build_config.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/backend/trace.hpp"
#include "solver/host/run/host_solve.hpp"
#include "solver/host/run/sweep_runner.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

/// What a solve reads: panels, and the orders and scales of b and x.
template <class T>
struct SolvePanels {
  /// Entry k of a vector in elimination order is scale[k] times entry order[k] of the caller's.
  struct Scaled {
    const OldIndex* order = nullptr;
    const typename ScalarTraits<T>::Real* scale = nullptr;  ///< nullptr: 1.
  };
  const T* forward = nullptr;   ///< Panels for forward substitution.
  const T* backward = nullptr;  ///< Panels for backward substitution.
  Scaled in;
  Scaled out;
  const T* d = nullptr;                    ///< For LDLᵀ: its pivots (LdltPivots::d); nullptr: 1.
  const std::int32_t* exchange = nullptr;  ///< For LDLᵀ: LdltPivots::exchange; nullptr: none.
  bool symmetric = false;                  ///< LdltPivots::symmetric.
  bool conjugated = false;                 ///< Takes the conjugate of b, and gives that of x.
};

/// Right-hand sides that are solved together.
template <class T>
struct SolvePortion {
  const T* b = nullptr;  ///< n × vectors.nrhs, in the caller's order.
  std::int64_t ldb = 0;
  T* x = nullptr;  ///< Likewise; may be b.
  std::int64_t ldx = 0;
  SolveVectors<T> vectors;
  bool failed = false;  ///< There is no factor: x becomes NaN.
};

/// Permutes b, solves forward and backward and permutes back, in one piece of work for the team: between the steps workers
/// wait for one another, so the team is woken once. The constructor allocates; a run does not.
template <class T>
class HostSolveRunner {
 public:
  /// All arguments must outlive this. `trace` may be null.
  HostSolveRunner(const HostPlan& plan, WorkerTeam& team, Trace* trace);

  void run(const SolveSteps& steps, const SolvePanels<T>& panels, const SolvePortion<T>& portion);

 private:
  struct Piece {
    NewIndex begin;
    NewIndex end;
    std::int32_t column;
  };
  int useful_workers(const SolveSteps& steps, const SolvePortion<T>& portion) const;
  Piece piece(std::int64_t number) const;
  void permute_in(const SolvePanels<T>& panels, bool permute, const SolvePortion<T>& portion, const Piece& piece) const;
  void permute_out(const SolvePanels<T>& panels, bool permute, const SolvePortion<T>& portion, const Piece& piece) const;
  void divide(const SolvePanels<T>& panels, const SolvePortion<T>& portion, const Piece& piece) const;
  void forward(const HostSolve<T>& tasks, const SolveTask& task, int worker) const;
  void backward(const HostSolve<T>& tasks, const SolveTask& task, int worker) const;
  void alone(const SolveSteps& steps, const SolvePanels<T>& panels, const HostSolve<T>& tasks,
             const SolvePortion<T>& portion) const;
  void together(int workers, const SolveSteps& steps, const SolvePanels<T>& panels, const HostSolve<T>& tasks,
                const SolvePortion<T>& portion);

  const HostPlan& plan_;
  WorkerTeam& team_;
  Trace* trace_;
  std::int64_t pieces_;  ///< Pieces of a column that is permuted.
  SharedLoop in_;
  SharedLoop divided_;
  SharedLoop out_;
  SweepRunner forward_;
  SweepRunner backward_;
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class HostSolveRunner<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
