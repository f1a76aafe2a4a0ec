#include "solver/cuda/plan/staged_plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/cuda/plan/shared_sweeps.hpp"

namespace gpusupernodal {
namespace {

/// Between two sizes of buffers that are tried, the size shrinks by this factor.
constexpr double shrinks_by = 0.85;
/// More stages would take too long to launch.
constexpr std::size_t most_stages = 1000;

std::int64_t round_up(std::int64_t value) {
  return (value + cuda::tile_alignment - 1) / cuda::tile_alignment * cuda::tile_alignment;
}

/// Values of a panel, with what aligning it may take.
std::int64_t panel_values(const FactorStructure& structure, SupernodeId s) {
  return round_up(end_of_panel(0, structure.panels.ld[s], structure.symbolic.width(s)));
}

/// Stages with their places, and the values that the device then holds.
struct Division {
  std::vector<Stage> stages;
  std::int64_t values = 0;
};

/// What happens to the top: it stays on the device, or its supernodes take turns.
enum class Top { stays, in_turns };

/// Divides the supernodes into groups of subtrees, as far up as possible, and the top above them.
class Divider {
 public:
  explicit Divider(const FactorStructure& structure)
      : structure_(structure), subtree_(static_cast<std::size_t>(factor().supernodes()), 0) {
    for (SupernodeId s : factor().supernode_ids()) {
      subtree_[s] += panel_values(structure, s);
      if (factor().parent[s].valid()) subtree_[factor().parent[s]] += subtree_[s];
    }
  }

  /// Groups have at most `most` values. Nothing if the panels of the top cannot take turns.
  std::optional<Division> divide(std::int64_t most, Top top) const {
    Division division = top == Top::stays ? with_whole_top(most) : with_top_in_turns(most);
    if (division.stages.size() > most_stages || !link(division.stages)) return std::nullopt;
    return division;
  }

 private:
  const SymbolicFactor& factor() const { return structure_.symbolic; }

  /// The root of the largest subtree of at most `most` values whose first supernode is s; invalid if there is none.
  SupernodeId largest_subtree_from(SupernodeId s, std::int64_t most) const {
    SupernodeId found;
    for (SupernodeId root = s; root.valid() && factor().subtree_first[root] == s && subtree_[root] <= most;
         root = factor().parent[root])
      found = root;
    return found;
  }

  /// Calls subtree(first, root) and of_top(s), ascending.
  template <class Subtree, class OfTop>
  void walk(std::int64_t most, const Subtree& subtree, const OfTop& of_top) const {
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

  void append(Stage& stage, SupernodeId first, SupernodeId last) const {
    if (stage.ranges.empty() || stage.ranges.back().last != first) stage.ranges.push_back({first, first});
    stage.ranges.back().last = last;
    for (SupernodeId s : IdRange<SupernodeId>(first, last)) stage.values += panel_values(structure_, s);
  }

  /// Places groups in two buffers in turn. Returns the end of the buffers.
  static std::int64_t place_groups(const std::vector<Stage*>& groups) {
    std::int64_t buffer = 0;
    for (const Stage* group : groups) buffer = std::max(buffer, group->values);
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g]->first_value = g % 2 == 0 ? 0 : buffer;
    return static_cast<std::int64_t>(std::min<std::size_t>(groups.size(), 2)) * buffer;
  }

  Division with_whole_top(std::int64_t most) const {
    Division division;
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

  Division with_top_in_turns(std::int64_t most) const {
    Division division;
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

  static bool overlap(const Stage& a, const Stage& b) {
    return a.first_value < b.first_value + b.values && b.first_value < a.first_value + a.values;
  }

  /// Finds which stages share values. Returns false if two of them would need these at the same time.
  static bool link(std::vector<Stage>& stages) {
    enum class State { ahead, open, closed };
    std::vector<State> states(stages.size(), State::ahead);
    for (std::size_t a = 0; a < stages.size(); ++a) {
      stages[a].is_left = true;
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
          stages[other].is_left = false;
          stages[opened].follows = std::max(stages[opened].follows, static_cast<std::int64_t>(other));
        }
      }
      states[k] = State::closed;
    }
    return true;
  }

  const FactorStructure& structure_;
  IdVector<SupernodeId, std::int64_t> subtree_;  ///< Values of each subtree.
};

class StagedPlanner {
 public:
  StagedPlanner(const CudaPlan& whole, Division division) : whole_(whole), values_(division.values) {
    stages_->stages = std::move(division.stages);
    stages_->whole = whole.structure->panels;
    for (Stage& stage : stages_->stages) {
      if (stage.shares_with.empty()) continue;
      stage.host_value = stages_->host_values;
      stages_->host_values += stage.values;
    }
    stage_of_.assign(static_cast<std::size_t>(factor().supernodes()), 0);
    for (std::size_t k = 0; k < stages_->stages.size(); ++k)
      for_each(stages_->stages[k], [&](SupernodeId s) { stage_of_[s] = k; });
  }

  std::shared_ptr<const CudaPlan> plan(ThreadTeam& team) {
    auto structure = std::make_shared<FactorStructure>(*whole_.structure);
    place(*structure);
    plan_->options = whole_.options;
    number_levels();
    take_merges();
    plan_->solve.gather = whole_.solve.gather;
    plan_->solve.partials = whole_.solve.partials;
    plan_->solve.one_rhs_sums = whole_.solve.one_rhs_sums;
    plan_->solve.one_rhs_partials = whole_.solve.one_rhs_partials;
    take_sweeps();
    plan_->structure = std::move(structure);
    plan_->stages = stages_;
    plan_->launches = cuda::build_launch_plan(*plan_, factor(), team);
    return std::move(plan_);
  }

 private:
  const SymbolicFactor& factor() const { return whole_.structure->symbolic; }

  template <class Visit>
  static void for_each(const Stage& stage, const Visit& visit) {
    for (const StageRange& range : stage.ranges) {
      for (SupernodeId s : IdRange<SupernodeId>(range.first, range.last)) visit(s);
    }
  }

  /// Lays out the panels of the device, and sends the entries of A there.
  void place(FactorStructure& structure) {
    PanelLayout& layout = structure.panels;
    for (const Stage& stage : stages_->stages) {
      std::int64_t next = stage.first_value;
      for_each(stage, [&](SupernodeId s) {
        layout.value_offset[s] = next;
        next += panel_values(*whole_.structure, s);
      });
    }
    layout.value_offset.back() = values_;
    AssemblyMap& map = structure.assembly;
    for (SupernodeId s : factor().supernode_ids()) {
      const std::int64_t moved = layout.value_offset[s] - whole_.structure->panels.value_offset[s];
      for (std::int64_t e = map.offset[s]; e < map.offset[s + 1]; ++e) map.target[static_cast<std::size_t>(e)] += moved;
    }
  }

  /// Numbers the levels of the stages one after another.
  void number_levels() {
    CudaFronts& fronts = plan_->fronts;
    fronts.kind = whole_.fronts.kind;
    fronts.first_level.assign(fronts.kind.size(), 0);
    IdVector<SupernodeId, std::int32_t> after_children(fronts.kind.size(), 0);
    std::int32_t next = 0;
    for (std::size_t k = 0; k < stages_->stages.size(); ++k) {
      Stage& stage = stages_->stages[k];
      stage.first_level = stage.last_level = next;
      for_each(stage, [&](SupernodeId s) {
        fronts.first_level[s] = std::max(next, after_children[s]);
        const std::int32_t end = fronts.first_level[s] + cuda::piece_count(factor().width(s));
        stage.last_level = std::max(stage.last_level, end);
        const SupernodeId parent = factor().parent[s];
        if (parent.valid()) after_children[parent] = std::max(after_children[parent], end);
      });
      next = stage.last_level;
    }
    fronts.levels.resize(static_cast<std::size_t>(next));
  }

  void take_merges() {
    CudaSolvePlan& own = plan_->solve;
    std::vector<std::vector<MergeInversesGroup>> groups(stages_->stages.size());
    for (const MergeInversesGroup& group : whole_.solve.inverse_merge_groups) {
      std::vector<cuda::MergeInversesTask> tasks(whole_.solve.inverse_merges.begin() + group.begin,
                                                 whole_.solve.inverse_merges.begin() + group.begin + group.count);
      const auto stage_of = [&](const cuda::MergeInversesTask& task) { return stage_of_[SupernodeId(task.panel)]; };
      std::stable_sort(tasks.begin(), tasks.end(), [&](const auto& a, const auto& b) { return stage_of(a) < stage_of(b); });
      for (const cuda::MergeInversesTask& task : tasks) {
        std::vector<MergeInversesGroup>& of_stage = groups[stage_of(task)];
        if (of_stage.empty() || of_stage.back().half != group.half)
          of_stage.push_back({static_cast<std::int64_t>(own.inverse_merges.size()), 0, group.half});
        ++of_stage.back().count;
        own.inverse_merges.push_back(task);
      }
    }
    for (std::size_t k = 0; k < groups.size(); ++k) {
      stages_->stages[k].first_merge = own.inverse_merge_groups.size();
      own.inverse_merge_groups.insert(own.inverse_merge_groups.end(), groups[k].begin(), groups[k].end());
      stages_->stages[k].last_merge = own.inverse_merge_groups.size();
    }
  }

  void take_sweeps() {
    const std::size_t count = stages_->stages.size();
    const auto take = [&](CudaSolveSweep CudaSolvePlan::*sweep, StageTasks& begins, bool backward) {
      begins = divide_tasks(
          whole_.solve.*sweep, count, [&](SupernodeId s) { return backward ? count - 1 - stage_of_[s] : stage_of_[s]; },
          plan_->solve.*sweep);
    };
    take(&CudaSolvePlan::forward, stages_->forward, false);
    take(&CudaSolvePlan::forward_one_rhs, stages_->forward_one_rhs, false);
    take(&CudaSolvePlan::forward_float, stages_->forward_float, false);
    take(&CudaSolvePlan::backward, stages_->backward, true);
    take(&CudaSolvePlan::backward_one_rhs, stages_->backward_one_rhs, true);
    take(&CudaSolvePlan::backward_float, stages_->backward_float, true);
  }

  const CudaPlan& whole_;
  std::int64_t values_;
  IdVector<SupernodeId, std::size_t> stage_of_;
  std::unique_ptr<CudaPlan> plan_ = std::make_unique<CudaPlan>();
  std::shared_ptr<Stages> stages_ = std::make_shared<Stages>();
};

}  // namespace

std::shared_ptr<const CudaPlan> build_staged_plan(const CudaPlan& whole, const MemoryRequest& request,
                                                  std::int64_t most_bytes, ThreadTeam& team, std::int64_t* least_bytes) {
  const MemoryEstimate of_whole = whole.memory(request);
  const std::int64_t others = of_whole.total() - of_whole.factor;
  const std::int64_t scalar_bytes = bytes_of(request.scalar);
  const Divider divider(*whole.structure);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Top top : {Top::stays, Top::in_turns}) {
    for (double most = static_cast<double>(whole.structure->panels.values()) / 2.0; most >= 1.0; most *= shrinks_by) {
      std::optional<Division> division = divider.divide(static_cast<std::int64_t>(most), top);
      if (!division) continue;
      const std::int64_t estimated = others + division->values * scalar_bytes;
      least = std::min(least, estimated);
      if (estimated > most_bytes) continue;
      auto plan = StagedPlanner(whole, std::move(*division)).plan(team);
      if (plan->memory(request).total() <= most_bytes) return plan;
    }
  }
  if (least_bytes != nullptr) *least_bytes = least;
  return nullptr;
}

}  // namespace gpusupernodal
