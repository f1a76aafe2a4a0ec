#include "solver/api/cached_plans.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "solver/common/index_dispatch.hpp"

namespace gpusupernodal {
namespace {

std::int64_t length_of(const PatternView& pattern) { return pattern.n > 0 ? pattern.n + 1 : 0; }

/// The members are named one by one, so that an option that is added does not compile until it is compared here. The
/// function does not compare the permutation and the last rows.
bool same_options(const PlanOptions& a, const PlanOptions& b) {
  const auto& [symbolic_a, block_width_a, host_schedule_a, cuda_a, figures_a, column_rules_a, general_a] = a;
  const auto& [symbolic_b, block_width_b, host_schedule_b, cuda_b, figures_b, column_rules_b, general_b] = b;
  // No plan depends on the number of threads, and a missing part for a device is added later (with_cuda). make_plan derives
  // the cost model from the figures.
  const auto& [ordering_a, permutation_a, last_rows_a, seed_a, expected_a, device_a, threads_a, merging_a, merge_width_a,
               allow_host_a, cost_model_a] = symbolic_a;
  const auto& [ordering_b, permutation_b, last_rows_b, seed_b, expected_b, device_b, threads_b, merging_b, merge_width_b,
               allow_host_b, cost_model_b] = symbolic_b;
  return block_width_a == block_width_b && !host_schedule_a && !host_schedule_b && !general_a && !general_b &&
         ordering_a == ordering_b && seed_a == seed_b && expected_a == expected_b && device_a == device_b &&
         merging_a == merging_b && merge_width_a == merge_width_b && column_rules_a == column_rules_b &&
         figures_a == figures_b && allow_host_a == allow_host_b;
}

/// Whether the plan has the part for a device that is wanted; true where none is.
bool has_device_part(const FactorPlan& plan, const std::optional<CudaPlanOptions>& wanted) {
  return !wanted || (plan.cuda_plan() && plan.cuda_plan()->options == *wanted);
}

template <class Kept, class Given>
bool equal(const std::vector<Kept>& kept, const Given* given) {
  if constexpr (std::is_same_v<Kept, Given>) {
    return kept.empty() || std::memcmp(kept.data(), given, kept.size() * sizeof(Kept)) == 0;
  } else {
    return std::equal(kept.begin(), kept.end(), given);
  }
}

template <class Kept>
void copy(const IndexArray& array, std::int64_t count, std::vector<Kept>& kept) {
  kept.resize(static_cast<std::size_t>(count));
  if (count == 0) return;
  with_index_pointer(array, [&](auto from) {
    std::transform(from, from + count, kept.begin(), [](auto number) { return static_cast<Kept>(number); });
  });
}

}  // namespace

PlanKey::PlanKey(const PatternView& pattern, const PlanOptions& options)
    : options_(options), n_(pattern.n), part_(pattern.part), compression_(pattern.compression) {
  const auto permutation = std::exchange(options_.symbolic.user_permutation, {});
  if (options.symbolic.ordering == Ordering::user) permutation_.assign(permutation.begin(), permutation.end());
  const auto last_rows = std::exchange(options_.symbolic.last_rows, {});
  last_rows_.assign(last_rows.begin(), last_rows.end());
  if (pattern.entries() <= std::numeric_limits<std::int32_t>::max()) {
    copy(pattern.offsets, length_of(pattern), narrow_offsets_);
  } else {
    copy(pattern.offsets, length_of(pattern), wide_offsets_);
  }
  copy(pattern.indices, pattern.entries(), indices_);
}

bool PlanKey::matches(const PatternView& pattern, const PlanOptions& options) const {
  return pattern.n == n_ && pattern.part == part_ && pattern.compression == compression_ &&
         same_options(options_, options) && same_lists(options.symbolic) && same_offsets(pattern.offsets) &&
         same_indices(pattern.indices);
}

bool PlanKey::same_lists(const SymbolicOptions& options) const {
  return std::ranges::equal(last_rows_, options.last_rows) &&
         (options.ordering != Ordering::user || std::ranges::equal(permutation_, options.user_permutation));
}

std::int64_t PlanKey::bytes() const {
  std::size_t last_rows = 0;
  for (const auto& group : last_rows_) last_rows += sizeof(group) / sizeof(std::int64_t) + group.size();
  return static_cast<std::int64_t>(sizeof(PlanKey) + (narrow_offsets_.size() + indices_.size()) * sizeof(std::int32_t) +
                                   (wide_offsets_.size() + permutation_.size() + last_rows) * sizeof(std::int64_t));
}

/// The last offset is the likeliest to differ.
bool PlanKey::same_offsets(const IndexArray& offsets) const {
  if (n_ == 0) return true;
  if (offsets.is_null()) return false;
  return with_index_pointer(offsets, [&](auto given) {
    if (given[n_] != static_cast<std::int64_t>(indices_.size())) return false;
    return wide_offsets_.empty() ? equal(narrow_offsets_, given) : equal(wide_offsets_, given);
  });
}

bool PlanKey::same_indices(const IndexArray& indices) const {
  if (indices_.empty()) return true;
  if (indices.is_null()) return false;
  return with_index_pointer(indices, [&](auto given) { return equal(indices_, given); });
}

std::shared_ptr<const FactorPlan> PlanCache::find(const PatternView& pattern, const PlanOptions& options) {
  std::unique_lock lock(mutex_);
  const std::vector<Entry> candidates = entries_;
  lock.unlock();
  const auto matches = [&](const Entry& e) { return e.key->matches(pattern, options); };
  // A plan that has the wanted part for a device, else any: with_cuda adds the part.
  const auto serves = [&](const Entry& e) { return has_device_part(*e.plan, options.cuda) && matches(e); };
  auto hit = std::ranges::find_if(candidates, serves);
  if (hit == candidates.end()) hit = std::ranges::find_if(candidates, matches);
  lock.lock();
  if (hit == candidates.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  const auto place = std::ranges::find(entries_, hit->key, &Entry::key);
  if (place != entries_.end()) std::rotate(entries_.begin(), place, std::next(place));
  return hit->plan;
}

bool PlanCache::contains(const PatternView& pattern, const PlanOptions& options) const {
  std::unique_lock lock(mutex_);
  const std::vector<Entry> candidates = entries_;
  lock.unlock();
  return std::ranges::any_of(candidates, [&](const Entry& e) { return e.key->matches(pattern, options); });
}

void PlanCache::keep(const PatternView& pattern, const PlanOptions& options, std::shared_ptr<const FactorPlan> plan) {
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::any_of(entries_, [&](const Entry& e) { return e.plan == plan; })) return;
    if (limits_.plans == 0 || plan->bytes() > limits_.bytes) return;
  }
  Entry entry{std::make_shared<const PlanKey>(pattern, options), std::move(plan)};
  std::vector<Entry> surplus;
  const std::lock_guard lock(mutex_);
  if (entry.bytes() > limits_.bytes) return;
  // Another thread may have kept an equal plan meanwhile, and a plan with a part for a device replaces one without.
  const auto is_replaced = [&](const Entry& e) {
    return (!e.plan->cuda_plan() || !entry.plan->cuda_plan() ||
            e.plan->cuda_plan()->options == entry.plan->cuda_plan()->options) &&
           e.key->matches(pattern, options);
  };
  const auto same = std::ranges::find_if(entries_, is_replaced);
  if (same != entries_.end()) {
    if (same->plan->cuda_plan() && !entry.plan->cuda_plan()) return;
    surplus.push_back(std::move(*same));
    entries_.erase(same);
  }
  entries_.insert(entries_.begin(), std::move(entry));
  std::ranges::move(take_surplus(), std::back_inserter(surplus));
}

void PlanCache::set_limits(const PlanCacheLimits& limits) {
  std::vector<Entry> surplus;
  const std::lock_guard lock(mutex_);
  limits_ = {std::max<std::int64_t>(limits.plans, 0), std::max<std::int64_t>(limits.bytes, 0)};
  surplus = take_surplus();
}

void PlanCache::clear() {
  std::vector<Entry> all;
  const std::lock_guard lock(mutex_);
  all.swap(entries_);
}

PlanCacheInfo PlanCache::info() const {
  const std::lock_guard lock(mutex_);
  PlanCacheInfo info;
  info.limits = limits_;
  info.plans = static_cast<std::int64_t>(entries_.size());
  for (const Entry& entry : entries_) info.bytes += entry.bytes();
  info.hits = hits_;
  info.misses = misses_;
  return info;
}

std::vector<PlanCache::Entry> PlanCache::take_surplus() {
  std::size_t kept = 0;
  std::int64_t bytes = 0;
  while (kept < entries_.size() && static_cast<std::int64_t>(kept) < limits_.plans &&
         bytes + entries_[kept].bytes() <= limits_.bytes) {
    bytes += entries_[kept++].bytes();
  }
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(kept);
  std::vector<Entry> surplus(std::make_move_iterator(first), std::make_move_iterator(entries_.end()));
  entries_.erase(first, entries_.end());
  return surplus;
}

/// Never destroyed: a solver that a static object holds may analyze as the process ends.
PlanCache& process_plan_cache() {
  static PlanCache* const cache = new PlanCache;
  return *cache;
}

void set_plan_cache_limits(const PlanCacheLimits& limits) { process_plan_cache().set_limits(limits); }
void clear_plan_cache() { process_plan_cache().clear(); }
PlanCacheInfo plan_cache_info() { return process_plan_cache().info(); }

}  // namespace gpusupernodal
