#include "solver/cuda/plan/stage_division.hpp"

#include <algorithm>
#include <utility>

#include "solver/cuda/plan/alignment.hpp"

namespace gpusupernodal {
namespace {

/// More stages would take too long to launch.
constexpr std::size_t most_stages = 1000;

/// Places groups in two buffers in turn. Returns the end of the buffers.
std::int64_t place_groups(const std::vector<Stage*>& groups) {
  std::int64_t buffer = 0;
  for (const Stage* group : groups) buffer = std::max(buffer, group->values);
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g]->first_value = g % 2 == 0 ? 0 : buffer;
  return static_cast<std::int64_t>(std::min<std::size_t>(groups.size(), 2)) * buffer;
}

bool overlap(const Stage& a, const Stage& b) {
  return a.first_value < b.first_value + b.values && b.first_value < a.first_value + a.values;
}

/// Finds which stages share values. Returns false if two of them would need these at the same time.
bool link(std::vector<Stage>& stages) {
  enum class State { ahead, open, closed };
  std::vector<State> states(stages.size(), State::ahead);
  for (std::size_t a = 0; a < stages.size(); ++a) {
    stages[a].on_device_at_end = true;
    for (std::size_t b = 0; b < stages.size(); ++b) {
      if (a != b && overlap(stages[a], stages[b])) stages[a].shares_with.push_back(b);
    }
  }
  for (std::size_t k = 0; k < stages.size(); ++k) {
    for (const std::size_t opened : stages[k].opens) {
      states[opened] = State::open;
      for (const std::size_t other : stages[opened].shares_with) {
        if (states[other] == State::open) return false;
        if (states[other] == State::ahead) continue;
        stages[other].on_device_at_end = false;
        stages[opened].follows = std::max(stages[opened].follows, static_cast<std::int64_t>(other));
      }
    }
    states[k] = State::closed;
  }
  return true;
}

}  // namespace

std::int64_t panel_values(const FactorStructure& structure, SupernodeId s) {
  return cuda::aligned(end_of_panel(0, structure.panels.ld[s], structure.symbolic.width(s)));
}

StageDivider::StageDivider(const FactorStructure& structure)
    : structure_(structure), subtree_(static_cast<std::size_t>(structure.symbolic.supernodes()), 0) {
  for (SupernodeId s : factor().supernode_ids()) {
    subtree_[s] += panel_values(structure, s);
    if (factor().parent[s].valid()) subtree_[factor().parent[s]] += subtree_[s];
  }
}

std::optional<StageDivision> StageDivider::divide(std::int64_t most, TopPlace top) const {
  StageDivision division = top == TopPlace::stays ? with_whole_top(most) : with_top_in_turns(most);
  if (division.stages.size() > most_stages || !link(division.stages)) return std::nullopt;
  return division;
}

/// The root of the largest subtree of at most `most` values whose first supernode is s; invalid if there is none.
SupernodeId StageDivider::largest_subtree_from(SupernodeId s, std::int64_t most) const {
  SupernodeId found;
  for (SupernodeId root = s; root.valid() && factor().subtree_first[root] == s && subtree_[root] <= most;
       root = factor().parent[root])
    found = root;
  return found;
}

/// Calls subtree(first, root) and of_top(s), ascending.
template <class Subtree, class OfTop>
void StageDivider::walk(std::int64_t most, const Subtree& subtree, const OfTop& of_top) const {
  for (SupernodeId s(0); s.value < factor().supernodes();) {
    const SupernodeId root = largest_subtree_from(s, most);
    if (root.valid()) {
      subtree(s, root);
      s = root + 1;
    } else {
      of_top(s);
      ++s;
    }
  }
}

void StageDivider::append(Stage& stage, SupernodeId first, SupernodeId last) const {
  if (stage.ranges.empty() || stage.ranges.back().last != first) stage.ranges.push_back({first, first});
  stage.ranges.back().last = last;
  for (SupernodeId s : IdRange<SupernodeId>(first, last)) stage.values += panel_values(structure_, s);
}

StageDivision StageDivider::with_whole_top(std::int64_t most) const {
  StageDivision division;
  Stage top;
  std::vector<Stage>& stages = division.stages;
  walk(
      most,
      [&](SupernodeId first, SupernodeId root) {
        if (stages.empty() || stages.back().values + subtree_[root] > most) stages.emplace_back();
        append(stages.back(), first, root + 1);
      },
      [&](SupernodeId s) { append(top, s, s + 1); });
  std::vector<Stage*> groups;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    groups.push_back(&stages[k]);
    stages[k].opens.push_back(k);
  }
  top.first_value = place_groups(groups);
  division.values = top.first_value + top.values;
  if (top.values > 0) {
    const std::size_t last = stages.size();
    (stages.empty() ? top : stages.front()).opens.push_back(last);
    stages.push_back(std::move(top));
  }
  return division;
}

StageDivision StageDivider::with_top_in_turns(std::int64_t most) const {
  StageDivision division;
  std::vector<Stage>& stages = division.stages;
  std::vector<std::size_t> groups;
  IdVector<SupernodeId, std::int64_t> stage_of_top(static_cast<std::size_t>(factor().supernodes()), -1);
  IdVector<SupernodeId, std::size_t> first_stage(stage_of_top.size(), most_stages + 1);  // Of its descendants.
  const auto pass_on = [&](SupernodeId s, std::size_t stage) {
    const SupernodeId parent = factor().parent[s];
    if (parent.valid()) first_stage[parent] = std::min(first_stage[parent], stage);
  };
  bool may_join = false;
  walk(
      most,
      [&](SupernodeId first, SupernodeId root) {
        if (!may_join || stages.back().values + subtree_[root] > most) {
          groups.push_back(stages.size());
          stages.emplace_back().opens.push_back(stages.size() - 1);
        }
        append(stages.back(), first, root + 1);
        pass_on(root, stages.size() - 1);
        may_join = true;
      },
      [&](SupernodeId s) {
        const std::size_t number = stages.size();
        stage_of_top[s] = static_cast<std::int64_t>(number);
        append(stages.emplace_back(), s, s + 1);
        stages[std::min(first_stage[s], number)].opens.push_back(number);
        pass_on(s, std::min(first_stage[s], number));
        may_join = false;
      });
  std::vector<Stage*> places;
  for (const std::size_t g : groups) places.push_back(&stages[g]);
  const std::int64_t end_of_buffers = place_groups(places);
  division.values = end_of_buffers;
  for (std::int64_t i = factor().supernodes() - 1; i >= 0; --i) {  // Parents first.
    const SupernodeId s(i);
    if (stage_of_top[s] < 0) continue;
    Stage& stage = stages[static_cast<std::size_t>(stage_of_top[s])];
    const SupernodeId parent = factor().parent[s];
    stage.first_value = end_of_buffers;
    if (parent.valid()) {
      const Stage& above = stages[static_cast<std::size_t>(stage_of_top[parent])];
      stage.first_value = above.first_value + above.values;
    }
    division.values = std::max(division.values, stage.first_value + stage.values);
  }
  return division;
}

}  // namespace gpusupernodal
