#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/run_command.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

nlohmann::json check_named(const nlohmann::json& report, const std::string& name) {
  for (const auto& check : report["checks"]) {
    if (check["name"] == name) return check;
  }
  return {};
}

TEST(DoctorCommand, SolvesAndListsWhatItFound) {
  const CommandResult result = run_command("doctor --json", "GPUSUPERNODAL_BACKEND=host");
  EXPECT_EQ(result.code, 0) << result.errors;
  const nlohmann::json report = result.json();
  EXPECT_EQ(report["can_solve"], true);
  for (const char* name : {"version", "library", "host", "cuda", "CUDA driver", "CUDA toolkit", "oneTBB", "METIS",
                           "PETSc plugin", "Eigen class", "Eigen headers", "Python package", "memory", "cost figures",
                           "GPUSUPERNODAL_BACKEND", "GPUSUPERNODAL_PLAN_CACHE", "test solve"}) {
    const nlohmann::json check = check_named(report, name);
    ASSERT_FALSE(check.is_null()) << name;
    EXPECT_NE(check["text"], "") << name;
    EXPECT_TRUE(check["found"] || check["advice"] != "") << name << " is missing, and nothing says what to type";
  }
  EXPECT_EQ(check_named(report, "host")["found"], true);
  EXPECT_EQ(check_named(report, "GPUSUPERNODAL_BACKEND")["text"], "host: the backend unless the options name one");
}

TEST(DoctorCommand, FailsAndSaysWhatToTypeForABackendThatDoesNotExist) {
  const CommandResult result = run_command("doctor", "GPUSUPERNODAL_BACKEND=gpu");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.says("missing  GPUSUPERNODAL_BACKEND     'gpu' is not a backend")) << result.output;
  EXPECT_TRUE(result.says("type 'unset GPUSUPERNODAL_BACKEND'")) << result.output;
  EXPECT_TRUE(result.says("missing  test solve")) << result.output;
  EXPECT_TRUE(result.says("\nThis installation cannot solve.\n")) << result.output;
}

TEST(DoctorCommand, FindsAWrongPlanCacheAndAMissingCostFile) {
  const nlohmann::json cache = run_command("doctor --json", "GPUSUPERNODAL_PLAN_CACHE=yes").json();
  EXPECT_EQ(cache["can_solve"], false);
  EXPECT_EQ(check_named(cache, "GPUSUPERNODAL_PLAN_CACHE")["found"], false);
  const nlohmann::json cost = run_command("doctor --json", "GPUSUPERNODAL_COST_MODEL=/nonexistent.json").json();
  EXPECT_EQ(check_named(cost, "cost figures")["found"], false);
  EXPECT_EQ(check_named(cost, "cost figures")["advice"], "type 'unset GPUSUPERNODAL_COST_MODEL'");
}

/// A folder with a CUDA toolkit of this version, as doctor recognizes it.
std::string make_toolkit(const TemporaryFolder& folder, const std::string& name, int version) {
  std::filesystem::create_directories(folder.file(name + "/include"));
  std::ofstream(folder.file(name + "/include/cuda.h")) << "/* a header */\n#define CUDA_VERSION " << version << "\n";
  return folder.file(name);
}

TEST(DoctorCommand, FindsTheToolkitThatIsNamedAndRefusesAnOldOne) {
  const TemporaryFolder folder;
  const std::string good = make_toolkit(folder, "good", 12040);
  const std::string old = make_toolkit(folder, "old", 11080);
  const auto check = [](const std::string& home) {
    return check_named(run_command("doctor --json", "CUDA_HOME='" + home + "'").json(), "CUDA toolkit");
  };
  EXPECT_EQ(check(good)["text"], "12.4 in " + good);
  EXPECT_EQ(check(good)["found"], true);
  EXPECT_EQ(check(old)["text"], "11.8 in " + old + " is too old");
  EXPECT_EQ(check(old)["found"], false);
}

TEST(DoctorCommand, FindsEigensHeadersByTheirVersions) {
  const TemporaryFolder folder;
  const auto check = [&] {
    return check_named(run_command("doctor --json", "CMAKE_PREFIX_PATH='/nowhere:" + folder.path() + "'").json(),
                       "Eigen headers");
  };
  const std::string eigen = folder.file("include/eigen3");
  std::filesystem::create_directories(eigen + "/Eigen/src/Core/util");
  std::ofstream(eigen + "/Eigen/src/Core/util/Macros.h")
      << "#define EIGEN_WORLD_VERSION 3\n#define EIGEN_MAJOR_VERSION 4\n#define EIGEN_MINOR_VERSION 7\n";
  EXPECT_EQ(check()["text"], "3.4.7 in " + eigen);
  std::ofstream(eigen + "/Eigen/Version")
      << "#define EIGEN_MAJOR_VERSION 5\n#define EIGEN_MINOR_VERSION 1\n#define EIGEN_PATCH_VERSION 2\n";
  EXPECT_EQ(check()["text"], "5.1.2 in " + eigen);
}

TEST(DoctorCommand, FindsThePythonPackageOrSaysWhyNot) {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& path) {
    return check_named(run_command("doctor --json", path).json(), "Python package");
  };
  std::filesystem::create_directories(folder.file("gpusupernodal"));
  std::ofstream(folder.file("gpusupernodal/__init__.py")) << "__version__ = '7.8'\n";
  EXPECT_EQ(check("PYTHONPATH='" + folder.path() + "'")["text"], "7.8 in " + folder.file("gpusupernodal"));
  std::ofstream(folder.file("gpusupernodal/__init__.py")) << "raise ImportError('the library is missing')\n";
  const nlohmann::json broken = check("PYTHONPATH='" + folder.path() + "'");
  EXPECT_EQ(broken["found"], false);
  EXPECT_EQ(broken["text"], "python3: ImportError: the library is missing");
  const nlohmann::json none = check("PATH=/nonexistent");
  EXPECT_EQ(none["found"], false);
  EXPECT_EQ(none["text"], "there is no python3 in PATH");
}

TEST(DoctorCommand, CountsWhatIsMissing) {
  const CommandResult result =
      run_command("doctor", "GPUSUPERNODAL_BACKEND=host GPUSUPERNODAL_COST_MODEL=/nonexistent.json");
  int missing = 0;
  for (std::size_t at = result.output.find("missing  "); at != std::string::npos;
       at = result.output.find("missing  ", at + 1))
    ++missing;
  const std::string parts =
      missing == 1 ? "1 optional part is missing." : std::to_string(missing) + " optional parts are missing.";
  EXPECT_TRUE(result.says("\nThis installation solves. " + parts + "\n")) << result.output;
}

}  // namespace
}  // namespace gpusupernodal::test
