#pragma once

/// \file
/// Solver<T>: sparse factorizations on the host or on a CUDA device. Cholesky A = Pᵀ L Lᵀ P of symmetric positive definite
/// matrices, with Lᴴ for Lᵀ of Hermitian ones; LDLᵀ of symmetric and Hermitian indefinite ones; LU of any square matrix.

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Everything decided before values are known: ordering, structure of L, tasks. Immutable; solvers and threads may
/// share one. Opaque: use the functions below.
class FactorPlan;

/// Returns statistics of a plan as JSON: ordering, widths, fronts, flops, tasks, critical path, memory per backend.
/// Cost: O(tasks).
GPUSUPERNODAL_API std::string plan_json(const FactorPlan& plan);
/// Returns the assembly tree in Graphviz's language, one node per supernode with width, rows below and flops.
/// Throws InvalidInput above `max_supernodes`, where a drawing is no longer readable. Cost: O(supernodes).
GPUSUPERNODAL_API std::string plan_graphviz(const FactorPlan& plan, std::int64_t max_supernodes = 2000);

/// Writes the parts of a plan that take long to compute, the elimination order and the supernodes, to a file for
/// Solver::load_plan: versioned, with a checksum, 4 bytes per row of A. The file replaces `path` only when complete.
/// Throws InvalidInput if it cannot be written or is for Form::lu. Cost: O(n).
GPUSUPERNODAL_API void save_plan(const FactorPlan& plan, const std::string& path);

/// Result of an analysis without a solver.
struct Preview {
  std::shared_ptr<const FactorPlan> plan;  ///< For Solver::analyze(a, plan), plan_json, plan_graphviz and save_plan.
  AnalyzeReport report;                    ///< What Solver<T>::analyze_report would return, memory included.
};

/// Part of the solve to perform. A = Pᵀ L Lᵀ P with (P b)[k] = b[old_of_new[k]], where Solver::old_of_new() returns the
/// order. Options::permutation may differ from it, see there.
enum class System {
  a,           ///< x = A⁻¹ b
  l,           ///< x = L⁻¹ b, both in elimination order
  lt,          ///< x = L⁻ᵀ b, both in elimination order
  p,           ///< x = P b
  pt,          ///< x = Pᵀ b
  forward,     ///< x = L⁻¹ P b
  backward,    ///< x = Pᵀ L⁻ᵀ b
  transposed,  ///< x = A⁻ᵀ b; the same as `a` for symmetric matrices, real and complex
  adjoint      ///< x = A⁻ᴴ b; of real numbers, the same as `transposed`; for Hermitian matrices, the same as `a`
};

/// L as compressed columns in the order of Solver::old_of_new(): rows sorted, diagonal first, with the explicit zeros
/// from merging.
template <class T>
struct FactorMatrix {
  std::vector<std::int64_t> offsets;  ///< n + 1 entries.
  std::vector<std::int64_t> rows;     ///< Row numbers in the elimination order.
  std::vector<T> values;              ///< Values of the entries in `rows`.
};

/// D of P S A S Pᵀ = L D Lᵀ as Solver::extract_d returns it, divided by the scales S: its product is the determinant of A.
/// D has pivots of order 1 and 2 on its diagonal, and is symmetric or Hermitian as A is.
template <class T>
struct PivotBlocks {
  std::vector<T> diagonal;  ///< n entries.
  std::vector<T> beside;    ///< n entries: beside[k] is entry (k + 1, k), which is 0 unless a pivot of order 2 begins at k.
};

/// A sparse direct solver with the states empty → analyzed → factorized.
///
/// With Options::form = Form::lu, A may be any square matrix, real or complex, given with all its entries. It is factorized
/// as P R D A C Pᵀ = L U: R is an exchange of rows that analyze chooses by the values (Options::matching), D and
/// C are scales, P is the fill-reducing order. Rows are not exchanged later; pivots that are too small are replaced instead.
/// If that happens, or if L and U grow (FactorReport::growth), the first call that reads the outcome runs a test solve to
/// find the status. Every solve is verified: if its backward error exceeds 100·sqrt(n)·eps, x is refined, and
/// NumericalFailure is thrown if that does not help. Solves take System::a, transposed and adjoint; shifts, plan files,
/// extract_l and reciprocal_condition are for Cholesky only.
///
/// With Options::form = Form::ldlt, A may be any symmetric matrix, given as for Cholesky; a complex one is Hermitian or
/// symmetric as Options::symmetry says. It is factorized as P S A S Pᵀ = L D Lᵀ, where S are scales and D has pivots of
/// order 1 and 2, exchanged inside the diagonal blocks of supernodes only; on CUDA, D has pivots of order 1 in the order of
/// the plan. Status, verification and limits are those of LU, except that shifts and plan files are allowed; FactorReport
/// has the inertia.
///
/// T is float, double, std::complex<float> or std::complex<double>. With Form::llt and Form::ldlt a complex solver reads one
/// triangle of a Hermitian A; the other triangle is its conjugate. The diagonal must be real: factorize throws InvalidInput
/// for an imaginary part above 100·n·eps times the real part, and ignores smaller ones. A device that has the values in its
/// memory does not wait, but lets the pivot of that column fail: the status is not_positive_definite for Form::llt, unstable
/// for Form::ldlt. LuSchedule::columns and CudaSchedule::streams run on the host if T is complex: analyze throws
/// BackendUnavailable for Backend::cuda. Where the docs of members write Lᵀ, it uses Lᴴ. With Symmetry::symmetric, which
/// needs Form::ldlt, A = Aᵀ and diagonal entries are complex; analyze throws InvalidInput for Form::llt. Form::lu is for all
/// other complex matrices.
///
/// Threads: different objects may be used concurrently; one object by one thread at a time, which may change. Several
/// threads may call const members of one object while no thread calls another member. Solvers of any scalar type and
/// backend may share plans (analyze(a, plan)), which are never modified, and allocators; each solver has its own
/// values.
///
/// Errors: if analyze or set_options throws, the object is unchanged. If factorize throws, the analysis stays. The
/// factor stays too if factorize throws before it starts: InvalidInput, InvalidState, or OutOfMemory for newly
/// requested refinement. If it throws later (Cancelled, an exception from Options::factor_progress, DeviceError), no
/// factor exists and solve throws InvalidState; is_factorized() tells which. If solve throws, the factor stays and x is
/// undefined. Every member may also throw std::bad_alloc and whatever an allocator or a callback of the options throws.
/// The object remains usable after all of these. If the device is lost (any kernel in this process faulted), every call
/// throws DeviceError, but analyze for the host works.
///
/// Streams: device work is enqueued on the stream given to `set_stream` (initially CUDA's legacy default stream). With
/// A, b and x in device memory, refactorize and solve return without waiting for it. The caller's current device is
/// restored.
///
/// Captured graphs: with A, b and x in device memory, refactorize and solve can be captured from that stream into a
/// CUDA graph. During the capture, calls that would wait for the device or allocate its memory throw InvalidState and
/// leave the capture intact. The solver keeps everything that a graph captured until it is destroyed or assigned to,
/// and until then the graph may be launched; larger workspaces and other analyses take additional memory.
/// docs/guide-advanced.md has the table of all calls.
template <class T>
class GPUSUPERNODAL_API Solver {
  static_assert(detail::CheckScalar<T>::value);

 public:
  Solver();  ///< An empty solver with default options.
  /// An empty solver with these options. Throws InvalidInput if an option is out of range.
  explicit Solver(Options options);
  /// Waits for this solver's work, then frees all memory. If a graph has captured work, waits for the whole device,
  /// because the graph may run in any stream. Precondition: no such graph is launched afterwards, and no capture is
  /// active on the solver's stream.
  ~Solver();
  /// Moves. A moved-from solver may only be assigned to or destroyed.
  Solver(Solver&&) noexcept;
  /// Destroys what this solver held, as the destructor does, then moves as the constructor does.
  Solver& operator=(Solver&&) noexcept;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// The options last set, even if the current analysis was made with older ones.
  const Options& options() const;
  /// Replaces the options. `check_right_hand_sides` acts from the next solve on; `refinement` and `factor_progress`
  /// from the next factorize on (which throws InvalidState if refinement was switched after a graph captured a call);
  /// all others from the next analyze on. Throws InvalidInput as the constructor does; the old options then stay.
  void set_options(Options options);

  /// Decides ordering, structure of L, tasks and backend for the pattern of `a`. Its values are not read, except for
  /// Form::lu (Options::matching).
  /// With Options::plan_cache, a pattern analyzed before with equal options costs only a comparison. All memory is
  /// allocated here; the memory of an earlier analysis is freed afterwards, so both briefly coexist. Everything that a
  /// graph has captured is kept, the factor included; from then on, the graph and this solver do not see each other's
  /// factorizations. Throws InvalidInput (for the pattern, with row and column), InvalidState during a graph capture,
  /// BackendUnavailable, OutOfMemory, DeviceError or Cancelled; the object is then unchanged. Cost: docs/analysis.md;
  /// the ordering dominates.
  void analyze(const MatrixView<T>& a);
  /// As above, with a plan from another solver. Throws as above, and InvalidInput if the plan was made for another pattern
  /// or form; Form::llt and Form::ldlt share plans. Cost: a hash of the pattern.
  void analyze(const MatrixView<T>& a, std::shared_ptr<const FactorPlan> plan);
  /// Analyzes with the order and the supernodes that save_plan stored for this pattern; ordering, merging and block
  /// width come from the file and override the options. Throws as analyze, and InvalidInput if the file cannot be read,
  /// is damaged, has another format, is not a plan file, or belongs to another pattern. Cost: analyze without the
  /// ordering.
  void load_plan(const MatrixView<T>& a, const std::string& path);
  /// Analyzes the pattern of `a` and reports what a factorization would need, but allocates no memory for one and uses
  /// no device: Backend::cuda works without a driver, for Options::device_profile. If `plan_file` is not empty, the
  /// ordering is read from this file of save_plan. Throws InvalidInput, Cancelled. Uses the plan cache. Cost: the ordering.
  static Preview preview(const MatrixView<T>& a, const Options& options = {}, const std::string& plan_file = {});
  /// The current plan; nullptr before analyze.
  std::shared_ptr<const FactorPlan> plan() const;

  /// Factorizes scale·A + offset·I (set_shift; initially A itself) with the values of `a`. Precondition: `a` has the
  /// analyzed pattern, otherwise throws InvalidInput. A matrix that is not positive definite is an outcome, not an
  /// error: see status(). Waits and throws as refactorize. Cost: a hash of the pattern and AnalyzeReport::stored_flops.
  void factorize(const MatrixView<T>& a);
  /// Calls analyze, then factorize; throws what they throw. If the values are a null pointer, throws before anything is
  /// replaced: the old analysis and its factor stay. If factorize throws for any other reason, the new analysis stays.
  void compute(const MatrixView<T>& a);
  /// Factorizes with new values, in the order of the entries given to analyze; only their number is checked.
  /// If the values are in the backend's memory, it allocates nothing, and on CUDA it does not wait. The second call
  /// records a CUDA graph, for which the driver allocates memory; later calls are one launch of it. During the
  /// recording (milliseconds), CUDA refuses cudaDeviceSynchronize in other threads (cudaErrorStreamCaptureUnsupported);
  /// this library's calls wait until the recording ends. If CUDA refuses the graph, factorizations are launched piece
  /// by piece. Throws InvalidState before analyze, if the call cannot be captured, or if refinement was switched after
  /// a capture; InvalidInput, DeviceError, OutOfMemory (for newly requested refinement). Cost:
  /// AnalyzeReport::stored_flops.
  void refactorize(Span<const T> values, MemorySpace space = MemorySpace::host);
  /// Equivalent to factorize(a): compares the pattern with the analyzed one by a hash.
  void refactorize(const MatrixView<T>& a);
  /// Makes the next and later factorizations factorize scale·A + offset·I; the current factor keeps its shift. Throws
  /// InvalidInput unless both are finite in T.
  void set_shift(double offset, double scale = 1.0);

  /// Returns the outcome of the last factorization; waits for the device if the outcome has not been read yet. Throws
  /// InvalidState before factorize and during a graph capture, DeviceError.
  Status status();

  /// Solves A x = b, or the part of it that `part` names, for all columns of b. x may be b itself (equal data, ld and
  /// space); otherwise they must not overlap.
  /// b and x may be in either memory space. If one is not where the factor is, it is copied and the call waits for the
  /// device; so does refinement (Options::refinement; with System::a, transposed and adjoint only). The first call with more
  /// columns than any call before allocates workspace (at most for 64 on host, 16 on cuda; more columns are solved in
  /// portions). Throws InvalidState before factorize and if the call cannot be captured; InvalidInput for wrong sizes and
  /// for NaN or Inf in b in host memory (Options::check_right_hand_sides; x is not written then); OutOfMemory; DeviceError;
  /// NumericalFailure if the last factorization is known to have failed, or if a solution of LU or LDLᵀ cannot be trusted
  /// (see the class). If a Cholesky factorization failed on the device and this has not been read yet, all of x becomes NaN.
  /// Cost: about 4·AnalyzeReport::stored_l flops per column.
  void solve(const DenseView<const T>& b, const DenseView<T>& x, System part = System::a);
  /// Allocates the workspace for solves with up to `columns` right-hand sides (1 to 65536) now, or in the next analyze
  /// if there is no analysis yet; initially 1. A smaller number than before takes effect in the next analyze. Waits for
  /// the device and frees the old workspace, unless a graph has captured a solve with it. Throws InvalidInput,
  /// InvalidState if it would allocate during a graph capture, OutOfMemory.
  void reserve_right_hand_sides(std::int64_t columns);

  /// Enqueues the work of later calls on this cudaStream_t (void*, so that this header needs no CUDA header), which must
  /// live until the next set_stream. On the device, later calls run after earlier calls of this solver on any stream. The
  /// caller orders everything else: its own work on the two streams, calls that a graph captures, and launches of graphs,
  /// which run in the streams they are launched in. The host backend waits for the stream before it reads device memory.
  void set_stream(void* cuda_stream);

  bool is_analyzed() const;  ///< Whether factorize may be called.
  /// Whether a factorization was launched since the last analyze; status() returns its outcome.
  bool is_factorized() const;
  /// Order of the analyzed matrix; 0 before analyze.
  std::int64_t order() const;
  Backend backend() const;  ///< The backend chosen by analyze.

  /// Report of the last analyze; empty before. Valid until the next one.
  const AnalyzeReport& analyze_report() const;
  /// Report of the last factorization; waits for the device as status() does. Throws InvalidState before factorize,
  /// DeviceError.
  FactorReport factor_report();
  /// Report of the last solve; empty before. Valid until the next one.
  const SolveReport& solve_report() const;

  /// Returns what ran where and when since the beginning of the last factorize, later solves included, as Chrome trace
  /// events in JSON (for ui.perfetto.dev). Waits for the device. Throws InvalidState before analyze and if
  /// Options::trace was off in it, DeviceError. Cost: about 150 bytes of text per task.
  std::string trace_json();

  /// Returns the elimination order: row old_of_new[k] of A is eliminated k-th. It is the fill-reducing ordering after
  /// postordering and so may differ from Options::permutation and from Ordering::natural. Throws InvalidState before
  /// analyze. Cost: O(n).
  std::vector<std::int64_t> old_of_new() const;
  /// Copies L to the host; waits for the device. Throws InvalidState before factorize, NumericalFailure without a
  /// factor, InvalidInput for Form::lu and Form::ldlt, DeviceError. Cost: at most AnalyzeReport::stored_l values and
  /// indices, plus as many values temporarily.
  FactorMatrix<T> extract_l();
  /// Copies D to the host. Throws InvalidState before factorize, NumericalFailure without a factor, InvalidInput unless the
  /// form is Form::ldlt. Cost: O(n).
  PivotBlocks<T> extract_d();
  /// Returns the logarithm of the factorized matrix's determinant, 2·Σ log l_kk; for other forms, of its magnitude. Waits
  /// for the device. Throws as extract_l, and NumericalFailure if pivots were replaced. Cost: n values copied.
  double log_determinant();
  /// Returns det A / |det A| of the factorized matrix: 1 or −1; for complex T a number of magnitude 1. Waits for the device.
  /// Throws as log_determinant. Cost: n values copied.
  T determinant_sign();
  /// Returns an estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁) for the factorized matrix, its shift included; waits for the device.
  /// Precondition: `a` holds the values that were factorized. Exact up to rounding for n ≤ 11; above that, Hager's
  /// method [Higham02 §15.3] gives an upper bound, mostly within a factor of 3. The bound was more than 10 times too
  /// large for about 120 of 52,700 small matrices; LAPACK's dpocon was no better on the four of them that were
  /// compared. solve_report() is unchanged. Throws as extract_l, and InvalidInput for another pattern. Cost: at most 11
  /// solves.
  double reciprocal_condition(const MatrixView<T>& a);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GPUSUPERNODAL_API Solver<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
