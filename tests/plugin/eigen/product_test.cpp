/// Eigen::gpuProduct beside Eigen's product.

#include <gtest/gtest.h>

#include <gpusupernodal/eigen.hpp>
#include <random>

namespace {

gpusupernodal::ProductOptions on_host() {
  gpusupernodal::ProductOptions options;
  options.backend = gpusupernodal::Backend::host;
  return options;
}

/// About four entries per row, small integers: sums are exact in either precision.
template <class Matrix>
Matrix integers(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Eigen::Triplet<typename Matrix::Scalar, typename Matrix::StorageIndex>> entries;
  for (Eigen::Index k = 0; k < 4 * rows; ++k) {
    const auto i = static_cast<typename Matrix::StorageIndex>(random() % static_cast<unsigned>(rows));
    const auto j = static_cast<typename Matrix::StorageIndex>(random() % static_cast<unsigned>(columns));
    entries.emplace_back(i, j, static_cast<typename Matrix::Scalar>(static_cast<int>(random() % 9) - 4));
  }
  Matrix a(rows, columns);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

template <class Left, class Right>
void expect_equal_products() {
  const Left a = integers<Left>(70, 50, 1);
  const Right b = integers<Right>(50, 90, 2);
  typedef Eigen::SparseMatrix<typename Left::Scalar, Eigen::RowMajor, typename Left::StorageIndex> Result;
  const Eigen::Matrix<typename Left::Scalar, Eigen::Dynamic, Eigen::Dynamic> da(a), db(b);
  const Result c = Eigen::gpuProduct(a, b, on_host());
  EXPECT_EQ(c.rows(), 70);
  EXPECT_EQ(c.cols(), 90);
  EXPECT_TRUE(c.isCompressed());
  EXPECT_TRUE((Eigen::Matrix<typename Left::Scalar, Eigen::Dynamic, Eigen::Dynamic>(c) == da * db));
}

TEST(GpuProduct, EqualsEigens) {
  expect_equal_products<Eigen::SparseMatrix<double>, Eigen::SparseMatrix<double>>();
  expect_equal_products<Eigen::SparseMatrix<double, Eigen::RowMajor>, Eigen::SparseMatrix<double>>();
  expect_equal_products<Eigen::SparseMatrix<float, Eigen::ColMajor, std::int64_t>, Eigen::SparseMatrix<float>>();
  expect_equal_products<Eigen::SparseMatrix<float>, Eigen::SparseMatrix<float, Eigen::RowMajor, std::int64_t>>();
}

TEST(GpuProduct, TakesExpressionsAndUncompressedMatrices) {
  const auto a = integers<Eigen::SparseMatrix<double>>(60, 60, 3);
  const Eigen::MatrixXd d(a);
  EXPECT_TRUE(Eigen::MatrixXd(Eigen::gpuProduct(a.transpose(), a, on_host())) == d.transpose() * d);
  EXPECT_TRUE(Eigen::MatrixXd(Eigen::gpuProduct(2.0 * a, a.middleCols(5, 20), on_host())) == 2.0 * d * d.middleCols(5, 20));
  Eigen::SparseMatrix<double> open = a;
  open.uncompress();
  open.coeffRef(7, 11) = 3.0;
  const Eigen::MatrixXd e(open);
  EXPECT_TRUE(Eigen::MatrixXd(Eigen::gpuProduct(open, open, on_host())) == e * e);
  EXPECT_EQ(Eigen::gpuProduct(Eigen::SparseMatrix<double>(0, 3), Eigen::SparseMatrix<double>(3, 4), on_host()).cols(), 4);
}

TEST(GpuProduct, RefusesShapesThatDoNotMatch) {
  const Eigen::SparseMatrix<double> a(3, 4);
  EXPECT_THROW(Eigen::gpuProduct(a, a, on_host()), gpusupernodal::InvalidInput);
}

}  // namespace
