#include <gtest/gtest.h>

#include "tests/cli/run_command.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

void expect_sentence(const std::string& arguments, const std::string& sentence) {
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.code, 2) << arguments;
  EXPECT_EQ(result.errors, "gpusupernodal: " + sentence + "\n") << arguments;
  EXPECT_EQ(result.output, "") << arguments;
}

TEST(Typos, UnknownOptionGetsASuggestion) {
  expect_sentence("solve lap2d:3 --orderin amd", "there is no option '--orderin'; did you mean '--ordering'?");
  expect_sentence("solve lap2d:3 --odrering=amd", "there is no option '--odrering'; did you mean '--ordering'?");
  expect_sentence("bench lap2d:3 --jsno", "there is no option '--jsno'; did you mean '--json'?");
  expect_sentence("--verison", "there is no option '--verison'; did you mean '--version'?");
  expect_sentence("info --frobnicate", "there is no option '--frobnicate'; 'gpusupernodal info --help' lists the options.");
}

TEST(Typos, UnknownValueGetsASuggestionOrTheList) {
  expect_sentence("solve lap2d:3 --backend hots",
                  "--backend: there is no 'hots'; did you mean 'host'? 'gpusupernodal solve --help' lists the options.");
  expect_sentence("solve lap2d:3 --ordering mteis",
                  "--ordering: there is no 'mteis'; did you mean 'metis'? 'gpusupernodal solve --help' lists the options.");
  expect_sentence("solve lap2d:3 --precision extended",
                  "--precision: there is no 'extended'; the values are double, float. 'gpusupernodal solve --help' lists "
                  "the options.");
}

TEST(Typos, UnknownGeneratorGetsASuggestion) {
  for (const char* command : {"solve", "analyze", "bench"}) {
    const CommandResult result = run_command(std::string(command) + " lpa3d:4");
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_TRUE(result.complains("there is no file or generator 'lpa3d:4'; did you mean 'lap3d:4'?")) << result.errors;
  }
  EXPECT_TRUE(run_command("solve far.mtx:3").complains("far.mtx:3: cannot be opened"));
}

TEST(Typos, TheBeginningOfSeveralOptionsGetsAllOfThem) {
  expect_sentence("solve lap2d:3 --plot x.svg",
                  "there is no option '--plot'; there are --plot-pattern, --plot-tree, --plot-trace.");
  expect_sentence("analyze lap2d:3 --save a.plan", "there is no option '--save'; did you mean '--save-plan'?");
}

TEST(Typos, MissingAndWrongValuesAreNamed) {
  expect_sentence("",
                  "a subcommand is missing; the subcommands are solve, analyze, bench, batch, multiply, tune, report, "
                  "info, doctor, completion.");
  expect_sentence("solve", "the argument 'matrix' is missing; 'gpusupernodal solve --help' shows the arguments.");
  expect_sentence("completion", "the argument 'SHELL' is missing; 'gpusupernodal completion --help' shows the arguments.");
  expect_sentence("solve lap2d:3 --threads",
                  "the option '--threads' needs a value; 'gpusupernodal solve --help' lists the options.");
  expect_sentence("solve lap2d:3 --threads two",
                  "the option '--threads' takes a number, not 'two'; 'gpusupernodal solve --help' lists the options.");
  expect_sentence("solve lap2d:3 --ordering amd --load-plan x",
                  "the options '--ordering' and '--load-plan' exclude each other.");
  expect_sentence("bench lap2d:3 --rhs 1,0", "--rhs: '0' is less than 1. 'gpusupernodal bench --help' lists the options.");
  expect_sentence("solve lap2d:3 --refine -1",
                  "--refine: '-1' is negative. 'gpusupernodal solve --help' lists the options.");
  expect_sentence("analyze lap2d:3 --ordering-seed -1",
                  "--ordering-seed: '-1' is negative. 'gpusupernodal analyze --help' lists the options.");
}

TEST(Sentences, AllErrorsAreOneLineThatEndsASentence) {
  for (const char* arguments :
       {"", "frobnicate", "solve", "solve lap2d:x", "solve lap2d:3 --frob", "solve /nonexistent.mtx",
        "solve lap2d:3 --streams 99", "solve lap2d:3 --block-width 3", "solve lap2d:3 --device-profile X",
        "solve lap2d:3 --merge-width 0", "solve lap2d:3 --load-plan /nonexistent",
        "solve lap2d:3 --save-plan /nonexistent/x", "bench lap2d:x", "analyze lap2d:3 --expected-factorizations 0",
        "analyze lap3d:24 --graphviz - --merging none"}) {
    const CommandResult result = run_command(arguments);
    ASSERT_NE(result.errors, "") << arguments;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
    const char last = result.errors[result.errors.size() - 2];
    EXPECT_TRUE(last == '.' || last == '?') << result.errors;
  }
}

TEST(Typos, ExtraArgumentIsNamed) {
  expect_sentence("solve lap2d:3 extra", "unexpected argument 'extra'; 'gpusupernodal solve --help' shows the arguments.");
}

TEST(JsonErrors, HaveSentenceAndKind) {
  const std::pair<const char*, const char*> cases[] = {
      {"solve /nonexistent.mtx --json", "/nonexistent.mtx: cannot be opened"},
      {"analyze lap2d:x --json", "positive integer"},
      {"solve --json lap2d:3 --orderin amd", "did you mean '--ordering'?"},
      {"solv lap2d:3 --json", "did you mean 'solve'?"},
      {"info --json --x", "there is no option '--x'"}};
  for (const auto& [arguments, sentence] : cases) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["kind"], "bad_input") << arguments;
    EXPECT_NE(json["error"].get<std::string>().find(sentence), std::string::npos) << json;
    EXPECT_EQ(result.errors, "gpusupernodal: " + json["error"].get<std::string>() + "\n");
  }
}

TEST(JsonErrors, IndefiniteMatrixHasReportAndError) {
  const TemporaryFile file("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n");
  const nlohmann::json solve = run_command("solve --json " + file.path()).json();
  EXPECT_EQ(solve["kind"], "not_positive_definite");
  EXPECT_EQ(solve["status"], "not_positive_definite");
  const nlohmann::json bench = run_command("bench --json " + file.path()).json();
  EXPECT_EQ(bench["matrices"][0]["kind"], "not_positive_definite");
}

TEST(JsonErrors, BenchListsTheMatricesThatFailed) {
  const CommandResult result = run_command("bench --json --repeat 1 /nonexistent.mtx lap2d:3");
  EXPECT_EQ(result.code, 2);
  const nlohmann::json json = result.json();
  ASSERT_EQ(json["errors"].size(), 1U);
  EXPECT_EQ(json["errors"][0]["matrix"], "/nonexistent.mtx");
  EXPECT_EQ(json["errors"][0]["kind"], "bad_input");
  ASSERT_EQ(json["matrices"].size(), 1U);
  EXPECT_EQ(json["matrices"][0]["status"], "success");
}

TEST(JsonErrors, WithoutTheOptionStdoutStaysEmpty) { EXPECT_EQ(run_command("solve /nonexistent.mtx").output, ""); }

}  // namespace
}  // namespace gpusupernodal::test
