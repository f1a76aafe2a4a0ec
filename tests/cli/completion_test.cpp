/// Tests of 'gpusupernodal completion': the scripts are valid, and bash completes what the parser accepts.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "tests/cli/run_command.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

/// Output of a shell command; empty if it fails.
std::string output_of(const std::string& command) {
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) text += part.data();
  return ::pclose(pipe) == 0 ? text : "";
}

/// What bash offers for the last of these words.
std::string replies(const std::string& script, const std::string& words) {
  return output_of("bash -c '. " + script + "; COMP_WORDS=(" + words +
                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gpusupernodal; printf %s \"${COMPREPLY[*]}\"'");
}

TEST(CompletionCommand, BashCompletesSubcommandsOptionsValuesAndFiles) {
  const TemporaryFolder folder;
  const std::string script = folder.file("completion.bash");
  const CommandResult printed = run_command("completion bash");
  ASSERT_EQ(printed.code, 0);
  std::ofstream(script) << printed.output;
  std::ofstream(folder.file("matrix.mtx")) << "";
  EXPECT_EQ(replies(script, "gpusupernodal so"), "solve");
  EXPECT_EQ(replies(script, "gpusupernodal solve --backe"), "--backend");
  EXPECT_EQ(replies(script, "gpusupernodal solve --backend \"\""), "auto host cuda");
  EXPECT_EQ(replies(script, "gpusupernodal analyze --ordering nat"), "natural");
  EXPECT_EQ(replies(script, "gpusupernodal solve " + folder.file("mat")), folder.file("matrix.mtx"));
  EXPECT_EQ(replies(script, "gpusupernodal solve --ordering-seed 1"), "") << "numbers are not completed";
  EXPECT_EQ(replies(script, "gpusupernodal completion --he"), "--help");
  EXPECT_EQ(replies(script, "gpusupernodal analyze --plot-"), "--plot-pattern --plot-tree");
  EXPECT_EQ(replies(script, "gpusupernodal solve --plot-trace " + folder.file("mat")), folder.file("matrix.mtx"));
  for (const std::string subcommand :
       {"solve", "analyze", "bench", "batch", "multiply", "tune", "report", "info", "doctor", "completion"})
    EXPECT_EQ(replies(script, "gpusupernodal " + subcommand + " --color a"), "auto always") << subcommand;
  EXPECT_EQ(replies(script, "gpusupernodal bench --progress n"), "never");
  EXPECT_EQ(replies(script, "gpusupernodal tune --back"), "--backend");
  EXPECT_EQ(replies(script, "gpusupernodal tune --output " + folder.file("mat")), folder.file("matrix.mtx"));
  EXPECT_EQ(replies(script, "gpusupernodal --co"), "--color");
  EXPECT_EQ(replies(script, "gpusupernodal solve --form \"\""), "llt lu ldlt");
  EXPECT_EQ(replies(script, "gpusupernodal analyze --matching n"), "none");
  EXPECT_EQ(replies(script, "gpusupernodal analyze --lu-schedule c"), "columns");
  EXPECT_EQ(replies(script, "gpusupernodal solve --lu-schedule d"), "dense");
  EXPECT_EQ(replies(script, "gpusupernodal analyze --pert"), "--perturbation");
}

TEST(CompletionCommand, ScriptsAreValidForTheirShells) {
  const TemporaryFolder folder;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = folder.file(shell);
    std::ofstream(script) << run_command("completion " + shell).output;
    const std::string checked = output_of("command -v " + shell + " >/dev/null || { echo absent; exit 0; }; " + shell +
                                          " -n " + script + " 2>&1 && echo valid");
    EXPECT_TRUE(checked == "valid\n" || checked == "absent\n") << shell << ": " << checked;
  }
}

TEST(CompletionCommand, RefusesAnUnknownShellAndSuggestsOne) {
  const CommandResult refused = run_command("completion fisch");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.complains("did you mean 'fish'?")) << refused.errors;
}

}  // namespace
}  // namespace gpusupernodal::test
