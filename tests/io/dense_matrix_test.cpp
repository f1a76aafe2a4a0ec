#include <gtest/gtest.h>

#include <limits>

#include "io/symmetric_matrix.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::io {
namespace {

using test::TemporaryFile;

const std::string header = "%%MatrixMarket matrix array real general\n";

std::string sentence_of_reading(const std::string& text) {
  const TemporaryFile file(text);
  try {
    read_dense(file.path());
  } catch (const FileError& e) {
    return e.what();
  }
  return "";
}

TEST(DenseMatrix, ReadsBackWhatItWroteBitForBit) {
  DenseMatrix x{5000, 2, test::random_vector(10000, 3)};
  x.values[0] = std::numeric_limits<double>::denorm_min();
  x.values[1] = std::numeric_limits<double>::max();
  x.values[2] = -0.0;
  const TemporaryFile file;
  write_dense(file.path(), x);
  const DenseMatrix y = read_dense(file.path());
  EXPECT_EQ(y.rows, x.rows);
  EXPECT_EQ(y.cols, x.cols);
  EXPECT_EQ(y.values, x.values);
}

TEST(DenseMatrix, IsColumnMajor) {
  const TemporaryFile file(header + "% b\n2 2\n1\n2\n3\n4\n");
  const DenseMatrix b = read_dense(file.path());
  EXPECT_EQ(b.rows, 2);
  EXPECT_EQ(b.cols, 2);
  EXPECT_EQ(b.values, (std::vector<double>{1, 2, 3, 4}));
}

TEST(DenseMatrix, WrongFilesAreRefused) {
  EXPECT_NE(sentence_of_reading("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n").find(":1: "),
            std::string::npos);
  EXPECT_NE(sentence_of_reading("%%MatrixMarket matrix array real symmetric\n1 1\n1\n").find(":1: a right-hand side needs"),
            std::string::npos);
  EXPECT_NE(sentence_of_reading(header).find("line of sizes"), std::string::npos);
  EXPECT_NE(sentence_of_reading(header + "-1 1\n").find("-1 rows and 1 columns were announced"), std::string::npos);
  EXPECT_NE(sentence_of_reading(header + "9000000000000000000 9\n").find("too many"), std::string::npos);
  EXPECT_NE(sentence_of_reading(header + "2 1\n1\n").find("after 1 of 2 values"), std::string::npos);
  EXPECT_NE(sentence_of_reading(header + "1 1\n1\n2\n").find(":4: more values"), std::string::npos);
  EXPECT_NE(sentence_of_reading(header + "1 1\ninf\n").find("not finite"), std::string::npos);
}

TEST(DenseMatrix, FailedWriteIsAnError) { EXPECT_THROW(write_dense("/nonexistent/x.mtx", {1, 1, {1.0}}), FileError); }

}  // namespace
}  // namespace gpusupernodal::io
