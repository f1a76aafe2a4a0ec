/// Tests of standard streams that are closed or full, and of files that cannot be written completely.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "io/symmetric_matrix.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

/// Runs the command with these redirections; captures the remaining output as usual.
CommandResult run_redirected(const std::string& arguments, const std::string& redirections) {
  return run_command(arguments, "redirected() { \"$@\" " + redirections + "; }; redirected");
}

struct Expected {
  std::string arguments;
  int code;
};

TEST(Streams, ExitCodesDoNotNeedStandardError) {
  const TemporaryFile indefinite("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n");
  const Expected commands[] = {{"solve lap2d:4", 0},      {"solve /nonexistent.mtx", 2},
                               {"solve lap2d:x", 2},      {"solve lap2d:3 --frob", 2},
                               {"frobnicate", 2},         {"", 2},
                               {"bench /nonexistent", 2}, {"solve " + indefinite.path(), 3}};
  for (const auto& [arguments, code] : commands) {
    for (const char* errors : {"2>&-", "2>/dev/full", "<&- 2>&-"}) {
      EXPECT_EQ(run_redirected(arguments, errors).code, code) << arguments << ' ' << errors;
    }
  }
}

TEST(Streams, ExitsWithTwoIfOutputFails) {
  for (const char* arguments : {"solve lap2d:4", "solve lap2d:4 --json", "analyze lap2d:9 --graphviz -", "info", "--help",
                                "--version", "bench lap2d:4 lap2d:5 --repeat 1"}) {
    for (const char* output : {">&-", ">/dev/full", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"}) {
      const CommandResult result = run_redirected(arguments, output);
      EXPECT_EQ(result.code, 2) << arguments << ' ' << output;
      if (std::string(output).find('2') != std::string::npos) continue;
      EXPECT_TRUE(result.complains("standard output: cannot be written: ")) << arguments << ' ' << result.errors;
    }
  }
}

/// Without buffering, each line fails when it is printed, not only at the end.
TEST(Streams, ExitsWithTwoIfUnbufferedOutputFails) {
  if (std::system("stdbuf -o0 true 2>/dev/null") != 0) GTEST_SKIP() << "stdbuf is not installed.";
#if GPUSUPERNODAL_TEST_SANITIZED
  GTEST_SKIP() << "stdbuf loads a library before the sanitizer's.";
#endif
  for (const char* arguments : {"solve lap2d:4", "analyze lap2d:4 --steps", "info"}) {
    const CommandResult result = run_command(arguments, "full() { stdbuf -o0 \"$@\" >/dev/full; }; full");
    EXPECT_EQ(result.code, 2) << arguments << ' ' << result.errors;
  }
}

/// The file descriptors of closed streams are not reused: no line of the report gets into the solution's file.
TEST(Streams, ReportDoesNotGetIntoFilesIfStreamsAreClosed) {
  const TemporaryFolder folder;
  const std::string x = folder.file("x.mtx");
  const std::string plan = folder.file("plan");
  EXPECT_EQ(run_redirected("solve lap2d:30 --threads 64 -o " + x + " --save-plan " + plan, "<&- >&- 2>&-").code, 2);
  EXPECT_EQ(io::read_dense(x, 900).cols, 1);
  EXPECT_EQ(run_command("solve lap2d:30 --load-plan " + plan).code, 0);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"plan", "x.mtx"}));
}

TEST(Streams, MoreThreadsThanCoresGiveNoWarning) {
  const std::string many = std::to_string(std::thread::hardware_concurrency() + 9);
  const CommandResult result = run_command("solve lap3d:20 --backend host --threads " + many);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "");
}

TEST(Streams, SolutionMayGoToStandardOutput) {
  const CommandResult both = run_command("solve lap2d:3 -o /dev/stdout");
  EXPECT_EQ(both.code, 0) << both.errors;
  EXPECT_EQ(both.output.rfind("%%MatrixMarket matrix array real general\n9 1\n", 0), 0U) << both.output;
  EXPECT_TRUE(both.says("\nmatrix          lap2d:3, n = 9, ")) << both.output;
}

/// Options that make the command write a file besides its report.
std::vector<std::string> writing_options() {
  return {"-o", "--save-plan", "--trace", "--plot-pattern", "--plot-tree", "--plot-trace"};
}

TEST(Files, LinksAreFollowedAndFifosWrittenThrough) {
  for (const std::string& option : writing_options()) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("target")) << "old";
    std::filesystem::create_symlink("target", folder.file("link"));
    EXPECT_EQ(run_command("solve lap2d:4 " + option + " " + folder.file("link")).code, 0) << option;
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link"))) << option;
    const std::string written = content_of(folder.file("target"));
    EXPECT_GT(written.size(), 100U) << option;
    ASSERT_EQ(mkfifo(folder.file("fifo").c_str(), 0600), 0);
    std::string read;
    std::thread reader([&] { read = content_of(folder.file("fifo")); });
    EXPECT_EQ(run_command("solve lap2d:4 " + option + " " + folder.file("fifo")).code, 0) << option;
    reader.join();
    EXPECT_TRUE(read == written || option == "--trace" || option == "--plot-trace")
        << option;  // Traces differ by their times.
    EXPECT_TRUE(std::filesystem::is_fifo(folder.file("fifo"))) << option;
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"fifo", "link", "target"})) << option;
  }
}

/// Writes a file under a file-size limit of 8 KB, which stands in for a full disk: the file exceeds it, the report does
/// not. Expects that the old content of the file is unchanged and that no other file is left beside it. Returns the
/// last result.
CommandResult expect_old_file(const std::string& writing, const std::string& limit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("file");
  CommandResult result;
  for (const bool exists : {false, true}) {
    if (exists) std::ofstream(path) << "old";
    result = run_command(writing + " " + path, limit);
    EXPECT_NE(result.code, 0) << writing;
    EXPECT_EQ(content_of(path), exists ? "old" : "") << writing;
    EXPECT_EQ(folder.names().size(), exists ? 1U : 0U) << writing;
  }
  return result;
}

const char* const long_files[] = {"solve lap2d:60 --backend host -o", "solve lap2d:60 --backend host --save-plan",
                                  "analyze lap2d:60 --graphviz", "analyze lap2d:60 --plot-tree"};

TEST(Files, OldFileRemainsIfWritingFails) {
  for (const std::string writing : long_files) {
    const CommandResult result = expect_old_file(writing, "ulimit -f 16; trap '' XFSZ;");
    EXPECT_EQ(result.code, 2) << writing;
    EXPECT_TRUE(result.complains("/file") && result.complains("cannot be written: File too large")) << result.errors;
  }
}

bool has_files_without_names(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

/// SIGXFSZ ends the command at a known position in the middle of a file.
TEST(Files, SignalLeavesNoPartialFile) {
  const TemporaryFolder folder;
  if (!has_files_without_names(folder.path())) GTEST_SKIP() << "The file system has no files without names.";
#if GPUSUPERNODAL_TEST_SANITIZED
  GTEST_SKIP() << "Sanitizers write files as well.";
#endif
  for (const std::string writing : long_files) expect_old_file(writing, "ulimit -c 0; ulimit -f 16;");
}

TEST(Files, NamesNeedNotBeUtf8) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a\xff\xfe.mtx");
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4\n";
  for (const char* subcommand : {"solve", "analyze", "bench --repeat 1"}) {
    const CommandResult result = run_command(std::string(subcommand) + " --json '" + path + "'");
    EXPECT_EQ(result.code, 0) << result.errors;
    const nlohmann::json report = result.json();
    EXPECT_EQ(report.contains("matrices") ? report["matrices"][0]["matrix"] : report["matrix"], "a\uFFFD\uFFFD");
  }
}

}  // namespace
}  // namespace gpusupernodal::test
