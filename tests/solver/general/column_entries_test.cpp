#include "solver/general/column_entries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "gpusupernodal/error.hpp"
#include "tests/solver/general/entries.hpp"
#include "tests/support/general_matrices.hpp"

namespace gpusupernodal {
namespace {

using test::Triplet;

/// A matrix in the caller's arrays, with entries in any order within a column or row.
template <class Offset, class Index>
struct Arrays {
  std::vector<Offset> offsets{0};
  std::vector<Index> indices;
  std::vector<double> values;
  Compression compression;

  Arrays(std::int64_t n, std::vector<Triplet> entries, Compression c, bool shuffled) : compression(c) {
    std::mt19937_64 random(17);
    if (shuffled) std::shuffle(entries.begin(), entries.end(), random);
    for (std::int64_t outer = 0; outer < n; ++outer) {
      for (const Triplet& t : entries) {
        if ((c == Compression::columns ? t.column : t.row) != outer) continue;
        indices.push_back(static_cast<Index>(c == Compression::columns ? t.row : t.column));
        values.push_back(t.value);
      }
      offsets.push_back(static_cast<Offset>(indices.size()));
    }
  }
  PatternView view() const {
    return {static_cast<std::int64_t>(offsets.size()) - 1, offsets.data(), indices.data(), StoredPart::full, compression};
  }
};

/// Checks that the entries are those of `a`, in the order of its columns, and point to the right values.
void expect_entries(const io::GeneralMatrix& a, const ColumnEntries& entries, const std::vector<double>& values) {
  EXPECT_EQ(entries.n, a.n);
  ASSERT_TRUE(std::equal(entries.offsets.begin(), entries.offsets.end(), a.offsets.begin(), a.offsets.end()));
  ASSERT_TRUE(std::equal(entries.rows.begin(), entries.rows.end(), a.indices.begin(), a.indices.end()));
  ASSERT_EQ(entries.entry.size(), values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(values[static_cast<std::size_t>(entries.entry[k])], a.values[k]) << "entry " << k;
  }
}

template <class Offset, class Index>
void expect_all_forms(const io::GeneralMatrix& a) {
  for (const Compression compression : {Compression::columns, Compression::rows}) {
    for (const bool shuffled : {false, true}) {
      const Arrays<Offset, Index> arrays(a.n, test::triplets(a), compression, shuffled);
      validate_general_pattern(arrays.view());
      expect_entries(a, column_entries(arrays.view()), arrays.values);
    }
  }
}

TEST(ColumnEntries, OfAllFormsOfAMatrixAreEqual) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + 7 * seed);
    const io::GeneralMatrix a = test::random_general(n, 3 * n, 4.0, seed);
    expect_all_forms<std::int32_t, std::int32_t>(a);
    expect_all_forms<std::int32_t, std::int64_t>(a);
    expect_all_forms<std::int64_t, std::int32_t>(a);
    expect_all_forms<std::int64_t, std::int64_t>(a);
  }
}

TEST(ColumnEntries, OfRowsAreThoseOfTheTransposedColumns) {
  const io::GeneralMatrix a = test::random_general(40, 200, 4.0, 2);
  PatternView by_rows = test::pattern_of(a);
  by_rows.compression = Compression::rows;
  expect_entries(test::transposed(a), column_entries(by_rows), a.values);
}

TEST(ColumnEntries, OfMatricesWithoutEntries) {
  PatternView pattern;
  pattern.part = StoredPart::full;
  validate_general_pattern(pattern);
  EXPECT_EQ(column_entries(pattern).offsets, (RawVector<std::int64_t>{0}));
  const std::vector<std::int32_t> offsets{0, 0, 0};
  pattern.n = 2;
  pattern.offsets = offsets.data();
  for (const Compression compression : {Compression::columns, Compression::rows}) {
    pattern.compression = compression;
    validate_general_pattern(pattern);
    const ColumnEntries entries = column_entries(pattern);
    EXPECT_EQ(entries.n, 2);
    EXPECT_EQ(entries.offsets, (RawVector<std::int64_t>{0, 0, 0}));
    EXPECT_TRUE(entries.rows.empty() && entries.entry.empty());
  }
}

void expect_refused(const PatternView& pattern, const std::string& words) {
  try {
    validate_general_pattern(pattern);
    FAIL() << "accepted, without: " << words;
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(GeneralPattern, HalvesDuplicatesAndForeignIndicesAreRefused) {
  const std::vector<std::int32_t> offsets{0, 1, 3};
  const std::vector<std::int32_t> sound{0, 0, 1};
  const std::vector<std::int32_t> repeated{1, 0, 0};
  const std::vector<std::int32_t> foreign{0, 1, 2};
  PatternView pattern{2, offsets.data(), sound.data(), StoredPart::lower, Compression::columns};
  expect_refused(pattern, "only the lower part is stored, but a general matrix needs all of its entries");
  pattern.part = StoredPart::upper;
  expect_refused(pattern, "only the upper part");
  pattern.part = StoredPart::full;
  validate_general_pattern(pattern);
  pattern.indices = repeated.data();
  expect_refused(pattern, "row 0, column 1 occurs more than once (again at indices[2])");
  pattern.compression = Compression::rows;
  expect_refused(pattern, "row 1, column 0 occurs more than once");
  pattern.indices = foreign.data();
  expect_refused(pattern, "indices[2] in row 1 is 2, but columns of a matrix of order 2 are 0 to 1");
}

}  // namespace
}  // namespace gpusupernodal
