#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cli/plot/pattern_cells.hpp"
#include "cli/report/figures.hpp"
#include "cli/report/paste.hpp"
#include "cli/report/tree_levels.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// The figures of the tree add up to those of the analysis.
TEST(ReportTree, TotalsAreThoseOfTheAnalysis) {
  for (const char* const spec : {"lap2d:1", "lap2d:30", "lap3d:9", "shell:8", "elas:4"}) {
    const io::SymmetricMatrix a = io::generate(spec);
    Options options;
    options.plan_cache = false;
    options.backend = Backend::host;
    const Preview preview = Solver<double>::preview(a.view(), options);
    const TreeLevels tree = tree_levels(assembly_tree(*preview.plan));
    double flops = 0.0;
    std::int64_t columns = 0, supernodes = 0, front = 0;
    for (const TreeLevel& level : tree.levels) {
      flops += level.flops;
      columns += level.columns;
      supernodes += level.supernodes;
      front = std::max(front, level.largest_front);
      EXPECT_LE(level.smallest_front, level.largest_front);
    }
    EXPECT_EQ(columns, a.n) << spec;
    EXPECT_EQ(supernodes, preview.report.supernodes) << spec;
    EXPECT_EQ(front, preview.report.largest_front) << spec;
    EXPECT_EQ(static_cast<std::int64_t>(tree.levels.size()), preview.report.tree_height) << spec;
    EXPECT_DOUBLE_EQ(flops, preview.report.stored_flops) << spec;
  }
}

/// A chain of fronts: 2 columns below 3 rows, below them 3 columns.
TEST(ReportTree, LevelsOfTwoFronts) {
  const TreeLevels tree = tree_levels({{2, 1, true, 3}, {3, -1, false, 0}});
  ASSERT_EQ(tree.levels.size(), 2U);
  EXPECT_EQ(tree.levels[0].flops, 1.0 + 4.0 + 9.0);
  EXPECT_EQ(tree.levels[1].flops, 25.0 + 16.0);
  EXPECT_EQ(tree.levels[1].smallest_front, 5);
  ASSERT_EQ(tree.largest.size(), 2U);
  EXPECT_EQ(tree.largest[0].supernode, 0);
  EXPECT_EQ(tree.largest[0].level, 1);
  EXPECT_EQ(tree.largest[1].rows(), 3);
  EXPECT_TRUE(tree_levels({}).levels.empty());
}

TEST(ReportPattern, CellsCountEveryEntry) {
  const io::SymmetricMatrix a = io::generate("lap2d:30");
  const std::int64_t entries = 900 + 4 * 30 * 29;
  for (const int cells : {1, 7, 200, 5000}) {
    const CellCounts counts = count_cells(a.view(), {}, cells);
    EXPECT_EQ(counts.cells, std::min(cells, 900));
    EXPECT_EQ(sum(counts.counts), entries);
  }
  const io::GeneralMatrix full = io::expanded(a);
  EXPECT_EQ(count_cells(full.view(), {}, 50).counts, count_cells(a.view(), {}, 50).counts);
  std::vector<std::int64_t> reversed(900);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  CellCounts turned = count_cells(a.view(), reversed, 50);
  std::reverse(turned.counts.begin(), turned.counts.end());
  EXPECT_EQ(turned.counts, count_cells(a.view(), {}, 50).counts);
}

/// The first row is full, so rows and columns differ in a general matrix.
TEST(ReportPattern, RowsAndColumnsAreNotSwapped) {
  io::GeneralMatrix a;
  a.n = 3;
  a.offsets = {0, 1, 3, 5};
  a.indices = {0, 0, 1, 0, 2};
  a.values = {1.0, 1.0, 1.0, 1.0, 1.0};
  EXPECT_EQ(count_cells(a.view(), {}, 3).counts, (std::vector<std::int64_t>{1, 1, 1, 0, 1, 0, 0, 0, 1}));
  const RowLengths rows = row_lengths(a.view());
  EXPECT_EQ(rows.longest, 3);
  EXPECT_EQ(rows.shortest, 1);
}

TEST(ReportPattern, ShadesGrowWithTheLogarithm) {
  EXPECT_EQ(shades_of({2, {0, 1, 10, 100}}, 100), "0159");
  EXPECT_EQ(shades_of({1, {1}}, 1), "9");
}

TEST(ReportPattern, RowLengthsOfAGrid) {
  const RowLengths rows = row_lengths(io::generate("lap2d:10").view());
  EXPECT_EQ(rows.shortest, 3);
  EXPECT_EQ(rows.longest, 5);
  EXPECT_DOUBLE_EQ(rows.mean, (100.0 + 4.0 * 90.0) / 100.0);
  ASSERT_EQ(rows.bins.size(), 3U);
  EXPECT_EQ(rows.bins[0].rows, 4);
  EXPECT_EQ(rows.bins[1].rows, 32);
  EXPECT_EQ(rows.bins[2].rows, 64);
}

/// Diagonal entries, and a first column of 1000.
TEST(ReportPattern, BinsOfAnArrowContainAllRows) {
  io::SymmetricMatrix a;
  a.n = 1000;
  a.offsets.clear();
  for (std::int32_t j = 0; j < 1000; ++j) {
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
    for (std::int32_t i = j; i < (j == 0 ? 1000 : j + 1); ++i) a.indices.push_back(i);
  }
  a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  const RowLengths rows = row_lengths(a.view());
  ASSERT_LE(rows.bins.size(), 24U);
  EXPECT_EQ(rows.bins.front().rows, 999);
  EXPECT_EQ(rows.bins.back().rows, 1);
  EXPECT_LE(rows.bins.back().from, 1000);
  EXPECT_GE(rows.bins.back().to, 1000);
}

MethodFigures method(double analyze, double first, double again, double solve) {
  return {"direct", "", analyze, first, again, solve, 0.0, {}};
}

TEST(ReportMethods, TotalsAndTheFastest) {
  const std::vector<MethodFigures> methods{method(2.0, 3.0, 1.0, 0.5), method(0.0, 0.0, 0.0, 1.0)};
  EXPECT_DOUBLE_EQ(methods[0].total(1.0, false), 5.5);
  EXPECT_DOUBLE_EQ(methods[0].total(10.0, false), 10.0);
  EXPECT_DOUBLE_EQ(methods[0].total(10.0, true), 19.0);
  EXPECT_EQ(fastest(methods, 9.0, false), 1U);
  EXPECT_EQ(fastest(methods, 11.0, false), 0U);
  EXPECT_EQ(fastest(methods, 11.0, true), 1U);
  EXPECT_EQ(fastest({methods[1], methods[0]}, 11.0, true), 0U);
  EXPECT_EQ(fastest({}, 1.0, false), 0U);
}

TEST(ReportPaste, QuotesForTheShell) {
  EXPECT_EQ(shell_quoted("lap3d:40"), "lap3d:40");
  EXPECT_EQ(shell_quoted("my matrix.mtx"), "'my matrix.mtx'");
  EXPECT_EQ(shell_quoted("a'b$(c)"), "'a'\\''b$(c)'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(ReportPaste, NamesTheMethodAndTheForm) {
  MethodFigures m = method(0, 0, 0, 0);
  EXPECT_EQ(paste_of(m, Form::llt, "A.mtx", 1e-10).command,
            "gpusupernodal solve A.mtx --expected-factorizations @FACTORIZATIONS@");
  EXPECT_NE(paste_of(m, Form::lu, "A.mtx", 1e-10).petsc.find("-pc_type lu"), std::string::npos);
  EXPECT_NE(paste_of(m, Form::ldlt, "A.mtx", 1e-10).eigen.find("GpuSupernodalLDLT"), std::string::npos);
  m.method = "pcg";
  m.preconditioner = "ic0";
  EXPECT_NE(paste_of(m, Form::llt, "A.mtx", 1e-8).petsc.find("icc -pc_factor_levels 0"), std::string::npos);
  EXPECT_NE(paste_of(m, Form::llt, "A.mtx", 1e-8).cpp.find("tolerance = 1e-08"), std::string::npos);
  m.method = "mixed";
  for (const auto text : {&Paste::eigen, &Paste::cpp, &Paste::python, &Paste::command})
    EXPECT_NE((paste_of(m, Form::llt, "A.mtx", 1e-10).*text).find("mixed"), std::string::npos);
}

}  // namespace
}  // namespace gpusupernodal::cli
