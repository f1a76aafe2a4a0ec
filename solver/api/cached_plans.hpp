#pragma once

/// \file
/// Plans kept for later analyses, with what they were made from.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gpusupernodal/plan_cache.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// A copy of a pattern and of the options that its plan depends on.
class PlanKey {
 public:
  /// Precondition: the pattern is valid.
  PlanKey(const PatternView& pattern, const PlanOptions& options);

  /// Whether the plan of this key is that of `pattern` with `options`: all numbers are compared, the first that differs
  /// ends it. The pattern need not be valid; where it equals this one, it is. Cost O(nnz).
  bool matches(const PatternView& pattern, const PlanOptions& options) const;
  std::int64_t bytes() const;

 private:
  bool same_lists(const SymbolicOptions& options) const;
  bool same_offsets(const IndexArray& offsets) const;
  bool same_indices(const IndexArray& indices) const;

  PlanOptions options_;  ///< Without the lists.
  std::vector<std::int64_t> permutation_;
  std::vector<std::vector<std::int64_t>> last_rows_;
  std::int64_t n_;
  StoredPart part_;
  Compression compression_;
  std::vector<std::int32_t> narrow_offsets_;  ///< One of the two.
  std::vector<std::int64_t> wide_offsets_;
  std::vector<std::int32_t> indices_;
};

/// Plans, bounded in number and bytes; the least recently used ones are dropped first. Any thread may call any member.
class PlanCache {
 public:
  /// Returns the plan for this pattern with these options, or nullptr. Among several, returns one that has the part for the
  /// wanted device. Cost O(nnz), most of it without holding the lock.
  std::shared_ptr<const FactorPlan> find(const PatternView& pattern, const PlanOptions& options);
  /// Whether find would return a plan. Does not count as a use. Cost O(nnz).
  bool contains(const PatternView& pattern, const PlanOptions& options) const;
  /// Keeps a plan if it is within the limits. It replaces a plan with the same key that has no part for a device or the same
  /// one. Precondition: the pattern is valid. Cost O(nnz); O(plans) for a plan that is kept already.
  void keep(const PatternView& pattern, const PlanOptions& options, std::shared_ptr<const FactorPlan> plan);

  void set_limits(const PlanCacheLimits& limits);
  void clear();
  PlanCacheInfo info() const;

 private:
  struct Entry {
    std::shared_ptr<const PlanKey> key;
    std::shared_ptr<const FactorPlan> plan;

    std::int64_t bytes() const { return plan->bytes() + key->bytes(); }
  };
  /// Removes the entries beyond the limits and returns them, so that the caller frees them without holding the lock.
  std::vector<Entry> take_surplus();

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  ///< Most recently used first.
  PlanCacheLimits limits_;
  std::int64_t hits_ = 0;
  std::int64_t misses_ = 0;
};

/// The cache of the process.
PlanCache& process_plan_cache();

}  // namespace gpusupernodal
