#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "gpusupernodal/error.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Message of validate_pattern, or "" if the pattern is valid.
std::string sentence(const PatternView& pattern) {
  try {
    validate_pattern(pattern);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(ValidatePattern, AcceptsValidPatterns) {
  for (const auto& a : small_matrices()) EXPECT_EQ(sentence(pattern_of(a)), "") << a.name;
  EXPECT_EQ(sentence(PatternView{}), "");
  EXPECT_EQ(sentence(OwnedPattern({{2, 0, 1}, {1}, {2}}).view()), "") << "unsorted is right";
  EXPECT_EQ(sentence(OwnedPattern({{}, {}}).view()), "") << "no entries at all";
}

TEST(ValidatePattern, RefusesInvalidOrders) {
  PatternView pattern;
  pattern.n = -3;
  EXPECT_EQ(sentence(pattern), "the order of the matrix is -3, but cannot be negative");
  pattern.n = std::int64_t{1} << 31;
  EXPECT_EQ(sentence(pattern), "the order of the matrix is 2147483648, but at most 2147483647 is supported");
}

TEST(ValidatePattern, RefusesNullArrays) {
  OwnedPattern owned({{0}, {1}});
  PatternView pattern = owned.view();
  pattern.indices = IndexArray();
  EXPECT_EQ(sentence(pattern), "indices are null, but according to the offsets the matrix has 2 entries");
  pattern.offsets = IndexArray();
  EXPECT_EQ(sentence(pattern), "offsets are null, but a matrix of order 2 has 3 of them");
}

TEST(ValidatePattern, RefusesInvalidOffsets) {
  OwnedPattern owned({{0}, {1}, {2}});
  owned.offsets = {1, 1, 2, 3};
  EXPECT_EQ(sentence(owned.view()),
            "offsets[0] is 1, but offsets start at 0 (offsets and indices count from 0, not from 1)");
  owned.offsets = {2, 2, 2, 3};
  EXPECT_EQ(sentence(owned.view()), "offsets[0] is 2, but offsets start at 0");
  owned.offsets = {0, 1, -5, 3};
  EXPECT_EQ(sentence(owned.view()), "offsets[2] is -5, but offsets cannot be negative (32-bit offsets count to 2147483647)");
  owned.offsets = {0, 2, 1, 3};
  EXPECT_EQ(sentence(owned.view()), "offsets decrease at column 1: offsets[1] is 2, offsets[2] is 1");
  owned.compression = Compression::rows;
  EXPECT_EQ(sentence(owned.view()), "offsets decrease at row 1: offsets[1] is 2, offsets[2] is 1");
}

TEST(ValidatePattern, RefusesIndicesOutOfRange) {
  EXPECT_EQ(sentence(OwnedPattern({{0}, {1, 3}, {2}}).view()),
            "indices[2] in column 1 is 3, but rows of a matrix of order 3 are 0 to 2");
  OwnedPattern negative({{0}, {-1}});
  negative.compression = Compression::rows;
  EXPECT_EQ(sentence(negative.view()), "indices[1] in row 1 is -1, but columns of a matrix of order 2 are 0 to 1");
  OwnedPattern wide({{0}, {std::int64_t{1} << 32}});
  EXPECT_NE(sentence(wide.view()), "") << "must not be cut to 32 bits";
}

TEST(ValidatePattern, RefusesEntriesOutsideTheStoredPart) {
  OwnedPattern owned({{0}, {0, 1}});
  EXPECT_EQ(sentence(owned.view()),
            "the entry at row 0, column 1 (indices[1]) is above the diagonal, but the view says that only the lower part is "
            "stored; use StoredPart::full if both triangles are stored");
  owned.part = StoredPart::upper;
  EXPECT_EQ(sentence(owned.view()), "");
  owned.compression = Compression::rows;
  EXPECT_EQ(sentence(owned.view()),
            "the entry at row 1, column 0 (indices[1]) is below the diagonal, but the view says that only the upper part is "
            "stored; use StoredPart::full if both triangles are stored");
  owned.part = StoredPart::full;
  EXPECT_EQ(sentence(owned.view()), "");
}

TEST(ValidatePattern, RefusesDuplicates) {
  EXPECT_EQ(sentence(OwnedPattern({{0, 2, 1, 2}, {1}, {2}}).view()),
            "the entry at row 2, column 0 occurs more than once (again at indices[3]); sum duplicate entries first");
  OwnedPattern rows({{0}, {1, 0, 1}});
  rows.compression = Compression::rows;
  EXPECT_EQ(sentence(rows.view()),
            "the entry at row 1, column 1 occurs more than once (again at indices[3]); sum duplicate entries first");
}

TEST(ValidatePattern, ErrorsReportThePlace) {
  try {
    validate_pattern(OwnedPattern({{0}, {7}}).view());
    FAIL() << "not refused";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.file()).find("validate_pattern.cpp"), std::string::npos);
    EXPECT_GT(error.line(), 0);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
