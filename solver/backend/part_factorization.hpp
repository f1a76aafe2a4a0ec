#pragma once

/// \file
/// PartFactorization: one part of a factorization that several parts compute together, and the factory of the host.

#include <cstdint>
#include <memory>

#include "gpusupernodal/fabric.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/backend/executor.hpp"

namespace gpusupernodal {

struct PartPlan;
struct PartEntries;

/// Outcome of all parts, the same on each.
struct PartOutcome {
  Status status = Status::success;
  NewIndex failed_row;     ///< non_finite_input: row of the entry; columns and rows are those of the whole.
  NewIndex failed_column;  ///< The smallest column whose pivot failed, or that of the entry.
  double failed_value = 0.0;
  double smallest_pivot = 0.0;
  double largest_pivot = 0.0;
};

/// All parts call factorize and solve together, solve with the same numbers of columns.
template <class S>
class PartFactorization {
 public:
  virtual ~PartFactorization() = default;
  PartFactorization() = default;
  PartFactorization(const PartFactorization&) = delete;
  PartFactorization& operator=(const PartFactorization&) = delete;

  /// Says where the values of factorize belong; see place_entries. Does not communicate.
  virtual void set_entries(PartEntries entries) noexcept = 0;
  /// Factorizes A with the parts' values. Communicates, and so must not throw between messages: it takes no memory. All
  /// parts return the same outcome.
  virtual PartOutcome factorize(const S* values) = 0;
  /// Solves A x = b. b and x have the entries that PartPlan::rows lists, and may be the same view. Precondition: the last
  /// factorize was successful.
  virtual void solve(const DenseView<const S>& b, const DenseView<S>& x) = 0;
  /// Takes memory for this many right-hand sides at a time. Does not communicate. Throws OutOfMemory.
  virtual void reserve_right_hand_sides(std::int64_t columns) = 0;
};

/// Makes a part on the host; `fabric` must outlive it. Does not communicate. Throws OutOfMemory.
template <class S>
std::unique_ptr<PartFactorization<S>> make_host_part(std::shared_ptr<const PartPlan> plan, Fabric& fabric,
                                                     const ExecutorOptions& options);

}  // namespace gpusupernodal
