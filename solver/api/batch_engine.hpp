#pragma once

/// \file
/// BatchEngine: what a backend does for a batch of systems. Its caller has checked sizes and spaces.

#include <cstdint>
#include <vector>

#include "gpusupernodal/batch.hpp"
#include "solver/backend/factorization.hpp"

namespace gpusupernodal {

/// Results by system.
struct BatchOutcomes {
  std::vector<BatchStatus> statuses;        ///< Outcomes of the factorizations.
  std::vector<BatchStatus> solve_statuses;  ///< Outcomes of the last solve.
  std::vector<FactorReport> reports;
  std::vector<SolveReport> solve_reports;
};

/// All systems of one analysis on one backend. Memory for factorizations is taken when an engine is made.
template <class T>
class BatchEngine {
 public:
  virtual ~BatchEngine() = default;
  BatchEngine() = default;
  BatchEngine(const BatchEngine&) = delete;
  BatchEngine& operator=(const BatchEngine&) = delete;

  virtual const AnalyzeReport& analyze_report() const = 0;
  /// Factorizes the systems with wanted[i] ≠ 0; see BatchSolver::refactorize.
  virtual void refactorize(const BatchValues<T>& values, const std::vector<unsigned char>& wanted) = 0;
  /// Begins a solve; a device may still work on it afterwards. b and x must stay until finish_solve. Precondition: b and x
  /// have the order of A as rows, and x is finished or none was started.
  virtual void start_solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
                           const std::vector<unsigned char>& wanted) = 0;
  /// Ends the solve that was started: then x in host memory is written, and unstable systems have been repeated.
  virtual void finish_solve() = 0;
  /// See BatchSolver::solve. Precondition: as start_solve.
  void solve(System part, const BatchView<const T>& b, const BatchView<T>& x, const std::vector<unsigned char>& wanted) {
    start_solve(part, b, x, wanted);
    finish_solve();
  }
  /// The wanted systems are `not_factorized` from now on.
  virtual void forget_factors(const std::vector<unsigned char>& wanted) = 0;
  /// The last solve of the wanted systems is `not_factorized` from now on; a solve that was started is not finished.
  virtual void forget_solve(const std::vector<unsigned char>& wanted) = 0;
  /// Throws InvalidInput for a part of the solve that the form or scalar lacks.
  virtual void require_part(System part) const = 0;
  /// See BatchSolver::reserve_right_hand_sides.
  virtual void reserve_right_hand_sides(std::int64_t columns) = 0;
  /// Memory in which the engine takes values and vectors without copying them.
  virtual MemorySpace space() const = 0;
  /// See BatchSolver::set_stream.
  virtual void set_stream(void* stream) = 0;
  /// Waits for the outcomes of what was called.
  virtual BatchOutcomes& outcomes() = 0;
};

}  // namespace gpusupernodal
