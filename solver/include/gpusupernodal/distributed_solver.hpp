#pragma once

/// \file
/// DistributedSolver<T>: a Cholesky factorization A = Pᵀ L Lᴴ P that several processes compute together, on their hosts.

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/distribution.hpp"
#include "gpusupernodal/fabric.hpp"

namespace gpusupernodal {

/// One part of a solver; each process has one. Part 0 analyzes the pattern; each entry of A, of b and of x belongs to one
/// part, which alone has its value.
///
///     DistributedSolver<T> solver(fabric);
///     solver.analyze([&] { return Solver<T>::preview(pattern, options).plan; }, options);  // Part 0 calls the function.
///     send each entry (i, j) of A to part solver.part_of_entry(i, j);
///     solver.set_entries(rows, columns);          // of the entries that this part has received
///     solver.factorize(values);
///     solver.solve(b, x);                         // entries solver.rows() of the vectors
///
/// All parts call analyze, set_entries, factorize and solve, in the same order. Each begins with an agreement: if a check,
/// the analysis or an allocation fails on one part, the call throws on all parts, before anything is exchanged. That part
/// throws the error itself; the others throw InvalidState with its message. The solvers remain usable, in the state of
/// before the call. An exception of the fabric is not agreed on: it may leave the other parts waiting.
///
/// All parts get the same outcome of a factorization, also if it fails. With the same number of parts and the same options,
/// results have the same bits in each run and for any number of threads.
template <class T>
class GPUSUPERNODAL_API DistributedSolver {
  static_assert(detail::CheckScalar<T>::value);

 public:
  /// Does not communicate. `fabric` must outlive this.
  explicit DistributedSolver(Fabric& fabric);
  ~DistributedSolver();
  DistributedSolver(DistributedSolver&&) noexcept;  ///< Leaves an object that can only be assigned to or destroyed.
  DistributedSolver& operator=(DistributedSolver&&) noexcept;  ///< As the constructor.
  DistributedSolver(const DistributedSolver&) = delete;
  DistributedSolver& operator=(const DistributedSolver&) = delete;

  /// Divides the factorization of a plan, and takes the memory for it. Part 0 calls make_plan(), which returns the plan as a
  /// std::shared_ptr<const FactorPlan> and must not communicate; what it throws, such as InvalidInput for a wrong pattern,
  /// reaches all parts. The other parts do not call it.
  ///
  /// analyze uses these members of `options`: form, which must be llt, threads, check_finite, check_right_hand_sides and
  /// host_allocator. Each part may give its own. threads = 0 takes all cores of the machine, even if other parts run on it:
  /// set it to the number of cores that this process has. The other members are ignored: there is no refinement, no trace
  /// and no progress. analyze uses `distribution` of part 0 and ignores its number of parts: the fabric has that number.
  ///
  /// Throws InvalidInput if the form is not llt, if the plan is for LU, if there is none, or as distribution(); OutOfMemory.
  /// The factor of an earlier analyze is kept until the new one has its memory, so both are held at once. Cost: the
  /// division, as distribution(); then about 4 bytes a row of A and 4 bytes a row of each supernode are sent to each part.
  /// Each part keeps the structure of the whole factor: at least 20 bytes a row of A and 4 bytes a row of each supernode.
  template <class MakePlan,
            class = std::enable_if_t<std::is_invocable_r<std::shared_ptr<const FactorPlan>, const MakePlan&>::value>>
  void analyze(const MakePlan& make_plan, const Options& options = {}, const DistributionOptions& distribution = {}) {
    analyze_made(std::cref(make_plan), options, distribution);
  }
  /// As above, for a plan that part 0 already has; the other parts pass nullptr. If part 0 could not make a plan, it must
  /// still call this, with nullptr. Otherwise the other parts wait forever.
  void analyze(const std::shared_ptr<const FactorPlan>& plan, const Options& options = {},
               const DistributionOptions& distribution = {});

  bool is_analyzed() const;    ///< Whether there is an analysis.
  std::int64_t order() const;  ///< Order of A; 0 before analyze.
  /// The division, with estimates of its times; equal on all parts. Throws InvalidState before analyze.
  const DistributionReport& distribution() const;
  std::int64_t nonzeros_l() const;  ///< AnalyzeReport::nonzeros_l of the whole factor.
  /// The part that has entry (row, column) of A. Throws InvalidInput if it is outside of A, InvalidState before analyze.
  int part_of_entry(std::int64_t row, std::int64_t column) const;
  /// The rows of A whose entries of vectors this part has, in the order in which solve takes them. Throws InvalidState
  /// before analyze.
  const std::vector<std::int64_t>& rows() const;

  /// Says which entries of A the values of factorize are: value k is entry (rows[k], columns[k]). Name each entry of one
  /// half of A exactly once, on the part that owns it (part_of_entry); entries of the pattern that no part names are zero.
  /// Entries of complex matrices must lie in the half that `half` names; of real ones, each may come from either half. A
  /// factor that there is stays usable. Throws InvalidInput if an entry belongs to another part, is not in the pattern,
  /// occurs twice, is in the wrong half, if an array is null, or if `half` is StoredPart::full; InvalidState before analyze.
  /// If it throws, the entries of before remain, on all parts. Cost: O(entries · log(rows)) and one agreement; memory of
  /// about 40 bytes an entry.
  void set_entries(Span<const std::int64_t> rows, Span<const std::int64_t> columns, StoredPart half = StoredPart::upper);
  /// Factorizes with new values of this part's entries, in host memory. Throws InvalidState before set_entries, InvalidInput
  /// for another number of values than set_entries had entries, for a null pointer, and if a diagonal entry of a complex
  /// matrix is not real. Takes no memory. Cost: the part's share of the work (distribution()); the contribution block of its
  /// subtrees and its block columns are sent once to each part that needs them. Returns on all parts when the last part is
  /// done.
  Status factorize(Span<const T> values);
  /// Reports the last factorization. All parts have the same report, except for its times. Throws InvalidState before
  /// factorize.
  const FactorReport& factor_report() const;

  /// Solves A x = b for all columns. b and x have this part's entries, in host memory, and may be the same view. Throws
  /// InvalidState before factorize, NumericalFailure if the last one failed, InvalidInput for wrong sizes or if the parts'
  /// numbers of columns differ, OutOfMemory. The first call with more columns than before takes memory, for at most 64: then
  /// and later, two vectors of all rows of the top are held for each of these columns. Cost: two passes over the part's
  /// factor for each 64 columns; each part waits for the block columns of others, one after another.
  void solve(const DenseView<const T>& b, const DenseView<T>& x);

 private:
  struct Impl;
  void analyze_made(const std::function<std::shared_ptr<const FactorPlan>()>& make_plan, const Options& options,
                    const DistributionOptions& distribution);
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GPUSUPERNODAL_API DistributedSolver<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
