/// Tests of --form ldlt: symmetric files, the inertia in the report, and what is refused.

#include <gtest/gtest.h>

#include "tests/cli/run_command.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

const std::string symmetric_header = "%%MatrixMarket matrix coordinate real symmetric\n";

TEST(LdltCommand, SolvesIndefiniteFilesAndSaysTheirInertia) {
  const TemporaryFile file(symmetric_header + "3 3 5\n1 1 2\n3 1 1\n2 2 3\n3 2 1\n3 3 0\n");
  const CommandResult text = run_command("solve --form ldlt " + file.path());
  EXPECT_EQ(text.code, 0) << text.errors;
  for (const char* line : {"status          success", "pivots          0 replaced; growth ",
                           "inertia         2 positive, 1 negative, 0 zero\n", "backward error  "}) {
    EXPECT_TRUE(text.says(line)) << line << "\n" << text.output;
  }
  const nlohmann::json json = run_command("solve --json --form ldlt " + file.path()).json();
  EXPECT_EQ(json["form"], "ldlt");
  EXPECT_EQ(json["inertia"]["positive"], 2);
  EXPECT_EQ(json["inertia"]["negative"], 1);
  EXPECT_EQ(json["inertia"]["zero"], 0);
  EXPECT_EQ(json["inertia_exact"], true);
  EXPECT_TRUE(json["null_pivots"].empty());
  EXPECT_LE(json["backward_error"].get<double>(), backward_error_bound<double>(3));
  EXPECT_EQ(run_command("solve " + file.path()).code, 3) << "Cholesky does not solve it";
}

TEST(LdltCommand, NamesNullPivots) {
  const TemporaryFile file(symmetric_header + "2 2 3\n1 1 1\n2 1 -1\n2 2 1\n");
  const CommandResult result = run_command("solve --json --form ldlt " + file.path());
  EXPECT_EQ(result.code, 6);
  EXPECT_EQ(result.json()["inertia"]["zero"], 1);
  EXPECT_EQ(result.json()["null_pivots"].size(), 1u);
}

TEST(LdltCommand, AnalyzesWithThePlanOfCholeskyAndRefusesOptionsOfLu) {
  const nlohmann::json cholesky = run_command("analyze --json --backend host lap2d:12").json();
  const nlohmann::json ldlt = run_command("analyze --json --form ldlt lap2d:12").json();
  EXPECT_EQ(ldlt["stored_l"], cholesky["stored_l"]);
  EXPECT_NE(run_command("solve lap2d:3 --form ldlt --matching none").code, 0);
  EXPECT_NE(run_command("solve lap2d:3 --perturbation 1e-6").code, 0);
  EXPECT_EQ(run_command("solve lap2d:3 --form ldlt --perturbation 1e-6").code, 0);
}

}  // namespace
}  // namespace gpusupernodal::test
