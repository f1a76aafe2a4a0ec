#include <gtest/gtest.h>

#include <limits>

#include "gpusupernodal/info.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

TEST(InfoCommand, NamesVersionAndBackends) {
  EXPECT_EQ(run_command("--version").output, std::string(version()) + "\n");
  const nlohmann::json info = run_command("info --json").json();
  EXPECT_EQ(info["version"], version());
  EXPECT_EQ(info["scalars"], nlohmann::json({"float", "double", "complex_float", "complex_double"}));
  EXPECT_EQ(info["forms"], nlohmann::json({"llt", "ldlt", "lu"}));
  ASSERT_EQ(info["backends"].size(), 2U);
  EXPECT_EQ(info["backends"][0]["name"], "host");
  EXPECT_EQ(info["backends"][0]["available"], true);
  EXPECT_EQ(info["backends"][1]["name"], "cuda");
  EXPECT_TRUE(info["backends"][1]["available"] || info["backends"][1]["reason"] != "");
  EXPECT_TRUE(run_command("info").says("host            available"));
  EXPECT_TRUE(run_command("info").says("forms           llt, ldlt, lu"));
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

TEST(AnalyzeCommand, DividesTheWorkAmongRanks) {
  const nlohmann::json report = run_command("analyze lap3d:12 --ranks 3 --json").json();
  const nlohmann::json& ranks = report["ranks"];
  ASSERT_EQ(ranks["parts"].size(), 3U);
  const double rounding = 3.0 * std::numeric_limits<double>::epsilon();  // Error of a sum of three shares, each at most 1.
  double share = 0.0;
  double bytes = 0.0;
  for (const nlohmann::json& part : ranks["parts"]) {
    share += part["share"].get<double>();
    bytes += part["bytes"].get<double>();
    EXPECT_EQ(part["contribution_bytes"].get<double>() > 0.0, part["subtrees"].get<int>() > 0);  // The grid is connected.
    EXPECT_EQ(part["bytes_in_all"].get<double>(),
              part["bytes"].get<double>() + part["contribution_bytes"].get<double>() + part["buffer_bytes"].get<double>());
  }
  EXPECT_NEAR(share, 1.0, rounding);
  EXPECT_EQ(bytes, ranks["bytes"].get<double>());
  EXPECT_GT(ranks["seconds"].get<double>(), 0.0);
  const CommandResult text = run_command("analyze lap3d:12 --ranks 3");
  EXPECT_TRUE(text.says("part  subtrees  block columns   GB of L  GB in all  share of work")) << text.output;
  EXPECT_TRUE(text.says("\n      2  ")) << text.output;
  EXPECT_FALSE(run_command("analyze lap3d:12 --json").json().contains("ranks"));
}

TEST(AnalyzeCommand, RefusesRanksThatCannotBe) {
  EXPECT_NE(run_command("analyze lap3d:4 --ranks 0").code, 0);
  for (const std::string form : {"lu", "ldlt"}) {
    const CommandResult result = run_command("analyze lap3d:4 --form " + form + " --ranks 2");
    EXPECT_NE(result.code, 0);
    EXPECT_TRUE(result.complains("--ranks divides a factorization llt, but the form is " + form)) << result.errors;
  }
}

TEST(AnalyzeCommand, DashWritesOnlyThePlanToStdout) {
  EXPECT_EQ(run_command("analyze lap2d:5 --plan-json -").json()["n"], 25);
  EXPECT_EQ(run_command("analyze lap2d:5 --graphviz -").output.substr(0, 7), "digraph");
}

}  // namespace
}  // namespace gpusupernodal::test
