#include "solver/cuda/plan/staged_plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/cuda/plan/shared_sweeps.hpp"
#include "solver/cuda/plan/stage_division.hpp"

namespace gpusupernodal {
namespace {

/// Between two sizes of buffers that are tried, the size shrinks by this factor.
constexpr double shrinks_by = 0.85;

class StagedPlanner {
 public:
  StagedPlanner(const CudaPlan& whole, StageDivision division) : whole_(whole), values_(division.values) {
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
    copy_vector_lists(whole_.solve, plan_->solve);
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
  const StageDivider divider(*whole.structure);
  std::int64_t least = of_whole.total();
  for (const TopPlace top : {TopPlace::stays, TopPlace::in_turns}) {
    for (double most = static_cast<double>(whole.structure->panels.values()) / 2.0; most >= 1.0; most *= shrinks_by) {
      std::optional<StageDivision> division = divider.divide(static_cast<std::int64_t>(most), top);
      if (!division) break;  // Smaller groups are more stages.
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
