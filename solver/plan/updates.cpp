#include "solver/plan/updates.hpp"

#include <algorithm>

namespace gpusupernodal {
namespace {

/// Fewer relative rows than this are not worth a thread with its array of length n.
constexpr std::int64_t entries_per_thread = 100'000;

/// Calls visit(K, row_begin, row_end) for each ancestor K that holds a run of the rows of J, ascending.
template <class Visit>
void for_each_target(const SymbolicFactor& factor, SupernodeId j, Visit visit) {
  const auto rows = factor.rows_of(j);
  const auto count = static_cast<std::int32_t>(rows.size());
  for (std::int32_t begin = 0; begin < count;) {
    const SupernodeId k = factor.supernode_of[rows[static_cast<std::size_t>(begin)]];
    const NewIndex past = factor.first_column[k + 1];
    std::int32_t end = begin + 1;
    while (end < count && rows[static_cast<std::size_t>(end)] < past) ++end;
    visit(k, begin, end);
    begin = end;
  }
}

/// The pairs, bucketed by target; sources ascend within a target because they are visited in ascending order.
void list_pairs(const SymbolicFactor& factor, UpdateList& list) {
  const auto supernodes = static_cast<std::size_t>(factor.supernodes());
  list.first_into.assign(supernodes + 1, UpdateId(0));
  list.from_offset.assign(supernodes + 1, 0);
  for (SupernodeId j : factor.supernode_ids()) {
    std::int64_t targets = 0;
    for_each_target(factor, j, [&](SupernodeId k, std::int32_t, std::int32_t) {
      ++list.first_into[k + 1];
      ++targets;
    });
    list.from_offset[j + 1] = list.from_offset[j] + targets;
  }
  for (SupernodeId k : factor.supernode_ids()) {
    list.first_into[k + 1] = list.first_into[k + 1] + list.first_into[k].value;
  }
  const auto count = static_cast<std::size_t>(list.from_offset.back());
  list.updates.assign(count, Update());
  list.from.resize(count);
  auto next = list.first_into;
  for (SupernodeId j : factor.supernode_ids()) {
    std::int64_t slot = list.from_offset[j];
    for_each_target(factor, j, [&](SupernodeId k, std::int32_t begin, std::int32_t end) {
      const UpdateId u = next[k];
      ++next[k];
      list.updates[u] = Update{j, k, begin, end, 0};
      list.from[static_cast<std::size_t>(slot++)] = u;
    });
  }
}

void set_relative_offsets(const SymbolicFactor& factor, UpdateList& list) {
  std::int64_t next = 0;
  for (Update& update : list.updates) {
    update.relative = next;
    next += factor.rows_below(update.source) - update.row_begin;
  }
  list.relative_rows.resize(static_cast<std::size_t>(next));
}

/// Relative rows of the updates into supernodes first … last−1.
void fill_relative_rows(const SymbolicFactor& factor, UpdateList& list, SupernodeId first, SupernodeId last) {
  IdVector<NewIndex, std::int32_t> panel_row(static_cast<std::size_t>(factor.order()));
  for (SupernodeId k : IdRange<SupernodeId>(first, last)) {
    const std::int32_t width = factor.width(k);
    for (std::int32_t c = 0; c < width; ++c) panel_row[factor.first_column[k] + c] = c;
    std::int32_t position = width;
    for (NewIndex row : factor.rows_of(k)) panel_row[row] = position++;
    for (UpdateId u : list.into(k)) {
      const Update& update = list.updates[u];
      const auto rows = factor.rows_of(update.source).subspan(static_cast<std::size_t>(update.row_begin));
      std::int32_t* relative = list.relative_rows.data() + update.relative;
      for (NewIndex row : rows) *relative++ = panel_row[row];
    }
  }
}

}  // namespace

UpdateList build_updates(const SymbolicFactor& factor, ThreadTeam& team) {
  UpdateList list;
  list_pairs(factor, list);
  set_relative_offsets(factor, list);
  const auto entries = static_cast<std::int64_t>(list.relative_rows.size());
  const std::int64_t chunks = std::clamp<std::int64_t>(entries / entries_per_thread, 1, team.threads());
  // Supernodes from the first whose updates begin in a chunk's share of the entries on.
  const auto border = [&](std::int64_t chunk) {
    if (chunk == chunks) return SupernodeId(factor.supernodes());
    const auto begins_before = [&](UpdateId u, std::int64_t wanted) {
      return u.value < static_cast<std::int32_t>(list.updates.size()) && list.updates[u].relative < wanted;
    };
    const auto found =
        std::lower_bound(list.first_into.begin(), list.first_into.end() - 1, entries * chunk / chunks, begins_before);
    return SupernodeId(found - list.first_into.begin());
  };
  team.for_intervals(chunks, 1, [&](std::int64_t begin, std::int64_t end) {
    fill_relative_rows(factor, list, border(begin), border(end));
  });
  return list;
}

UpdateList build_updates(const SymbolicFactor& factor) {
  ThreadTeam one(1);
  return build_updates(factor, one);
}

}  // namespace gpusupernodal
