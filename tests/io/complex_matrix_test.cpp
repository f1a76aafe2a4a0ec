/// \file
/// Tests of files of complex matrices and right-hand sides.

#include "io/complex_matrix.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "io/general_matrix.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

using Complex = std::complex<double>;

std::string complex_file(const std::string& symmetry, const std::string& rest) {
  return "%%MatrixMarket matrix coordinate complex " + symmetry + "\n" + rest;
}

/// The dense form of a matrix, by its products with unit vectors.
std::vector<Complex> dense_entries(const io::ComplexMatrix& a) {
  std::vector<Complex> all;
  for (std::int64_t j = 0; j < a.n; ++j) {
    std::vector<Complex> unit(static_cast<std::size_t>(a.n));
    unit[static_cast<std::size_t>(j)] = 1.0;
    for (const Complex entry : io::multiply(a, unit)) all.push_back(entry);
  }
  return all;
}

TEST(ComplexFile, HermitianMatricesAreTheirLowerTriangle) {
  const TemporaryFile file(complex_file("hermitian", "2 2 3\n1 1 4 0\n2 2 5 0\n1 2 1 -2\n"));
  const io::ComplexMatrix lower = io::read_hermitian_matrix_market(file.path());
  EXPECT_EQ(lower.part, StoredPart::lower);
  EXPECT_EQ(lower.indices, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(lower.values, (std::vector<Complex>{4.0, {1.0, 2.0}, 5.0}));
  const io::ComplexMatrix all = io::read_complex_matrix_market(file.path());
  EXPECT_EQ(all.part, StoredPart::full);
  const std::vector<Complex> entries{4.0, {1.0, 2.0}, {1.0, -2.0}, 5.0};
  EXPECT_EQ(dense_entries(all), entries);
  EXPECT_EQ(dense_entries(lower), entries);
}

TEST(ComplexFile, OtherSymmetriesAreExpanded) {
  const std::string entries = "2 2 1\n2 1 3 4\n";
  const std::vector<std::pair<std::string, Complex>> mirrored{
      {"general", 0.0}, {"symmetric", {3.0, 4.0}}, {"skew-symmetric", {-3.0, -4.0}}, {"hermitian", {3.0, -4.0}}};
  for (const auto& [symmetry, image] : mirrored) {
    if (symmetry == "general") continue;  // One entry is too few.
    const TemporaryFile file(complex_file(symmetry, entries));
    EXPECT_EQ(dense_entries(io::read_complex_matrix_market(file.path())),
              (std::vector<Complex>{0.0, {3.0, 4.0}, image, 0.0}))
        << symmetry;
  }
  const TemporaryFile general(complex_file("general", "2 2 2\n2 1 3 4\n1 2 0 1\n"));
  EXPECT_EQ(dense_entries(io::read_complex_matrix_market(general.path())),
            (std::vector<Complex>{0.0, {3.0, 4.0}, {0.0, 1.0}, 0.0}));
}

template <class Read>
void expect_refusal(const std::string& text, int line, const std::string& part, const Read& read) {
  const TemporaryFile file(text);
  try {
    read(file.path());
    FAIL() << text;
  } catch (const io::FileError& error) {
    const std::string sentence = error.what();
    EXPECT_EQ(sentence.rfind(file.path() + ":" + std::to_string(line) + ": ", 0), 0U) << sentence;
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  }
}

TEST(ComplexFile, RefusesWhatIsWrongWithItsLine) {
  const auto lower = [](const std::string& path) { return io::read_hermitian_matrix_market(path); };
  const auto all = [](const std::string& path) { return io::read_complex_matrix_market(path); };
  expect_refusal(complex_file("hermitian", "1 1 1\n1 1 2\n"), 3, "the value is missing", all);
  expect_refusal(complex_file("hermitian", "1 1 1\n1 1 2 0 7\n"), 3, "unexpected '7'", all);
  expect_refusal(complex_file("hermitian", "1 1 1\n1 1 2 nan\n"), 3, "'nan' is not finite", lower);
  expect_refusal(complex_file("hermitian", "1 1 1\n1 1 2 1\n"), 3, "the imaginary part 1", lower);
  expect_refusal(complex_file("hermitian", "1 1 1\n1 1 2 1\n"), 3, "the imaginary part 1", all);
  expect_refusal(complex_file("hermitian", "2 2 2\n2 1 1 1\n1 2 1 -1\n"), 4, "given twice", lower);
  expect_refusal(complex_file("hermitian", "2 2 4\n"), 2, "4 entries do not fit in a hermitian matrix", all);
  expect_refusal(complex_file("hermitian", "3 3 2\n1 1 1 0\n2 2 1 0\n"), 2, "too few", lower);
  expect_refusal(complex_file("general", "1000000 1000000 2\n"), 2, "too few", all);
  expect_refusal(complex_file("skew-symmetric", "2 2 1\n1 1 2 1\n"), 3, "skew-symmetric", all);
  expect_refusal(complex_file("symmetric", "1 1 1\n1 1 2 1\n"), 1, "not Hermitian", lower);
  expect_refusal("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n", 1, "the file holds real numbers", all);
  expect_refusal(complex_file("general", "1 1 1\n1 1 2 1\n"), 1, "holds complex numbers, where real ones are needed",
                 [](const std::string& path) { return io::read_general_matrix_market(path); });
}

TEST(ComplexFile, RightHandSidesAreWrittenAndRead) {
  const io::ComplexDense matrix{2, 2, {{1.0 / 3.0, -2.0}, {0.0, 1e-300}, {5.0, 0.0}, {-1e300, 7.0}}};
  const TemporaryFile file;
  io::write_dense(file.path(), matrix);
  const io::ComplexDense read = io::read_complex_dense(file.path(), 2);
  EXPECT_EQ(read.values, matrix.values);
  EXPECT_EQ(read.cols, 2);
  const TemporaryFile real("%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  EXPECT_EQ(io::read_complex_dense(real.path()).values, (std::vector<Complex>{1.0, 2.0}));
  EXPECT_THROW(io::read_dense(file.path()), io::HoldsComplexNumbers);
}

TEST(ComplexError, IsThatOfTheDefinition) {
  const TemporaryFile file(complex_file("hermitian", "2 2 3\n1 1 4 0\n2 2 5 0\n2 1 3 4\n"));
  const io::ComplexMatrix a = io::read_hermitian_matrix_market(file.path());
  const std::vector<Complex> x{1.0, {0.0, 2.0}};
  std::vector<Complex> b = io::multiply(a, x);
  EXPECT_EQ(io::backward_error(a, x, b), 0.0);
  b[1] += Complex(0.0, 0.5);  // ‖A‖ = 10, ‖x‖ = 2, b = (12 + 6i, 3 + 14.5i).
  EXPECT_DOUBLE_EQ(io::backward_error(a, x, b), 0.5 / (20.0 + std::abs(b[1])));
  b[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(io::backward_error(a, x, b)));
}

}  // namespace
}  // namespace gpusupernodal::test
