#include <gtest/gtest.h>

#include "tests/cli/run_command.hpp"

namespace gpusupernodal::test {
namespace {

nlohmann::json check_named(const nlohmann::json& report, const std::string& name) {
  for (const auto& check : report["checks"]) {
    if (check["name"] == name) return check;
  }
  return {};
}

TEST(DoctorCommand, SolvesAndListsItsFindings) {
  const CommandResult result = run_command("doctor --json", "GPUSUPERNODAL_BACKEND=host");
  EXPECT_EQ(result.code, 0) << result.errors;
  const nlohmann::json report = result.json();
  EXPECT_EQ(report["can_solve"], true);
  for (const char* name : {"version", "library", "host", "cuda", "memory", "cost figures", "PETSc plugin", "test solve"})
    EXPECT_FALSE(check_named(report, name).is_null()) << name;
  EXPECT_EQ(check_named(report, "host")["found"], true);
  EXPECT_EQ(check_named(report, "GPUSUPERNODAL_BACKEND")["text"], "host: the backend unless the options name one");
}

TEST(DoctorCommand, FailsForAnUnknownBackendAndSuggestsACommand) {
  const CommandResult result = run_command("doctor", "GPUSUPERNODAL_BACKEND=gpu");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("missing  GPUSUPERNODAL_BACKEND     'gpu' is not a backend")) << result.output;
  EXPECT_TRUE(result.says("unset GPUSUPERNODAL_BACKEND")) << result.output;
  EXPECT_TRUE(result.says("missing  test solve")) << result.output;
}

TEST(DoctorCommand, FindsAWrongPlanCacheAndAMissingCostFile) {
  const nlohmann::json cache = run_command("doctor --json", "GPUSUPERNODAL_PLAN_CACHE=yes").json();
  EXPECT_EQ(cache["can_solve"], false);
  EXPECT_EQ(check_named(cache, "GPUSUPERNODAL_PLAN_CACHE")["found"], false);
  const nlohmann::json cost = run_command("doctor --json", "GPUSUPERNODAL_COST_MODEL=/nonexistent.json").json();
  EXPECT_EQ(check_named(cost, "cost figures")["found"], false);
  EXPECT_EQ(check_named(cost, "cost figures")["advice"], "unset GPUSUPERNODAL_COST_MODEL");
}

}  // namespace
}  // namespace gpusupernodal::test
