#include <gtest/gtest.h>
#include <petscsys.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {
namespace {

/// Python expression that is true in a petsc4py for the plugin's PETSc.
std::string is_this_petsc() {
  const auto version = std::to_string(PETSC_VERSION_MAJOR) + ", " + std::to_string(PETSC_VERSION_MINOR);
  return "Sys.getVersion()[:2] == (" + version + ") and IntType().itemsize == " + std::to_string(sizeof(PetscInt));
}

/// Start of a command with a Python that can import petsc4py for this PETSc; empty if none is found. The distribution's
/// bindings are for its own Python and lie beside their PETSc.
std::string python() {
  for (const char* interpreter : {"/usr/bin/python3", "python3"}) {
    std::string command =
        "PYTHONPATH=" TEST_PETSC_PREFIX "/lib/python3/dist-packages:" TEST_PETSC_PREFIX "/lib:$PYTHONPATH ";
    command += interpreter;
    if (run(command + " -c 'from petsc4py.PETSc import IntType, Sys; assert " + is_this_petsc() + "'").exit_code == 0)
      return command;
  }
  return "";
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Removes the text from each `begin` to the next `end`.
std::string without(std::string text, const std::string& begin, const std::string& end) {
  for (std::size_t from = 0; (from = text.find(begin, from)) != std::string::npos;) {
    text.erase(from, text.find(end, from + begin.size()) + end.size() - from);
  }
  return text;
}

class PetscPython : public testing::Test {
 protected:
  void SetUp() override {
    if (python_.empty()) GTEST_SKIP() << "no Python here imports petsc4py for the PETSc in " TEST_PETSC_PREFIX;
  }
  Outcome solve(const std::string& options) const { return run(python_ + " " TEST_PETSC_EXAMPLES "/solve.py " + options); }

 private:
  const std::string python_ = python();
};

TEST_F(PetscPython, SolvesByName) {
  const Outcome outcome = solve("-m 40 -ksp_type preonly -ksp_view" + use_plugin());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("package used to perform factorization: gpusupernodal")) << outcome.output;
  EXPECT_TRUE(outcome.says("n 1600, converged reason 4, iterations 1, backward error ")) << outcome.output;
}

TEST_F(PetscPython, RunsWithoutThePlugin) {
  const Outcome outcome = solve("-ksp_type cg -ksp_rtol 1e-10 -pc_type jacobi -ksp_view");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_FALSE(outcome.says("gpusupernodal")) << outcome.output;
}

TEST_F(PetscPython, ReportsAWrongSolution) {
  EXPECT_EQ(solve("-ksp_type preonly -pc_type jacobi").exit_code, 1) << "one step of Jacobi is no direct solve";
}

TEST(PetscExamplePrograms, DoNotMentionThePlugin) {
  for (const char* file : {"solve.c", "matrix_market.c", "matrix_market.h", "solve.py"}) {
    const std::string text = contents(std::string(TEST_PETSC_EXAMPLES "/") + file);
    ASSERT_FALSE(text.empty()) << file;
    const std::string code = without(without(text, "/*", "*/"), "\"\"\"", "\"\"\"");
    EXPECT_LT(code.size(), text.size()) << file;
    EXPECT_EQ(code.find("gpusupernodal"), std::string::npos) << file;
  }
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Runs the README's commands with the plugin and the folders of this build.
TEST_F(PetscPython, TheReadmesCommandsWork) {
  if (run("command -v mpicc && pkg-config PETSc").exit_code != 0) GTEST_SKIP() << "mpicc or pkg-config's PETSc is missing";
  const std::string readme = contents(TEST_PETSC_EXAMPLES "/../README.md");
  const std::size_t begin = readme.find("cd examples/petsc\n");
  ASSERT_NE(begin, std::string::npos);
  std::string commands = readme.substr(begin, readme.find("```", begin) - begin);
  const std::string folder = temporary_path("readme");
  replace_all(commands, "cd examples/petsc", "cp -r " TEST_PETSC_EXAMPLES " " + folder + "; cd " + folder);
  replace_all(commands, "../../tests/data", TEST_DATA);
  replace_all(commands, "/usr/local/lib/libgpusupernodal_petsc.so", TEST_PLUGIN);
  replace_all(commands, "python3 ", python() + " ");
  const Outcome outcome = run("set -e; (" + commands + ")");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("solve 0: CONVERGED_ITS, iterations 1")) << outcome.output;
  EXPECT_TRUE(outcome.says("n 2500, converged reason 4, iterations 1")) << outcome.output;
  run("rm -r " + folder);
}

TEST(PetscExamplePrograms, ReportAWrongSolution) {
  EXPECT_EQ(solve_matrix(project_matrix("bcsstk04.mtx.gz"), "-ksp_type preonly -pc_type jacobi").exit_code, 1);
}

}  // namespace
}  // namespace gpusupernodal::test
