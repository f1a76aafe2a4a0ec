#pragma once

/// \file
/// VariableBatchSolver: many systems of equations with any patterns.

#include <complex>
#include <cstdint>
#include <memory>

#include "gpusupernodal/batch.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/solver.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// A sparse direct solver for a list of systems whose matrices may have different orders and patterns. Systems with equal
/// patterns form a group with one analysis, and are computed as a BatchSolver of the group would compute them, with the same
/// statuses, reports, bits, and exceptions to the options of Solver. If all patterns are equal, BatchSolver takes values and
/// vectors at a stride instead of one by one.
///
/// On the host, the threads of Options::threads take systems of all groups, the largest first; each is computed by one
/// thread. Where one large system would keep a thread busy longer than the rest of the batch takes, several threads compute
/// it together, before the others. Neither changes a bit of a factor or a solution.
///
/// Backends: each group takes the backend that a BatchSolver of its systems would take, so that `automatic` computes large
/// groups on a device and the others on the host, at the same time. Groups on a device have up to four streams, and run side
/// by side. Data in device memory can be used for systems on a device only; Backend::cuda takes all systems to it.
///
/// Streams: work on a device waits for that which the caller has put on the stream given to set_stream, and later work on
/// that stream waits for it. Calls wait as those of BatchSolver do, and where b or x of a group do not lie at a stride: they
/// are copied then. No call can be captured in a graph if a group is on a device.
///
/// Threads: as for Solver. Errors: if analyze or set_options throws, the object is unchanged. If refactorize throws anything
/// but InvalidInput and InvalidState, systems that were not done are `not_factorized`. If solve throws anything but these,
/// the x of wanted systems are undefined, and their solve statuses are `not_factorized`.
template <class T>
class GPUSUPERNODAL_API VariableBatchSolver {
  static_assert(detail::CheckScalar<T>::value);

 public:
  VariableBatchSolver();  ///< An empty object with default options.
  /// An empty object with these options. Throws InvalidInput as set_options does.
  explicit VariableBatchSolver(Options options);
  ~VariableBatchSolver();  ///< Frees all memory.
  /// Moves. A moved-from object may only be assigned to or destroyed.
  VariableBatchSolver(VariableBatchSolver&&) noexcept;
  VariableBatchSolver& operator=(VariableBatchSolver&&) noexcept;  ///< Destroys what this object held, then moves.
  VariableBatchSolver(const VariableBatchSolver&) = delete;
  VariableBatchSolver& operator=(const VariableBatchSolver&) = delete;

  const Options& options() const;  ///< The options last set.
  /// Replaces the options; they act from the next analyze on. Throws InvalidInput as BatchSolver::set_options.
  void set_options(Options options);

  /// Finds the groups of equal patterns (order, part, compression, offsets, indices), analyzes each pattern, and takes the
  /// memory for all factors. Patterns are in host memory and are copied. With Form::lu, the values of a pattern's first
  /// system decide the exchange of rows for its group. Plans are kept in the plan cache if it holds as many. All systems are
  /// then wanted. Throws as BatchSolver::analyze; InvalidInput names the system. Cost: an analysis for each
  /// pattern, and a comparison for each system.
  void analyze(Span<const MatrixView<T>> systems);

  /// Names the systems that later calls compute: those with a number other than 0. An empty mask names all. Others keep
  /// factor, status and report, and solves do not write their x. Throws InvalidInput unless the mask is empty or has count()
  /// entries; InvalidState before analyze.
  void set_wanted(Span<const unsigned char> wanted);

  /// Factorizes all wanted systems with values at these addresses, one for each system, in the order of the entries given to
  /// analyze. Addresses of other systems, and of matrices without entries, may be null. All values are in one memory space.
  /// They are copied where they are needed later. Outcomes are statuses(). On the host, allocates nothing after the first
  /// call, except for systems that exchange rows again. Throws InvalidState before analyze and in a capture; InvalidInput
  /// for a wrong number of addresses, missing values, device memory for a system on the host, and a diagonal that is not
  /// real (complex Form::llt), before anything is computed. Cost: AnalyzeReport::stored_flops for each system.
  void refactorize(Span<const T* const> values, MemorySpace space = MemorySpace::host);

  /// Solves A x = b, or the part that `part` names, for all wanted systems. b and x have a matrix for each system, with its
  /// order as rows and the same number of columns for all wanted systems; those of other systems are not looked at. The x of
  /// a system may be its b (equal data and ld); no other matrices may overlap, except right-hand sides; equal x are refused.
  /// Outcomes are solve_statuses(), and x is written as BatchSolver::solve says. The first call with more columns than any
  /// call before allocates workspace. Throws InvalidState before analyze and in a capture; InvalidInput for wrong numbers or
  /// sizes, and device memory for a system on the host; OutOfMemory. Cost: about 4·AnalyzeReport::stored_l flops per column
  /// and system.
  void solve(Span<const DenseView<const T>> b, Span<const DenseView<T>> x, System part = System::a);
  /// Allocates the workspace for solves with up to `columns` right-hand sides a system. Throws as Solver's function.
  void reserve_right_hand_sides(std::int64_t columns);
  /// Sets the stream (a cudaStream_t) of later calls; initially CUDA's legacy default stream. It must live until the next
  /// set_stream. On the host it is not used.
  void set_stream(void* cuda_stream);

  std::int64_t count() const;  ///< Number of systems; 0 before analyze.
  /// Order of a system. Throws InvalidInput unless 0 ≤ system < count().
  std::int64_t order(std::int64_t system) const;
  std::int64_t patterns() const;  ///< Number of distinct patterns; 0 before analyze.
  /// The number of a system's pattern: patterns count from 0 in the order of their first systems. Throws InvalidInput as
  /// order.
  std::int64_t pattern_of(std::int64_t system) const;
  /// Report of a pattern's analysis, as BatchSolver::analyze_report. Throws InvalidInput unless 0 ≤ pattern < patterns().
  const AnalyzeReport& analyze_report(std::int64_t pattern) const;
  /// Outcomes of the factorizations, one for each system; waits for them. Valid until the next refactorize, solve or
  /// analyze.
  Span<const BatchStatus> statuses() const;
  /// Outcomes of the last solve, one for each system. Valid as those of statuses.
  Span<const BatchStatus> solve_statuses() const;
  /// Number of wanted systems whose factorization has another status than `success`.
  std::int64_t failed() const;
  /// Report of a system's last factorization. Valid until the next refactorize. Throws InvalidInput as order, and
  /// InvalidState if the status is `not_factorized`.
  const FactorReport& report(std::int64_t system) const;
  /// Report of a system's last solve; empty before. Valid until the next solve. Throws InvalidInput as order.
  const SolveReport& solve_report(std::int64_t system) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GPUSUPERNODAL_API VariableBatchSolver<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
