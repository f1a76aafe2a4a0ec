#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/cli/run_command.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

const std::string quick = "tune lap2d:12 --fit lap2d:8,elas:3,lap3d:7 --rounds 1 --backend host ";

/// What `multiply` predicts by and says about the figures, with a file.
nlohmann::json multiplied_with(const std::string& path) {
  const CommandResult result = run_command("multiply lap2d:20 --backend host --json", "GPUSUPERNODAL_COST_MODEL=" + path);
  EXPECT_EQ(result.code, 0) << result.errors;
  return result.json();
}

TEST(TuneCommand, StoresFiguresThatProductsUse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("figures.json");
  const CommandResult result = run_command(quick + "--json -o " + path);
  ASSERT_EQ(result.code, 0) << result.errors;
  const nlohmann::json report = result.json();
  EXPECT_EQ(report["file"], path);
  const nlohmann::json host = report["backends"][0];
  EXPECT_EQ(host["backend"], "host");
  EXPECT_GT(host["judged"], 0);
  int judged = 0;
  for (const nlohmann::json& product : host["products"]) {
    EXPECT_GT(product["measured_seconds"], 0.0) << product;
    EXPECT_GT(product["predicted_seconds"], 0.0) << product;
    EXPECT_GT(product["built_in_seconds"], 0.0) << product;
    judged += product["fitted"] ? 0 : 1;
  }
  EXPECT_EQ(host["judged"], judged);
  EXPECT_GE(host["fitted"]["error_90"], host["fitted"]["median"]);
  EXPECT_GE(host["fitted"]["max_regret"], host["fitted"]["mean_regret"]);
  EXPECT_EQ(multiplied_with(path)["figures"], "the file " + path);
}

TEST(TuneCommand, KeepsOtherFiguresOfAFile) {
  const TemporaryFile file(R"({"format": "gpusupernodal cost model 1", "host": {"seconds_fixed": 0.5}})");
  ASSERT_EQ(run_command(quick + "-o " + file.path()).code, 0);
  const nlohmann::json json = nlohmann::json::parse(file.read());
  EXPECT_EQ(json["host"]["seconds_fixed"], 0.5);
  EXPECT_EQ(json["products"]["version"], 1);
  EXPECT_GT(json["products"]["host"]["figures"]["csr_warp_step"], 0.0);
}

TEST(TuneCommand, PrintsErrorsAndWhatToDoWithTheFile) {
  const CommandResult result = run_command(quick);
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(result.says("median")) << result.output;
  EXPECT_TRUE(result.says("built in")) << result.output;
  EXPECT_TRUE(result.says("-o FILE stores the figures")) << result.output;
  EXPECT_TRUE(result.says("lap2d:12, half")) << result.output;
}

TEST(TuneCommand, LeavesForeignFilesAlone) {
  const TemporaryFile file("notes of mine");
  const CommandResult result = run_command(quick + "-o " + file.path());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.complains(file.path())) << result.errors;
  EXPECT_EQ(file.read(), "notes of mine");
  EXPECT_NE(run_command(quick + "-o /no/such/folder/figures.json").code, 0);
  EXPECT_NE(run_command("tune --rounds 0").code, 0);
  EXPECT_NE(run_command("tune lap2d:12 --fit nothing:3").code, 0);
}

/// The matrix after the list of --fit is not a part of it.
TEST(TuneCommand, FitTakesOneList) {
  const CommandResult result = run_command("tune --fit lap2d:8,elas:3 lap2d:12 --rounds 1 --backend host --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  std::set<std::string> fitted, judged;
  const nlohmann::json report = result.json();
  for (const nlohmann::json& product : report["backends"][0]["products"])
    (product["fitted"] ? fitted : judged).insert(product["matrix"]);
  EXPECT_EQ(fitted, (std::set<std::string>{"lap2d:8", "lap2d:8, half", "elas:3", "elas:3, half"}));
  EXPECT_EQ(judged, (std::set<std::string>{"lap2d:12", "lap2d:12, half"}));
}

/// A file that cannot take the figures is refused before anything is measured or printed.
TEST(TuneCommand, ChecksTheFileFirst) {
  for (const char* const path : {"/no/such/folder/figures.json", "/tmp"}) {
    const CommandResult result = run_command(quick + "--json -o " + path);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.json().size(), 2U) << "the error alone, no report: " << result.output;
    EXPECT_EQ(result.json()["kind"], "bad_input");
    EXPECT_TRUE(result.complains(path)) << result.errors;
  }
}

TEST(TuneCommand, FollowsTheVariableForTheBackend) {
  const std::string automatic = "tune lap2d:12 --fit lap2d:8 --rounds 1 --json";
  const CommandResult host = run_command(automatic, "GPUSUPERNODAL_BACKEND=host");
  ASSERT_EQ(host.code, 0) << host.errors;
  EXPECT_EQ(host.json()["backends"].size(), 1U);
  EXPECT_EQ(host.json()["backends"][0]["backend"], "host");
  EXPECT_EQ(run_command(automatic, "GPUSUPERNODAL_BACKEND=abacus").code, 2);
}

/// A file that cannot be used is named, and the built-in figures serve.
TEST(TuneCommand, ProductsIgnoreFilesThatDoNotFit) {
  const std::string begin = R"({"format": "gpusupernodal cost model 1")";
  const std::pair<std::string, const char*> cases[] = {
      {"", "is not a JSON object"},
      {"{", "is not a JSON object"},
      {"[3]", "is not a JSON object"},
      {R"({"format": "another"})", "does not have the format"},
      {begin + "}", "has no figures of products"},
      {begin + R"(, "products": 3})", "another version"},
      {begin + R"(, "products": {"version": 0, "host": {}}})", "another version"},
      {begin + R"(, "products": {"version": 1}})", "for host"},
      {begin + R"(, "products": {"version": 1, "host": []}})", "for host"},
      {begin + R"(, "products": {"version": 1, "host": {"machine": "abacus", "figures": {}}}})", "measured on 'abacus'"},
      {begin + R"(, "products": {"version": 1, "host": {"machine": 7}}})", "an unnamed machine"}};
  for (const auto& [text, reason] : cases) {
    const TemporaryFile file(text);
    const std::string figures = multiplied_with(file.path())["figures"];
    EXPECT_NE(figures.find(reason), std::string::npos) << text << ": " << figures;
    EXPECT_NE(figures.find(file.path()), std::string::npos) << figures;
  }
  const std::string absent = multiplied_with("/nowhere/figures.json")["figures"];
  EXPECT_NE(absent.find("cannot be opened"), std::string::npos) << absent;
}

}  // namespace
}  // namespace gpusupernodal::test
