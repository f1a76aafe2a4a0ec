#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <string>
#include <unsupported/Eigen/KroneckerProduct>

#include "io/general_matrix.hpp"
#include "io/generators.hpp"
#include "tests/support/general_matrices.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::io {
namespace {

Eigen::MatrixXd dense(const GeneralMatrix& a) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.n, a.n);
  for (const test::Triplet& t : test::triplets(a)) result(t.row, t.column) += t.value;
  return result;
}

/// tridiag(−1 − p, 2 + p, −1)
Eigen::MatrixXd line(std::int64_t size, double p) {
  Eigen::MatrixXd result = (2.0 + p) * Eigen::MatrixXd::Identity(size, size);
  result.diagonal(-1).setConstant(-1.0 - p);
  result.diagonal(1).setConstant(-1.0);
  return result;
}

TEST(GeneralGenerators, ConvectionAndDiffusionAreSumsOfKroneckerProducts) {
  for (const std::int64_t size : {1, 2, 3, 7}) {
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(size, size);
    const Eigen::MatrixXd expected =
        Eigen::kroneckerProduct(identity, line(size, 100)).eval() + Eigen::kroneckerProduct(line(size, 30), identity).eval();
    EXPECT_EQ(dense(generate_general("convdiff:" + std::to_string(size))), expected);
  }
}

TEST(GeneralGenerators, ColumnsAscendWithoutDuplicates) {
  for (const char* spec : {"convdiff:1", "convdiff:9", "circuit:1", "circuit:2", "circuit:3", "circuit:12"}) {
    const GeneralMatrix a = generate_general(spec);
    EXPECT_EQ(a.name, spec);
    ASSERT_EQ(a.offsets.size(), static_cast<std::size_t>(a.n) + 1);
    EXPECT_EQ(a.offsets.back(), static_cast<std::int64_t>(a.indices.size()));
    EXPECT_EQ(a.indices.size(), a.values.size());
    std::int64_t last = -1;
    for (const test::Triplet& t : test::triplets(a)) {
      EXPECT_GT(t.column * a.n + t.row, last) << spec;
      EXPECT_LT(t.row, a.n);
      EXPECT_NE(t.value, 0.0);
      last = t.column * a.n + t.row;
    }
  }
}

TEST(GeneralGenerators, CircuitsAreNonsingularAndUnsymmetricWithZeroDiagonals) {
  for (const std::int64_t size : {1, 2, 3, 4, 9}) {
    const GeneralMatrix a = generate_general("circuit:" + std::to_string(size));
    const std::int64_t nodes = size * size;
    ASSERT_EQ(a.n, nodes + size);
    const Eigen::MatrixXd whole = dense(a);
    for (std::int64_t s = nodes; s < a.n; ++s) EXPECT_EQ(whole(s, s), 0.0);
    const Eigen::MatrixXd conductances = whole.topLeftCorner(nodes, nodes);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(conductances + conductances.transpose());
    EXPECT_GT(eigen.eigenvalues().minCoeff(), 0.5);
    EXPECT_EQ(Eigen::FullPivLU<Eigen::MatrixXd>(whole).rank(), a.n);
    EXPECT_EQ(whole == whole.transpose(), size == 1);
  }
}

/// Without sources, currents into all nodes add up to those to ground: columns of the conductances sum to 1, or to 1/2 where
/// a node controls a source.
TEST(GeneralGenerators, CurrentsOfCircuitsAddUp) {
  constexpr std::int64_t size = 6;
  constexpr std::int64_t nodes = size * size;
  const Eigen::MatrixXd whole = dense(generate_general("circuit:6"));
  const Eigen::RowVectorXd sums = whole.topLeftCorner(nodes, nodes).colwise().sum();
  constexpr double tolerance = 16 * 8 * std::numeric_limits<double>::epsilon();  // Sums of up to 6 numbers below 8.
  for (std::int64_t p = 0; p < nodes; ++p) {
    EXPECT_NEAR(sums[p], p % 5 == 0 && p + size / 2 + 1 < nodes ? 0.5 : 1.0, tolerance) << p;
  }
  for (std::int64_t s = 0; s < size; ++s) {
    EXPECT_EQ(whole(s * size, nodes + s), 1.0);
    EXPECT_EQ(whole(s * size + size - 1, nodes + s), s % 2 == 0 ? 0.0 : -1.0);
    EXPECT_EQ(whole.row(nodes + s).transpose(), whole.col(nodes + s));
  }
}

TEST(GeneralGenerators, WrongNamesAndSizesAreRefused) {
  for (const char* spec : {"lap2d:3", "convdiff", "convdiff:", "convdiff:0", "circuit:-2", "circuit:x", "convdiff:46341",
                           "circuit:46341", "circuit:99999999999999999999", ":3"}) {
    EXPECT_THROW(generate_general(spec), InvalidInput) << spec;
  }
}

TEST(GeneralGenerators, LoadTellsGeneratorsFromFiles) {
  for (const std::string& name : general_generator_names()) {
    EXPECT_TRUE(is_general_generator(name + ":x"));
    EXPECT_FALSE(is_general_generator(name));
    EXPECT_FALSE(is_generator(name + ":3"));
    EXPECT_EQ(load_general(name + ":3").name, name + ":3");
  }
  EXPECT_EQ(general_generator_names().size(), 2U);
  EXPECT_EQ(load_general("lap2d:2").values, (std::vector<double>{4, -1, -1, -1, 4, -1, -1, 4, -1, -1, -1, 4}));
  const test::TemporaryFile file("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -2\n");
  EXPECT_EQ(load_general(file.path()).values, (std::vector<double>{-2}));
  EXPECT_THROW(load_general("convdiff"), FileError);
}

}  // namespace
}  // namespace gpusupernodal::io
