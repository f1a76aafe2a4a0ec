#include "io/rectangular_matrix.hpp"

#include <gtest/gtest.h>

#include "io/general_matrix.hpp"
#include "io/line_reader.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::io {
namespace {

using test::TemporaryFile;

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

RectangularMatrix read(const std::string& text) { return read_rectangular_matrix_market(TemporaryFile(text).path()); }

TEST(RectangularMatrixMarket, HasEntriesByColumns) {
  const RectangularMatrix a = read(general + "2 3 3\n2 2 3\n1 3 2\n1 1 1\n");
  EXPECT_EQ(a.rows, 2);
  EXPECT_EQ(a.columns, 3);
  EXPECT_EQ(a.offsets, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(a.indices, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(a.values, (std::vector<double>{1, 3, 2}));
  EXPECT_EQ(multiply(a, std::vector<double>{1, 2, 3}), (std::vector<double>{7, 6}));
  const SparseView<double> view = a.view();
  EXPECT_EQ(view.rows, 2);
  EXPECT_EQ(view.columns, 3);
  EXPECT_EQ(view.compression, Compression::columns);
}

TEST(RectangularMatrixMarket, TakesEmptyRowsAndColumns) {
  const RectangularMatrix a = read(general + "4 2 1\n3 2 5\n");
  EXPECT_EQ(multiply(a, std::vector<double>{1, 2}), (std::vector<double>{0, 0, 10, 0}));
  EXPECT_EQ(read(general + "0 3 0\n").columns, 3);
  EXPECT_EQ(read(general + "3 0 0\n").rows, 3);
}

/// Symmetric files and generated matrices are those of the reader of square matrices.
TEST(RectangularMatrixMarket, SquareOnesAreThoseOfGeneralMatrices) {
  const TemporaryFile file("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 1 -2\n3 1 7\n3 3 5\n");
  for (const std::string& name : {file.path(), std::string("lap2d:4"), std::string("convdiff:3")}) {
    const RectangularMatrix a = load_rectangular(name);
    const GeneralMatrix b = load_general(name);
    EXPECT_EQ(a.rows, b.n);
    EXPECT_EQ(a.columns, b.n);
    EXPECT_EQ(a.offsets, b.offsets);
    EXPECT_EQ(a.indices, b.indices);
    EXPECT_EQ(a.values, b.values);
  }
}

TEST(RectangularMatrixMarket, BadFilesAreRefusedWithTheirLine) {
  const std::pair<std::string, const char*> bad[] = {
      {general + "2 3 1\n3 1 1\n", "the row 3 is not between 1 and 2"},
      {general + "2 3 1\n1 4 1\n", "the column 4 is not between 1 and 3"},
      {general + "2 3 7\n", "7 entries do not fit in a general matrix of 2 × 3: at most 6"},
      {general + "2 3 2\n1 3 1\n1 3 2\n", "the entry (1, 3) is given twice"},
      {general + "2 3 2\n1 3 1\n", "the file ends after 1 of the 2 entries"},
      {general + "5 2147483647 1\n1 1 1\n", "2147483647 columns are too many"},
      {general + "5 2000000000 1\n1 1 1\n", "more than 1000 rows or columns per entry"},
      {general + "2000000000 5 1\n1 1 1\n", "more than 1000 rows or columns per entry"},
      {general + "2 -3 1\n1 1 1\n", "negative"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "a symmetric matrix is square"}};
  for (const auto& [text, reason] : bad) {
    try {
      read(text);
      ADD_FAILURE() << text;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::io
