#pragma once

/// \file
/// SystemSolver: solves A x = b for symmetric positive definite A by a factorization or by conjugate gradients, whichever is
/// forecast to end sooner.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// How a system is solved. `direct`: Cholesky (Solver); `mixed`: conjugate gradients in double with a Cholesky factor in
/// single precision, for float matrices the same as `direct`; `pcg`: conjugate gradients (Pcg); `automatic`: the one that is
/// forecast to end first. docs/system.md has the rules.
enum class Method { automatic, direct, mixed, pcg };

/// Outcome of SystemSolver::solve. `not_solved`: there was no solve yet, or the last one threw; `not_converged`: too many
/// iterations, where no other method was allowed or had memory; `inaccurate`: the residual of x is too large.
enum class SystemStatus { not_solved, solved, not_positive_definite, not_finite, not_converged, inaccurate };

/// Names of Method.
inline constexpr std::array<const char*, 4> method_names{{"automatic", "direct", "mixed", "pcg"}};
/// Names of SystemStatus.
inline constexpr std::array<const char*, 6> system_status_names{
    {"not_solved", "solved", "not_positive_definite", "not_finite", "not_converged", "inaccurate"}};

/// Returns the name of a method; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Method value) noexcept { return names_detail::name_of(method_names, value); }
/// Returns the name of a status; "unknown" for a number outside the enumeration.
constexpr const char* name_of(SystemStatus value) noexcept { return names_detail::name_of(system_status_names, value); }
/// Returns the method with exactly this name, or nothing.
constexpr std::optional<Method> method_of(std::string_view name) noexcept {
  return names_detail::value_of<Method>(method_names, name);
}

/// Options of SystemSolver. docs/system.md says how to choose.
struct SystemOptions {
  Method method = Method::automatic;  ///< How to solve.
  /// Expected number of right-hand sides for one set of values, over which `automatic` amortizes an analysis and a
  /// factorization.
  std::int64_t expected_solves = 1;
  /// Expected number of sets of values for one pattern; the ordering searches longer for more (see
  /// Options::expected_factorizations).
  std::int32_t expected_factorizations = 1;
  /// A solution is accepted at ‖b − Ax‖₂ ≤ max(tolerance·‖b‖₂, absolute_tolerance), or if its backward error
  /// ‖b − Ax‖₂ / (‖A‖₁‖x‖₂ + ‖b‖₂) is at most 100·sqrt(n)·eps. If both are 0, `tolerance` is 1e-10, and 1e-5 for float.
  double tolerance = 0.0;
  double absolute_tolerance = 0.0;  ///< See `tolerance`.
  /// Limit on the iterations of a right-hand side; 0: 10·n, at least 100.
  std::int64_t max_iterations = 0;
  /// Preconditioner of conjugate gradients; `automatic` takes `jacobi`, which needs no set-up. `factor` is Method::mixed.
  Preconditioner preconditioner = Preconditioner::automatic;
  Ordering ordering = Ordering::automatic;      ///< Fill-reducing ordering of the factorization; not `user`.
  Backend backend = Backend::automatic;         ///< Where to compute; `automatic` decides for each method on its own.
  int threads = 0;                              ///< Host threads; 0: all that the process may use.
  int device = -1;                              ///< CUDA device; −1: the calling thread's current device.
  std::shared_ptr<Allocator> host_allocator;    ///< nullptr: aligned operator new.
  std::shared_ptr<Allocator> device_allocator;  ///< nullptr: cudaMalloc.
  /// Called in solve, from the calling thread, with the phases "iterate", "analyze" and "factorize"; return false to cancel:
  /// solve throws Cancelled, and the object remains usable. It must not call members of the object that calls it.
  std::function<bool(const Progress&)> progress;
};

/// What SystemSolver::solve decided and measured. Times are wall-clock seconds; −1: not known.
struct SystemReport {
  SystemStatus status = SystemStatus::not_solved;  ///< Outcome, for the first right-hand side that failed.
  Method method = Method::automatic;               ///< Method that computed x.
  std::string reason;                              ///< Why this method, in one sentence; and why another one was given up.
  Backend backend = Backend::host;                 ///< Where that method ran.

  double forecast_direct = -1.0;      ///< Forecast seconds for all remaining solves, from the choice on, by `direct`.
  double forecast_mixed = -1.0;       ///< Forecast seconds by `mixed`.
  double forecast_pcg = -1.0;         ///< Forecast seconds by `pcg`.
  double forecast_iterations = -1.0;  ///< Iterations of conjugate gradients for one right-hand side.
  std::int64_t probe_iterations = 0;  ///< Iterations from which the forecast was made.
  double smallest_ritz = 0.0;         ///< Smallest Ritz value of M⁻¹A after them; 0: none.
  double largest_ritz = 0.0;          ///< Largest Ritz value.

  std::int64_t iterations = 0;  ///< Iterations of the last solve; of several columns, the most.
  double residual = -1.0;  ///< ‖b − Ax‖₂ / ‖b‖₂ of the x returned, the largest of all columns; −1: no x.
  double backward_error = -1.0;  ///< ‖b − Ax‖₂ / (‖A‖₁‖x‖₂ + ‖b‖₂), where x was not accepted by its residual.
  int refinement_steps = 0;         ///< Steps of refinement of a direct solution; of several columns, the most.
  double factor_shift = 0.0;        ///< Added to the diagonal so that a factor in single precision exists.
  std::int64_t failed_column = -1;  ///< Column of A whose pivot is not positive, counted from 0.

  double seconds_analysis = -1.0;   ///< Ordering and symbolic factorization; they run beside the first iterations.
  double seconds_factorize = -1.0;  ///< Last factorization of the method.
  double seconds_iteration = -1.0;  ///< One iteration of conjugate gradients; an estimate before a device has iterated.
  double seconds_solve = 0.0;       ///< The call of solve, with all that it did.
  /// Bytes that the object holds for A, vectors and factors, as far as the library counts them.
  std::int64_t memory = 0;
  std::int64_t factorizations = 0;  ///< Factorizations since analyze.
  std::int64_t solves = 0;          ///< Right-hand sides since the values were given.

  bool solved() const noexcept { return status == SystemStatus::solved; }  ///< Whether x is a solution.
};

/// Solves A x = b for symmetric positive definite A, given as for Solver, of which one triangle is read.
///
/// With Method::automatic, the first solve iterates by conjugate gradients on b, unless the plan cache has the plan and a
/// factorization takes as long as a few iterations. Unless the iterations are about to end, another thread orders A. When
/// all forecasts are known, the solve continues with the method that is forecast to end first for the expected number of
/// solves. Later solves and new values revise the choice by what was measured. The choice depends on times, so equal input
/// need not give equal bits; each method alone gives equal bits on the host.
///
/// Every x is verified by its residual. `automatic` and `mixed` give way to a factorization in the precision of A where an
/// iteration fails; a matrix that is not positive definite is an outcome (SystemStatus), then use Form::ldlt or Form::lu of
/// Solver. x is written only if the status is `solved`, `not_converged` or `inaccurate`. If solve throws, x has no
/// certain values.
///
/// S is float or double. Threads: one object by one thread at a time; different objects concurrently. Errors: if analyze or
/// set_options throws, the object is unchanged; if update throws for another reason than a wrong argument, the values are
/// gone and solve throws InvalidState; if solve throws, the next one works. If memory for a factor is refused, `automatic`
/// goes on iterating. The destructor, move assignment and analyze stop an ordering that still runs in the other thread, and
/// wait until it ends its current step.
template <class S>
class GPUSUPERNODAL_API SystemSolver {
  static_assert(detail::CheckReal<S>::value);

 public:
  SystemSolver();  ///< With default options.
  /// With these options. Throws InvalidInput if one is out of its range.
  explicit SystemSolver(SystemOptions options);
  ~SystemSolver();  ///< Waits for the object's work and frees its memory.
  /// Moves. A moved-from object may only be assigned to or destroyed.
  SystemSolver(SystemSolver&&) noexcept;
  SystemSolver& operator=(SystemSolver&&) noexcept;  ///< Destroys what this object held, then moves.
  SystemSolver(const SystemSolver&) = delete;
  SystemSolver& operator=(const SystemSolver&) = delete;

  const SystemOptions& options() const;  ///< The options last set.
  /// Replaces the options. `method`, `expected_solves`, tolerances, `max_iterations` and `progress` act from the next solve
  /// on, all others from the next analyze. Throws InvalidInput.
  void set_options(SystemOptions options);

  /// Takes the pattern of `a`; its values are not read. With Method::direct and mixed, the ordering begins in another
  /// thread. Throws InvalidInput as Solver::analyze does. Cost: O(n + nnz).
  void analyze(const MatrixView<S>& a);
  /// Takes new values, in the order of the entries given to analyze. Throws InvalidState before analyze, InvalidInput for
  /// another number of values. Cost: O(nnz); factors and preconditioners are renewed by the next solve.
  void update(Span<const S> values, MemorySpace space = MemorySpace::host);
  /// analyze and update.
  void compute(const MatrixView<S>& a);

  /// Solves A x = b for every column of b; waits for all work. Throws InvalidState before update; InvalidInput for wrong
  /// sizes, or if b and x overlap; Cancelled, OutOfMemory, BackendUnavailable, DeviceError. Columns in device memory are
  /// copied to the host to be verified.
  const SystemReport& solve(const DenseView<const S>& b, const DenseView<S>& x);

  const SystemReport& report() const;  ///< Report of the last solve; `not_solved` if it threw.
  std::int64_t order() const;          ///< Order of A; 0 before analyze.
  /// Enqueues later device work on this cudaStream_t; initially CUDA's legacy default stream. It must live until the next
  /// set_stream. Every call waits for its work before it returns, so the new stream need not wait for the earlier one. If a
  /// call has thrown, its work may still be running: wait for the earlier stream first.
  void set_stream(void* cuda_stream);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GPUSUPERNODAL_API SystemSolver<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
