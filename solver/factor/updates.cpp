#include "solver/factor/updates.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel_lists.hpp"

namespace gpusupernodal {
namespace {

/// Minimum number of relative rows per thread, because each thread needs an array of length n.
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

/// Groups the pairs by target. Sources ascend within a target, because chunks and their sources are visited in order.
class PairLister {
 public:
  PairLister(const SymbolicFactor& factor, UpdateList& list, ThreadTeam& team)
      : factor_(factor),
        list_(list),
        team_(team),
        chunks_(std::clamp<std::int64_t>(factor.row_offset.back() / entries_per_thread, 1,
                                         std::min<std::int64_t>(max_chunks, team.threads()))),
        next_(static_cast<std::size_t>(chunks_)) {}

  void run() {
    const auto supernodes = static_cast<std::size_t>(factor_.supernodes());
    list_.first_into.assign(supernodes + 1, UpdateId(0));
    list_.from_offset.assign(supernodes + 1, 0);
    each_chunk([&](std::int64_t chunk) { count(chunk); });
    add_up(list_.from_offset.data(), static_cast<std::int64_t>(supernodes) + 1, team_);
    set_first();
    list_.updates.resize(static_cast<std::size_t>(list_.from_offset.back()));
    list_.from.resize(static_cast<std::size_t>(list_.from_offset.back()));
    each_chunk([&](std::int64_t chunk) { fill(chunk); });
  }

 private:
  static constexpr std::int64_t max_chunks = 16;

  template <class Body>
  void each_chunk(const Body& body) {
    team_.for_intervals(chunks_, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) body(chunk);
    });
  }

  /// Returns the sources of a chunk. All chunks have about the same number of rows.
  IdRange<SupernodeId> sources(std::int64_t chunk) const {
    const auto border = [&](std::int64_t c) {
      if (c == chunks_) return SupernodeId(factor_.supernodes());
      const std::int64_t wanted = factor_.row_offset.back() * c / chunks_;
      const auto end = factor_.row_offset.end() - 1;
      return SupernodeId(std::lower_bound(factor_.row_offset.begin(), end, wanted) - factor_.row_offset.begin());
    };
    return {border(chunk), border(chunk + 1)};
  }

  IdVector<SupernodeId, std::int32_t>& next(std::int64_t chunk) { return next_[static_cast<std::size_t>(chunk)]; }

  void count(std::int64_t chunk) {
    next(chunk).assign(static_cast<std::size_t>(factor_.supernodes()), 0);
    for (SupernodeId j : sources(chunk)) {
      for_each_target(factor_, j, [&](SupernodeId k, std::int32_t, std::int32_t) {
        ++next(chunk)[k];
        ++list_.from_offset[j + 1];
      });
    }
  }

  void set_first() {
    std::int32_t sum = 0;
    for (SupernodeId k : factor_.supernode_ids()) {
      for (auto& of_chunk : next_) sum += std::exchange(of_chunk[k], sum);
      list_.first_into[k + 1] = UpdateId(std::int64_t{sum});
    }
  }

  void fill(std::int64_t chunk) {
    for (SupernodeId j : sources(chunk)) {
      std::int64_t slot = list_.from_offset[j];
      for_each_target(factor_, j, [&](SupernodeId k, std::int32_t begin, std::int32_t end) {
        const UpdateId u(std::int64_t{next(chunk)[k]++});
        list_.updates[u] = Update{j, k, begin, end, 0};
        list_.from[static_cast<std::size_t>(slot++)] = u;
      });
    }
  }

  const SymbolicFactor& factor_;
  UpdateList& list_;
  ThreadTeam& team_;
  std::int64_t chunks_;
  std::vector<IdVector<SupernodeId, std::int32_t>> next_;  ///< By chunk and target: number of updates, later the next one.
};

void set_relative_offsets(const SymbolicFactor& factor, UpdateList& list, ThreadTeam& team) {
  const Runs runs(static_cast<std::int64_t>(list.updates.size()), team);
  std::vector<std::int64_t> next(static_cast<std::size_t>(runs.runs()), 0);
  const auto rows = [&](const Update& update) { return factor.rows_below(update.source) - update.row_begin; };
  runs.each([&](std::size_t run, std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (UpdateId u : IdRange<UpdateId>(UpdateId(begin), UpdateId(end))) sum += rows(list.updates[u]);
    next[run] = sum;
  });
  std::int64_t sum = 0;
  for (std::int64_t& run : next) sum += std::exchange(run, sum);
  runs.each([&](std::size_t run, std::int64_t begin, std::int64_t end) {
    for (UpdateId u : IdRange<UpdateId>(UpdateId(begin), UpdateId(end))) {
      list.updates[u].relative = next[run];
      next[run] += rows(list.updates[u]);
    }
  });
  list.relative_rows.resize(static_cast<std::size_t>(sum));
}

/// Sets the relative rows of the updates into supernodes first … last−1.
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
  PairLister(factor, list, team).run();
  set_relative_offsets(factor, list, team);
  const auto entries = static_cast<std::int64_t>(list.relative_rows.size());
  const std::int64_t chunks = std::clamp<std::int64_t>(entries / entries_per_thread, 1, team.threads());
  // Returns the first supernode whose updates begin at or after the chunk's first entry.
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
