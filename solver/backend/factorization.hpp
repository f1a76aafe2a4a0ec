#pragma once

/// \file
/// Factorization: computes and applies the factor of one matrix. Virtual once per factorize or solve, never once per task.

#include <cstdint>
#include <functional>
#include <vector>

#include "gpusupernodal/report.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "solver/common/ids.hpp"

namespace gpusupernodal {

struct AssemblyMap;

/// Receives the fraction of the flops that is done, ascending to 1; may throw to stop the factorization.
using ProgressCallback = std::function<void(double)>;

/// Values of A in the caller's order of entries. What is factorized is scale·A + shift·I.
template <class S>
struct FactorInput {
  using Real = typename ScalarTraits<S>::Real;
  const S* values = nullptr;
  MemorySpace space = MemorySpace::host;
  Real scale = Real(1);
  Real shift = Real(0);
  const ProgressCallback* report_progress = nullptr;  ///< Called from the calling thread; may be nullptr.
  const AssemblyMap* map = nullptr;                   ///< Where the values belong; nullptr: the map of the plan.
};

/// Numerical outcome in elimination order.
struct FactorOutcome {
  Status status = Status::success;
  NewIndex failed_column;          ///< not_positive_definite, unstable: the smallest column whose pivot failed, if one did.
  std::int64_t failed_entry = -1;  ///< non_finite_input: smallest index into A's values.
  double failed_value = 0.0;
  double smallest_pivot = 0.0;  ///< Squares of L's diagonal over the completed columns.
  double largest_pivot = 0.0;
  NewIndex smallest_pivot_column;     ///< LU, LDLᵀ: its column.
  std::int64_t perturbed_pivots = 0;  ///< LU, LDLᵀ: pivots that were replaced.
  double largest_in_a = 0.0;          ///< LU, LDLᵀ: largest magnitude in the scaled A.
  double growth = 0.0;                ///< LU, LDLᵀ: FactorReport::growth.
  Inertia inertia;                    ///< LDLᵀ: signs of the pivots, also of those that were replaced.
  bool settled = true;  ///< false: the outcome belongs to a captured graph, which may run again with another outcome.
};

/// A pivot of LDLᵀ that is zero up to rounding.
struct SmallPivot {
  NewIndex column;        ///< Its column of P A Pᵀ, before exchanges inside its block.
  bool negative = false;  ///< Whether it counts as negative in FactorOutcome::inertia.
};

/// Steps of a solve, in this order; System (solver.hpp) maps to combinations.
struct SolveSteps {
  bool permute_in = true;
  bool forward = true;
  bool backward = true;
  bool permute_out = true;
  bool transposed = false;  ///< Solve with Aᵀ, which is A itself unless the plan is for LU or S is complex.
  bool conjugated = false;  ///< Solve with the conjugate of that matrix; both: with Aᴴ. Without meaning for real S.
};

/// The factor of scale·A + shift·I for the pattern of one plan.
template <class S>
class Factorization {
 public:
  virtual ~Factorization() = default;
  Factorization() = default;
  Factorization(const Factorization&) = delete;
  Factorization& operator=(const Factorization&) = delete;

  /// Factorizes; a device returns without waiting if it already holds the values. After a throw no work of this call is
  /// running, there is no factor, and factorize may be called again.
  virtual void factorize(const FactorInput<S>& input) = 0;
  /// Outcome of the last factorize; waits for it.
  virtual FactorOutcome outcome() = 0;
  /// Whether outcome() would return without waiting.
  virtual bool outcome_known() const = 0;
  /// b and x are n × nrhs in any memory space that the backend reaches (host: host only; cuda: both) and may be the same
  /// view. Without any step x := b. If the factorization failed and forward or backward is requested, x becomes NaN.
  /// After a throw x is undefined and no work of this call is running; the factor stays.
  virtual void solve(const SolveSteps& steps, const DenseView<const S>& b, const DenseView<S>& x) = 0;
  /// Takes the workspace for this many columns. Vectors that a graph has captured are kept as well. Throws OutOfMemory, and
  /// InvalidState if memory would have to be taken while the stream is captured.
  virtual void reserve_right_hand_sides(std::int64_t columns) = 0;
  /// Copies all panels (FactorStructure::factor_values() values) to host memory; waits for the device.
  virtual void copy_panels(Span<S> host) = 0;
  /// Copies the n diagonal entries of L, in elimination order, to host memory; waits for the
  /// device. For LU, those of U, divided by their scales: their product is det A up to its sign. Not for LDLᵀ.
  virtual void copy_diagonal(Span<S> host) = 0;
  /// D of LDLᵀ as PivotBlocks has it. Precondition: ExecutorOptions::ldlt.
  virtual void copy_pivots(Span<S> diagonal, Span<S> beside) {
    static_cast<void>(diagonal);
    static_cast<void>(beside);
  }
  /// The columns of LDLᵀ whose pivots have at most this magnitude in the scaled matrix, before they were replaced, ascending
  /// in elimination order. Precondition: ExecutorOptions::ldlt.
  virtual std::vector<SmallPivot> small_pivots(double magnitude) {
    static_cast<void>(magnitude);
    return {};
  }
};

}  // namespace gpusupernodal
