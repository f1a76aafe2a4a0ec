#pragma once

/// \file
/// BatchSolver: many systems of equations with one pattern.

#include <array>
#include <complex>
#include <cstdint>
#include <memory>

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/solver.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Outcome for one system of a batch. The first five are those of Status. `not_factorized`: its values were not given since
/// the analysis, or an exception ended the factorization. `skipped`: a solve left it out, because it was not wanted.
enum class BatchStatus { success, not_positive_definite, non_finite_input, singular, unstable, not_factorized, skipped };

/// Names of BatchStatus, in the order of its enumerators.
inline constexpr std::array<const char*, 7> batch_status_names{
    {"success", "not_positive_definite", "non_finite_input", "singular", "unstable", "not_factorized", "skipped"}};

/// Returns the name of a status; "unknown" for a number outside the enumeration.
constexpr const char* name_of(BatchStatus value) noexcept { return names_detail::name_of(batch_status_names, value); }

/// The values of A for each system, in the order of the entries given to analyze: at a stride, or one address a system.
template <class T>
struct BatchValues {
  const T* data = nullptr;                ///< The first value of system 0; nullptr: see `pointers`.
  std::int64_t stride = 0;                ///< Elements from a system to the next; at least the number of entries of A.
  const T* const* pointers = nullptr;     ///< Without `data`: `count` addresses; nullptr for systems that are not wanted.
  std::int64_t count = 0;                 ///< Number of systems.
  MemorySpace space = MemorySpace::host;  ///< Memory that holds the values.

  constexpr BatchValues() noexcept = default;  ///< No values.
  /// Values of c systems, the first of which begins at d, and each s elements after the one before.
  constexpr BatchValues(const T* d, std::int64_t s, std::int64_t c) noexcept : data(d), stride(s), count(c) {}
  /// Values of each system at an address.
  constexpr BatchValues(Span<const T* const> p) noexcept  // NOLINT: converts, as DenseView does.
      : pointers(p.data()), count(static_cast<std::int64_t>(p.size())) {}

  /// The values of system i. Precondition: i < count.
  constexpr const T* of(std::int64_t i) const noexcept {
    return data != nullptr ? data + i * stride : pointers != nullptr ? pointers[i] : nullptr;
  }
};

/// A dense column-major matrix of `rows` × `cols` for each system.
template <class T>
struct BatchView {
  T* data = nullptr;                      ///< Entry (0, 0) of system 0.
  std::int64_t rows = 0;                  ///< Rows of each matrix.
  std::int64_t cols = 1;                  ///< Columns of each matrix.
  std::int64_t ld = 0;                    ///< Elements from a column to the next; at least `rows`.
  std::int64_t stride = 0;                ///< Elements from a system to the next. 0: all systems read the same matrix.
  std::int64_t count = 0;                 ///< Number of systems.
  MemorySpace space = MemorySpace::host;  ///< Memory that holds the elements.

  constexpr BatchView() noexcept = default;  ///< An empty view.
  /// Matrices of r × c with leading dimension l, s elements from one to the next.
  constexpr BatchView(T* d, std::int64_t r, std::int64_t c, std::int64_t l, std::int64_t s, std::int64_t systems) noexcept
      : data(d), rows(r), cols(c), ld(l), stride(s), count(systems) {}
  /// A vector of r entries for each system, one after another.
  constexpr BatchView(T* d, std::int64_t r, std::int64_t systems) noexcept
      : data(d), rows(r), ld(r > 0 ? r : 1), stride(r), count(systems) {}
  /// A view of mutable elements converts to a view of constant ones.
  template <class U, class = std::enable_if_t<std::is_convertible<U (*)[], T (*)[]>::value>>
  constexpr BatchView(const BatchView<U>& o) noexcept
      : data(o.data), rows(o.rows), cols(o.cols), ld(o.ld), stride(o.stride), count(o.count), space(o.space) {}

  /// The matrix of system i. Precondition: i < count.
  constexpr DenseView<T> of(std::int64_t i) const noexcept {
    return {data != nullptr ? data + i * stride : nullptr, rows, cols, ld, space};
  }
};

/// A sparse direct solver for `count` systems whose matrices have one pattern and different values. One analysis serves all;
/// each system has its own factor, and its own status. On the host, systems are divided among the threads of
/// Options::threads, and each system is computed by one thread. A factor and its solutions have the bits that Solver with
/// the same options gives, for any number of threads. On a CUDA device (float and double) each thread computes a part of one
/// system, and all factorizations of equal values have equal bits.
///
/// Forms, scalars and options are those of Solver, with these exceptions: there are no shifts, traces and factor_progress,
/// a batch runs on one device, complex systems run on the host, and so does LU by columns or on dense storage. A system that
/// fails does not affect the others. It has the status that Solver would report, and a solve does not write its x. Where
/// Options::repivot lets Solver repeat an unstable factorization of LU or LDLᵀ, the system gets its own factor on the host
/// (with LU also a plan), and keeps it until the next analyze. On a device, LU and LDLᵀ that replaced pivots or grew are
/// factorized once more on the host when their outcome is read: this decides their status, and later solves use the host's
/// factor.
///
/// Backends: `automatic` takes a device where one is found and there are at least 256 systems, with at least 4000 rows
/// together for each thread of the host (Form::llt: 16,000). Values, b and x may be in host memory, or on a device if the
/// batch runs there.
///
/// Streams: work on a device is put on the stream given to set_stream. With values at a stride and all data in device
/// memory, refactorize does not wait, nor does solve with Form::llt, unless the mask has changed since the call before.
/// Solves with the other forms wait, because they are verified; statuses and reports wait too.
///
/// Captured graphs: with values at a stride, b and x in device memory, refactorize and solve can be captured, after a call
/// with the same mask, which the graph keeps. Systems that were computed on the host because they need other pivots cannot
/// take part. Statuses are then those of the last launch. All other systems stay on the device from then on: `unstable` ones
/// are not repeated, and where the host alone finds that a system is `singular`, its x has been written.
///
/// Threads: as for Solver. Errors: if analyze or set_options throws, the object is unchanged. If refactorize throws anything
/// but InvalidInput and InvalidState, systems that were not done are `not_factorized`. If solve throws anything but these,
/// the x of wanted systems are undefined.
template <class T>
class GPUSUPERNODAL_API BatchSolver {
  static_assert(detail::CheckScalar<T>::value);

 public:
  BatchSolver();  ///< An empty object with default options.
  /// An empty object with these options. Throws InvalidInput as set_options does.
  explicit BatchSolver(Options options);
  ~BatchSolver();  ///< Frees all memory.
  /// Moves. A moved-from object may only be assigned to or destroyed.
  BatchSolver(BatchSolver&&) noexcept;
  BatchSolver& operator=(BatchSolver&&) noexcept;  ///< Destroys what this object held, then moves.
  BatchSolver(const BatchSolver&) = delete;
  BatchSolver& operator=(const BatchSolver&) = delete;

  const Options& options() const;  ///< The options last set.
  /// Replaces the options; they act from the next analyze on. Throws InvalidInput if one is out of range, if `trace` or
  /// `factor_progress` is set, or if `devices` lists several.
  void set_options(Options options);

  /// Decides ordering, structure of L and tasks for the pattern of `a`, and takes the memory for `count` systems: for each a
  /// factor, and with LU, LDLᵀ or refinement a copy of A's values. The values of `a` are read as Solver::analyze reads them:
  /// with Form::lu they decide the exchange of rows for all systems. All systems are then wanted. Throws as Solver::analyze;
  /// InvalidInput unless 0 ≤ count < 2³¹; BackendUnavailable if Backend::cuda is requested and there is no device, or if a
  /// device cannot run such a batch; OutOfMemory.
  void analyze(const MatrixView<T>& a, std::int64_t count);

  /// Names the systems that later calls compute: those with a number other than 0. An empty mask names all. Others keep
  /// factor, status and report, and solves do not write their x. Throws InvalidInput unless the mask is empty or has count()
  /// entries; InvalidState before analyze.
  void set_wanted(Span<const unsigned char> wanted);

  /// Factorizes all wanted systems with these values, which are copied where they are needed later. Outcomes are statuses().
  /// Allocates nothing after the first call, except for systems that move to the host or exchange rows again. Throws
  /// InvalidState before analyze; InvalidInput for a wrong count or stride, for values that are missing or in device memory
  /// without a device, and for a diagonal that is not real (complex Form::llt), before anything is computed. Cost:
  /// AnalyzeReport::stored_flops for each system.
  void refactorize(const BatchValues<T>& values);

  /// Solves A x = b, or the part that `part` names, for all wanted systems and all columns of b. x may be b itself (equal
  /// data, ld and stride); otherwise they must not overlap. Outcomes are solve_statuses(). x is not written if the
  /// factorization failed, or if b is not finite (Options::check_right_hand_sides): the status is then that of the
  /// factorization, or `non_finite_input`. If the solution of LU or LDLᵀ cannot be trusted, as Solver::solve says, the
  /// status is `unstable` and x becomes NaN. The first call with more columns than any call before allocates workspace.
  /// Throws InvalidState before analyze; InvalidInput for wrong sizes, if x of two systems overlap, and for device memory
  /// without a device; OutOfMemory. Cost: about 4·AnalyzeReport::stored_l flops per column and system.
  void solve(const BatchView<const T>& b, const BatchView<T>& x, System part = System::a);
  /// Allocates the workspace for solves with up to `columns` right-hand sides a system. Throws as Solver's function.
  void reserve_right_hand_sides(std::int64_t columns);
  /// Sets the stream (a cudaStream_t) of later calls; initially CUDA's legacy default stream. It must live until the next
  /// set_stream. Later work waits for that on the earlier stream; while a graph is captured on the new one, the host waits.
  /// On the host it is not used.
  void set_stream(void* cuda_stream);

  std::int64_t order() const;  ///< Order of A; 0 before analyze.
  std::int64_t count() const;  ///< Number of systems; 0 before analyze.
  /// Report of the last analyze; empty before. Its counts and its memory are those of one system; on a device, `index` is
  /// the memory of lists that all systems share.
  const AnalyzeReport& analyze_report() const;
  /// Outcomes of the factorizations, one for each system. Valid until the next analyze.
  Span<const BatchStatus> statuses() const;
  /// Outcomes of the last solve, one for each system. Valid until the next analyze.
  Span<const BatchStatus> solve_statuses() const;
  /// Number of wanted systems whose factorization has another status than `success`.
  std::int64_t failed() const;
  /// Report of a system's last factorization. Valid until the next refactorize. Throws InvalidInput unless 0 ≤ system <
  /// count(), and InvalidState if the status is `not_factorized`.
  const FactorReport& report(std::int64_t system) const;
  /// Report of a system's last solve; empty before. Valid until the next solve. Throws InvalidInput as report.
  const SolveReport& solve_report(std::int64_t system) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GPUSUPERNODAL_API BatchSolver<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
