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
  /// See BatchSolver::solve. Precondition: b and x have the order of A as rows, and at least one column and row.
  virtual void solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
                     const std::vector<unsigned char>& wanted) = 0;
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
