#include "solver/plan/plan_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "gpusupernodal/names.hpp"
#include "solver/plan/column_plan.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/general_entries.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Counts the lines that begin like nodes and edges and contain `part`.
std::int64_t lines_with(const std::string& dot, const std::string& part) {
  std::istringstream lines(dot);
  std::int64_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  s", 0) == 0 && line.find(part) != std::string::npos) ++count;
  }
  return count;
}

void expect_schedule(const nlohmann::json& described, const Schedule& schedule) {
  EXPECT_EQ(described["leaf_subtrees"].get<std::int64_t>() + schedule.chains, schedule.subtrees.size());
  EXPECT_EQ(described["chains"], schedule.chains);
  EXPECT_EQ(described["block_columns"], schedule.block_columns.size());
  EXPECT_EQ(described["block_width"], schedule.options.block_width);
  EXPECT_EQ(described["tasks"], schedule.graph.tasks.size());
  EXPECT_EQ(described["critical_path_flops"], schedule.graph.critical_path_flops);
  std::size_t tasks = 0;
  for (const auto& kind : described["kinds"]) tasks += kind["tasks"].get<std::size_t>();
  EXPECT_EQ(tasks, schedule.graph.tasks.size());
}

TEST(PlanJson, ParsesAndAgreesWithThePlan) {
  for (const auto& a : small_matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    const auto described = nlohmann::json::parse(describe_json(*plan));
    EXPECT_EQ(described["n"], a.n);
    EXPECT_EQ(described["entries_of_a_read"], a.indices.size());
    EXPECT_EQ(described["ordering"], name_of(plan->structure().symbolic_report.ordering));
    EXPECT_EQ(described["nonzeros_l"], plan->symbolic.nonzeros);
    EXPECT_EQ(described["flops"], plan->symbolic.flops);
    EXPECT_EQ(described["stored_flops"], plan->structure().stored_flops);
    EXPECT_EQ(described["supernodes"], plan->symbolic.supernodes());
    EXPECT_EQ(described["largest_front"], plan->structure().shape.largest_front);
    EXPECT_EQ(described["updates"], plan->updates.updates.size());
    EXPECT_EQ(described["relative_indices"], plan->updates.relative_rows.size());
    std::int64_t supernodes = 0;
    for (const auto& bin : described["widths"]) supernodes += bin["supernodes"].get<std::int64_t>();
    EXPECT_EQ(supernodes, plan->symbolic.supernodes());
    EXPECT_EQ(described["host"]["memory"]["total"], plan->memory(Backend::host, ScalarType::real_double, false).total());
    expect_schedule(described["host"]["schedule"], plan->host().schedule);
    EXPECT_EQ(described["cuda"]["memory"]["total"], plan->memory(Backend::cuda, ScalarType::real_double, false).total());
    EXPECT_EQ(described["cuda"]["tasks"], plan->cuda().work().tasks);
    EXPECT_EQ(described["cuda"]["launches"]["levels"], plan->cuda().launches.levels.size());
    EXPECT_EQ(described["cuda"]["launches"]["product_tiles"], plan->cuda().launches.product.size());
    CudaPlanOptions by_streams;
    by_streams.schedule = CudaSchedule::streams;
    const auto streams = with_cuda(plan, by_streams, 1);
    expect_schedule(nlohmann::json::parse(describe_json(*streams))["cuda"]["schedule"], streams->cuda().schedule);
  }
}

TEST(PlanJson, DescribesPlansByColumns) {
  if (!has_lu_by_columns()) GTEST_SKIP() << "this build has no LU by columns";
  const StoredGeneral<double> a = store_general<double>(random_entries(120, 2, 3.0, 4));
  const MatrixView<double> view = a.view();
  PlanOptions options;
  options.cuda = CudaPlanOptions();
  const auto plan = make_column_plan({view.n, view.offsets, view.indices, view.part, view.compression}, a.values.data(),
                                     MatchingRule::automatic, options);
  const auto described = nlohmann::json::parse(describe_json(*plan));
  const ColumnStructure& columns = *plan->structure().columns;
  EXPECT_EQ(described["stored_l"], columns.values());
  EXPECT_EQ(described["supernodes"], 0);
  EXPECT_EQ(described["columns"]["diagonal_blocks"], columns.block_ends.size());
  EXPECT_EQ(described["columns"]["tail"], columns.tail());
  EXPECT_EQ(described["columns"]["levels_of_rows"], plan->structure().shape.height);
  const cuda::ColumnLaunches& launches = *plan->cuda().columns;
  EXPECT_EQ(described["cuda"]["tasks"], launches.tasks.size());
  EXPECT_EQ(described["cuda"]["launches"]["levels"], launches.levels());
  EXPECT_EQ(described["cuda"]["launches"]["launches"], launches.launches.size());
  EXPECT_EQ(described["cuda"]["launches"]["merged_levels"], launches.merged_levels());
}

TEST(PlanGraphviz, HasOneNodePerSupernodeAndOneEdgePerChild) {
  for (const auto& a : small_matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    const std::string dot = describe_graphviz(*plan, 2000);
    const auto& parent = plan->symbolic.parent;
    const auto children = std::count_if(parent.begin(), parent.end(), [](SupernodeId p) { return p.valid(); });
    EXPECT_EQ(lines_with(dot, " [label=\""), plan->symbolic.supernodes());
    EXPECT_EQ(lines_with(dot, " -> s"), children);
    EXPECT_EQ(dot.rfind("digraph", 0), 0U);
    EXPECT_EQ(dot.substr(dot.size() - 2), "}\n");
  }
}

TEST(PlanGraphviz, RefusesGraphsTooLargeToRead) {
  const auto plan = plan_of(diagonal_spd(64), plan_options(Ordering::natural, Merging::none));
  EXPECT_NO_THROW(describe_graphviz(*plan, 64));
  try {
    describe_graphviz(*plan, 63);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("64"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("63"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gpusupernodal::test
