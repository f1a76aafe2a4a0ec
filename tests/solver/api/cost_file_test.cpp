/// Valid and invalid cost model files, and what they change.

#include "solver/api/cost_file.hpp"

#include <cstdlib>

#include "tests/solver/api/solvers.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

std::string file_with(const std::string& members) { return R"({"format": "gpusupernodal cost model 1")" + members + "}"; }

TEST(CostFile, ReplacesTheGivenFiguresAndKeepsTheRest) {
  const TemporaryFile file(file_with(R"(, "device": "any", "samples": [], "host": {"seconds_fixed": 0.5},
                                        "cuda": {"seconds_per_level": 1e-3, "flops_per_second": 7},
                                        "launch": {"tiny_seconds": 0.75})"));
  CostFigures defaults;
  defaults.cuda.seconds_fixed = 0.25;
  const CostFigures figures = read_cost_file(file.path(), defaults);
  EXPECT_EQ(figures.host.seconds_fixed, 0.5);
  EXPECT_EQ(figures.host.flops_per_second, defaults.host.flops_per_second);
  EXPECT_EQ(figures.cuda.seconds_per_level, 1e-3);
  EXPECT_EQ(figures.cuda.flops_per_second, 7.0);
  EXPECT_EQ(figures.cuda.seconds_fixed, 0.25);
  EXPECT_EQ(figures.launch.tiny_seconds, 0.75);
  EXPECT_EQ(figures.launch.small_seconds, defaults.launch.small_seconds);
}

TEST(CostFile, RefusesUnknownContentAndNamesTheFile) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {"{", "not a JSON object"},
      {"{}", "format"},
      {R"({"format": 1})", "format"},
      {file_with(R"(, "host": 3)"), "'host' is not an object"},
      {file_with(R"(, "cuda": {"seconds_per_level": -1})"), "'seconds_per_level' of 'cuda' is not a positive number"},
      {file_with(R"(, "cuda": {"seconds_per_level": 0})"), "positive"},
      {file_with(R"(, "cuda": {"seconds_per_level": 1e999})"), ""},
      {file_with(R"(, "cuda": {"seconds_per_level": "fast"})"), "positive"},
      {file_with(R"(, "host": {"seconds_per_level": 1})"), "'host' has no figure 'seconds_per_level'"}};
  for (const auto& [text, reason] : bad) {
    SCOPED_TRACE(text);
    const TemporaryFile file(text);
    expect_throw<InvalidInput>([&] { read_cost_file(file.path(), CostFigures()); }, {file.path(), reason});
  }
  const TemporaryFolder folder;
  expect_throw<InvalidInput>([&] { read_cost_file(folder.file(""), CostFigures()); }, {folder.file(""), "cannot be read"});
  expect_throw<InvalidInput>([] { read_cost_file("/nowhere/figures.json", CostFigures()); },
                             {"/nowhere/figures.json", "cannot be opened"});
}

/// Sets GPUSUPERNODAL_COST_MODEL during its lifetime.
class Variable {
 public:
  explicit Variable(const std::string& path) { setenv("GPUSUPERNODAL_COST_MODEL", path.c_str(), 1); }
  ~Variable() { unsetenv("GPUSUPERNODAL_COST_MODEL"); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
};

TEST(CostFile, IsFoundByTheEnvironmentVariable) {
  const TemporaryFile file(file_with(R"(, "host": {"seconds_fixed": 0.125})"));
  const double before = cost_figures_for("").host.seconds_fixed;
  {
    const Variable variable(file.path());
    EXPECT_EQ(cost_figures_for("").host.seconds_fixed, 0.125);
  }
  EXPECT_EQ(cost_figures_for("").host.seconds_fixed, before);
  const Variable empty("");
  EXPECT_EQ(cost_figures_for("").host.seconds_fixed, before);
}

/// analyze reports an invalid file and leaves the solver unchanged. With an explicit backend, no file is read.
TEST(CostFile, InvalidFileIsReportedByAnalyze) {
  const io::SymmetricMatrix a = io::generate("lap2d:6");
  const StoredMatrix<double> s = stored<double>(a);
  Solver<double> automatic(on(Backend::automatic));
  automatic.compute(s.view());
  const Variable variable("/nowhere/figures.json");
  expect_throw<InvalidInput>([&] { automatic.analyze(s.view()); }, {"/nowhere/figures.json"});
  expect_solves(automatic, a);
  Solver<double> host(on(Backend::host));
  host.compute(s.view());
  expect_solves(host, a);
}

/// On a machine with a device, the figures decide the backend.
TEST(CostFile, DecidesWhichBackendAutomaticTakes) {
  const CudaAvailability cuda = cuda_availability();
  if (!cuda.available) GTEST_SKIP() << cuda.reason;
  const StoredMatrix<double> s = stored<double>(io::generate("lap3d:8"));
  for (const Backend expected : {Backend::host, Backend::cuda}) {
    const std::string slow = expected == Backend::host ? "cuda" : "host";
    const TemporaryFile file(file_with(R"(, ")" + slow + R"(": {"seconds_fixed": 1e6})"));
    const Variable variable(file.path());
    Solver<double> solver(on(Backend::automatic));
    solver.analyze(s.view());
    EXPECT_EQ(solver.backend(), expected) << solver.analyze_report().backend_reason;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
