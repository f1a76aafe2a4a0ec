/// Tests of solve --method automatic and mixed: what they print, write and refuse.

#include <gtest/gtest.h>

#include <filesystem>

#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

TEST(SystemCommand, SolvesWithBothMethodsAndBothPrecisions) {
  for (const char* const method : {"automatic", "mixed"}) {
    for (const char* const precision : {"float", "double"}) {
      const CommandResult result =
          run_command(std::string("solve lap2d:20 --backend host --json --method ") + method + " --precision " + precision);
      ASSERT_EQ(result.code, 0) << result.errors;
      const nlohmann::json json = result.json();
      EXPECT_EQ(json["status"], "solved");
      EXPECT_FALSE(json["reason"].get<std::string>().empty());
      const bool is_float = std::string(precision) == "float";
      EXPECT_LE(json["solution_error"].get<double>(), is_float ? 1e-2 : 1e-7);
      if (std::string(method) == "mixed") {
        EXPECT_EQ(json["method"], is_float ? "direct" : "mixed");
      }
    }
  }
}

TEST(SystemCommand, PrintsTheForecastsAndWritesX) {
  const io::SymmetricMatrix a = io::generate("lap2d:60");
  const TemporaryFile b_file, x_file;
  io::write_dense(b_file.path(), {a.n, 2, random_vector(2 * a.n, 3)});
  const CommandResult result =
      run_command("solve lap2d:60 --method automatic --expected-solves 5000 --tolerance 1e-12 --backend host -b " +
                  b_file.path() + " -o " + x_file.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  for (const char* const line : {"n = 3,600", "method  ", "direct is forecast to end first for 5000 solves", "forecast ",
                                 "Ritz values", "status          solved", "2 right-hand sides", "written"}) {
    EXPECT_TRUE(result.says(line)) << line << "\n" << result.output;
  }
  const io::DenseMatrix x = io::read_dense(x_file.path(), a.n), b = io::read_dense(b_file.path(), a.n);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_LE(io::backward_error(a, Span<const double>(x.values).subspan(c * 3600, 3600),
                                 Span<const double>(b.values).subspan(c * 3600, 3600)),
              1e-12);
  }
}

TEST(SystemCommand, SaysWhyItDidNotSolve) {
  const TemporaryFile x_file;
  std::filesystem::remove(x_file.path());
  const TemporaryFile indefinite("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n");
  for (const char* const method : {"automatic", "mixed"}) {
    const CommandResult result = run_command(std::string("solve --backend host --json --method ") + method + " -o " +
                                             x_file.path() + " " + indefinite.path());
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.json()["status"], "not_positive_definite");
    EXPECT_TRUE(result.complains("the pivot of column 1")) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(x_file.path()));
  }
}

TEST(SystemCommand, PrintsNoErrorsOfWhatItDidNotSolve) {
  const TemporaryFile indefinite("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 -1\n3 3 2\n");
  const std::string solve = "solve --backend host --method automatic " + indefinite.path();
  const CommandResult json = run_command(solve + " --json");
  EXPECT_EQ(json.code, 3);
  for (const char* const key : {"backward_error", "solution_error", "relative_residual"})
    EXPECT_FALSE(json.json().contains(key)) << key;
  const CommandResult text = run_command(solve);
  EXPECT_EQ(text.code, 3);
  EXPECT_FALSE(text.says("backward error")) << text.output;
  EXPECT_FALSE(text.says("of the right-hand side")) << text.output;
}

TEST(SystemCommand, RefusesOptionsOfOtherMethods) {
  const auto refused = [](const std::string& arguments, const std::string& sentence) {
    const CommandResult result = run_command("solve lap2d:5 " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(result.complains(sentence)) << result.errors;
  };
  refused("--expected-solves 3", "--expected-solves needs --method automatic");
  refused("--method pcg --expected-solves 3", "--expected-solves needs --method automatic");
  refused("--method mixed --expected-solves 3", "--expected-solves needs --method automatic.");
  refused("--method mixed --preconditioner ic0", "--preconditioner needs --method pcg or automatic.");
  refused("--tolerance 1e-3", "--tolerance needs --method pcg, automatic or mixed.");
  refused("--method automatic --block-size 3", "--block-size needs --method pcg.");
  refused("--method mixed --ordering amd", "--ordering goes with --method direct, not with mixed");
  refused("--method automatic --form lu", "--form goes with --method direct, not with automatic");
  refused("--method automatic --preconditioner factor", "mixed");
  refused("--method automatic --expected-solves -3", "expected_solves is -3");
  refused("--method automatik", "did you mean 'automatic'");
}

}  // namespace
}  // namespace gpusupernodal::test
