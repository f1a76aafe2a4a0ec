#include "io/general_matrix.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <ostream>

#include "tests/support/general_matrices.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::io {
namespace {

using test::TemporaryFile;
using Offsets = std::vector<std::int64_t>;
using Indices = std::vector<std::int32_t>;
using Values = std::vector<double>;

const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";

GeneralMatrix read(const std::string& text) { return read_general_matrix_market(TemporaryFile(text).path()); }

TEST(GeneralMatrixMarket, EntriesInAnyOrderBecomeSortedColumns) {
  const GeneralMatrix a = read(general + "% a comment\n\n3 3 5\n3 3 9\n  3 1   -1\n1 2 0\n% another\n1 1 -2\n2 3 5e-1\n\n");
  EXPECT_EQ(a.n, 3);
  EXPECT_EQ(a.offsets, (Offsets{0, 2, 3, 5}));
  EXPECT_EQ(a.indices, (Indices{0, 2, 0, 1, 2}));
  EXPECT_EQ(a.values, (Values{-2, -1, 0, 0.5, 9}));
}

TEST(GeneralMatrixMarket, BothHalvesOfASymmetricFile) {
  const GeneralMatrix a = read(symmetric + "3 3 4\n1 1 4\n2 1 -2\n1 3 7\n3 3 5\n");
  EXPECT_EQ(a.offsets, (Offsets{0, 3, 4, 6}));
  EXPECT_EQ(a.indices, (Indices{0, 1, 2, 0, 0, 2}));
  EXPECT_EQ(a.values, (Values{4, -2, 7, -2, 7, 5}));
}

TEST(GeneralMatrixMarket, BothHalvesOfASkewSymmetricFile) {
  const GeneralMatrix a = read(skew + "3 3 3\n2 1 -2\n1 3 7\n3 2 5\n");
  EXPECT_EQ(a.offsets, (Offsets{0, 2, 4, 6}));
  EXPECT_EQ(a.indices, (Indices{1, 2, 0, 2, 0, 1}));
  EXPECT_EQ(a.values, (Values{-2, -7, 2, 5, 7, -5}));
}

TEST(GeneralMatrixMarket, Integers) {
  const GeneralMatrix a = read("%%MatrixMarket matrix coordinate integer general\r\n2 2 2\r\n1 2 +7\r\n2 1 -3\r\n");
  EXPECT_EQ(a.values, (Values{-3, 7}));
}

TEST(GeneralMatrixMarket, AnEmptyMatrix) {
  for (const std::string& header : {general, symmetric, skew}) {
    const GeneralMatrix a = read(header + "0 0 0\n");
    EXPECT_EQ(a.n, 0);
    EXPECT_EQ(a.offsets, (Offsets{0}));
  }
}

TEST(GeneralMatrixMarket, TheViewHasAllEntries) {
  const TemporaryFile file(general + "2 2 2\n2 1 3\n1 2 5\n", "-pump.mtx");
  const GeneralMatrix a = read_general_matrix_market(file.path());
  EXPECT_TRUE(a.name.ends_with("-pump")) << a.name;
  const MatrixView<double> view = a.view();
  EXPECT_EQ(view.n, 2);
  EXPECT_EQ(view.part, StoredPart::full);
  EXPECT_EQ(view.compression, Compression::columns);
  EXPECT_EQ(view.offsets[1], 1);
  EXPECT_EQ(view.indices[0], 1);
  EXPECT_EQ(view.values[0], 3.0);
}

TEST(GeneralMatrixMarket, ReadsWhatTheSymmetricReaderReads) {
  const TemporaryFile file(symmetric + "3 3 5\n3 3 9\n3 1 -1\n1 1 4\n2 1 -2\n2 2 5\n");
  const GeneralMatrix a = read_general_matrix_market(file.path());
  const GeneralMatrix b = expanded(read_matrix_market(file.path()));
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.indices, b.indices);
  EXPECT_EQ(a.values, b.values);
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

class BadGeneralFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadGeneralFile, IsRefusedWithFileLineAndSentence) {
  const TemporaryFile file(GetParam().text);
  try {
    read_general_matrix_market(file.path());
    FAIL() << "accepted:\n" << GetParam().text;
  } catch (const FileError& e) {
    const std::string said = e.what();
    EXPECT_TRUE(said.starts_with(file.path() + ":" + std::to_string(GetParam().line) + ": ")) << said;
    EXPECT_NE(said.find(GetParam().sentence), std::string::npos) << said;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Headers, BadGeneralFile,
    testing::Values(BadFile{"%%MatrixMarket matrix array real general\n1 1\n1\n", 1, "dense array"},
                    BadFile{"%%MatrixMarket matrix coordinate pattern general\n", 1, "pattern without values"},
                    BadFile{"%%MatrixMarket matrix coordinate complex general\n", 1,
                            "complex numbers, where real ones are needed"},
                    BadFile{"%%MatrixMarket matrix coordinate complex hermitian\n", 1, "complex numbers"},
                    BadFile{"%%MatrixMarket matrix coordinate real hermitian\n", 1, "a Hermitian matrix is complex"},
                    BadFile{"%%MatrixMarket matrix coordinate real lower\n", 1, "'symmetric' or 'general'"}));

INSTANTIATE_TEST_SUITE_P(
    Sizes, BadGeneralFile,
    testing::Values(BadFile{general + "2 3 2\n", 2, "2 × 3; only square"}, BadFile{general + "2 2 -1\n", 2, "negative"},
                    BadFile{general + "2 2 5\n", 2, "5 entries do not fit in a general matrix of order 2: at most 4"},
                    BadFile{symmetric + "2 2 4\n", 2, "a symmetric matrix of order 2: at most 3"},
                    BadFile{skew + "2 2 2\n", 2, "a skew-symmetric matrix of order 2: at most 1"},
                    BadFile{general + "2 2 1\n1 1 1\n", 2, "1 entries are too few for a nonsingular matrix of order 2"},
                    BadFile{symmetric + "3 3 1\n2 1 1\n", 2, "too few for a nonsingular matrix of order 3"},
                    BadFile{general + "2147483646 2147483646 9\n", 2, "too few for a nonsingular matrix"},
                    BadFile{general + "3000000000 3000000000 1\n", 2, "too many"}));

INSTANTIATE_TEST_SUITE_P(
    Entries, BadGeneralFile,
    testing::Values(BadFile{general + "2 2 3\n1 2 4\n2 1 1\n1 2 5\n", 5, "(1, 2) is given twice."},
                    BadFile{symmetric + "2 2 3\n2 1 1\n1 1 4\n1 2 1\n", 5, "(2, 1) is given twice, as itself or as its"},
                    BadFile{skew + "3 3 3\n2 1 1\n1 3 4\n1 2 1\n", 5, "(2, 1) is given twice, as itself or as its"},
                    BadFile{skew + "3 3 2\n2 1 1\n3 3 4\n", 4, "(3, 3) is on the diagonal of a skew-symmetric matrix"},
                    BadFile{general + "2 2 2\n1 1 4\n", 3, "ends after 1 of the 2 entries"},
                    BadFile{general + "1 1 1\n1 1 4\n1 1 4\n", 4, "more entries than the 1"},
                    BadFile{general + "2 2 2\n3 1 4\n", 3, "row 3 is not between 1 and 2"},
                    BadFile{general + "2 2 2\n1 1 nan\n", 3, "'nan' is not finite"}));

TEST(GeneralMatrixMarket, SymmetricEntriesCountForTwoRows) {
  EXPECT_EQ(read(symmetric + "2 2 1\n2 1 3\n").values, (Values{3, 3}));
  EXPECT_EQ(read(skew + "2 2 1\n2 1 3\n").values, (Values{3, -3}));
}

}  // namespace
}  // namespace gpusupernodal::io
