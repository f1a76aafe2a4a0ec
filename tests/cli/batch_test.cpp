#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/cli/run_command.hpp"

namespace gpusupernodal::test {
namespace {

/// Writes [d 1; 1 4] as a Matrix Market file.
std::string pair_matrix(const std::string& name, double d) {
  const std::string path = testing::TempDir() + "batch_" + name + ".mtx";
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 " << d << "\n2 1 1\n2 2 4\n";
  return path;
}

TEST(BatchCommand, SolvesChangedValues) {
  for (const std::string form : {"llt", "ldlt", "lu"}) {
    const std::string matrix = form == "lu" ? "convdiff:9" : "elas:3";
    const CommandResult result =
        run_command("batch " + matrix + " --count 7 --spread 1e-3 --threads 2 --json --form " + form);
    ASSERT_EQ(result.code, 0) << form << ": " << result.errors;
    const nlohmann::json report = result.json();
    EXPECT_EQ(report["failed"], 0);
    ASSERT_EQ(report["systems"].size(), 7U);
    for (const nlohmann::json& system : report["systems"]) {
      EXPECT_EQ(system["status"], "success");
      EXPECT_LE(system["backward_error"].get<double>(), 1e-14);
    }
  }
  EXPECT_EQ(run_command("batch lap2d:5 --count 2 --spread 0 --precision float").code, 0);
}

TEST(BatchCommand, SolvesTheSystemsOfFiles) {
  const std::string good = pair_matrix("good", 2.0);
  const CommandResult result = run_command("batch " + good + " " + pair_matrix("other", 3.0));
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(result.says("batch_other: success")) << result.output;
  EXPECT_TRUE(result.says("0 of 2 systems")) << result.output;
}

TEST(BatchCommand, TellsWhichSystemsFailed) {
  const std::string good = pair_matrix("good", 2.0);
  const std::string bad = pair_matrix("bad", -2.0);
  const std::string files = good + " " + bad + " " + good;
  const CommandResult text = run_command("batch " + files);
  EXPECT_EQ(text.code, 3);
  EXPECT_TRUE(text.says("batch_bad: not_positive_definite")) << text.output;
  EXPECT_TRUE(text.says("1 of 3 systems")) << text.output;
  const CommandResult result = run_command("batch --json " + files);
  EXPECT_EQ(result.code, 3);
  const nlohmann::json report = result.json();
  EXPECT_EQ(report["failed"], 1);
  EXPECT_EQ(report["systems"][0]["status"], "success");
  EXPECT_EQ(report["systems"][1]["status"], "not_positive_definite");
  EXPECT_TRUE(report["systems"][1]["backward_error"].is_null());
  EXPECT_EQ(report["systems"][2]["status"], "success");
  EXPECT_EQ(run_command("batch --form ldlt " + files).code, 0);
}

/// Patterns and orders may differ.
TEST(BatchCommand, SolvesSystemsWithDifferentPatterns) {
  const std::string bad = pair_matrix("bad", -2.0);
  const CommandResult text = run_command("batch lap2d:4 " + bad + " lap2d:5 lap2d:4 --threads 2");
  EXPECT_EQ(text.code, 3);
  EXPECT_TRUE(text.says("4 with 3 patterns")) << text.output;
  EXPECT_TRUE(text.says("batch_bad: not_positive_definite")) << text.output;
  EXPECT_TRUE(text.says("1 of 4 systems")) << text.output;
  for (const std::string options : {"", "--precision float", "--form ldlt", "--form lu"}) {
    const CommandResult result = run_command("batch lap2d:4 lap2d:3 lap2d:5 lap2d:4 --json " + options);
    ASSERT_EQ(result.code, 0) << options << ": " << result.errors;
    const nlohmann::json report = result.json();
    EXPECT_EQ(report["patterns"], 3);
    EXPECT_EQ(report["failed"], 0);
    ASSERT_EQ(report["systems"].size(), 4U);
    EXPECT_EQ(report["systems"][2]["n"], 25);
    EXPECT_EQ(report["systems"][3]["pattern"], 0);
    for (const nlohmann::json& system : report["systems"])
      EXPECT_LE(system["backward_error"].get<double>(), options == "--precision float" ? 1e-6 : 1e-14);
  }
}

TEST(BatchCommand, RefusesWhatIsNoBatch) {
  EXPECT_EQ(run_command("batch lap2d:4 lap2d:4 --count 3").code, 2);
  EXPECT_EQ(run_command("batch lap2d:4 --count 0").code, 2);
  EXPECT_EQ(run_command("batch lap2d:4 --count 2 --spread nan").code, 2);
  const CommandResult many = run_command("batch lap3d:5 --count 99999999999");
  EXPECT_EQ(many.code, 2);
  EXPECT_TRUE(many.complains("99999999999 systems need")) << many.errors;
  const CommandResult device = run_command("batch lap2d:4 --count 2 --form lu --lu-schedule dense --backend cuda");
  EXPECT_EQ(device.code, 5);
  EXPECT_TRUE(device.complains("runs on the host only")) << device.errors;
}

}  // namespace
}  // namespace gpusupernodal::test
