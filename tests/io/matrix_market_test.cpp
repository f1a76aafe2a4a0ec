#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <ostream>

#include "io/symmetric_matrix.hpp"
#include "tests/support/data.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::io {
namespace {

using test::TemporaryFile;
using Offsets = std::vector<std::int64_t>;
using Indices = std::vector<std::int32_t>;
using Values = std::vector<double>;

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string general = "%%MatrixMarket matrix coordinate real general\n";

SymmetricMatrix read(const std::string& text) { return read_matrix_market(TemporaryFile(text).path()); }

TEST(MatrixMarket, LowerTriangleInAnyOrderBecomesSortedColumns) {
  const SymmetricMatrix a = read(symmetric + "% a comment\n\n3 3 5\n3 3 9\n  3 1   -1\n1 1 4\n% another\n2 1 -2\n2 2 5\n\n");
  EXPECT_EQ(a.n, 3);
  EXPECT_EQ(a.offsets, (Offsets{0, 3, 4, 5}));
  EXPECT_EQ(a.indices, (Indices{0, 1, 2, 1, 2}));
  EXPECT_EQ(a.values, (Values{4, -2, -1, 5, 9}));
}

TEST(MatrixMarket, UpperEntriesOfASymmetricFileAreMirrored) {
  const SymmetricMatrix a = read(symmetric + "2 2 3\n1 1 4\n1 2 -2\n2 2 5\n");
  EXPECT_EQ(a.indices, (Indices{0, 1, 1}));
  EXPECT_EQ(a.values, (Values{4, -2, 5}));
}

TEST(MatrixMarket, ReadsGeneralFilesOfSymmetricMatrices) {
  const SymmetricMatrix a = read(general + "3 3 5\n1 1 4\n2 1 -2\n1 2 -2\n2 2 5\n3 3 1\n");
  EXPECT_EQ(a.offsets, (Offsets{0, 2, 3, 4}));
  EXPECT_EQ(a.indices, (Indices{0, 1, 1, 2}));
  EXPECT_EQ(a.values, (Values{4, -2, 5, 1}));
}

TEST(MatrixMarket, ReadsIntegersAndHeadersInAnyCase) {
  const SymmetricMatrix a = read("%%matrixmarket MATRIX Coordinate Integer Symmetric\r\n1 1 1\r\n1 1 +7\r\n");
  EXPECT_EQ(a.values, (Values{7}));
}

TEST(MatrixMarket, ReadsAnEmptyMatrix) {
  EXPECT_EQ(read(symmetric + "0 0 0\n").n, 0);
  EXPECT_EQ(read(general + "0 0 0\n").offsets, (Offsets{0}));
}

TEST(MatrixMarket, ReadsColumnsWithoutEntries) {
  const SymmetricMatrix a = read(symmetric + "3 3 3\n3 1 1\n2 1 1\n3 2 1\n");
  EXPECT_EQ(a.offsets, (Offsets{0, 2, 3, 3}));
}

TEST(MatrixMarket, NameIsTheFileNameWithoutExtensions) {
  const TemporaryFile file(symmetric + "0 0 0\n", "-bridge.mtx.gz");
  const std::string name = read_matrix_market(file.path()).name;
  EXPECT_TRUE(name.ends_with("-bridge")) << name;
}

struct BadFile {
  std::string text;
  int line;
  std::string sentence;  ///< Part of the expected sentence.
};

/// Becomes part of the test's name, which allows letters and digits.
void PrintTo(const BadFile& file, std::ostream* out) {
  for (const char c : file.sentence) *out << (std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_');
}

class BadMatrixMarket : public testing::TestWithParam<BadFile> {};

TEST_P(BadMatrixMarket, IsRefusedWithFileLineAndSentence) {
  const TemporaryFile file(GetParam().text);
  try {
    read_matrix_market(file.path());
    FAIL() << "accepted:\n" << GetParam().text;
  } catch (const FileError& e) {
    const std::string said = e.what();
    EXPECT_TRUE(said.starts_with(file.path() + ":" + std::to_string(GetParam().line) + ": ")) << said;
    EXPECT_NE(said.find(GetParam().sentence), std::string::npos) << said;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Headers, BadMatrixMarket,
    testing::Values(BadFile{"1 1 1\n1 1 2\n", 1, "does not begin with %%MatrixMarket"},
                    BadFile{"%%MatrixMarket tensor coordinate real symmetric\n", 1, "'tensor'"},
                    BadFile{"%%MatrixMarket matrix list real symmetric\n", 1, "'list'"},
                    BadFile{"%%MatrixMarket matrix array real symmetric\n1 1\n1\n", 1, "dense array"},
                    BadFile{"%%MatrixMarket matrix coordinate pattern symmetric\n", 1, "pattern without values"},
                    BadFile{"%%MatrixMarket matrix coordinate complex symmetric\n", 1, "complex numbers"},
                    BadFile{"%%MatrixMarket matrix coordinate octonion symmetric\n", 1, "'octonion'"},
                    BadFile{"%%MatrixMarket matrix coordinate real skew-symmetric\n", 1, "skew-symmetric"},
                    BadFile{"%%MatrixMarket matrix coordinate real hermitian\n", 1, "Hermitian"},
                    BadFile{"%%MatrixMarket matrix coordinate real\n", 1, "'symmetric' or 'general'"},
                    BadFile{"%%MatrixMarket matrix coordinate real symmetric now\n", 1, "unexpected 'now'"}));

INSTANTIATE_TEST_SUITE_P(
    Sizes, BadMatrixMarket,
    testing::Values(BadFile{symmetric, 1, "ends before the line of sizes"},
                    BadFile{symmetric + "2 2\n", 2, "number of entries"}, BadFile{symmetric + "2 3 1\n", 2, "2 × 3"},
                    BadFile{symmetric + "2 2 x\n", 2, "'x' is not an integer"},
                    BadFile{symmetric + "-2 -2 1\n", 2, "-2 rows, -2 columns and 1 entries were announced"},
                    BadFile{symmetric + "2 2 -1\n", 2, "2 rows, 2 columns and -1 entries were announced"},
                    BadFile{symmetric + "3 3 1\n1 1 1\n", 2, "fewer than the 3 rows"},
                    BadFile{symmetric + "2147483646 2147483646 9\n", 2, "fewer than the 2147483646 rows"},
                    BadFile{symmetric + "2 2 4\n", 2, "at most 3"},
                    BadFile{symmetric + "3000000000 3000000000 1\n", 2, "too many"},
                    BadFile{symmetric + "99999999999999999999 1 1\n", 2, "too large"},
                    BadFile{symmetric + "2 2 1 7\n", 2, "unexpected '7'"}));

INSTANTIATE_TEST_SUITE_P(
    Entries, BadMatrixMarket,
    testing::Values(BadFile{symmetric + "2 2 2\n1 1 4\n", 3, "ends after 1 of the 2 entries announced in line 2"},
                    BadFile{symmetric + "1 1 1\n1 1 4\n1 1 4\n", 4, "more entries than the 1 announced in line 2"},
                    BadFile{symmetric + "2 2 2\n3 1 4\n", 3, "row 3 is not between 1 and 2"},
                    BadFile{symmetric + "2 2 2\n1 0 4\n", 3, "column 0 is not between 1 and 2"},
                    BadFile{symmetric + "2 2 2\n1 1\n", 3, "value is missing"},
                    BadFile{symmetric + "2 2 2\n1 1 four\n", 3, "'four' is not a number"},
                    BadFile{symmetric + "2 2 2\n1 1 1e400\n", 3, "'1e400' is too large"},
                    BadFile{symmetric + "2 2 2\n1 1 nan\n", 3, "'nan' is not finite"},
                    BadFile{symmetric + "2 2 2\n1 1 4 0\n", 3, "unexpected '0'"},
                    BadFile{symmetric + "2 2 2\n1 1 \x01\x02\n", 3, "'\?\?'"},
                    BadFile{"%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 1.5\n", 3, "not an integer"}));

INSTANTIATE_TEST_SUITE_P(
    Symmetry, BadMatrixMarket,
    testing::Values(BadFile{symmetric + "2 2 3\n1 1 4\n2 1 1\n2 1 1\n", 5, "(2, 1) is given twice"},
                    BadFile{symmetric + "2 2 3\n2 1 1\n1 1 4\n1 2 1\n", 5, "given twice, as itself or as its mirror"},
                    BadFile{general + "2 2 3\n1 1 4\n2 1 1\n2 1 1\n", 5, "(2, 1) is given twice"},
                    BadFile{general + "2 2 3\n1 1 4\n2 1 1\n2 2 4\n", 4, "an entry (2, 1), but none at (1, 2)"},
                    BadFile{general + "2 2 3\n1 1 4\n1 2 1\n2 2 4\n", 4, "an entry (1, 2), but none at (2, 1)"},
                    BadFile{general + "3 3 3\n2 1 1\n1 3 1\n1 1 1\n", 3, "an entry (2, 1), but none at (1, 2)"},
                    BadFile{general + "3 3 3\n3 1 1\n1 2 1\n1 1 1\n", 4, "an entry (1, 2), but none at (2, 1)"},
                    BadFile{general + "2 2 2\n2 1 1\n1 2 3\n", 4, "(1, 2) is 3 but (2, 1) is 1"}));

TEST(MatrixMarket, ProjectMatricesHaveTheSizesOfTheCollection) {
  // Order and number of entries in the lower triangle.
  const std::map<std::string, std::pair<std::int64_t, std::size_t>> sizes{
      {"1138_bus", {1138, 2596}},  {"Chem97ZtZ", {2541, 4951}}, {"Trefethen_2000", {2000, 21953}},
      {"bcsstk04", {132, 1890}},   {"bcsstk14", {1806, 32630}}, {"bcsstk18", {11948, 80519}},
      {"gr_30_30", {900, 4322}},   {"lund_b", {147, 1294}},     {"mhd3200b", {3200, 10758}},
      {"msc01440", {1440, 23219}}, {"plbuckle", {1282, 15963}}};
  const std::vector<std::string> paths = test::project_matrices();
  EXPECT_EQ(paths.size(), sizes.size());
  for (const std::string& path : paths) {
    const SymmetricMatrix a = load(path);
    EXPECT_EQ(std::pair(a.n, a.indices.size()), sizes.at(a.name)) << a.name;
  }
}

}  // namespace
}  // namespace gpusupernodal::io
