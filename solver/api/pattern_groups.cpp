#include "solver/api/pattern_groups.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "solver/common/index_dispatch.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {
namespace {

bool has_readable_arrays(const PatternView& a) {
  if (a.n < 0 || a.n > std::numeric_limits<std::int32_t>::max()) return false;
  if (a.n == 0) return true;
  return !a.offsets.is_null() && a.entries() >= 0 && (a.entries() == 0 || !a.indices.is_null());
}

/// Precondition of the functions below: the patterns are readable.
bool has_arrays_of(const PatternView& a, const PatternView& b) {
  return a.offsets.narrow() == b.offsets.narrow() && a.offsets.wide() == b.offsets.wide() &&
         a.indices.narrow() == b.indices.narrow() && a.indices.wide() == b.indices.wide();
}

bool has_equal_numbers(const IndexArray& a, const IndexArray& b, std::int64_t count) {
  if (count == 0) return true;
  return with_index_pointers(a, b, [&](auto first, auto second) { return std::equal(first, first + count, second); });
}

bool is_equal_pattern(const PatternView& a, const PatternView& b) {
  if (a.n != b.n || a.part != b.part || a.compression != b.compression || a.entries() != b.entries()) return false;
  return has_arrays_of(a, b) || (has_equal_numbers(a.offsets, b.offsets, a.n > 0 ? a.n + 1 : 0) &&
                                 has_equal_numbers(a.indices, b.indices, a.entries()));
}

}  // namespace

std::vector<std::vector<std::int64_t>> group_patterns(Span<const PatternView> patterns) {
  std::vector<std::vector<std::int64_t>> groups;
  std::unordered_multimap<std::uint64_t, std::size_t> group_of_hash;
  const auto first_of = [&](std::size_t group) -> const PatternView& {
    return patterns[static_cast<std::size_t>(groups[group].front())];
  };
  const PatternView* before = nullptr;  // The last readable pattern, and its group.
  std::size_t group_before = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const PatternView& a = patterns[i];
    const auto system = static_cast<std::int64_t>(i);
    if (!has_readable_arrays(a)) {
      groups.push_back({system});
      continue;
    }
    std::size_t group = groups.size();
    if (before != nullptr && has_arrays_of(a, *before) && is_equal_pattern(a, *before)) {
      group = group_before;
    } else {
      const std::uint64_t hash = hash_of(a, nullptr);
      const auto [begin, end] = group_of_hash.equal_range(hash);
      const auto found =
          std::find_if(begin, end, [&](const auto& entry) { return is_equal_pattern(a, first_of(entry.second)); });
      if (found != end) group = found->second;
      if (found == end) group_of_hash.emplace(hash, group);
    }
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(system);
    before = &a;
    group_before = group;
  }
  return groups;
}

}  // namespace gpusupernodal
