// Tests of the class in all combinations of scalar, index, storage order, half and ordering, against SimplicialLLT.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <cstdint>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

template <class Scalar_, class StorageIndex, int Order, int UpLo_, class Ordering_>
struct Case {
  using Scalar = Scalar_;
  using Matrix = Eigen::SparseMatrix<Scalar, Order, StorageIndex>;
  using Ordering = Ordering_;
  static constexpr int UpLo = UpLo_;
  using Solver = Eigen::GpuSupernodalLLT<Matrix, UpLo, Ordering>;
};

template <class C>
class EigenSpd : public testing::Test {};

using Eigen::AMDOrdering;
using Eigen::AutoOrdering;
using Eigen::COLAMDOrdering;
using Eigen::ColMajor;
using Eigen::Lower;
using Eigen::NaturalOrdering;
using Eigen::RowMajor;
using Eigen::Upper;
using Cases = testing::Types<
    Case<double, int, ColMajor, Lower, AutoOrdering>, Case<double, int, ColMajor, Upper, AutoOrdering>,
    Case<double, int, RowMajor, Lower, AutoOrdering>, Case<double, int, RowMajor, Upper, AMDOrdering<int>>,
    Case<double, std::int64_t, ColMajor, Lower, AutoOrdering>,
    Case<double, std::int64_t, RowMajor, Upper, AMDOrdering<std::int64_t>>,
    Case<double, long long, ColMajor, Lower, AMDOrdering<int>>, Case<double, int, ColMajor, Lower, NaturalOrdering<int>>,
    Case<double, int, ColMajor, Lower, AMDOrdering<int>>, Case<double, int, ColMajor, Upper, COLAMDOrdering<int>>,
    Case<double, int, ColMajor, Lower | Upper, AutoOrdering>, Case<float, int, ColMajor, Lower, AutoOrdering>,
    Case<float, int, RowMajor, Lower, NaturalOrdering<int>>,
    Case<float, std::int64_t, ColMajor, Upper, AMDOrdering<std::int64_t>>>;
TYPED_TEST_SUITE(EigenSpd, Cases);

template <class Matrix>
std::vector<Matrix> matrices() {
  return {random_spd<Matrix>(1, 0, 1), random_spd<Matrix>(2, 4, 2),   random_spd<Matrix>(37, 60, 3),
          laplacian<Matrix>(9),        random_spd<Matrix>(100, 0, 4), random_spd<Matrix>(150, 900, 5)};
}

/// The half that the solver must read; both for Lower|Upper.
template <class C>
typename C::Matrix half(const typename C::Matrix& a) {
  if (C::UpLo == (Lower | Upper)) return a;
  return typename C::Matrix(a.template triangularView < (C::UpLo & Lower) ? Lower : Upper > ());
}

TYPED_TEST(EigenSpd, SolvesWithBothHalvesStoredAndWithOne) {
  for (const auto& a : matrices<typename TypeParam::Matrix>()) {
    const auto b = random_dense<typename TypeParam::Scalar>(a.rows(), 3, 7);
    for (const auto& stored : {a, half<TypeParam>(a)}) {
      const typename TypeParam::Solver solver(stored);
      ASSERT_EQ(solver.info(), Eigen::Success);
      const auto x = solver.solve(b).eval();
      EXPECT_SOLVES(a, x, b) << "n = " << a.rows();
    }
  }
}

TYPED_TEST(EigenSpd, PermutationAndFactorReproduceTheMatrix) {
  using Scalar = typename TypeParam::Scalar;
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Chol = typename TypeParam::Solver::CholMatrixType;
  for (const auto& a : matrices<typename TypeParam::Matrix>()) {
    const typename TypeParam::Solver solver(half<TypeParam>(a));
    const Chol l = solver.matrixL();
    const Chol u = solver.matrixU();
    EXPECT_TRUE(l.isCompressed());
    const Dense permuted = solver.permutationP() * Dense(a) * solver.permutationPinv();
    const double bound = backward_error_bound<Scalar>(a.rows()) * static_cast<double>(permuted.cwiseAbs().maxCoeff());
    EXPECT_LE(static_cast<double>((Dense(l * u) - permuted).cwiseAbs().maxCoeff()), bound) << "n = " << a.rows();
    EXPECT_EQ((Dense(l).transpose() - Dense(u)).cwiseAbs().maxCoeff(), Scalar(0));
  }
}

TYPED_TEST(EigenSpd, DeterminantIsThatOfSimplicialLLT) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto& a : matrices<typename TypeParam::Matrix>()) {
    const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> reference(
        Eigen::SparseMatrix<double>(a.template cast<double>()));
    const typename TypeParam::Solver solver(a);
    const double expected = std::log(reference.determinant());
    ASSERT_TRUE(std::isfinite(expected));
    // Each of the n pivots has a relative error of at most n·eps times the condition number, which diagonal dominance
    // keeps below 1e3.
    const double bound = 1e3 * backward_error_bound<Scalar>(a.rows()) * (1 + std::abs(expected));
    EXPECT_NEAR(static_cast<double>(solver.logDeterminant()), expected, bound);
    if (expected < 80) {
      EXPECT_NEAR(static_cast<double>(solver.determinant()) / std::exp(expected), 1.0, bound);
    }
  }
}

TYPED_TEST(EigenSpd, SolvesSparseRightHandSides) {
  using Matrix = typename TypeParam::Matrix;
  using Columns = Eigen::SparseMatrix<typename TypeParam::Scalar, ColMajor, typename Matrix::StorageIndex>;
  const auto a = laplacian<Matrix>(7);
  const typename TypeParam::Solver solver(a);
  const Columns b = Columns(random_spd<Matrix>(49, 40, 9)).leftCols(11);
  const Columns x = solver.solve(b);
  ASSERT_EQ(x.rows(), 49);
  ASSERT_EQ(x.cols(), 11);
  EXPECT_SOLVES(a, (Eigen::Matrix<typename TypeParam::Scalar, Eigen::Dynamic, Eigen::Dynamic>(x)), b.toDense());
}

}  // namespace
}  // namespace gpusupernodal::test
