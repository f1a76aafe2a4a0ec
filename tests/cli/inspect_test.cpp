#include <gtest/gtest.h>

#include "gpusupernodal/info.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

TEST(InfoCommand, NamesVersionAndBackends) {
  EXPECT_EQ(run_command("--version").output, std::string(version()) + "\n");
  const nlohmann::json info = run_command("info --json").json();
  EXPECT_EQ(info["version"], version());
  ASSERT_EQ(info["backends"].size(), 2U);
  EXPECT_EQ(info["backends"][0]["name"], "host");
  EXPECT_EQ(info["backends"][0]["available"], true);
  EXPECT_EQ(info["backends"][1]["name"], "cuda");
  EXPECT_TRUE(info["backends"][1]["available"] || info["backends"][1]["reason"] != "");
  EXPECT_TRUE(run_command("info").says("host            available"));
}

TEST(AnalyzeCommand, PrintsStatistics) {
  const nlohmann::json report = run_command("analyze lap3d:6 --json").json();
  EXPECT_EQ(report["n"], 216);
  EXPECT_EQ(report["nnz"], 216 + 2 * 3 * 36 * 5);
  EXPECT_GT(report["flops"].get<double>(), 0.0);
  const CommandResult text = run_command("analyze lap3d:6");
  EXPECT_TRUE(text.says("lap3d:6, n = 216")) << text.output;
  EXPECT_TRUE(text.says("supernodes")) << text.output;
}

TEST(AnalyzeCommand, WritesThePlan) {
  const TemporaryFile plan({}, ".json");
  const TemporaryFile drawing({}, ".dot");
  const CommandResult result =
      run_command("analyze lap2d:20 --json --plan-json " + plan.path() + " --graphviz " + drawing.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(plan.read())["n"], 400);
  EXPECT_EQ(nlohmann::json::parse(plan.read())["supernodes"], result.json()["supernodes"]);
  EXPECT_EQ(drawing.read().substr(0, 7), "digraph");
}

TEST(AnalyzeCommand, DashWritesOnlyThePlanToStdout) {
  EXPECT_EQ(run_command("analyze lap2d:5 --plan-json -").json()["n"], 25);
  EXPECT_EQ(run_command("analyze lap2d:5 --graphviz -").output.substr(0, 7), "digraph");
}

}  // namespace
}  // namespace gpusupernodal::test
