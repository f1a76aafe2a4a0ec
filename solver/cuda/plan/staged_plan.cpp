#include "solver/cuda/plan/staged_plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/cuda/plan/shared_sweeps.hpp"

namespace gpusupernodal {
namespace {

/// Between two sizes of buffers that are tried, the size shrinks by this factor.
constexpr double shrinks_by = 0.85;

std::int64_t round_up(std::int64_t value) {
  return (value + cuda::tile_alignment - 1) / cuda::tile_alignment * cuda::tile_alignment;
}

/// Values of a panel, with what aligning it may take.
std::int64_t panel_values(const FactorStructure& structure, SupernodeId s) {
  return round_up(end_of_panel(0, structure.panels.ld[s], structure.symbolic.width(s)));
}

constexpr std::int32_t in_top = -1;

/// Which stage each supernode belongs to.
struct Division {
  IdVector<SupernodeId, std::int32_t> stage_of;  ///< in_top: none.
  std::int32_t stages = 0;
  std::int64_t buffer = 0;  ///< Values of the largest stage.
  std::int64_t top = 0;     ///< Values of the top.

  std::int64_t values() const { return std::min(stages, 2) * buffer + top; }
};

/// Makes stages of at most `most` values. Subtrees that fit are taken whole, as far up as possible; what lies above is the
/// top.
class Divider {
 public:
  explicit Divider(const FactorStructure& structure)
      : structure_(structure), subtree_(static_cast<std::size_t>(factor().supernodes()), 0) {
    for (SupernodeId s : factor().supernode_ids()) {
      subtree_[s] += panel_values(structure, s);
      if (factor().parent[s].valid()) subtree_[factor().parent[s]] += subtree_[s];
    }
  }

  Division divide(std::int64_t most) const {
    Division division;
    division.stage_of.assign(static_cast<std::size_t>(factor().supernodes()), in_top);
    std::int64_t filled = 0;
    for (SupernodeId s(0); s.value < factor().supernodes();) {
      const SupernodeId root = largest_subtree_from(s, most);
      if (!root.valid()) {
        division.top += panel_values(structure_, s);
        ++s;
        continue;
      }
      if (division.stages == 0 || filled + subtree_[root] > most) {
        ++division.stages;
        filled = 0;
      }
      filled += subtree_[root];
      division.buffer = std::max(division.buffer, filled);
      for (SupernodeId member : IdRange<SupernodeId>(s, root + 1)) division.stage_of[member] = division.stages - 1;
      s = root + 1;
    }
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

  const FactorStructure& structure_;
  IdVector<SupernodeId, std::int64_t> subtree_;  ///< Values of each subtree.
};

class StagedPlanner {
 public:
  StagedPlanner(const CudaPlan& whole, const Division& division) : whole_(whole), division_(division) {}

  std::shared_ptr<const CudaPlan> plan(ThreadTeam& team) {
    stages_->stages.resize(static_cast<std::size_t>(division_.stages));
    stages_->whole = whole_.structure->panels;
    list_ranges();
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
  Stage& stage(std::int32_t number) {
    return number == in_top ? stages_->top : stages_->stages[static_cast<std::size_t>(number)];
  }

  void list_ranges() {
    for (SupernodeId s : factor().supernode_ids()) {
      std::vector<StageRange>& ranges = stage(division_.stage_of[s]).ranges;
      if (ranges.empty() || ranges.back().last != s) ranges.push_back({s, s});
      ranges.back().last = s + 1;
    }
  }

  template <class Visit>
  static void for_each(const Stage& stage, const Visit& visit) {
    for (const StageRange& range : stage.ranges) {
      for (SupernodeId s : IdRange<SupernodeId>(range.first, range.last)) visit(s);
    }
  }

  /// Lays out the panels of the device: two buffers, then the top. Sends the entries of A there.
  void place(FactorStructure& structure) {
    PanelLayout& layout = structure.panels;
    const auto fill = [&](Stage& stage, std::int64_t first) {
      std::int64_t next = stage.first_value = first;
      for_each(stage, [&](SupernodeId s) {
        layout.value_offset[s] = next;
        next += panel_values(*whole_.structure, s);
      });
      stage.values = next - first;
    };
    for (std::size_t k = 0; k < stages_->stages.size(); ++k) {
      Stage& stage = stages_->stages[k];
      fill(stage, stages_->buffer_of(k) == 0 ? 0 : division_.buffer);
      stage.host_value = stages_->host_values;
      stages_->host_values += stage.values;
    }
    fill(stages_->top, std::min(division_.stages, 2) * division_.buffer);
    layout.value_offset.back() = stages_->top.first_value + stages_->top.values;
    AssemblyMap& map = structure.assembly;
    for (SupernodeId s : factor().supernode_ids()) {
      const std::int64_t moved = layout.value_offset[s] - whole_.structure->panels.value_offset[s];
      for (std::int64_t e = map.offset[s]; e < map.offset[s + 1]; ++e) map.target[static_cast<std::size_t>(e)] += moved;
    }
  }

  /// Numbers the levels of the stages one after another. Within a stage they are those of the whole plan.
  void number_levels() {
    CudaFronts& fronts = plan_->fronts;
    fronts.kind = whole_.fronts.kind;
    fronts.first_level = whole_.fronts.first_level;
    std::int32_t next = 0;
    for (Stage& stage : stages_->stages) {
      stage.first_level = stage.last_level = next;
      for_each(stage, [&](SupernodeId s) {
        fronts.first_level[s] += next;
        stage.last_level = std::max(stage.last_level, end_of(s));
      });
      next = stage.last_level;
    }
    Stage& top = stages_->top;
    top.first_level = top.last_level = next;
    IdVector<SupernodeId, std::int32_t> after_children(static_cast<std::size_t>(factor().supernodes()), next);
    for_each(top, [&](SupernodeId s) {
      fronts.first_level[s] = after_children[s];
      top.last_level = std::max(top.last_level, end_of(s));
      const SupernodeId parent = factor().parent[s];
      if (parent.valid()) after_children[parent] = std::max(after_children[parent], end_of(s));
    });
    fronts.levels.resize(static_cast<std::size_t>(top.last_level));
  }

  /// The level after the last one of a front.
  std::int32_t end_of(SupernodeId s) const { return plan_->fronts.first_level[s] + cuda::piece_count(factor().width(s)); }

  void take_merges() {
    CudaSolvePlan& own = plan_->solve;
    const auto take = [&](std::int32_t number) {
      Stage& of = stage(number);
      of.first_merge = own.inverse_merge_groups.size();
      for (const MergeInversesGroup& group : whole_.solve.inverse_merge_groups) {
        const std::size_t begin = own.inverse_merges.size();
        for (std::int64_t i = group.begin; i < group.begin + group.count; ++i) {
          const cuda::MergeInversesTask& task = whole_.solve.inverse_merges[static_cast<std::size_t>(i)];
          if (division_.stage_of[SupernodeId(task.panel)] == number) own.inverse_merges.push_back(task);
        }
        const auto count = static_cast<std::int32_t>(own.inverse_merges.size() - begin);
        if (count > 0) own.inverse_merge_groups.push_back({static_cast<std::int64_t>(begin), count, group.half});
      }
      of.last_merge = own.inverse_merge_groups.size();
    };
    for (std::int32_t k = 0; k < division_.stages; ++k) take(k);
    take(in_top);
  }

  void take_sweeps() {
    const auto append = [&](CudaSolveSweep CudaSolvePlan::*sweep, std::int32_t number, StageTasks& begins) {
      CudaSolveSweep& own = plan_->solve.*sweep;
      append_tasks(
          whole_.solve.*sweep, [&](SupernodeId s) { return division_.stage_of[s] == number; }, own);
      begins.push_back(static_cast<std::int64_t>(own.tasks.size()));
    };
    const auto forward = [&](CudaSolveSweep CudaSolvePlan::*sweep, StageTasks& begins) {
      begins.push_back(0);
      for (std::int32_t k = 0; k < division_.stages; ++k) append(sweep, k, begins);
      append(sweep, in_top, begins);
    };
    const auto backward = [&](CudaSolveSweep CudaSolvePlan::*sweep, StageTasks& begins) {
      begins.push_back(0);
      append(sweep, in_top, begins);
      for (std::int32_t k = division_.stages; k-- > 0;) append(sweep, k, begins);
    };
    forward(&CudaSolvePlan::forward, stages_->forward);
    forward(&CudaSolvePlan::forward_one_rhs, stages_->forward_one_rhs);
    forward(&CudaSolvePlan::forward_float, stages_->forward_float);
    backward(&CudaSolvePlan::backward, stages_->backward);
    backward(&CudaSolvePlan::backward_one_rhs, stages_->backward_one_rhs);
    backward(&CudaSolvePlan::backward_float, stages_->backward_float);
  }

  const CudaPlan& whole_;
  const Division& division_;
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
  for (double most = static_cast<double>(whole.structure->panels.values()) / 2.0; most >= 1.0; most *= shrinks_by) {
    const Division division = divider.divide(static_cast<std::int64_t>(most));
    const std::int64_t estimated = others + division.values() * scalar_bytes;
    least = std::min(least, estimated);
    if (estimated > most_bytes) continue;
    auto plan = StagedPlanner(whole, division).plan(team);
    if (plan->memory(request).total() <= most_bytes) return plan;
  }
  if (least_bytes != nullptr) *least_bytes = least;
  return nullptr;
}

}  // namespace gpusupernodal
