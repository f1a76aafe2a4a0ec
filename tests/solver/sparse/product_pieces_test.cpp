#include "solver/host/run/product_pieces.hpp"

#include <gtest/gtest.h>

#include "base/thread_team.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/sparse/format_model.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

std::int32_t unit_count(const SparseLayout& layout) {
  if (layout.format == Format::coo) return static_cast<std::int32_t>(layout.stored_values);
  return layout.format == Format::csr || layout.format == Format::dia ? layout.rows : layout.units;
}

TEST(ProductPieces, CoverAllUnitsOfEveryFormat) {
  for (const Entries& a : general_matrices()) {
    const Stored<double> stored = store<double>(a);
    const RowPattern pattern = make_row_pattern(stored.pattern());
    for (const LayoutCandidate& candidate : layout_candidates(pattern, {Format::automatic, Backend::host, 8})) {
      if (!candidate.refusal.empty()) continue;
      const SparseLayout layout = candidate.make();
      const std::vector<std::int32_t> borders = product_borders(layout);
      ASSERT_GE(borders.size(), 2U);
      EXPECT_EQ(borders.front(), 0);
      EXPECT_EQ(borders.back(), unit_count(layout)) << a.name << ", " << candidate.kernel;
      EXPECT_TRUE(std::is_sorted(borders.begin(), borders.end())) << a.name << ", " << candidate.kernel;
    }
  }
}

/// Short pieces of many diagonals spend their time at the ends of loops: elas:12 was cut into pieces of ten rows.
TEST(ProductPieces, OfManyDiagonalsHaveManyRows) {
  for (const char* const name : {"elas:12", "elas:20", "lap3d:20"}) {
    const io::SymmetricMatrix a = io::generate(name);
    RowPattern pattern =
        make_row_pattern({a.n, a.n, a.offsets.data(), a.indices.data(), StoredPart::lower, Compression::columns});
    for (const bool symmetric : {true, false}) {
      pattern.symmetric = symmetric;
      const std::vector<std::int32_t> borders =
          product_borders(layout_candidates(pattern, {Format::dia, Backend::host, 8}).front().make());
      EXPECT_GT(borders.size(), 2U) << "pieces for several threads";
      for (std::size_t p = 0; p + 1 < borders.size(); ++p)
        EXPECT_GE(borders[p + 1] - borders[p] + 1, least_diagonal_rows) << name << ", piece " << p;
    }
  }
}

/// What the model divides by is what products use: DIA with few rows has one piece, and the rest of HYB counts, too.
TEST(ProductPieces, AreSharedByAsManyThreadsAsTheModelAssumes) {
  Entries few_rows{"few rows of many diagonals", 300, 300, {}};
  for (std::int64_t i = 0; i < few_rows.rows; ++i) {
    for (std::int64_t j = 0; j < few_rows.columns; ++j) few_rows(i, j) = 1.0;
  }
  Entries long_rows{"a few long rows", 4000, 4000, {}};
  for (std::int64_t i = 0; i < long_rows.rows; ++i) {
    const std::int64_t length = i % 400 == 0 ? 2500 : 3;
    for (std::int64_t j = 0; j < length; ++j) long_rows(i, (i + j) % long_rows.columns) = 1.0;
  }
  std::vector<Entries> matrices = general_matrices();
  matrices.push_back(few_rows);
  matrices.push_back(long_rows);
  for (const Entries& a : matrices) {
    const Stored<double> stored = store<double>(a);
    const RowPattern pattern = make_row_pattern(stored.pattern());
    for (const Format format : {Format::dia, Format::hyb, Format::csr, Format::coo, Format::sell}) {
      for (const LayoutCandidate& candidate : layout_candidates(pattern, {format, Backend::host, 8, 2})) {
        if (!candidate.refusal.empty()) continue;
        EXPECT_EQ(candidate.shape.workers, product_workers(candidate.make(), 2)) << a.name << ", " << candidate.kernel;
        const bool is_one_piece = a.name == few_rows.name && format == Format::dia;
        const bool has_large_rest = a.name == long_rows.name && format == Format::hyb;
        EXPECT_TRUE(!is_one_piece || candidate.shape.workers == 1);
        EXPECT_TRUE(!has_large_rest || candidate.shape.workers == worker_count(2));
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
