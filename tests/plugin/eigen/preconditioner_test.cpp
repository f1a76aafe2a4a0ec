// Tests as a preconditioner in Eigen's ConjugateGradient.
#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using FloatLlt = Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<float>>;

TEST(EigenPreconditioner, ExactFactorConvergesInTwoIterations) {
  const Matrix a = laplacian(20);
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 1);
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Eigen::GpuSupernodalLLT<Matrix>> cg;
  cg.setTolerance(backward_error_bound<double>(a.rows()));
  cg.compute(a);
  ASSERT_EQ(cg.info(), Eigen::Success);
  const Eigen::VectorXd x = cg.solve(b);
  EXPECT_EQ(cg.info(), Eigen::Success);
  EXPECT_LE(cg.iterations(), 2);
  EXPECT_SOLVES(a, x, b);
}

TEST(EigenPreconditioner, WorksInPhasesWithTheUpperTriangleOnly) {
  const Matrix a = laplacian(15);
  const Eigen::MatrixXd b = random_dense(a.rows(), 2, 2);
  Eigen::ConjugateGradient<Matrix, Eigen::Upper, Eigen::GpuSupernodalLLT<Matrix, Eigen::Upper>> cg;
  cg.setTolerance(backward_error_bound<double>(a.rows()));
  const Matrix upper = a.triangularView<Eigen::Upper>();
  cg.analyzePattern(upper);
  cg.factorize(upper);
  const Eigen::MatrixXd x = cg.solve(b);
  EXPECT_LE(cg.iterations(), 2);
  EXPECT_SOLVES(a, x, b);
}

TEST(EigenPreconditioner, OldFactorServesNewValues) {
  const Matrix a = laplacian(15);
  Matrix moved = a;
  for (Eigen::Index i = 0; i < a.rows(); ++i) moved.coeffRef(i, i) += 0.1;
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 3);
  const Eigen::GpuSupernodalLLT<Matrix> old(a);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.rows());
  Eigen::Index iterations = 50;
  double error = backward_error_bound<double>(a.rows());
  Eigen::internal::conjugate_gradient(moved, b, x, old, iterations, error);
  EXPECT_LT(iterations, 20);
  EXPECT_SOLVES(moved, x, b);
}

TEST(EigenPreconditioner, FloatFactorInsideDouble) {
  const Matrix a = laplacian(20);
  // Also for scales at which b underflows or overflows in float.
  for (double scale : {1.0, 1e-60, 1e60}) {
    const Eigen::VectorXd b = scale * random_dense(a.rows(), 1, 4);
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, FloatLlt> cg;
    cg.setTolerance(backward_error_bound<double>(a.rows()));
    cg.compute(a);
    ASSERT_EQ(cg.info(), Eigen::Success);
    const Eigen::VectorXd x = cg.solve(b);
    EXPECT_EQ(cg.info(), Eigen::Success);
    EXPECT_LE(cg.iterations(), 5);
    EXPECT_SOLVES(a, x, b);
  }
}

/// Positive definite in double, singular after rounding to float: the path's Laplacian divided by `divisor`, with
/// `lift` added to its diagonal.
Matrix nearly_singular(int n, double divisor, double lift) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, (i == 0 || i + 1 == n ? 1.0 : 2.0) / divisor + lift);
    if (i > 0) {
      entries.emplace_back(i, i - 1, -1.0 / divisor);
      entries.emplace_back(i - 1, i, -1.0 / divisor);
    }
  }
  Matrix a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

/// Rounding decides whether a singular matrix passes for definite, so among many, some do not.
Matrix breaks_down_in_float() {
  for (double divisor = 3.0; divisor < 100.0; divisor += 2.0) {
    const Matrix a = nearly_singular(400, divisor, 1e-13);
    if (Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<float>>(a.cast<float>()).info() == Eigen::NumericalIssue) return a;
  }
  return Matrix();
}

TEST(EigenPreconditioner, FloatFactorThatBreaksDownReportsItsShift) {
  const Matrix a = breaks_down_in_float();
  ASSERT_EQ(a.rows(), 400) << "all were definite in float";
  ASSERT_EQ(Eigen::SimplicialLLT<Matrix>(a).info(), Eigen::Success);
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, FloatLlt> cg;
  cg.setTolerance(1e-9);
  cg.compute(a);
  ASSERT_EQ(cg.info(), Eigen::Success);
  const EigenReport report = cg.preconditioner().report();
  EXPECT_GT(report.relative_shift, 0.0);
  EXPECT_GE(report.shifted_attempts, 1);
  const Eigen::VectorXd b = a * random_dense(a.rows(), 1, 5).col(0);
  cg.solve(b).eval();
  EXPECT_EQ(cg.info(), Eigen::Success);
  EXPECT_LT(cg.iterations(), 100);
}

TEST(EigenPreconditioner, IndefiniteMatricesAreNotShiftedAway) {
  FloatLlt solver;
  Matrix a = laplacian(6);
  a.coeffRef(3, 3) = -1e-9;
  solver.compute(a);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  EXPECT_EQ(solver.report().shifted_attempts, 0);
  a.coeffRef(3, 3) = 0.5;
  solver.compute(a);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  EXPECT_EQ(solver.report().relative_shift, 0.0);
}

}  // namespace
}  // namespace gpusupernodal::test
