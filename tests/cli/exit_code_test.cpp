#include <gtest/gtest.h>

#include "tests/cli/run_command.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

TEST(ExitCode, IsZeroIfSolvedWithNothingOnStderrInAPipe) {
  const CommandResult result = run_command("solve '" + project_matrix("bcsstk04") + "'");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "");
}

TEST(ExitCode, IsZeroForHelpAndVersion) {
  for (const char* arguments : {"--help", "--version", "solve --help", "analyze --help", "bench --help", "info --help"}) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.code, 0) << arguments;
    EXPECT_NE(result.output, "") << arguments;
    EXPECT_EQ(result.errors, "") << arguments;
  }
}

TEST(ExitCode, IsTwoForWrongOptions) {
  for (const char* arguments :
       {"", "frobnicate", "solve", "solve lap2d:3 --frobnicate", "solve lap2d:3 extra", "solve lap2d:3 --backend gpu",
        "solve lap2d:3 --ordering best", "solve lap2d:3 --ordering user", "solve lap2d:3 --streams 99",
        "solve lap2d:3 --threads two", "solve lap2d:3 --refine -1", "solve lap2d:3 --precision half", "bench",
        "bench lap2d:3 --repeat 0", "bench lap2d:3 --rhs 1,0", "analyze lap2d:3 --streams 2"}) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.errors;
    EXPECT_NE(result.errors, "") << arguments;
  }
}

TEST(ExitCode, IsTwoForAnUnknownSubcommandWithASuggestion) {
  const std::pair<const char*, const char*> cases[] = {
      {"solv lap2d:3", "there is no subcommand 'solv'; did you mean 'solve'?"},
      {"analyse lap2d:3 --json", "there is no subcommand 'analyse'; did you mean 'analyze'?"},
      {"ifno", "there is no subcommand 'ifno'; did you mean 'info'?"},
      {"lap2d:3",
       "there is no subcommand 'lap2d:3'; the subcommands are solve, analyze, bench, batch, multiply, tune, report, info, "
       "doctor, completion."},
      {"''",
       "there is no subcommand ''; the subcommands are solve, analyze, bench, batch, multiply, tune, report, info, "
       "doctor, completion."}};
  for (const auto& [arguments, sentence] : cases) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.errors, std::string("gpusupernodal: ") + sentence + "\n");
  }
}

TEST(ExitCode, IsTwoForEmptyNames) {
  for (const char* arguments : {"solve ''", "solve lap2d:3 -b ''", "solve lap2d:3 -o ''", "solve lap2d:3 --permutation ''",
                                "analyze lap2d:3 --plan-json ''", "analyze lap2d:3 --graphviz ''", "bench ''"}) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(result.complains("the name of the file is empty.")) << arguments << "\n" << result.errors;
  }
}

TEST(ExitCode, IsTwoIfTheOutputCannotBeWritten) {
  for (const char* arguments : {"solve lap2d:3", "solve lap2d:3 --json", "analyze lap2d:3", "analyze lap2d:9 --plan-json -",
                                "bench lap2d:3 --repeat 1", "info --json"}) {
    const CommandResult result = run_command(arguments, "to_full() { \"$@\" >/dev/full; }; to_full");
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(result.complains("standard output: cannot be written: No space left on device.")) << result.errors;
  }
}

TEST(ExitCode, IsTwoForWrongInput) {
  const TemporaryFile garbage("hello\n");
  const TemporaryFile short_b("%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  const TemporaryFile twice("1\n2\n3\n3\n");
  const TemporaryFile gap("1\n5\n3\n4\n");
  const TemporaryFile from_zero("1\n0\n");
  const TemporaryFile five("1\n2\n3\n4\n5\n");
  const std::pair<std::string, std::string> cases[] = {
      {"solve /nonexistent.mtx", "/nonexistent.mtx: cannot be opened"},
      {"solve " + garbage.path(), garbage.path() + ":1: "},
      {"solve lap2d:x", "positive integer"},
      {"solve lap2d:2 -b " + short_b.path(), short_b.path() + ":2: the right-hand side has 2 rows, but the matrix has 4"},
      {"solve lap2d:2 -o /nonexistent/x.mtx", "/nonexistent/x.mtx: cannot be written"},
      {"solve lap2d:2 --permutation " + twice.path(), twice.path() + ":4: the row 3 is given twice, first in line 3"},
      {"solve lap2d:2 --permutation " + gap.path(), gap.path() + ":2: the row 5 is not between 1 and 4"},
      {"solve lap2d:2 --permutation " + five.path(), "the permutation has 5 entries, but the matrix has 4 rows"},
      {"solve lap2d:2 --permutation " + garbage.path(), garbage.path() + ":1: "},
      {"solve lap2d:2 --ordering amd --permutation " + five.path(), "--ordering user"},
      {"solve lap2d:2 --last " + five.path(), "last_rows[0][4] is 4, but the rows of the matrix are 0 to 3"},
      {"solve lap2d:2 --last " + twice.path(),
       "last_rows[0][2] and last_rows[0][3] are both 2; every row may occur only once"},
      {"solve lap2d:2 --last " + from_zero.path(), from_zero.path() + ":2: row 0, group 1: both are counted from 1"},
      {"analyze lap2d:2 --plan-json /nonexistent/p.json", "/nonexistent/p.json: cannot be written"},
      {"analyze lap2d:0", "positive integer"},
      {"bench /nonexistent.mtx", "/nonexistent.mtx: cannot be opened"}};
  for (const auto& [arguments, sentence] : cases) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(result.complains(sentence)) << arguments << "\n" << result.errors;
  }
}

TEST(ExitCode, IsTwoForAnEntryOutsideTheRangeOfFloat) {
  const TemporaryFile file(symmetric + "2 2 3\n1 1 4\n2 1 1e300\n2 2 4\n");
  const CommandResult result = run_command("solve --precision float " + file.path());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.complains("row 2, column 1")) << result.errors;
}

TEST(ExitCode, IsThreeWithTheRowIfNotPositiveDefinite) {
  const TemporaryFile file(symmetric + "4 4 5\n1 1 4\n2 2 4\n3 3 1\n4 3 2\n4 4 1\n");
  const CommandResult text = run_command("solve --ordering natural " + file.path());
  EXPECT_EQ(text.code, 3);
  EXPECT_TRUE(text.complains("not positive definite: the pivot of row and column 4 (counted from 1) is -3")) << text.errors;
  const CommandResult json = run_command("solve --ordering natural --json " + file.path());
  EXPECT_EQ(json.code, 3);
  EXPECT_EQ(json.json()["status"], "not_positive_definite");
  EXPECT_EQ(json.json()["failed_column"], 4);
}

TEST(ExitCode, IsFourIfMemoryIsRefused) {
#if GPUSUPERNODAL_TEST_SANITIZED
  GTEST_SKIP() << "A sanitizer needs address space without a limit.";
#endif
  // L takes 6 GB; loading the CUDA libraries, if they are linked, takes less than the limit.
  const CommandResult result =
      run_command("solve lap3d:60 --backend host --threads 1 --ordering natural", "ulimit -v 4000000;");
  EXPECT_EQ(result.code, 4) << result.errors;
  EXPECT_TRUE(result.complains("memory")) << result.errors;
}

TEST(ExitCode, IsFiveIfTheBackendIsUnavailable) {
  const auto info = run_command("info --json").json();
  for (const auto& backend : info["backends"]) {
    if (backend["name"] == "cuda" && backend["available"]) GTEST_SKIP() << "This machine has a CUDA device.";
  }
  const CommandResult result = run_command("solve lap2d:3 --backend cuda");
  EXPECT_EQ(result.code, 5);
  EXPECT_TRUE(result.complains("CUDA")) << result.errors;
}

}  // namespace
}  // namespace gpusupernodal::test
