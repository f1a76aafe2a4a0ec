#include "solver/sparse/row_pattern.hpp"

#include <gtest/gtest.h>

#include <map>

#include "gpusupernodal/error.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

using Places = std::map<std::pair<std::int64_t, std::int64_t>, double>;

/// The entries of a pattern with the caller's values; adjacent columns must ascend.
Places places_of(const RowPattern& pattern, const std::vector<double>& values) {
  Places places;
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    const auto begin = static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(i)]);
    for (auto e = begin; e < static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
      EXPECT_TRUE(e == begin || pattern.index[e - 1] < pattern.index[e]);
      places[{i, pattern.index[e]}] = values[static_cast<std::size_t>(pattern.source_of(static_cast<std::int64_t>(e)))];
    }
  }
  return places;
}

TEST(RowPattern, HasTheEntriesOfEveryStorage) {
  for (const Entries& a : general_matrices()) {
    for (const Compression compression : {Compression::rows, Compression::columns}) {
      for (const bool shuffled : {false, true}) {
        const Stored<double> stored = store<double>(a, compression, StoredPart::full, shuffled);
        const RowPattern pattern = make_row_pattern(stored.pattern());
        EXPECT_EQ(places_of(pattern, stored.values), a.of) << a.name;
        EXPECT_FALSE(pattern.symmetric);
        EXPECT_EQ(places_of(transposed(pattern), stored.values), transposed_entries(a).of) << a.name;
      }
    }
  }
}

TEST(RowPattern, CompletesSymmetricHalves) {
  const Entries a = blocked(3, 40, 3, 2);
  for (const Compression compression : {Compression::rows, Compression::columns}) {
    for (const StoredPart part : {StoredPart::lower, StoredPart::upper}) {
      const Stored<double> stored = store<double>(a, compression, part, true);
      const RowPattern pattern = make_row_pattern(stored.pattern());
      EXPECT_EQ(places_of(pattern, stored.values), a.of);
      EXPECT_TRUE(pattern.symmetric);
      EXPECT_EQ(pattern.input_values, static_cast<std::int64_t>(stored.values.size()));
    }
  }
}

/// What make_row_pattern says about a 3 by 4 matrix with these arrays.
std::string complaint(std::vector<std::int32_t> offsets, std::vector<std::int32_t> indices,
                      StoredPart part = StoredPart::full, std::int64_t columns = 4) {
  try {
    make_row_pattern({3, columns, offsets.data(), indices.data(), part, Compression::rows});
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(RowPattern, NamesWhatIsWrong) {
  EXPECT_EQ(complaint({0, 1, 2, 3}, {0, 3, 2}), "");
  EXPECT_EQ(complaint({1, 2, 3, 4}, {0, 1, 2}),
            "offsets[0] is 1, but offsets start at 0 (offsets and indices count from 0, not from 1)");
  EXPECT_EQ(complaint({0, 2, 1, 3}, {0, 1, 2}), "offsets decrease at row 1: offsets[1] is 2, offsets[2] is 1");
  EXPECT_EQ(complaint({0, 1, 2, 3}, {0, 4, 2}), "indices[1] in row 1 is 4, but the columns of the 3 by 4 matrix are 0 to 3");
  EXPECT_EQ(complaint({0, 1, 2, 3}, {0, -1, 2}),
            "indices[1] in row 1 is -1, but the columns of the 3 by 4 matrix are 0 to 3");
  EXPECT_EQ(complaint({0, 2, 2, 2}, {3, 3}),
            "the entry at row 0, column 3 occurs more than once (again at indices[1]); sum duplicate entries first");
  EXPECT_EQ(complaint({0, 1, 2, 3}, {0, 1, 2}, StoredPart::lower),
            "the matrix is 3 by 4, but only a square matrix is stored by a half");
  EXPECT_EQ(complaint({0, 1, 2, 3}, {0, 2, 2}, StoredPart::lower, 3),
            "the entry at row 1, column 2 (indices[1]) is above the diagonal, but the view says that only the lower part is "
            "stored; use StoredPart::full if both triangles are stored");
  EXPECT_EQ(complaint({0, 1, 2, 3}, {0, 0, 2}, StoredPart::upper, 3),
            "the entry at row 1, column 0 (indices[1]) is below the diagonal, but the view says that only the upper part is "
            "stored; use StoredPart::full if both triangles are stored");
}

TEST(RowPattern, RefusesMissingArraysAndSizes) {
  const std::vector<std::int32_t> offsets{0, 1};
  EXPECT_THROW(make_row_pattern({1, 1, IndexArray(), IndexArray(), StoredPart::full, Compression::rows}), InvalidInput);
  EXPECT_THROW(make_row_pattern({1, 1, offsets.data(), IndexArray(), StoredPart::full, Compression::rows}), InvalidInput);
  EXPECT_THROW(make_row_pattern({-1, 1, offsets.data(), IndexArray(), StoredPart::full, Compression::rows}), InvalidInput);
  EXPECT_THROW(
      make_row_pattern({1, std::int64_t{1} << 31, offsets.data(), IndexArray(), StoredPart::full, Compression::rows}),
      InvalidInput);
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
