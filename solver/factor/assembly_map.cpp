#include "solver/factor/assembly_map.hpp"

#include <algorithm>
#include <utility>

#include "solver/common/index_dispatch.hpp"
#include "solver/symbolic/pattern_chunks.hpp"

namespace gpusupernodal {
namespace {

class Assembly {
 public:
  Assembly(const PatternView& pattern, const SymbolicFactor& factor, const PanelLayout& layout, ThreadTeam& team)
      : pattern_(pattern),
        factor_(factor),
        layout_(layout),
        chunks_(pattern, team, max_chunks(pattern.entries() + pattern.n, factor.supernodes())),
        parts_(pattern, team, max_chunks(2 * (pattern.entries() + pattern.n), factor.order())),
        next_(static_cast<std::size_t>(chunks_.count())) {}

  AssemblyMap run() {
    map_.entries_of_a = pattern_.entries();
    map_.upper = pattern_.part == StoredPart::upper;
    chunks_.each([&](std::int64_t chunk) { count(chunk); });
    set_offsets();
    chunks_.each([&](std::int64_t chunk) { group(chunk); });
    next_.clear();
    next_.shrink_to_fit();
    parts_.each([&](std::int64_t part) { set_targets(part); });
    return std::move(map_);
  }

 private:
  /// Returns the number of chunks, at least 1, for which all arrays together have at most `max_numbers` entries. Each chunk
  /// has one array of `length` entries.
  static std::int64_t max_chunks(std::int64_t max_numbers, std::int64_t length) {
    return std::max<std::int64_t>(1, max_numbers / std::max<std::int64_t>(1, length));
  }

  /// Calls visit(entry, row, column) for every entry of a chunk that is read. Row and column are indices of L; of the two,
  /// the row is eliminated later.
  template <class Visit>
  void for_each_read_entry(std::int64_t chunk, Visit visit) const {
    if (pattern_.n == 0) return;
    const bool columns = pattern_.compression == Compression::columns;
    const bool full = pattern_.part == StoredPart::full;
    const NewIndex* const new_of_old = factor_.permutation.new_of_old.data();
    with_index_pointers(pattern_.offsets, pattern_.indices, [&](auto offsets, auto indices) {
      for (std::int64_t outer = chunks_.border(chunk), last = chunks_.border(chunk + 1); outer < last; ++outer) {
        const NewIndex a = new_of_old[outer];
        for (std::int64_t e = offsets[outer], end = offsets[outer + 1]; e < end; ++e) {
          const std::int64_t inner = indices[e];
          if (full && (columns ? inner < outer : inner > outer)) continue;
          const NewIndex b = new_of_old[inner];
          visit(e, std::max(a, b), std::min(a, b));
        }
      }
    });
  }

  void count(std::int64_t chunk) {
    IdVector<SupernodeId, std::int64_t>& entries = next_[static_cast<std::size_t>(chunk)];
    entries.assign(static_cast<std::size_t>(factor_.supernodes()), 0);
    for_each_read_entry(chunk, [count = entries.data(), supernode = factor_.supernode_of.data()](
                                   std::int64_t, NewIndex, NewIndex column) { ++count[supernode[column.value].value]; });
  }

  /// Computes where each chunk's entries of each supernode begin. A supernode's entries keep the caller's order.
  void set_offsets() {
    map_.offset.assign(static_cast<std::size_t>(factor_.supernodes()) + 1, 0);
    std::int64_t next = 0;
    for (SupernodeId s : factor_.supernode_ids()) {
      for (auto& entries : next_) next += std::exchange(entries[s], next);
      map_.offset[s + 1] = next;
    }
    const auto entries = static_cast<std::size_t>(next);
    map_.source.resize(entries);
    map_.target.resize(entries);
    map_.row.resize(entries);
    map_.column.resize(entries);
  }

  void group(std::int64_t chunk) {
    // Plain pointers: the compiler need not reload them after each store.
    for_each_read_entry(chunk, [next = next_[static_cast<std::size_t>(chunk)].data(),
                                supernode = factor_.supernode_of.data(), source = map_.source.data(), rows = map_.row.data(),
                                columns = map_.column.data()](std::int64_t e, NewIndex row, NewIndex column) {
      const std::int64_t slot = next[supernode[column.value].value]++;
      source[slot] = e;
      rows[slot] = row;
      columns[slot] = column;
    });
  }

  /// Sets the targets of the entries of one part's supernodes. Each part has about the same number of entries.
  void set_targets(std::int64_t part) {
    const auto first_of = [&](std::int64_t c) {
      const std::int64_t wanted = map_.offset.back() * c / parts_.count();
      const auto found = std::lower_bound(map_.offset.begin(), map_.offset.end(), wanted) - map_.offset.begin();
      return c == parts_.count() ? SupernodeId(factor_.supernodes()) : SupernodeId(found);
    };
    // Panels of these supernodes have no rows before their first column.
    const NewIndex begin = factor_.first_column[first_of(part)];
    RawVector<std::int32_t> panel_row(static_cast<std::size_t>(factor_.order() - begin.value));
    const auto at = [&](NewIndex row) -> std::int32_t& { return panel_row[static_cast<std::size_t>(row - begin)]; };
    for (SupernodeId s : IdRange<SupernodeId>(first_of(part), first_of(part + 1))) {
      const NewIndex first = factor_.first_column[s];
      for (std::int32_t c = 0; c < factor_.width(s); ++c) at(first + c) = c;
      std::int32_t position = factor_.width(s);
      for (NewIndex row : factor_.rows_of(s)) at(row) = position++;
      for (std::int64_t e = map_.offset[s]; e < map_.offset[s + 1]; ++e) {
        const auto i = static_cast<std::size_t>(e);
        map_.target[i] = layout_.index(s, at(map_.row[i]), map_.column[i] - first);
      }
    }
  }

  const PatternView& pattern_;
  const SymbolicFactor& factor_;
  const PanelLayout& layout_;
  PatternChunks chunks_;
  PatternChunks parts_;  ///< Its number of chunks is the number of parts; parts are intervals of supernodes.
  AssemblyMap map_;
  /// For each chunk and supernode: the number of the chunk's entries, later the position of the next one.
  std::vector<IdVector<SupernodeId, std::int64_t>> next_;
};

}  // namespace

AssemblyMap build_assembly_map(const PatternView& pattern, const SymbolicFactor& factor, const PanelLayout& layout,
                               ThreadTeam& team) {
  return Assembly(pattern, factor, layout, team).run();
}

}  // namespace gpusupernodal
