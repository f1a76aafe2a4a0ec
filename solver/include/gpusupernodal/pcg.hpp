#pragma once

/// \file
/// Pcg: preconditioned conjugate gradients for symmetric or Hermitian positive definite matrices, on the host or on a CUDA
/// device.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Preconditioner of Pcg. `jacobi`: the diagonal; `block_jacobi`: square blocks on the diagonal; `ssor_ai`: the first-order
/// approximate inverse of SSOR; `fsai`: a factorized sparse approximate inverse on the pattern of A's lower triangle [KY93];
/// `ic0`: incomplete Cholesky without fill, on the host; `factor`: a Cholesky factorization of this library. `automatic`
/// takes `fsai`.
enum class Preconditioner { automatic, none, jacobi, block_jacobi, ssor_ai, fsai, ic0, factor };

/// When Pcg::update renews the preconditioner: always; only if the last solve took more than
/// PcgOptions::renewal_iterations iterations; or never, until the next analyze.
enum class Renewal { always, after_iterations, never };

/// Precision of Preconditioner::factor: that of the matrix, or single.
enum class FactorPrecision { same, single };

/// Outcome of a solve. `breakdown`: A or M is not positive definite, or a function for it is not Hermitian; `stagnated`: the
/// true residual stays above the tolerance although the recursive one fell below it; `not_finite`: NaN or Inf in A, b, x's
/// start or the iteration.
enum class PcgStatus { converged, max_iterations, breakdown, stagnated, not_finite };

/// Names of Preconditioner, in the order of its enumerators.
inline constexpr std::array<const char*, 8> preconditioner_names{
    {"auto", "none", "jacobi", "block_jacobi", "ssor_ai", "fsai", "ic0", "factor"}};
/// Names of Renewal.
inline constexpr std::array<const char*, 3> renewal_names{{"always", "after_iterations", "never"}};
/// Names of FactorPrecision.
inline constexpr std::array<const char*, 2> factor_precision_names{{"same", "single"}};
/// Names of PcgStatus.
inline constexpr std::array<const char*, 5> pcg_status_names{
    {"converged", "max_iterations", "breakdown", "stagnated", "not_finite"}};

/// Returns the name of a preconditioner; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Preconditioner value) noexcept { return names_detail::name_of(preconditioner_names, value); }
/// Returns the name of a rule of renewal; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Renewal value) noexcept { return names_detail::name_of(renewal_names, value); }
/// Returns the name of a precision; "unknown" for a number outside the enumeration.
constexpr const char* name_of(FactorPrecision value) noexcept {
  return names_detail::name_of(factor_precision_names, value);
}
/// Returns the name of a status; "unknown" for a number outside the enumeration.
constexpr const char* name_of(PcgStatus value) noexcept { return names_detail::name_of(pcg_status_names, value); }
/// Returns the preconditioner with exactly this name, or nothing.
constexpr std::optional<Preconditioner> preconditioner_of(std::string_view name) noexcept {
  return names_detail::value_of<Preconditioner>(preconditioner_names, name);
}
/// Returns the rule of renewal with exactly this name, or nothing.
constexpr std::optional<Renewal> renewal_of(std::string_view name) noexcept {
  return names_detail::value_of<Renewal>(renewal_names, name);
}
/// Returns the precision with exactly this name, or nothing.
constexpr std::optional<FactorPrecision> factor_precision_of(std::string_view name) noexcept {
  return names_detail::value_of<FactorPrecision>(factor_precision_names, name);
}

class FactorPlan;

/// Argument of PcgOptions::progress.
struct PcgProgress {
  std::int64_t iterations = 0;  ///< Iterations done for this right-hand side.
  double residual = 0.0;        ///< ‖r‖ of the iteration relative to ‖b‖.
  double target = 0.0;          ///< The value of `residual` at which the solve converges.
  /// α of the last iteration, x += α·p, and β, p := M⁻¹r + β·p; β is 0 after a start. On CUDA, where several iterations
  /// run between two calls, α is 0.
  double alpha = 0.0;
  double beta = 0.0;  ///< See `alpha`.
};

/// Options of Pcg. docs/pcg.md says how to choose.
struct PcgOptions {
  /// A solve converges at ‖b − Ax‖₂ ≤ max(tolerance·‖b‖₂, absolute_tolerance). If both are 0, `tolerance` is 1e-10, and
  /// 1e-5 for float.
  double tolerance = 0.0;
  double absolute_tolerance = 0.0;  ///< See `tolerance`.
  /// Limit on the iterations of a right-hand side; 0: 10·n, at least 100.
  std::int64_t max_iterations = 0;
  Preconditioner preconditioner = Preconditioner::automatic;  ///< M.
  int block_size = 0;                                         ///< Block order of `block_jacobi`, 1 to 8; 0: by the pattern.
  FactorPrecision factor_precision = FactorPrecision::same;   ///< Precision of the preconditioner `factor`.
  Renewal renewal = Renewal::always;                          ///< When `update` renews M.
  std::int64_t renewal_iterations = 20;                       ///< Iteration limit for Renewal::after_iterations.
  /// Where to compute. `automatic` takes CUDA if a device is found and A has at least 50,000 entries, or if `values` are
  /// there. `ic0` and complex matrices are for the host.
  Backend backend = Backend::automatic;
  int threads = 0;                              ///< Host threads, also of the set-up; 0: all that the process may use.
  int device = -1;                              ///< CUDA device; −1: the calling thread's current device.
  std::shared_ptr<Allocator> host_allocator;    ///< nullptr: aligned operator new.
  std::shared_ptr<Allocator> device_allocator;  ///< nullptr: cudaMalloc.
  /// Plan for the preconditioner `factor`, made for all entries of A by rows (StoredPart::full, Compression::rows, ascending
  /// columns), so that the set-up orders nothing; nullptr: the set-up makes one.
  std::shared_ptr<const FactorPlan> factor_plan;
  /// Called in solve, from the calling thread: on the host after each iteration, on CUDA when the host looks at the
  /// iteration. Return false to cancel: solve throws Cancelled, and x is not written. Acts from the next solve on. It must
  /// not call members of the object that calls it.
  std::function<bool(const PcgProgress&)> progress;
};

/// What a solve did with one right-hand side. Norms are Euclidean.
struct PcgReport {
  PcgStatus status = PcgStatus::max_iterations;  ///< Outcome.
  std::int64_t iterations = 0;                   ///< Products with A in the iteration.
  std::int64_t restarts = 0;        ///< Starts from the true residual, because the recursive one had drifted from it.
  double right_hand_side = 0.0;     ///< ‖b‖.
  double recursive_residual = 0.0;  ///< ‖r‖ of the iteration.
  double residual = 0.0;            ///< ‖b − A x‖, computed from the x that is returned.
  Preconditioner preconditioner = Preconditioner::none;  ///< M that was used.
  bool foreign_preconditioner = false;                   ///< Whether M was set by Pcg::set_preconditioner.
  int block_size = 0;                                    ///< Order of the blocks of `block_jacobi`.
  double factor_shift = 0.0;    ///< Added to the diagonal so that a factor in single precision exists.
  std::int64_t plain_rows = 0;  ///< Rows of `fsai` that have a diagonal entry only, since their local matrix is singular.
  std::int64_t bad_row = -1;    ///< Row of A whose diagonal entry or pivot is not positive, which precludes M; −1: none.
  double seconds_setup = 0.0;   ///< Last set-up of M, by analyze, update or compute.
  double seconds_solve = 0.0;   ///< This right-hand side.
  Backend backend = Backend::host;  ///< Where it ran.

  bool converged() const noexcept { return status == PcgStatus::converged; }  ///< Whether x is a solution.
};

/// Solves A x = b for symmetric or Hermitian positive definite A by preconditioned conjugate gradients. A is a matrix as for
/// Solver, of which one triangle is read, or an operator given as a function.
///
/// `converged` is confirmed by ‖b − A x‖, computed from x; where it exceeds the tolerance, the iteration starts again from
/// it. Equal input gives equal bits on the host, for any number of threads, and on one kind of device. Sums over vectors
/// are accumulated in double, for float too.
///
/// S is float, double, std::complex<float> or std::complex<double>. Threads: one object by one thread at a time; different
/// objects concurrently. Errors: if analyze or set_options throws, the object is unchanged; if update or the set-up of M in
/// compute throws for another reason than a wrong argument, the values are gone and solve throws InvalidState. Numerical
/// outcomes are values of PcgStatus; x is then the last iterate, or is not written if A, b or the start value is not finite.
template <class S>
class GPUSUPERNODAL_API Pcg {
  static_assert(detail::CheckScalar<S>::value);

 public:
  /// Sets y := A x or z := M⁻¹ r for contiguous vectors of n entries in the memory space of the backend. On CUDA it
  /// enqueues its work on `stream` (a cudaStream_t) and need not wait.
  using Apply = std::function<void(const DenseView<const S>& x, const DenseView<S>& y, void* stream)>;

  Pcg();  ///< With default options.
  /// With these options. Throws InvalidInput if one is out of its range.
  explicit Pcg(PcgOptions options);
  ~Pcg();  ///< Waits for the object's work and frees its memory.
  /// Moves. A moved-from object may only be assigned to or destroyed.
  Pcg(Pcg&&) noexcept;
  Pcg& operator=(Pcg&&) noexcept;  ///< Destroys what this object held, then moves.
  Pcg(const Pcg&) = delete;
  Pcg& operator=(const Pcg&) = delete;

  const PcgOptions& options() const;  ///< The options last set.
  /// Replaces the options. Tolerances, `max_iterations` and `progress` act from the next solve on, renewal from the next
  /// update, all others from the next analyze. Throws InvalidInput.
  void set_options(PcgOptions options);

  /// Takes the pattern of `a`; its values are not read. Throws InvalidInput as Solver::analyze does, and if both triangles
  /// have more than 2³¹ − 2²⁰ − 1 entries; throws BackendUnavailable and OutOfMemory. Cost: O(n + nnz).
  void analyze(const MatrixView<S>& a);
  /// Takes new values, in the order of the entries given to analyze, and sets M up as PcgOptions::renewal says. It copies
  /// values in device memory to the host, and waits for that. Throws InvalidState before analyze, and InvalidInput for
  /// another number of values, for a complex diagonal that is not real up to rounding, or if the error bound of ssor_ai
  /// exceeds 1; throws OutOfMemory and DeviceError. Cost: O(nnz)
  /// and the set-up of M.
  void update(Span<const S> values, MemorySpace space = MemorySpace::host);
  /// analyze and update.
  void compute(const MatrixView<S>& a);
  /// Takes an operator of order n in place of a matrix. Preconditioners of the options need a matrix: M is the identity
  /// unless set_preconditioner gives one. Throws InvalidInput, BackendUnavailable, OutOfMemory.
  void set_operator(std::int64_t n, Apply product);
  /// Takes z := M⁻¹ r from a function, in place of the options' preconditioner; an empty function takes that one again,
  /// from the next update on. M must be symmetric or Hermitian, positive definite, and the same in all iterations.
  void set_preconditioner(Apply inverse);

  /// Solves A x = b for every column of b, one after another. With `use_start`, x holds a start value; otherwise the
  /// iteration starts at 0. Waits for the device. Returns the report of the column that did worst: the first that did not
  /// converge, or that with most iterations. If b is not finite, x is not written. Throws InvalidState before update;
  /// InvalidInput for wrong sizes, or if b and x overlap; what a function of the caller throws; Cancelled; DeviceError.
  const PcgReport& solve(const DenseView<const S>& b, const DenseView<S>& x, bool use_start = false);

  /// z := M⁻¹ r for every column, with the M of the last update or of set_preconditioner: a fixed, Hermitian and linear map,
  /// for iterations of the caller. Waits for the device. Throws InvalidState before update, and if M does not exist
  /// (setup_report); InvalidInput for wrong sizes, or if r and z overlap; what a function of the caller throws; DeviceError.
  void precondition(const DenseView<const S>& r, const DenseView<S>& z);

  /// What is known of M without a solve: `preconditioner`, `block_size`, `factor_shift`, `plain_rows`, `bad_row`,
  /// `seconds_setup` and `backend`. `status` is `breakdown` if M does not exist, `not_finite` if A is not finite, and else
  /// `converged`.
  PcgReport setup_report() const;

  /// Reports of the last solve, one for each column.
  const std::vector<PcgReport>& reports() const;
  std::int64_t order() const;  ///< Order of A; 0 before analyze.
  Backend backend() const;     ///< The backend that analyze chose.
  /// Enqueues later device work on this cudaStream_t; initially CUDA's legacy default stream. It must live until the next
  /// set_stream. Every call waits for its work before it returns, so the new stream need not wait for the earlier one. If a
  /// call has thrown, its work may still be running: wait for the earlier stream first.
  void set_stream(void* cuda_stream);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GPUSUPERNODAL_API Pcg<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
