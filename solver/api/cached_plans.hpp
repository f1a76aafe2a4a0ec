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

/// Bounded in number and bytes; what was used longest ago goes first. Any thread may call any member.
class PlanCache {
 public:
  /// The plan for this pattern with these options, or nullptr; one with the wanted part for a device if there are several.
  /// Cost O(nnz), without the lock.
  std::shared_ptr<const FactorPlan> find(const PatternView& pattern, const PlanOptions& options);
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
  /// Takes out what is beyond the limits, for the caller to let go without the lock.
  std::vector<Entry> take_surplus();

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  ///< Used last first.
  PlanCacheLimits limits_;
  std::int64_t hits_ = 0;
  std::int64_t misses_ = 0;
};

/// That of the process.
PlanCache& process_plan_cache();

}  // namespace gpusupernodal
