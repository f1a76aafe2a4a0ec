/// Tests of --form lu: general files and generators, what the report says, and what is refused.

#include <gtest/gtest.h>

#include <filesystem>

#include "io/general_matrix.hpp"
#include "io/residual.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

/// [1 2; 0 1], whose transpose has other solutions.
const std::string upper = general + "2 2 3\n1 1 1\n1 2 2\n2 2 1\n";

/// [0 1; 2 1] has a zero pivot unless rows are exchanged.
const std::string zero_pivot = general + "2 2 3\n1 2 1\n2 1 2\n2 2 1\n";

/// With --perturbation 1, pivots are replaced, and refinement with that factor diverges.
const std::string circulant = general + "3 3 9\n1 1 1\n1 2 5\n1 3 -7\n2 1 -7\n2 2 1\n2 3 5\n3 1 5\n3 2 -7\n3 3 1\n";

/// Two equal rows.
const std::string equal_rows = general + "3 3 7\n1 1 1\n1 2 2\n2 1 1\n2 2 2\n3 1 1\n3 2 1\n3 3 4\n";

TEST(LuCommand, SolvesGeneralFilesAndSaysHow) {
  const TemporaryFile file(zero_pivot);
  const CommandResult text = run_command("solve --backend host --form lu " + file.path());
  EXPECT_EQ(text.code, 0) << text.errors;
  for (const char* line : {"n = 2, 3 nonzeros", "status          success", "pivots          0 replaced; growth ",
                           "backend         host", "backward error  ", "b = A·ones"}) {
    EXPECT_TRUE(text.says(line)) << line << "\n" << text.output;
  }
  const nlohmann::json json = run_command("solve --json --form lu " + file.path()).json();
  EXPECT_EQ(json["form"], "lu");
  EXPECT_EQ(json["status"], "success");
  EXPECT_EQ(json["perturbed_pivots"], 0);
  EXPECT_GE(json["growth"].get<double>(), 1.0);
  EXPECT_LE(json["backward_error"].get<double>(), backward_error_bound<double>(2));
}

TEST(LuCommand, SolvesWithTheMatrixAndNotWithItsTranspose) {
  const TemporaryFile file(upper);
  const TemporaryFile b("%%MatrixMarket matrix array real general\n2 1\n5\n2\n");
  const TemporaryFile x;
  const CommandResult result = run_command("solve --form lu " + file.path() + " -b " + b.path() + " -o " + x.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(io::read_dense(x.path(), 2).values, (std::vector<double>{1.0, 2.0}));
}

class LuSolves : public testing::TestWithParam<const char*> {};

TEST_P(LuSolves, GeneratedMatricesWithASmallBackwardError) {
  const io::GeneralMatrix a = io::load_general(GetParam());
  const TemporaryFile b_file;
  const TemporaryFile x_file;
  const std::vector<double> b = random_vector(a.n, 7);
  io::write_dense(b_file.path(), {a.n, 1, b});
  const nlohmann::json json =
      run_command(std::string("solve --json --form lu ") + GetParam() + " -b " + b_file.path() + " -o " + x_file.path())
          .json();
  EXPECT_EQ(json["status"], "success");
  EXPECT_EQ(json["nnz"], a.values.size());
  const double error = io::backward_error(a, io::read_dense(x_file.path(), a.n).values, b);
  EXPECT_LE(error, backward_error_bound<double>(a.n));
  EXPECT_EQ(json["backward_error"].get<double>(), error) << "computed with all entries";
  const nlohmann::json single = run_command(std::string("solve --json --precision float --form lu ") + GetParam()).json();
  EXPECT_LE(single["backward_error"].get<double>(), backward_error_bound<float>(a.n));
}

INSTANTIATE_TEST_SUITE_P(Generators, LuSolves, testing::Values("convdiff:20", "circuit:15", "lap2d:12"));

TEST(LuCommand, AnalyzesWithTheSameStructureAsSolve) {
  const nlohmann::json analyzed = run_command("analyze --json --form lu circuit:12").json();
  const nlohmann::json solved = run_command("solve --json --form lu circuit:12").json();
  EXPECT_EQ(analyzed["backend"], "host");
  for (const char* key : {"n", "nnz", "nnz_l", "stored_l", "flops", "supernodes"})
    EXPECT_EQ(analyzed[key], solved[key]) << key;
  EXPECT_FALSE(analyzed.contains("nnz_lower"));
}

TEST(LuCommand, SymmetricMatricesKeepTheirReport) {
  for (const char* form : {"", " --form llt"}) {
    const CommandResult result = run_command(std::string("solve --json lap2d:5") + form);
    EXPECT_EQ(result.code, 0);
    for (const char* key : {"form", "perturbed_pivots", "growth"}) EXPECT_FALSE(result.json().contains(key)) << key;
    EXPECT_FALSE(run_command(std::string("solve lap2d:5") + form).says("growth"));
  }
}

TEST(LuCommand, MatchingAndPerturbationReachTheSolver) {
  const TemporaryFile file(zero_pivot);
  const nlohmann::json unmatched = run_command("solve --json --form lu --matching none " + file.path()).json();
  EXPECT_GE(unmatched["perturbed_pivots"].get<int>(), 1);
  EXPECT_EQ(unmatched["status"], "success") << "refinement mends it";
  const TemporaryFile other(circulant);
  const nlohmann::json perturbed = run_command("solve --json --form lu --perturbation 1 " + other.path()).json();
  EXPECT_GE(perturbed["perturbed_pivots"].get<int>(), 1);
  const nlohmann::json usual = run_command("solve --json --form lu --matching product " + file.path()).json();
  EXPECT_EQ(usual["perturbed_pivots"], 0);
}

TEST(LuCommand, ScheduleReachesTheSolver) {
  const TemporaryFile file(circulant);
  for (const std::string schedule : {"columns", "supernodes", "dense"}) {
    const CommandResult text = run_command("solve --form lu --lu-schedule " + schedule + " " + file.path());
#ifndef GPUSUPERNODAL_TEST_LU_COLUMNS
    if (schedule == "columns") {
      EXPECT_NE(text.code, 0);
      EXPECT_TRUE(text.says("this build has no LU by columns")) << text.output;
      continue;
    }
#endif
    EXPECT_EQ(text.code, 0);
    EXPECT_EQ(text.says("dense tail"), schedule == "columns");
    EXPECT_EQ(text.says("dense storage of order 3"), schedule == "dense") << text.output;
    const nlohmann::json json = run_command("solve --json --form lu --lu-schedule " + schedule + " " + file.path()).json();
    EXPECT_EQ(json["lu_schedule"], schedule);
    EXPECT_EQ(json["status"], "success");
  }
}

TEST(LuExitCode, SixWhereTheMatrixIsSingular) {
  const TemporaryFile file(equal_rows);
  const CommandResult result = run_command("solve --json --form lu " + file.path());
  EXPECT_EQ(result.code, 6) << result.output;
  EXPECT_EQ(result.json()["status"], "singular");
  EXPECT_EQ(result.json()["kind"], "singular");
  EXPECT_TRUE(result.complains("the matrix is singular up to rounding: the smallest pivot")) << result.errors;
  const CommandResult text = run_command("solve --form lu " + file.path());
  EXPECT_TRUE(text.says("status          singular")) << text.output;
}

TEST(LuExitCode, SevenWhereLuIsUnstableAndNoSolutionIsWritten) {
  const TemporaryFile file(circulant);
  const TemporaryFolder folder;
  const std::string x = folder.file("x.mtx");
  const CommandResult result = run_command("solve --json --form lu --perturbation 1 " + file.path() + " -o " + x);
  EXPECT_EQ(result.code, 7) << result.output;
  EXPECT_EQ(result.json()["status"], "unstable");
  EXPECT_EQ(result.json()["kind"], "unstable");
  EXPECT_FALSE(result.json().contains("backward_error"));
  EXPECT_TRUE(result.complains("the LU factorization is unstable: ")) << result.errors;
  EXPECT_FALSE(std::filesystem::exists(x));
  EXPECT_EQ(run_command("solve --form lu " + file.path()).code, 0) << "with usual pivots it is solved";
}

TEST(LuExitCode, HelpListsThem) {
  const CommandResult help = run_command("--help");
  EXPECT_TRUE(help.says("6 singular   7 unstable")) << help.output;
}

TEST(LuRefusals, GeneralMatricesNeedTheForm) {
  const TemporaryFile pattern(upper);
  const TemporaryFile values(general + "2 2 4\n1 1 4\n2 1 1\n1 2 2\n2 2 4\n");
  const TemporaryFile skew("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n");
  for (const char* command : {"solve ", "analyze ", "bench "}) {
    for (const std::string& matrix : {pattern.path(), values.path(), skew.path(), std::string("circuit:4")}) {
      const CommandResult result = run_command(command + matrix);
      EXPECT_EQ(result.code, 2) << command << matrix;
      EXPECT_TRUE(result.complains("--form lu to solve or analyze it.")) << command << matrix << "\n" << result.errors;
    }
  }
  EXPECT_EQ(run_command("solve --form lu " + skew.path()).code, 0);
}

TEST(LuRefusals, TheSentenceNamesTheOption) {
  const TemporaryFile file(upper);
  const std::pair<std::string, const char*> cases[] = {
      {"solve --form lux " + file.path(), "--form: there is no 'lux'; did you mean 'lu'?"},
      {"solve --form lu --matching prodct " + file.path(), "--matching: there is no 'prodct'; did you mean 'product'?"},
      {"solve --frm lu " + file.path(), "there is no option '--frm'; did you mean '--form'?"},
      {"solve lap2d:3 --matching none", "--matching needs --form lu."},
      {"solve lap2d:3 --lu-schedule columns", "--lu-schedule needs --form lu."},
      {"solve --form lu --lu-schedule colums " + file.path(),
       "--lu-schedule: there is no 'colums'; did you mean 'columns'?"},
      {"analyze lap2d:3 --perturbation 1e-8", "--perturbation needs --form lu or --form ldlt."},
      {"solve --form lu --perturbation 2 " + file.path(), "perturbation is 2"},
      {"solve --form lu --perturbation -1 " + file.path(), "perturbation is -1"},
      {"solve --form lu circiut:4", "did you mean 'circuit:4'?"},
      {"solve --form lu " + file.path() + " --plot-pattern -", "--plot-pattern draws symmetric matrices"},
      {"solve --form lu /nonexistent.mtx", "/nonexistent.mtx: cannot be opened"}};
  for (const auto& [arguments, sentence] : cases) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.errors;
    EXPECT_TRUE(result.complains(sentence)) << arguments << "\n" << result.errors;
    EXPECT_EQ(result.output, "") << arguments;
  }
}

TEST(LuRefusals, OfEqualBitsOnADevice) {
  const CommandResult result = run_command("solve --form lu --backend cuda --deterministic circuit:4");
  EXPECT_EQ(result.code, 5);
  EXPECT_TRUE(result.complains("LU with equal bits (the option deterministic) runs on the host only")) << result.errors;
}

TEST(LuCommand, DrawsTheTree) {
  const CommandResult result = run_command("solve --form lu --lu-schedule supernodes circuit:6 --plot-tree -");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(result.says("<svg")) << result.output;
}

TEST(LuCommand, SaysThatColumnsHaveNoTree) {
  for (const std::string flag : {"--plot-tree", "--graphviz"}) {
    const CommandResult result = run_command("analyze --form lu --lu-schedule columns circuit:6 " + flag + " -");
    EXPECT_NE(result.code, 0);
    EXPECT_TRUE(result.complains(flag + " has no assembly tree to draw")) << result.errors;
    EXPECT_TRUE(result.complains("--lu-schedule supernodes")) << result.errors;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
