#include <gtest/gtest.h>

#include "tests/cli/run_command.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

TEST(BenchCommand, ReportsEachMatrixAsJson) {
  const CommandResult result = run_command("bench lap2d:10 shell:4 --repeat 3 --rhs 1,4 --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  const nlohmann::json json = result.json();
  EXPECT_EQ(json["repeat"], 3);
  ASSERT_EQ(json["matrices"].size(), 2U);
  for (const nlohmann::json& m : json["matrices"]) {
    for (const char* key : {"n", "nnz", "nnz_l", "flops", "gflops", "analyze_seconds", "factorize_seconds"}) {
      EXPECT_TRUE(m[key].is_number()) << key;
    }
    const nlohmann::json& times = m["refactorize_seconds"];
    EXPECT_LE(times["min"], times["median"]);
    EXPECT_LE(times["median"], times["max"]);
    ASSERT_EQ(m["solves"].size(), 2U);
    EXPECT_EQ(m["solves"][0]["right_hand_sides"], 1);
    EXPECT_EQ(m["solves"][1]["right_hand_sides"], 4);
    for (const nlohmann::json& solve : m["solves"]) {
      EXPECT_GT(solve["solve_seconds"]["median"].get<double>(), 0.0);
      EXPECT_LE(solve["backward_error"].get<double>(), backward_error_bound<double>(m["n"].get<std::int64_t>()));
    }
  }
}

TEST(BenchCommand, PrintsATableOfSeveral) {
  const CommandResult result = run_command("bench lap2d:10 lap2d:11 --repeat 1");
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("refactorize")) << result.output;
  EXPECT_TRUE(result.says("\nlap2d:11 ")) << result.output;
  EXPECT_TRUE(result.says(", 1 right-hand side, ")) << result.output;
}

TEST(BenchCommand, AFailureDoesNotStopTheOthers) {
  const TemporaryFile indefinite("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 -1\n");
  const CommandResult result = run_command("bench " + indefinite.path() + " /nonexistent.mtx lap2d:10 --repeat 1 --json");
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(result.complains("not positive definite")) << result.errors;
  EXPECT_TRUE(result.complains("/nonexistent.mtx")) << result.errors;
  const nlohmann::json matrices = result.json()["matrices"];
  ASSERT_EQ(matrices.size(), 2U);
  EXPECT_EQ(matrices[0]["status"], "not_positive_definite");
  EXPECT_EQ(matrices[1]["status"], "success");
}

}  // namespace
}  // namespace gpusupernodal::test
