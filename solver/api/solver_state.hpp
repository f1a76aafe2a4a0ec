#pragma once

/// \file
/// SolverState: what a Solver holds between calls, and the rules of its statuses.

#include <memory>
#include <vector>

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/solver.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/obtained_plan.hpp"
#include "solver/backend/executor.hpp"
#include "solver/backend/trace.hpp"
#include "solver/common/fail.hpp"
#include "solver/iterative/flexible_gmres.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// States: empty (no plan) → analyzed (plan and executor) → factorized. If a call throws, the state stays, except that a
/// factorize which throws after it has begun leaves the state analyzed. Executors whose calls a graph of the caller has
/// captured live as long as this object.
template <class T>
struct SolverState {
  using Real = typename ScalarTraits<T>::Real;

  Options options;
  Options analyzed_options;  ///< The options of the last analyze.
  std::shared_ptr<const FactorPlan> plan;
  std::unique_ptr<Executor<T>> executor;
  std::vector<std::unique_ptr<Executor<T>>> executors_of_graphs;  ///< Earlier executors that graphs may still use.
  AnalyzeReport analyze_report;
  FactorReport factor_report;  ///< Complete once outcome_read.
  SolveReport solve_report;
  double offset = 0.0;         ///< Shift of the next factorize.
  double scale = 1.0;          ///< Scale of the next factorize.
  double factor_offset = 0.0;  ///< Shift of the current factor.
  double factor_scale = 1.0;   ///< Scale of the current factor.
  Refinement refinement;       ///< Refinement of solves with the current factor.
  void* stream = nullptr;
  std::int64_t reserved_columns = 1;
  bool factorized = false;
  bool broken_off = false;  ///< The last factorize threw after it had begun.
  bool outcome_read = false;
  bool executor_keeps_a = false;
  bool leaves_other_pivots = false;  ///< The owner of this state tries other pivots where it fails.
  bool keeps_small_pivots = false;   ///< keep_small_pivots() was called for the values of this factor.
  bool doubtful = false;  ///< The factor is one of LU or LDLᵀ whose solves are refined; known once outcome_read.

  /// Makes an executor for a plan as `with` says; all or nothing.
  void adopt(ObtainedPlan obtained, const Options& with);
  /// Takes an executor that was made with these options; all or nothing.
  void take(ChosenBackend<T> chosen, PlanSource source, const Options& with);
  /// Takes another executor where `options` switch refinement on or off; the analysis and its counts stay. All or nothing.
  void change_refinement();
  /// Throws InvalidState while a graph is captured on the stream; `reason` completes "but it …".
  void refuse_in_capture(const char* call, const char* reason) const;
  /// Throws InvalidState while a graph is captured, if the executor cannot be captured.
  void refuse_capture_of_executor(const char* call) const;
  void refuse_analysis_in_capture(const char* call) const;  ///< For calls that allocate or free memory of a device.
  void refuse_wait_in_capture(const char* call) const;      ///< For calls that wait for values on a device.
  void require_analyzed(const char* call) const;
  void require_factorized(const char* call) const;
  void require_sound_factor(const char* call);  ///< Throws NumericalFailure where the failure is known.
  void wait_for_factor(const char* call);       ///< Waits for the device, then throws NumericalFailure for any failure.
  void require_same_pattern(const MatrixView<T>& a) const;
  void factorize(const MatrixView<T>& a, const char* call);
  void factorize(const T* values, MemorySpace space);
  void read_outcome();  ///< Waits for the device; fills factor_report. Exchanges rows as Options::repivot says.
  void read_outcome_of_factor();
  /// What read_outcome_of_factor does with an outcome. Without an executor, `doubtful` tells whether the status is not known
  /// before the factorization has been probed.
  void take_outcome(const FactorOutcome& outcome);
  bool may_repivot() const;  ///< Whether repivot() has anything to try for the current values.
  /// The factorization is unstable: LU takes a plan with another exchange of rows and factorizes again, first by a matching.
  /// If that is unstable too, by threshold pivoting; LDLᵀ keeps its plan. Small pivots are then no longer replaced.
  void repivot();
  void try_other_pivots();
  /// Factorizes with the rows of a new matching. False if they are those of the plan.
  bool exchange_rows(const std::vector<T>& values);
  void keep_small_pivots(const std::vector<T>& values);
  void factorize_again(std::shared_ptr<const FactorPlan> other, const std::vector<T>& values, Options with);
  /// Whether the plan is for LU.
  bool is_lu() const { return built_with(Form::lu) && plan && plan->structure().general != nullptr; }
  /// Whether the analyzed form is LDLᵀ, whose plan is one of Cholesky.
  bool is_ldlt() const { return built_with(Form::ldlt) && plan && analyzed_options.form == Form::ldlt; }
  /// Whether A is complex and symmetric, not Hermitian.
  bool is_symmetric() const {
    return is_ldlt() && ScalarTraits<T>::is_complex && analyzed_options.symmetry == Symmetry::symmetric;
  }
  /// Whether every solve is verified, and doubtful factorizations are probed.
  bool is_verified() const { return is_lu() || is_ldlt(); }
  const char* form_name() const { return is_lu() ? "lu" : is_ldlt() ? "ldlt" : "llt"; }
  void require_pivots_of_a(const char* call);     ///< Waits; throws without a factor, and if pivots were replaced.
  void require_cholesky(const char* call) const;  ///< Throws InvalidInput for the forms lu and ldlt.
  void require_part(System part) const;           ///< Throws InvalidInput for a part that the form or scalar lacks.
  void read_verified_outcome(const FactorOutcome& outcome);
  void read_inertia(const FactorOutcome& outcome);
  /// Returns the limits of FGMRES with the current factor. They allow no iterations where FGMRES must not run. `in_place`:
  /// the solve overwrites b.
  KrylovLimits krylov_limits(bool in_place) const;
  bool is_finite_anywhere(const DenseView<const T>& b) const;
  /// Also refuses an analysis of LU that reads values on a device.
  void refuse_analysis_in_capture(const char* call, const MatrixView<T>& a) const;
  [[noreturn]] void refuse_solution(const SolveReport& report, double trusted) const;
  /// Solves. With a part that is_whole (`whole`), solves of LU and LDLᵀ are verified, and others are refined if the options
  /// ask for it. Throws NumericalFailure if LU or LDLᵀ does not give a trusted solution.
  void solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x, bool whole);
};

template <class T>
struct Solver<T>::Impl : SolverState<T> {};

/// The steps of a part of the solve.
SolveSteps steps_of(System part);

/// Whether the part of a solve is all of it: with A, its transpose or its adjoint.
inline bool is_whole(System part) { return part == System::a || part == System::transposed || part == System::adjoint; }

/// Throws InvalidInput where there are entries but no values.
template <class T>
void require_values(const T* values, const FactorPlan& plan) {
  if (values == nullptr && plan.assembly.entries_of_a > 0) fail<InvalidInput>("the matrix has no values (a null pointer)");
}

/// Report of an analysis with these options, from its plan. Device, reasons and seconds are the caller's to fill in.
AnalyzeReport describe_analysis(const FactorPlan& plan, PlanSource source, Backend backend, ScalarType scalar,
                                const Options& options);

/// Puts several devices into a report: their needs, and the sum.
void add_devices(std::vector<DeviceUse> devices, AnalyzeReport& report);

/// Flops and busy seconds of each regime.
std::array<RegimeReport, 3> describe_regimes(const FactorPlan& plan, Backend backend, const Trace& trace);

}  // namespace gpusupernodal
