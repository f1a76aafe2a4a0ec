#include <gtest/gtest.h>

#include <limits>

#include "gpusupernodal/sparse_operator.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/temporary_file.hpp"

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

TEST(MultiplyCommand, TakesRectangularMatrices) {
  const std::string header = "%%MatrixMarket matrix coordinate real general\n";
  const TemporaryFile wide(header + "2 3 3\n1 1 1\n1 3 2\n2 2 3\n"), tall(header + "3 2 2\n1 2 4\n3 1 5\n");
  for (const std::string format : {"auto", "csr", "coo", "sell"}) {
    for (const TemporaryFile* file : {&wide, &tall}) {
      const CommandResult result =
          run_command("multiply " + file->path() + " --general --backend host --json --format " + format);
      ASSERT_EQ(result.code, 0) << result.errors;
      const nlohmann::json report = result.json();
      EXPECT_EQ(report["rows"], file == &wide ? 2 : 3);
      EXPECT_EQ(report["columns"], file == &wide ? 3 : 2);
      EXPECT_EQ(report["difference"], 0.0) << "small integers";
      EXPECT_FALSE(report.contains("n"));
    }
  }
  EXPECT_TRUE(run_command("multiply " + wide.path() + " --general --backend host").says("2 by 3, 3 nonzeros"));
  EXPECT_EQ(run_command("multiply lap2d:5 --general --backend host --json").json()["n"], 25);
  const TemporaryFile product("");
  const CommandResult by =
      run_command("multiply " + wide.path() + " --by " + tall.path() + " --backend host --json -o " + product.path());
  ASSERT_EQ(by.code, 0) << by.errors;
  EXPECT_EQ(by.json()["rows"], 2);
  EXPECT_EQ(by.json()["columns"], 2);
  EXPECT_EQ(product.read(), header + "2 2 2\n1 1 10\n1 2 4\n");
  EXPECT_TRUE(run_command("multiply " + wide.path() + " --by " + wide.path() + " --backend host")
                  .complains("as many rows of B as A has columns"));
  EXPECT_TRUE(run_command("multiply " + wide.path() + " --backend host").complains("--general"));
  EXPECT_TRUE(run_command("multiply convdiff:4 --backend host").complains("add --general"));
}

TEST(MultiplyCommand, RefusesWhatItCannotStore) {
  const CommandResult result = run_command("multiply " + project_matrix("1138_bus") + " --backend host --format dia");
  EXPECT_NE(result.code, 0);
  EXPECT_TRUE(result.complains("cannot be stored in the format dia: its entries lie on more than")) << result.errors;
  EXPECT_TRUE(run_command("multiply lap3d:4 --format seller").complains("sell")) << "the nearest name is suggested";
}

/// A², written and multiplied again: (A²)·A has the sizes of A·(A²), and the file is read back.
TEST(MultiplyCommand, MultipliesByAMatrix) {
  const TemporaryFile square("");
  for (const std::string precision : {"double", "float"}) {
    const CommandResult result = run_command("multiply elas:4 --by elas:4 --backend host --json --repeat 2 --precision " +
                                             precision + " -o " + square.path());
    ASSERT_EQ(result.code, 0) << result.errors;
    const nlohmann::json report = result.json();
    EXPECT_EQ(report["rows"], 192);
    EXPECT_EQ(report["block"], 3);
    EXPECT_GT(report["products"], report["entries"]);
    const nlohmann::json left = run_command("multiply " + square.path() + " --by elas:4 --backend host --json").json();
    const nlohmann::json right = run_command("multiply elas:4 --by " + square.path() + " --backend host --json").json();
    EXPECT_EQ(left["entries"], right["entries"]);
    EXPECT_EQ(left["products"], right["products"]);
  }
  EXPECT_TRUE(run_command("multiply lap2d:9 --by lap2d:9 --backend host").says("entries"));
  EXPECT_TRUE(run_command("multiply lap2d:9 --by lap2d:8 --backend host").complains("as many rows of B as A has columns"));
  EXPECT_NE(run_command("multiply lap2d:9 -o " + square.path()).code, 0) << "there is no product without --by";
  EXPECT_TRUE(run_command("multiply lap2d:9 --by lap2d:9 -o /no/such/folder/c.mtx").complains("cannot be written"));
}

}  // namespace
}  // namespace gpusupernodal::test
