/// The option --devices: several CUDA devices that factorize together.

#include <gtest/gtest.h>

#include <limits>

#include "gpusupernodal/info.hpp"
#include "tests/cli/run_command.hpp"

namespace gpusupernodal::test {
namespace {

std::size_t devices_found() {
  for (const BackendInfo& backend : backends()) {
    if (backend.name == "cuda") return backend.devices.size();
  }
  return 0;
}

void expect_refusal(const std::string& arguments, const std::string& sentence) {
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.code, 2) << arguments;
  EXPECT_TRUE(result.complains(sentence)) << arguments << "\n" << result.errors;
  EXPECT_EQ(result.output, "") << arguments;
}

TEST(DevicesOption, AnalyzePrintsTheNeedsAndTheShareOfEach) {
  const std::string command = "analyze lap3d:14 --backend cuda --devices 3,0,5";
  const nlohmann::json report = run_command(command + " --json").json();
  ASSERT_EQ(report["devices"].size(), 3U) << report;
  double share = 0.0;
  std::int64_t total = 0;
  for (const nlohmann::json& device : report["devices"]) {
    const nlohmann::json& memory = device["memory_bytes"];
    const auto sum =
        memory["factor"].get<std::int64_t>() + memory["index"].get<std::int64_t>() + memory["workspace"].get<std::int64_t>();
    EXPECT_EQ(memory["total"], sum);
    EXPECT_GT(memory["factor"], 0);
    total += sum;
    share += device["share"].get<double>();
  }
  EXPECT_EQ(report["devices"][0]["device"], 3);
  EXPECT_EQ(report["devices"][2]["device"], 5);
  EXPECT_EQ(report["memory_bytes"]["total"], total);
  EXPECT_NEAR(share, 1.0, 3.0 * std::numeric_limits<double>::epsilon());  // Error of a sum of three shares, each at most 1.
  const CommandResult text = run_command(command);
  EXPECT_TRUE(text.says("\n  device 3      ")) << text.output;
  EXPECT_TRUE(text.says(" % of the work\n  device 0      ")) << text.output;
}

/// A device holds its subtrees and the whole top.
TEST(DevicesOption, EachOfTwoDevicesNeedsLessThanOneAlone) {
  const nlohmann::json one = run_command("analyze lap3d:60 --backend cuda --json").json();
  const nlohmann::json two = run_command("analyze lap3d:60 --backend cuda --devices 0,1 --json").json();
  EXPECT_FALSE(one.contains("devices"));
  EXPECT_EQ(one["nnz_l"], two["nnz_l"]);
  for (const nlohmann::json& device : two["devices"]) {
    EXPECT_LT(device["memory_bytes"]["factor"], one["memory_bytes"]["factor"]);
    EXPECT_LT(device["share"], 1.0);
  }
}

TEST(DevicesOption, ListOfOneIsThatDevice) {
  EXPECT_FALSE(run_command("analyze lap3d:6 --backend cuda --devices 0 --json").json().contains("devices"));
  EXPECT_FALSE(run_command("analyze lap3d:6 --backend host --devices 0,1 --json").json().contains("devices"));
  EXPECT_EQ(run_command("solve lap3d:6 --backend host --devices 0,1").code, 0);
}

TEST(DevicesOption, AllAreThoseThatInfoLists) {
  const CommandResult result = run_command("analyze lap3d:6 --backend cuda --devices all --json");
  const std::size_t found = devices_found();
  EXPECT_EQ(result.code, found == 0 ? 5 : 0) << result.errors;
  EXPECT_EQ(result.complains("--devices all needs a CUDA device: "), found == 0) << result.errors;
  if (found > 1) {
    EXPECT_EQ(result.json()["devices"].size(), found);
  }
}

TEST(DevicesOption, WrongListsAreNamed) {
  for (const char* list : {"0,", "0,,1", "x", "0,-1", "0 1", "1.5", "99999999999", ""}) {
    expect_refusal("analyze lap3d:4 --devices '" + std::string(list) + "'",
                   "separated by commas, as in 0,1, or all; not '" + std::string(list) + "'");
  }
  expect_refusal("analyze lap3d:4 --devices 0,1 --device 0", "exclude each other");
}

TEST(DevicesOption, IsRefusedWhereOneDeviceWorks) {
  expect_refusal("solve lap2d:5 --method pcg --devices 0,1", "--devices goes with --method direct, not with pcg");
  expect_refusal("batch lap2d:5 --count 2 --devices 0,1", "there is no option '--devices'; did you mean '--device'?");
  expect_refusal("analyze circuit:4 --form lu --devices 0,1", "which factorize together only if the form is llt");
  for (const char* option : {"--deterministic", "--cuda-schedule streams"}) {
    expect_refusal("solve lap2d:5 --devices 0,1 " + std::string(option), "devices lists 2 devices");
  }
}

}  // namespace
}  // namespace gpusupernodal::test
