/// How the panels of a factorization take turns in the memory of a device, computed on the host.

#include "solver/cuda/plan/staged_plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/solver/cuda/plan/launch_interpreter.hpp"
#include "tests/solver/cuda/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

constexpr MemoryRequest doubles{ScalarType::real_double, false, 1, false};

/// The plan for a device that holds this share of the panels, and everything else; nullptr if there is none.
std::shared_ptr<const CudaPlan> staged_plan_of(const FactorPlan& plan, double share, std::int64_t* least = nullptr) {
  const MemoryEstimate memory = plan.cuda().memory(doubles);
  const auto panels = static_cast<std::int64_t>(share * static_cast<double>(memory.factor));
  ThreadTeam one(1);
  return build_staged_plan(plan.cuda(), doubles, memory.total() - memory.factor + panels, one, least);
}

std::vector<io::SymmetricMatrix> staged_matrices() {
  std::vector<io::SymmetricMatrix> all = small_matrices();
  for (const char* spec : {"lap2d:40", "lap3d:12", "elas:6"}) all.push_back(io::generate(spec));
  all.push_back(joined_cliques_spd(5, 150, 20, 5));
  return all;
}

/// The device and its host memory, as CudaExecutor uses them.
class StagedFactor {
 public:
  explicit StagedFactor(const CudaPlan& plan)
      : plan_(plan),
        device_(plan),
        host_(static_cast<std::size_t>(plan.stages->host_values), std::numeric_limits<double>::quiet_NaN()) {}

  void factorize(const io::SymmetricMatrix& a) {
    // The places have what an earlier factorization left.
    std::fill(device_.values.begin(), device_.values.end(), std::numeric_limits<double>::quiet_NaN());
    const std::vector<Stage>& stages = plan_.stages->stages;
    for (const Stage& stage : stages) {
      for (const std::size_t opened : stage.opens) assemble(a, stages[opened]);
      for (std::int32_t l = stage.first_level; l < stage.last_level; ++l) {
        device_.begin_level(static_cast<std::size_t>(l));
        device_.end_level(static_cast<std::size_t>(l));
      }
      if (stage.last_level < stages.back().last_level)
        device_.finish_products_before(static_cast<std::size_t>(stage.last_level));
      if (!stage.stays())
        std::copy_n(device_.values.begin() + stage.first_value, stage.values, host_.begin() + stage.host_value);
    }
  }

  /// Entry (i, j) of a panel of a stage, from host memory; `left`: from the device, if it is left there.
  double value(const Stage& stage, bool left, SupernodeId s, std::int32_t i, std::int32_t j) const {
    const std::int64_t index = plan_.structure->panels.index(s, i, j);
    return stage.stays() || (left && stage.on_device_at_end)
               ? device_.values[static_cast<std::size_t>(index)]
               : host_[static_cast<std::size_t>(index - stage.first_value + stage.host_value)];
  }

 private:
  void assemble(const io::SymmetricMatrix& a, const Stage& stage) {
    std::fill_n(device_.values.begin() + stage.first_value, stage.values, 0.0);
    const auto& offset = plan_.structure->assembly.offset;
    for (const StageRange& range : stage.ranges) device_.assemble(a, offset[range.first], offset[range.last]);
  }

  const CudaPlan& plan_;
  LaunchInterpreter device_;
  std::vector<double> host_;
};

IdVector<SupernodeId, std::size_t> stages_of(const CudaPlan& plan) {
  const auto supernodes = static_cast<std::size_t>(plan.structure->symbolic.supernodes());
  IdVector<SupernodeId, std::size_t> stage_of(supernodes, supernodes);
  for (std::size_t k = 0; k < plan.stages->stages.size(); ++k) {
    for (const StageRange& range : plan.stages->stages[k].ranges) {
      for (SupernodeId s : IdRange<SupernodeId>(range.first, range.last)) stage_of[s] = k;
    }
  }
  return stage_of;
}

TEST(StagedPlan, StagesFactorizeInTurn) {
  std::size_t most_stages = 0;
  int in_turns = 0;
  for (const io::SymmetricMatrix& a : staged_matrices()) {
    const auto plan = cuda_plan_of(a);
    for (const double share : {0.9, 0.7, 0.6, 0.5, 0.4, 0.3}) {
      const auto staged = staged_plan_of(*plan, share);
      if (!staged) continue;
      SCOPED_TRACE(a.name + " with " + std::to_string(share));
      most_stages = std::max(most_stages, staged->stages->stages.size());
      StagedFactor factor(*staged);
      factor.factorize(a);
      const auto stage_of = stages_of(*staged);
      if (!staged->stages->stages.back().stays()) ++in_turns;
      for (const bool left : {false, true}) {
        const double error = error_of(a, plan->structure(), [&](SupernodeId s, std::int32_t i, std::int32_t j) {
          return factor.value(staged->stages->stages[stage_of[s]], left, s, i, j);
        });
        EXPECT_LE(error, error_of_bound(a));
      }
      EXPECT_LE(staged->memory(doubles).factor, plan->cuda().memory(doubles).factor);
      EXPECT_GT(staged->memory(doubles).host, 0);
    }
  }
  EXPECT_GE(most_stages, 4U);
  EXPECT_GE(in_turns, 1);
}

TEST(StagedPlan, SweepsRunStageByStage) {
  using Sweep = std::pair<CudaSolveSweep CudaSolvePlan::*, StageTasks Stages::*>;
  const Sweep forward_sweeps[] = {{&CudaSolvePlan::forward, &Stages::forward},
                                  {&CudaSolvePlan::forward_one_rhs, &Stages::forward_one_rhs},
                                  {&CudaSolvePlan::forward_float, &Stages::forward_float}};
  const Sweep backward_sweeps[] = {{&CudaSolvePlan::backward, &Stages::backward},
                                   {&CudaSolvePlan::backward_one_rhs, &Stages::backward_one_rhs},
                                   {&CudaSolvePlan::backward_float, &Stages::backward_float}};
  const auto plan = cuda_plan_of(io::generate("lap2d:60"));
  const auto staged = staged_plan_of(*plan, 0.7);
  ASSERT_TRUE(staged);
  const auto stage_of = stages_of(*staged);
  const std::size_t stages = staged->stages->stages.size();
  ASSERT_GE(stages, 3U);
  const auto check = [&](const Sweep& which, bool backward) {
    const CudaSolveSweep& sweep = staged->solve.*which.first;
    const StageTasks& begins = *staged->stages.*which.second;
    ASSERT_EQ(begins.size(), stages + 1);
    EXPECT_EQ(begins.back(), static_cast<std::int64_t>(sweep.tasks.size()));
    SweepCounters counters(sweep);
    std::int64_t found = 0;
    for (std::size_t i = 0; i < stages; ++i) {
      for_each_in_order(sweep, begins[i], begins[i + 1], [&](const CudaSolveTask& task) {
        EXPECT_EQ(stage_of[SupernodeId(task.supernode)], backward ? stages - 1 - i : i);
        counters.run(task);
        ++found;
      });
    }
    const CudaSolveSweep& whole = plan->cuda().solve.*which.first;
    std::int64_t wanted = 0;
    for_each_in_order(whole, 0, static_cast<std::int64_t>(whole.tasks.size()), [&](const CudaSolveTask&) { ++wanted; });
    EXPECT_EQ(found, wanted);
  };
  for (const Sweep& sweep : forward_sweeps) check(sweep, false);
  for (const Sweep& sweep : backward_sweeps) check(sweep, true);
}

TEST(StagedPlan, SaysWhatIsNeededAtLeast) {
  const auto plan = cuda_plan_of(io::generate("lap3d:12"));
  std::int64_t least = 0;
  EXPECT_FALSE(staged_plan_of(*plan, 0.01, &least));
  const MemoryEstimate memory = plan->cuda().memory(doubles);
  EXPECT_LT(least, memory.total());
  EXPECT_GT(least, memory.total() - memory.factor);
}

}  // namespace
}  // namespace gpusupernodal::test
