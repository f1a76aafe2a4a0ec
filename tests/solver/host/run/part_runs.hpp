#pragma once

/// \file
/// Factorizations on several parts that are threads.

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "solver/backend/part_factorization.hpp"
#include "solver/factor/panel_layout.hpp"
#include "solver/host/plan/part_entries.hpp"
#include "solver/host/plan/part_plan.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/thread_fabric.hpp"

namespace gpusupernodal::test {

/// A valid map with any top and any owners: more supernodes are in the top than a map for speed would have.
inline PartMap random_map(const SymbolicFactor& factor, int parts, double top_share, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> part(0, parts - 1);
  std::bernoulli_distribution in_top(top_share);
  PartMap map;
  map.shares.resize(static_cast<std::size_t>(parts));
  map.part_of.assign(static_cast<std::size_t>(factor.supernodes()), PartId());
  for (std::int32_t i = factor.supernodes() - 1; i >= 0; --i) {
    const SupernodeId s(i);
    const SupernodeId parent = factor.parent[s];
    if (parent.valid() && map.part_of[parent].valid()) {
      map.part_of[s] = map.part_of[parent];
    } else if (!in_top(random)) {
      map.part_of[s] = PartId(part(random));
    }
  }
  for (SupernodeId s : factor.supernode_ids()) {
    const SupernodeId parent = factor.parent[s];
    if (map.in_top(s)) {
      for_each_panel_block(0, factor.width(s), [&](std::int32_t first, std::int32_t end) {
        map.top.push_back({s, first, end - first, PartId(part(random))});
      });
    } else if (!parent.valid() || map.in_top(parent)) {
      map.subtrees.push_back({factor.subtree_first[s], s, map.part_of[s]});
    }
  }
  return map;
}

/// Entry (row, column) of a matrix in the caller's numbering.
template <class T>
struct Triple {
  std::int64_t row;
  std::int64_t column;
  T value;
};

template <class T>
std::vector<Triple<T>> triples_of(const io::SymmetricMatrix& a) {
  std::vector<Triple<T>> triples;
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t k = a.offsets[static_cast<std::size_t>(j)]; k < a.offsets[static_cast<std::size_t>(j) + 1]; ++k)
      triples.push_back({a.indices[static_cast<std::size_t>(k)], j, static_cast<T>(a.values[static_cast<std::size_t>(k)])});
  }
  return triples;
}

/// The entries that belong to one part.
template <class T>
struct OwnEntries {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::vector<T> values;

  OwnEntries(const PartPlan& plan, const std::vector<Triple<T>>& entries) {
    const auto& new_of_old = plan.whole->permutation.new_of_old;
    for (const Triple<T>& e : entries) {
      if (plan.owner_of(std::min(new_of_old[OldIndex(e.row)], new_of_old[OldIndex(e.column)])) != plan.part) continue;
      rows.push_back(e.row);
      columns.push_back(e.column);
      values.push_back(e.value);
    }
  }
};

/// Results of all parts.
template <class T>
struct PartResult {
  std::vector<PartOutcome> outcomes;  ///< Outcome of each part.
  std::vector<T> x;                   ///< n × columns, if all parts succeeded.
};

/// Factorizes a matrix whose entries are in the lower half, and solves for the columns of b.
template <class T>
PartResult<T> run_on_parts(const std::shared_ptr<const SymbolicFactor>& factor, const PartMap& map,
                           const std::vector<Triple<T>>& entries, const std::vector<T>& b, std::int64_t columns,
                           int threads = 1, std::int64_t reserved = 1) {
  const std::int64_t n = factor->order();
  PartResult<T> result;
  result.outcomes.resize(static_cast<std::size_t>(map.parts()));
  result.x.assign(b.size(), T(0));
  run_parts(map.parts(), [&](Fabric& fabric) {
    ThreadTeam team(1);
    const auto plan = std::make_shared<PartPlan>(make_part_plan(factor, map, PartId(fabric.part()), team));
    ExecutorOptions options;
    options.threads = threads;
    const auto part = make_host_part<T>(plan, fabric, options);
    const OwnEntries<T> own_entries(*plan, entries);
    part->set_entries(place_entries(*plan, own_entries.rows, own_entries.columns, false));
    const PartOutcome outcome = part->factorize(own_entries.values.data());
    result.outcomes[static_cast<std::size_t>(fabric.part())] = outcome;
    if (outcome.status != Status::success) return;
    part->reserve_right_hand_sides(reserved);
    const std::vector<NewIndex> own = plan->rows();
    const auto count = static_cast<std::int64_t>(own.size());
    std::vector<T> vectors(own.size() * static_cast<std::size_t>(columns));
    const auto at = [&](std::int64_t c, std::size_t i) {
      return static_cast<std::size_t>(c * n + factor->permutation.old_of_new[own[i]].value);
    };
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::size_t i = 0; i < own.size(); ++i) vectors[static_cast<std::size_t>(c * count) + i] = b[at(c, i)];
    }
    const DenseView<T> view(vectors.data(), count, columns, count);
    part->solve(view, view);
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::size_t i = 0; i < own.size(); ++i) result.x[at(c, i)] = vectors[static_cast<std::size_t>(c * count) + i];
    }
  });
  return result;
}

}  // namespace gpusupernodal::test
