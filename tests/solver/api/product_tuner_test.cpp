#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/tuning.hpp"
#include "solver/api/product_figures_file.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

TuneOptions quick_on_host() {
  TuneOptions options;
  options.backend = Backend::host;
  options.rounds = 1;
  return options;
}

void measure(ProductTuner& tuner, const std::string& name, bool fits) {
  const io::SymmetricMatrix a = io::generate(name);
  tuner.measure(name, SparseView<double>(a.view()), fits);
}

/// Sets GPUSUPERNODAL_COST_MODEL during its lifetime.
class Variable {
 public:
  explicit Variable(const std::string& path) { setenv("GPUSUPERNODAL_COST_MODEL", path.c_str(), 1); }
  ~Variable() { unsetenv("GPUSUPERNODAL_COST_MODEL"); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
};

TEST(ProductTuner, StoresWhatItFitsForOperators) {
  ProductTuner tuner(quick_on_host());
  measure(tuner, "lap2d:12", true);
  measure(tuner, "elas:4", true);
  const TuneReport all = tuner.fit();
  EXPECT_EQ(all.judged, 0);
  measure(tuner, "lap3d:6", false);
  const TuneReport report = tuner.fit();
  EXPECT_GT(report.judged, 0);
  EXPECT_LT(report.judged, static_cast<int>(report.products.size()));
  for (const TunedProduct& product : report.products) {
    EXPECT_EQ(product.is_fitted, product.matrix != "lap3d:6");
    EXPECT_GT(product.measured_seconds, 0.0);
    EXPECT_GT(product.predicted_seconds, 0.0);
  }
  const TemporaryFolder folder;
  const std::string path = folder.file("figures.json");
  tuner.store(path);
  const Variable variable(path);
  const FoundProductFigures found = found_product_figures(Backend::host, -1);
  ASSERT_NE(found.figures, nullptr) << found.source;
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  SparseOperator<double> op;
  OperatorOptions options;
  options.backend = Backend::host;
  options.threads = 1;
  op.set_options(options);
  op.analyze(SparseView<double>(a.view()));
  EXPECT_EQ(op.report().figures, "the file " + path);
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon();  // The file has the figures with all digits.
  for (const TunedProduct& product : report.products) {
    if (product.matrix != "lap3d:6" || product.threads != 1) continue;
    for (const FormatCandidate& candidate : op.report().candidates) {
      if (candidate.kernel == product.kernel) {
        EXPECT_NEAR(candidate.predicted_seconds, product.predicted_seconds, rounding * product.predicted_seconds);
      }
    }
  }
}

TEST(ProductTuner, RefusesCallsOutOfOrderAndWrongOptions) {
  ProductTuner tuner(quick_on_host());
  expect_throw<InvalidState>([&] { tuner.fit(); }, {"call measure first"});
  expect_throw<InvalidState>([&] { tuner.store("/tmp/never-written.json"); }, {"call fit first"});
  measure(tuner, "lap2d:5", false);
  expect_throw<InvalidState>([&] { tuner.fit(); }, {"call measure first"});
  TuneOptions options = quick_on_host();
  for (const int rounds : {0, -1, 1001}) {
    options.rounds = rounds;
    expect_throw<InvalidInput>([&] { ProductTuner wrong(options); }, {"rounds", std::to_string(rounds)});
  }
}

/// Views that an operator refuses are refused with its words.
TEST(ProductTuner, RefusesWrongViewsAndRepeatedNames) {
  const io::SymmetricMatrix a = io::generate("lap2d:5");
  ProductTuner tuner(quick_on_host());
  SparseView<double> view(a.view());
  view.pattern_space = MemorySpace::device;
  expect_throw<InvalidInput>([&] { tuner.measure("a", view); }, {"pattern"});
  view = SparseView<double>(a.view());
  view.part = static_cast<StoredPart>(7);
  expect_throw<InvalidInput>([&] { tuner.measure("a", view); }, {"7"});
  expect_throw<InvalidState>([&] { tuner.fit(); }, {"call measure first"});
  measure(tuner, "lap2d:5", true);
  expect_throw<InvalidInput>([&] { measure(tuner, "lap2d:5", true); }, {"'lap2d:5'", "another name"});
}

/// What fit returned stays complete until the next fit.
TEST(ProductTuner, ReportsOnlyFittedProducts) {
  ProductTuner tuner(quick_on_host());
  measure(tuner, "lap2d:6", true);
  const TuneReport& report = tuner.fit();
  const std::size_t before = report.products.size();
  measure(tuner, "lap2d:7", false);
  EXPECT_EQ(report.products.size(), before);
  for (const TunedProduct& product : report.products) EXPECT_GT(product.predicted_seconds, 0.0);
  tuner.fit();
  EXPECT_GT(report.products.size(), before);
}

TEST(ProductTuner, FollowsTheVariableForTheBackend) {
  TuneOptions options = quick_on_host();
  options.backend = Backend::automatic;
  setenv("GPUSUPERNODAL_BACKEND", "abacus", 1);
  expect_throw<InvalidInput>([&] { ProductTuner tuner(options); }, {"GPUSUPERNODAL_BACKEND", "abacus"});
  setenv("GPUSUPERNODAL_BACKEND", "host", 1);
  ProductTuner tuner(options);
  unsetenv("GPUSUPERNODAL_BACKEND");
  measure(tuner, "lap2d:5", true);
  EXPECT_EQ(tuner.fit().backend, Backend::host);
}

TEST(ProductTuner, ChecksAFileWithoutWritingIt) {
  const TemporaryFolder folder;
  const ProductTuner tuner(quick_on_host());
  const std::string fresh = folder.file("figures.json");
  tuner.check_file(fresh);
  EXPECT_NE(access(fresh.c_str(), F_OK), 0);
  const TemporaryFile notes("notes of mine");
  expect_throw<InvalidInput>([&] { tuner.check_file(notes.path()); }, {notes.path(), "is not a JSON object"});
  expect_throw<InvalidInput>([&] { tuner.check_file("/no/such/folder/figures.json"); }, {"/no/such/folder", "No such file"});
  expect_throw<InvalidInput>([&] { tuner.check_file("/tmp"); }, {"/tmp", "cannot be read"});
}

/// Figures of two machines without a name must not be taken for one another, nor some figures for all.
TEST(ProductTuner, FilesNeedAMachineAndAllFigures) {
  ProductTuner tuner(quick_on_host());
  measure(tuner, "lap2d:5", true);
  tuner.fit();
  const TemporaryFolder folder;
  const std::string path = folder.file("figures.json");
  tuner.store(path);
  const std::string machine = product_machine(Backend::host, -1);
  EXPECT_NO_THROW(read_product_figures(path, Backend::host, machine));
  expect_throw<InvalidInput>([&] { read_product_figures(path, Backend::host, ""); }, {path, "no name"});
  nlohmann::json json;
  std::ifstream(path) >> json;
  nlohmann::json& host = json["products"]["host"];
  const auto refused = [&](const std::string& reason) {
    const TemporaryFile file(json.dump());
    expect_throw<InvalidInput>([&] { read_product_figures(file.path(), Backend::host, machine); }, {file.path(), reason});
    const Variable variable(file.path());
    const FoundProductFigures found = found_product_figures(Backend::host, -1);
    EXPECT_EQ(found.figures, nullptr);
    EXPECT_NE(found.source.find(reason), std::string::npos) << found.source;
  };
  host["figures"].erase("csr_warp");
  refused("lack 'csr_warp' for host");
  host.erase("figures");
  refused("lack 'memory_rate' for host");
}

/// A folder in place of a file once ended analyze with an exception of the standard library.
TEST(ProductTuner, AFolderIsAFileThatCannotBeUsed) {
  const TemporaryFolder folder;
  const Variable variable(folder.file(""));
  const FoundProductFigures found = found_product_figures(Backend::host, -1);
  EXPECT_EQ(found.figures, nullptr);
  EXPECT_NE(found.source.find("cannot be read"), std::string::npos) << found.source;
}

/// A file that cannot be used changes nothing and stops neither an operator nor conjugate gradients.
TEST(ProductTuner, FilesOfOtherMachinesAreIgnored) {
  const TemporaryFile file(
      R"({"format": "gpusupernodal cost model 1", "products": {"version": 1, "host": {"machine": "abacus", "figures": {}}}})");
  const io::SymmetricMatrix a = io::generate("lap2d:9");
  OperatorOptions options;
  options.backend = Backend::host;
  SparseOperator<double> before(options), with(options);
  before.analyze(SparseView<double>(a.view()));
  const Variable variable(file.path());
  with.analyze(SparseView<double>(a.view()));
  EXPECT_EQ(with.report().predicted_seconds, before.report().predicted_seconds);
  EXPECT_NE(with.report().figures.find("abacus"), std::string::npos) << with.report().figures;
  PcgOptions pcg_options;
  pcg_options.backend = Backend::host;
  Pcg<double> pcg(pcg_options);
  pcg.compute(a.view());
}

}  // namespace
}  // namespace gpusupernodal::test
