#include <gtest/gtest.h>

#include <limits>

#include "gpusupernodal/sparse_operator.hpp"
#include "tests/cli/run_command.hpp"

namespace gpusupernodal::test {
namespace {

TEST(MultiplyCommand, ReportsEveryFormat) {
  for (const std::string format : format_names) {
    for (const std::string precision : {"double", "float"}) {
      const CommandResult result =
          run_command("multiply elas:4 --backend host --json --repeat 3 --format " + format + " --precision " + precision);
      ASSERT_EQ(result.code, 0) << format << ": " << result.errors;
      const nlohmann::json report = result.json();
      const double eps =
          precision == "double" ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
      EXPECT_LE(report["difference"].get<double>(), 81.0 * 100.0 * eps) << format;
      EXPECT_EQ(report["n"], 192);
      EXPECT_EQ(report["entries"], report["nnz"]);
      EXPECT_GT(report["product_bytes"], 0);
      EXPECT_FALSE(report["candidates"].empty());
      EXPECT_TRUE(format == "auto" || report["format"] == format);
    }
  }
}

TEST(MultiplyCommand, MeasuresCandidates) {
  const nlohmann::json report = run_command("multiply lap3d:12 --backend host --tuning measured --json").json();
  EXPECT_GT(report["candidates"][0]["measured_seconds"].get<double>(), 0.0);
}

TEST(MultiplyCommand, TakesGeneralMatrices) {
  const CommandResult result = run_command("multiply convdiff:12 --general --backend host");
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(result.says("format")) << result.output;
  EXPECT_TRUE(result.says("of a plain product")) << result.output;
}

TEST(MultiplyCommand, RefusesWhatItCannotStore) {
  const CommandResult result = run_command("multiply " + project_matrix("1138_bus") + " --backend host --format dia");
  EXPECT_NE(result.code, 0);
  EXPECT_TRUE(result.complains("cannot be stored in the format dia: its entries lie on more than")) << result.errors;
  EXPECT_TRUE(run_command("multiply lap3d:4 --format seller").complains("sell")) << "the nearest name is suggested";
}

}  // namespace
}  // namespace gpusupernodal::test
