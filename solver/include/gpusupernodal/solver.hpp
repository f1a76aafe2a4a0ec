#pragma once

/// \file
/// Solver<T>: sparse Cholesky A = Pᵀ L Lᵀ P of a symmetric positive definite matrix, on the host or on a CUDA device.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Everything decided before values are known (ordering, structure of L, tasks). Immutable; shared between solvers
/// and threads. Looked at through the functions below.
class FactorPlan;

/// Statistics of a plan as JSON: ordering, widths, fronts, flops, tasks, critical path, memory per backend. Cost O(tasks).
GPUSUPERNODAL_API std::string plan_json(const FactorPlan& plan);
/// The assembly tree in Graphviz's language, a node a supernode with width, rows below and flops.
/// Throws InvalidInput above `max_supernodes`, where a drawing helps nobody. Cost O(supernodes).
GPUSUPERNODAL_API std::string plan_graphviz(const FactorPlan& plan, std::int64_t max_supernodes = 2000);

/// Stores what of a plan takes long to find, the order of elimination and the supernodes, in a file for Solver::load_plan:
/// versioned, with a checksum, 4 bytes a row of A. The file appears under its name when it is complete.
/// Throws InvalidInput where it cannot be written. Cost O(n).
GPUSUPERNODAL_API void save_plan(const FactorPlan& plan, const std::string& path);

/// An analysis without a solver.
struct Preview {
  std::shared_ptr<const FactorPlan> plan;  ///< For Solver::analyze(a, plan), plan_json, plan_graphviz and save_plan.
  AnalyzeReport report;                    ///< As Solver<T>::analyze_report would be, memory included.
};

/// Which part of the solve to do. With A = Pᵀ L Lᵀ P, (P b)[k] = b[old_of_new[k]] for the order that Solver::old_of_new()
/// returns. A caller's Options::permutation may differ from it, see there.
enum class System {
  a,        ///< x = A⁻¹ b
  l,        ///< x = L⁻¹ b, both in elimination order
  lt,       ///< x = L⁻ᵀ b, both in elimination order
  p,        ///< x = P b
  pt,       ///< x = Pᵀ b
  forward,  ///< x = L⁻¹ P b
  backward  ///< x = Pᵀ L⁻ᵀ b
};

/// L as compressed columns in the order of Solver::old_of_new(); rows sorted, diagonal first, explicit zeros of merging
/// included.
template <class T>
struct FactorMatrix {
  std::vector<std::int64_t> offsets;  ///< n + 1.
  std::vector<std::int64_t> rows;     ///< Positions in the order of elimination.
  std::vector<T> values;              ///< As many.
};

/// A sparse Cholesky solver: empty → analyzed → factorized.
///
/// Threads: different objects may be used from different threads at the same time; one object by one thread at a time, not
/// always the same one. Its const members may be called by several threads while nobody calls another member. Solvers of any
/// scalar type and backend may share a plan (analyze(a, plan)), which is never written, and allocators; values are their
/// own.
///
/// Errors: analyze and set_options that throw leave the object as it was. A factorize that throws keeps the analysis. It
/// keeps the factor too where it throws before it begins: InvalidInput, InvalidState, or memory refused for refinement that
/// is now wanted. After it has begun (Cancelled, an exception of Options::factor_progress, DeviceError) there is no factor,
/// and solve throws InvalidState; is_factorized() tells which. A solve that throws keeps the factor, and x is undefined.
/// Every member may also throw std::bad_alloc where `operator new` does, and what an allocator or a callback of the options
/// throws. After all of these the same object can be used again; where a device is lost (any kernel in this process
/// faulted) each call says so by DeviceError, and analyze for the host works.
///
/// Device work is put on the stream given to `set_stream` (CUDA's legacy default stream at first) and, with A, b and x
/// in device memory, refactorize and solve return without waiting for it. The caller's current device is restored.
///
/// Captured graphs: with A, b and x in device memory, refactorize and solve can be captured from that stream into a CUDA
/// graph. While it is captured, calls that would wait for the device or take its memory throw InvalidState and leave the
/// capture as it is. Whatever a graph has captured stays until the solver is destroyed or assigned to, and until then the
/// graph may be launched: larger workspaces and other analyses take memory beside it. docs/guide-advanced.md has the
/// table of all calls.
/// T is float or double.
template <class T>
class GPUSUPERNODAL_API Solver {
 public:
  Solver();  ///< Empty, with default options.
  /// Throws InvalidInput if an option is out of its range.
  explicit Solver(Options options);
  /// Gives all memory back, after waiting for this solver's work; where a graph has captured some, for the whole device,
  /// because the graph may run on any stream. Neither such a graph may be launched afterwards, nor may a graph be captured
  /// on the solver's stream meanwhile.
  ~Solver();
  /// A solver that was moved from may only be assigned to or destroyed.
  Solver(Solver&&) noexcept;
  /// Gives back what this solver held, as the destructor does; otherwise as the constructor.
  Solver& operator=(Solver&&) noexcept;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Those last given, also where an analysis still has older ones.
  const Options& options() const;
  /// Replaces the options. `check_right_hand_sides` acts from the next solve on, `refinement` and `factor_progress` from the
  /// next factorize on (which throws InvalidState where refinement is switched after a graph has captured a call), all
  /// others from the next analyze on. Throws InvalidInput as the constructor does, and leaves the old ones then.
  void set_options(Options options);

  /// Decides ordering, structure of L, tasks and backend for the pattern of `a` (its values are not read).
  /// The same pattern with the same options as before costs a comparison where Options::plan_cache is on.
  /// All memory is taken here; that of an earlier analysis is given back afterwards, so for a moment both are there. What a
  /// graph has captured is kept, factor included: the graph and this solver then do not see each other's factorizations.
  /// Throws InvalidInput (pattern, with row and column), InvalidState while a graph is captured, BackendUnavailable,
  /// OutOfMemory, DeviceError, Cancelled; the object is then as it was. Cost: docs/analysis.md; the ordering dominates.
  void analyze(const MatrixView<T>& a);
  /// The same with a plan made by another solver of the same pattern; costs a hash of the pattern, which must equal the
  /// plan's. Throws as the other, and InvalidInput where the patterns differ.
  void analyze(const MatrixView<T>& a, std::shared_ptr<const FactorPlan> plan);
  /// analyze with the order and the supernodes that save_plan stored for the same pattern; ordering, merging and block
  /// width are those of the file, whatever the options say. Throws as analyze, and InvalidInput for a file that cannot be
  /// read, is damaged, of a newer version, no plan or that of another pattern. Cost: analyze without the ordering.
  void load_plan(const MatrixView<T>& a, const std::string& path);
  /// Analyzes the pattern of `a` as analyze does and tells what a factorization would take, but takes no memory for one and
  /// uses no device: Backend::cuda works without a driver, for Options::device_profile. `plan_file`, unless empty, is a file
  /// of save_plan, from which the ordering is read. Throws InvalidInput, Cancelled. Cost: the ordering dominates.
  static Preview preview(const MatrixView<T>& a, const Options& options = {}, const std::string& plan_file = {});
  /// The plan, or nullptr before analyze.
  std::shared_ptr<const FactorPlan> plan() const;

  /// Factorizes s·A + o·I (set_shift; A itself at first) with the values of `a`, whose pattern must be that of analyze.
  /// A matrix that is not positive definite is an outcome: see status(). Waits and throws as refactorize, and InvalidInput
  /// for another pattern. Cost: a hash of the pattern, AnalyzeReport::stored_flops.
  void factorize(const MatrixView<T>& a);
  /// analyze, then factorize; throws what they throw. A view without values (a null pointer) is refused before anything is
  /// replaced: the old analysis and its factor stay. After any other throw of factorize the analysis is the new one.
  void compute(const MatrixView<T>& a);
  /// New values, in the order of the entries given to analyze: only the count is checked.
  /// Where the values are in the backend's memory it allocates nothing, and on CUDA does not wait; the second call records a
  /// CUDA graph, for which the driver takes memory, and later ones are one launch of it. For the milliseconds of the
  /// recording CUDA refuses a cudaDeviceSynchronize of other threads (cudaErrorStreamCaptureUnsupported); ours wait for its
  /// end. Where CUDA refuses the graph, factorizations are launched piece by piece. Throws InvalidState before analyze, and
  /// where it cannot be captured or refinement was changed after a capture; InvalidInput, DeviceError, OutOfMemory
  /// (refinement now wanted). Cost: AnalyzeReport::stored_flops.
  void refactorize(Span<const T> values, MemorySpace space = MemorySpace::host);
  /// New values in a matrix whose pattern is compared with the analyzed one by hash first. The same as factorize.
  void refactorize(const MatrixView<T>& a);
  /// From the next factorize on, factorize scale·A + offset·I; until then the factor keeps the shift that it was made with.
  /// Throws InvalidInput unless both are finite in T.
  void set_shift(double offset, double scale = 1.0);

  /// Outcome of the last factorization; waits for the device if it has not been read yet. Throws InvalidState before
  /// factorize and while a graph is captured, DeviceError.
  Status status();

  /// Solves for all columns of b; x may be b itself (same data, ld and space), otherwise they must not overlap.
  /// b and x may be in either memory space; what is not where the values are is copied, and the call then waits for the
  /// device, as it does where it refines (Options::refinement, if `part` is System::a). The first call with more columns
  /// than any before takes workspace (host 64, cuda 32; more go in portions). Throws InvalidState before factorize and where
  /// it cannot be captured, InvalidInput for sizes and a b in host memory that is not finite
  /// (Options::check_right_hand_sides, x is not written then), OutOfMemory, DeviceError, NumericalFailure after a
  /// factorization that is known to have failed; one that has failed on the device and was not read yet yields NaN in all of
  /// x. Cost: about 4·AnalyzeReport::stored_l flops a column.
  void solve(const DenseView<const T>& b, const DenseView<T>& x, System part = System::a);
  /// Takes the workspace for solves of up to `columns` right-hand sides (1 to 65536) now, or with the next analyze where
  /// there is none yet; 1 is always reserved. A smaller number than before counts from the next analyze on. Waits for the
  /// device and gives the old workspace back, unless a graph has captured a solve with it: then it is kept.
  /// Throws InvalidInput, InvalidState where it takes memory while a graph is captured, OutOfMemory.
  void reserve_right_hand_sides(std::int64_t columns);

  /// Work of later calls goes on this cudaStream_t (passed as void* so that no CUDA header is needed here), which must live
  /// until the next set_stream. Graphs captured before run where they are launched. The host backend waits for it where it
  /// reads device memory.
  void set_stream(void* cuda_stream);

  bool is_analyzed() const;  ///< Whether factorize may be called.
  /// Whether a factorization was launched since the last analyze; status() says how it ended.
  bool is_factorized() const;
  /// Order of the analyzed matrix; 0 before.
  std::int64_t order() const;
  Backend backend() const;  ///< The one chosen by analyze.

  /// Of the last analyze; empty before. Valid until the next one.
  const AnalyzeReport& analyze_report() const;
  /// Of the last factorization; waits for the device as status() does. Throws InvalidState before factorize, DeviceError.
  FactorReport factor_report();
  /// Of the last solve; empty before. Valid until the next one.
  const SolveReport& solve_report() const;

  /// What ran where and when from the beginning of the last factorize on, the solves since included: Chrome's trace events
  /// as JSON, which ui.perfetto.dev opens. Waits for the device. Throws InvalidState before analyze and where Options::trace
  /// was not set then, DeviceError. Cost: some 150 bytes of text a task.
  std::string trace_json();

  /// The order of elimination: row old_of_new[k] of A is eliminated k-th. It is the fill-reducing ordering, postordered, and
  /// so may differ from Options::permutation and from Ordering::natural. Throws InvalidState before analyze. Cost O(n).
  std::vector<std::int64_t> old_of_new() const;
  /// Copies L to the host, waiting for the device. Throws InvalidState before factorize, NumericalFailure without a factor,
  /// DeviceError. Cost: at most AnalyzeReport::stored_l values and indices, and as many values again while it runs.
  FactorMatrix<T> extract_l();
  /// log det of the factorized matrix, 2·Σ log l_kk; waits for the device. Throws as extract_l. Cost: n values copied.
  double log_determinant();
  /// Estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁) for the factorized matrix, its shift included, by at most 11 solves; waits for the
  /// device. `a` has the values that were factorized. Exact up to rounding for n ≤ 11; above that Hager's method [Higham02
  /// §15.3], whose estimate is an upper bound of the true value, mostly within a factor of 3. It can be more than 10 times
  /// too large: so it was for about 120 of 52,700 small matrices, and LAPACK's dpocon was no better on the four of them that
  /// were compared. solve_report() stays that of the last solve. Throws as extract_l, and InvalidInput for another pattern.
  double reciprocal_condition(const MatrixView<T>& a);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class GPUSUPERNODAL_API Solver<float>;
extern template class GPUSUPERNODAL_API Solver<double>;

}  // namespace gpusupernodal
