/// preview returns what analyze would report, without a device and without memory for a factor.

#include <gtest/gtest.h>

#include <memory>

#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/support/sanitized.hpp"

namespace gpusupernodal::test {
namespace {

/// Refuses every request.
class NoMemory final : public Allocator {
 public:
  void* allocate(std::size_t, std::size_t) override { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t) noexcept override {}
};

TEST(Preview, ReportsWhatAnalyzeReports) {
  const io::SymmetricMatrix a = io::generate("lap3d:12");
  Options options;
  options.backend = Backend::host;
  Solver<double> solver(options);
  solver.analyze(a.view());
  const Preview seen = Solver<double>::preview(a.view(), options);
  const AnalyzeReport& expected = solver.analyze_report();
  EXPECT_EQ(seen.report.memory.total(), expected.memory.total());
  EXPECT_EQ(seen.report.nonzeros_l, expected.nonzeros_l);
  EXPECT_EQ(seen.report.tasks, expected.tasks);
  EXPECT_EQ(seen.report.device, expected.device);
  EXPECT_EQ(seen.report.backend, Backend::host);
}

TEST(Preview, TakesNoMemoryForTheFactor) {
  const io::SymmetricMatrix a = io::generate("lap3d:12");
  Options options;
  options.backend = Backend::host;
  options.host_allocator = options.device_allocator = std::make_shared<NoMemory>();
  Solver<double> solver(options);
  EXPECT_THROW(solver.analyze(a.view()), OutOfMemory);
  EXPECT_GT(Solver<double>::preview(a.view(), options).report.memory.factor, 0);
  options.backend = Backend::cuda;
  EXPECT_GT(Solver<double>::preview(a.view(), options).report.memory.factor, 0);
}

TEST(Preview, PlansForAnAbsentDevice) {
  const io::SymmetricMatrix a = io::generate("lap3d:12");
  Options options;
  options.backend = Backend::cuda;
  options.device_profile = "H100";
  const Preview wide = Solver<double>::preview(a.view(), options);
  EXPECT_EQ(wide.report.backend, Backend::cuda);
  EXPECT_EQ(wide.report.device, "H100");
  EXPECT_GT(wide.report.tasks, 0);
  EXPECT_GT(wide.report.critical_path_flops, 0.0);
  MatrixView<float> view;
  view.n = a.n;
  view.offsets = a.offsets.data();
  view.indices = a.indices.data();
  view.part = a.view().part;
  view.compression = a.view().compression;
  const Preview narrow = Solver<float>::preview(view, options);
  EXPECT_LT(narrow.report.memory.factor, wide.report.memory.factor);
  EXPECT_LT(narrow.report.memory.workspace, wide.report.memory.workspace);
}

#if GPUSUPERNODAL_TEST_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// A panel for each supernode, stored as one rectangle, would take 5,448,784,384 bytes in all.
TEST(Preview, PlansNoMemoryAboveBlockColumns) {
  if (sanitized) GTEST_SKIP() << "too slow under a sanitizer";
  constexpr std::int64_t bytes_of_rectangles = 5'448'784'384;
  Options options;
  options.backend = Backend::cuda;
  options.device_profile = "H200";
  const Preview seen = Solver<double>::preview(io::generate("lap3d:100").view(), options);
  EXPECT_LE(seen.report.memory.total(), bytes_of_rectangles * 93 / 100);
}

TEST(Preview, RefusesAnUnknownProfile) {
  const io::SymmetricMatrix a = io::generate("lap2d:5");
  Options options;
  options.device_profile = "A1000";
  try {
    Solver<double>::preview(a.view(), options);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("H200, H100"), std::string::npos) << error.what();
  }
}

TEST(Preview, SolversAcceptItsPlan) {
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  Options options;
  options.backend = Backend::host;
  Solver<double> solver(options);
  solver.analyze(a.view(), Solver<double>::preview(a.view(), options).plan);
  solver.factorize(a.view());
  EXPECT_EQ(solver.status(), Status::success);
}

}  // namespace
}  // namespace gpusupernodal::test
