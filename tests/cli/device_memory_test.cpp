/// The options --memory and --device-memory-limit: factors that exceed the memory of a CUDA device.

#include <gtest/gtest.h>

#include "tests/cli/run_command.hpp"

namespace gpusupernodal::test {
namespace {

nlohmann::json memory_of(const std::string& arguments) {
  return run_command("analyze lap3d:20 --backend cuda --json " + arguments).json()["memory_bytes"];
}

void expect_refused(const std::string& arguments, const std::string& sentence) {
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.code, 2) << arguments;
  EXPECT_TRUE(result.complains(sentence)) << arguments << "\n" << result.errors;
  EXPECT_EQ(result.output, "") << arguments;
}

/// Bytes of device memory that leave room for about `share` of the factor.
std::int64_t limit_for(double share) {
  const nlohmann::json memory = memory_of("");
  const auto factor = memory["factor"].get<double>();
  return static_cast<std::int64_t>(memory["total"].get<double>() - (1.0 - share) * factor);
}

TEST(DeviceMemoryOption, AnalyzeSaysWhatIsOnTheDeviceAndInHostMemory) {
  const std::int64_t limit = limit_for(0.7);
  const std::string command = "analyze lap3d:20 --backend cuda --device-memory-limit " + std::to_string(limit);
  const nlohmann::json report = run_command(command + " --json").json();
  const nlohmann::json& memory = report["memory_bytes"];
  EXPECT_LE(memory["total"], limit);
  EXPECT_GT(memory["host"], 0);
  EXPECT_EQ(memory["total"], memory["factor"].get<std::int64_t>() + memory["index"].get<std::int64_t>() +
                                 memory["workspace"].get<std::int64_t>());
  EXPECT_NE(report["backend_reason"].get<std::string>().find(" of the factor are in host memory, in "), std::string::npos);
  const CommandResult text = run_command(command);
  EXPECT_TRUE(text.says(" on the device (factor ")) << text.output;
  EXPECT_TRUE(text.says(" in host memory\n")) << text.output;
  EXPECT_TRUE(text.says(" GB of the factor are in host memory, in ")) << text.output;
}

TEST(DeviceMemoryOption, FactorsThatFitAreOnTheDevice) {
  const nlohmann::json whole = memory_of("");
  EXPECT_EQ(whole["host"], 0);
  for (const char* options : {"--device-memory-limit 80GB", "--memory hybrid", "--memory device --device-memory-limit 1TB"})
    EXPECT_EQ(memory_of(options), whole) << options;
  EXPECT_FALSE(run_command("analyze lap3d:20 --backend cuda").says("host memory"));
}

TEST(DeviceMemoryOption, OneThatIsTooSmallIsAnError) {
  const std::string limit = " --device-memory-limit " + std::to_string(limit_for(0.7));
  const CommandResult device = run_command("analyze lap3d:20 --backend cuda --memory device" + limit);
  EXPECT_EQ(device.code, 4);
  EXPECT_TRUE(device.complains("are allowed (device_memory_limit)")) << device.errors;
  const CommandResult little = run_command("analyze lap3d:20 --backend cuda --device-memory-limit 10kB");
  EXPECT_EQ(little.code, 4);
  EXPECT_TRUE(little.complains("even with panels in host memory, but 10000 bytes are allowed")) << little.errors;
}

TEST(DeviceMemoryOption, SizesHaveUnits) {
  const auto complaint = [](const std::string& size) {
    return run_command("analyze lap3d:6 --backend cuda --device-memory-limit '" + size + "'").errors;
  };
  for (const auto& [size, bytes] : {std::pair("1e3", "1000"), std::pair("900", "900"), std::pair("900B", "900"),
                                    std::pair("1.5kB", "1500"), std::pair("1.5 KB", "1500"), std::pair("1KiB", "1024"),
                                    std::pair("0.0015MB", "1500"), std::pair("0.000001GiB", "1073")}) {
    EXPECT_NE(complaint(size).find(std::string("but ") + bytes + " bytes are allowed"), std::string::npos)
        << size << ": " << complaint(size);
  }
  for (const char* wrong : {"GB", "2G", "2 apples", "-1", "1e30", "nan", "inf", "2GB,", "0x10", "1TBB"}) {
    expect_refused("analyze lap3d:6 --device-memory-limit='" + std::string(wrong) + "'",
                   "or one with a unit, as in 500MB, 2.5GB or 2GiB; not '" + std::string(wrong) + "'");
  }
}

TEST(DeviceMemoryOption, HostIgnoresIt) {
  EXPECT_EQ(run_command("solve lap3d:6 --backend host --device-memory-limit 1 --memory hybrid").code, 0);
  EXPECT_EQ(run_command("bench lap2d:5 --repeat 1 --backend host --device-memory-limit 1").code, 0);
}

TEST(DeviceMemoryOption, IsRefusedWhereTheFactorCannotBeDivided) {
  expect_refused("analyze circuit:4 --form lu --memory hybrid",
                 "memory is hybrid, which is possible only if the form is llt");
  expect_refused("solve lap2d:5 --memory hybrid --deterministic", "only if deterministic is off");
  expect_refused("solve lap2d:5 --memory hybrid --cuda-schedule streams", "only if cuda_schedule is levels");
  expect_refused("solve lap2d:5 --memory hybrid --devices 0,1", "only if memory is auto or device");
  expect_refused("solve lap2d:5 --device-memory-limit 1GB --devices 0,1", "only if device_memory_limit is 0");
  expect_refused("solve lap2d:5 --method pcg --memory hybrid", "--memory goes with --method direct, not with pcg");
  expect_refused("solve lap2d:5 --memory hybird", "did you mean 'hybrid'");
}

}  // namespace
}  // namespace gpusupernodal::test
