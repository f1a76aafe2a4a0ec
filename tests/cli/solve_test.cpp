#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "io/symmetric_matrix.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

TEST(SolveCommand, PrintsTheMainFigures) {
  const CommandResult result = run_command("solve '" + project_matrix("bcsstk14") + "'");
  for (const char* text : {"bcsstk14, n = 1,806, 63,454 nonzeros", "ordering", "nnz(L) = ", "flops", "supernodes", "memory",
                           "backend", "analyze", "factorize", "solve", "backward error", "b = A·ones"}) {
    EXPECT_TRUE(result.says(text)) << text << "\n" << result.output;
  }
}

TEST(SolveCommand, UsesTheSingularForOne) {
  const CommandResult one = run_command("solve lap2d:1 --backend host --threads 1 --refine 1");
  for (const char* text : {", 1 nonzero\n", "; 1 task\n", "host: 1 thread, ", "1 right-hand side, "}) {
    EXPECT_TRUE(one.says(text)) << text << one.output;
  }
  const CommandResult more = run_command("solve lap2d:3 --backend host");
  EXPECT_TRUE(more.says(", 33 nonzeros\n")) << more.output;
}

class SolvesProjectMatrix : public testing::TestWithParam<const char*> {};

TEST_P(SolvesProjectMatrix, WithASmallBackwardError) {
  const nlohmann::json result = run_command("solve --json '" + project_matrix(GetParam()) + "'").json();
  EXPECT_EQ(result["status"], "success");
  EXPECT_LE(result["backward_error"].get<double>(), backward_error_bound<double>(result["n"].get<std::int64_t>()));
  EXPECT_GE(result["nnz_l"].get<std::int64_t>(), result["nnz_lower"].get<std::int64_t>());
  for (const char* key : {"matrix", "ordering", "flops", "supernodes", "backend", "device", "memory_bytes", "read_seconds",
                          "analyze_seconds", "factorize_seconds", "solve_seconds", "solution_error"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Data, SolvesProjectMatrix,
                         testing::Values("1138_bus", "Chem97ZtZ", "bcsstk04", "gr_30_30", "lund_b", "mhd3200b"));

/// b has two random columns; the command writes x.
TEST(SolveCommand, ReadsRightHandSidesAndWritesSolutions) {
  const io::SymmetricMatrix a = io::load(project_matrix("plbuckle"));
  const TemporaryFile b_file;
  const TemporaryFile x_file;
  const std::vector<double> b = random_vector(2 * a.n, 5);
  io::write_dense(b_file.path(), {a.n, 2, b});
  const CommandResult result =
      run_command("solve --json '" + project_matrix("plbuckle") + "' -b " + b_file.path() + " -o " + x_file.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.json()["right_hand_sides"], 2);
  EXPECT_FALSE(result.json().contains("solution_error"));
  const io::DenseMatrix x = io::read_dense(x_file.path());
  ASSERT_EQ(x.rows, a.n);
  ASSERT_EQ(x.cols, 2);
  double largest = 0.0;
  for (const std::ptrdiff_t c : {std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(a.n)}) {
    const auto column = [&](const std::vector<double>& v) {
      return std::vector<double>(v.begin() + c, v.begin() + c + static_cast<std::ptrdiff_t>(a.n));
    };
    largest = std::max(largest, backward_error(a, column(x.values), column(b)));
  }
  EXPECT_LE(largest, backward_error_bound<double>(a.n));
  EXPECT_EQ(largest, result.json()["backward_error"].get<double>());
}

// The first solution overflows, so that its error is NaN; the second is right.
TEST(SolveCommand, ReportsANaNBackwardError) {
  const TemporaryFile a("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1e-10\n");
  const TemporaryFile b("%%MatrixMarket matrix array real general\n1 2\n1e300\n1\n");
  const CommandResult result = run_command("solve --json " + a.path() + " -b " + b.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(result.json()["backward_error"].is_null()) << result.output;
}

TEST(SolveCommand, FloatIsAsAccurateAsFloatAndRefinementIsCounted) {
  const nlohmann::json plain = run_command("solve lap3d:8 --json --precision float").json();
  EXPECT_EQ(plain["precision"], "float");
  EXPECT_LE(plain["backward_error"].get<double>(), backward_error_bound<float>(512));
  EXPECT_EQ(plain["refinement_steps"], 0);
  const nlohmann::json refined = run_command("solve lap3d:8 --json --refine 1").json();
  EXPECT_EQ(refined["refinement_steps"], 1);
  EXPECT_LE(refined["backward_error"].get<double>(), backward_error_bound<double>(512));
}

TEST(SolveCommand, PermutationsCountFromOneOrFromZero) {
  std::string from_one;
  std::string from_zero = "% backwards\n";
  for (int k = 15; k >= 0; --k) {
    from_one += std::to_string(k + 1) + "\n";
    from_zero += std::to_string(k) + "\n";
  }
  for (const std::string& text : {from_one, from_zero}) {
    const TemporaryFile file(text, ".txt");
    const CommandResult result = run_command("solve lap2d:4 --json --permutation " + file.path());
    ASSERT_EQ(result.code, 0) << result.errors;
    EXPECT_EQ(result.json()["ordering"], "user");
    // The reversed grid equals the grid, so the fill is that of the natural order.
    EXPECT_EQ(result.json()["nnz_l"], run_command("analyze lap2d:4 --json --ordering natural").json()["nnz_l"]);
  }
}

TEST(SolveCommand, AcceptsGroupsOfLastRows) {
  const TemporaryFile apart("% two groups\n1\n16 2\n2 1\n", ".txt");
  const CommandResult result = run_command("solve lap2d:4 --json --last " + apart.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_NE(result.json()["ordering_reason"].get<std::string>().find("3 rows are eliminated last (groups: 2)"),
            std::string::npos);
  EXPECT_LT(result.json()["backward_error"], 1e-15);
}

TEST(SolveCommand, PassesOptionsToTheAnalysis) {
  for (const char* ordering : {"nested_dissection", "metis", "amd", "natural"}) {
    const CommandResult result = run_command(std::string("solve lap2d:12 --json --backend host --threads 2 --block-width 64 "
                                                         "--merging narrow --merge-width 8 --ordering ") +
                                             ordering);
    ASSERT_EQ(result.code, 0) << result.errors;
    EXPECT_EQ(result.json()["ordering"], ordering);
    EXPECT_EQ(result.json()["backend"], "host");
  }
  const nlohmann::json merged = run_command("analyze lap2d:12 --json").json();
  const nlohmann::json plain = run_command("analyze lap2d:12 --json --merging none").json();
  EXPECT_EQ(plain["stored_flops"], plain["flops"]);
  EXPECT_LT(merged["supernodes"].get<int>(), plain["supernodes"].get<int>());
}

TEST(SolveCommand, WritesATraceAndReportsRates) {
  const TemporaryFile file({}, ".json");
  const CommandResult result = run_command("solve lap3d:14 --backend host --json --trace " + file.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  std::set<std::string> names;
  const nlohmann::json trace = nlohmann::json::parse(file.read());
  for (const auto& event : trace["traceEvents"]) names.insert(event["name"]);
  for (const char* name : {"factorize", "solve", "factor_subtree", "forward_subtree", "backward_subtree"}) {
    EXPECT_TRUE(names.count(name)) << name;
  }
  double flops = 0.0;
  const nlohmann::json report = result.json();
  for (const auto& regime : report["regimes"]) {
    EXPECT_GT(regime["busy_seconds"].get<double>(), 0.0);
    flops += regime["flops"].get<double>();
  }
  const double all = report["stored_flops"].get<double>();
  // Bound of the number of terms in the sum, one per task.
  constexpr double max_tasks = 4096.0;
  EXPECT_NEAR(flops, all, max_tasks * std::numeric_limits<double>::epsilon() * all);
  EXPECT_GT(report["solve_gbytes_per_second"].get<double>(), 0.0);
  const CommandResult text = run_command("solve lap3d:6 --backend host --trace " + file.path());
  EXPECT_TRUE(text.says("busy")) << text.output;
  EXPECT_TRUE(text.says("trace           " + file.path())) << text.output;
}

TEST(SolveCommand, StoresAndLoadsAPlan) {
  const TemporaryFile file({}, ".plan");
  const nlohmann::json first = run_command("analyze lap3d:8 --json --ordering amd --save-plan " + file.path()).json();
  EXPECT_EQ(first["plan_source"], "analyzed");
  const nlohmann::json second = run_command("solve lap3d:8 --json --load-plan " + file.path()).json();
  EXPECT_EQ(second["plan_source"], "file");
  EXPECT_EQ(second["ordering"], "amd");
  EXPECT_EQ(second["ordering_seconds"], 0.0);
  EXPECT_EQ(second["stored_l"], first["stored_l"]);
  EXPECT_LE(second["backward_error"].get<double>(), backward_error_bound<double>(512));
  const CommandResult text = run_command("solve lap3d:8 --load-plan " + file.path() + " --save-plan " + file.path());
  EXPECT_TRUE(text.says("plan            from the file")) << text.output;
  for (const std::string& command :
       {"solve lap3d:7 --load-plan " + file.path(), std::string("solve lap2d:4 --load-plan /nowhere/plan"),
        std::string("solve lap2d:4 --save-plan /nowhere/plan"), "solve lap3d:8 --ordering amd --load-plan " + file.path()}) {
    const CommandResult refused = run_command(command);
    EXPECT_EQ(refused.code, 2) << command;
    EXPECT_NE(refused.errors, "") << command;
  }
}

TEST(SolveCommand, NamesTheTraceFileItCannotWrite) {
  const CommandResult result = run_command("solve lap2d:4 --trace /nowhere/trace.json");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.errors.find("/nowhere/trace.json"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace gpusupernodal::test
