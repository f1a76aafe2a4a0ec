// Tests of GpuSupernodalLU: outcomes, messages and options.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "gpusupernodal/info.hpp"
#include "tests/plugin/eigen/lu_problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Lu = Eigen::GpuSupernodalLU<Matrix>;

/// NumericalIssue with a sentence, NaN in x; and the next compute works.
void expect_numerical_issue(Lu& solver, const Matrix& bad, Status status, const std::string& word) {
  solver.compute(bad);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  EXPECT_EQ(solver.report().factor.status, status);
  EXPECT_NE(solver.lastErrorMessage().find(word), std::string::npos) << solver.lastErrorMessage();
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(bad.rows());
  const Eigen::VectorXd x = solver.solve(b);
  EXPECT_TRUE(x.array().isNaN().all());
  const Eigen::VectorXd y = solver.transpose().solve(b);
  EXPECT_TRUE(y.array().isNaN().all());
  EXPECT_THROW(solver.logAbsDeterminant(), NumericalFailure);
  const Matrix good = random_general<Matrix>(30, 3, 2, 0);
  solver.compute(good);
  EXPECT_TRUE(solver.lastErrorMessage().empty());
  expect_solves(solver, good);
}

TEST(EigenLuOutcome, FailuresAreNumericalIssuesWithASentence) {
  Lu solver;
  Matrix empty_column = random_general<Matrix>(20, 3, 1, 2);
  empty_column.prune([](Eigen::Index, Eigen::Index column, double) { return column != 5; });
  expect_numerical_issue(solver, empty_column, Status::singular, "singular");
  expect_numerical_issue(solver, Eigen::MatrixXd::Ones(5, 5).sparseView(), Status::singular, "singular");
  Matrix not_finite = random_general<Matrix>(20, 3, 1, 2);
  not_finite.valuePtr()[7] = std::numeric_limits<double>::quiet_NaN();
  expect_numerical_issue(solver, not_finite, Status::non_finite_input, "nan");
  // Well conditioned; but with all pivots replaced, refinement diverges.
  const Eigen::Matrix3d circulant = (Eigen::Matrix3d() << 1, 5, -7, -7, 1, 5, 5, -7, 1).finished();
  Lu unstable;
  unstable.options().perturbation = 1.0;
  unstable.compute(Matrix(circulant.sparseView()));
  EXPECT_EQ(unstable.info(), Eigen::NumericalIssue);
  EXPECT_EQ(unstable.report().factor.status, Status::unstable);
  EXPECT_NE(unstable.lastErrorMessage().find("unstable"), std::string::npos);
}

/// The pivot vanishes while the rows stay where they were: what is solved is accurate, and compute exchanges them.
TEST(EigenLuOutcome, AnAccurateSolutionOrNaNWhileAPivotVanishes) {
  Matrix a = (Eigen::Matrix2d() << 1, 1, 1, 2).finished().sparseView();
  const Eigen::Vector2d b(1, 3);
  Lu solver(a);
  for (double pivot = 1.0; pivot > 1e-300; pivot *= 1e-4) {
    a.coeffRef(0, 0) = pivot;
    solver.factorize(a);
    const Eigen::VectorXd x = solver.solve(b);
    if (solver.info() == Eigen::Success) {
      EXPECT_SOLVES(a, x, b) << pivot;
    } else {
      EXPECT_TRUE(x.array().isNaN().all()) << pivot;
    }
  }
  EXPECT_GT(solver.report().factor.perturbed_pivots, 0);
  EXPECT_THROW(solver.absDeterminant(), NumericalFailure);
  solver.compute(a);
  EXPECT_EQ(solver.report().factor.perturbed_pivots, 0);
  EXPECT_NEAR(solver.absDeterminant(), 1.0, backward_error_bound<double>(2));
}

/// Solutions are verified, with and without replaced pivots; one that is not accurate is NaN and info() reports it. Here the
/// product A x overflows.
TEST(EigenLuOutcome, ASolveThatIsNotAccurateIsReported) {
  Matrix a = (Eigen::Matrix2d() << 1, 1, 1, 2).finished().sparseView();
  Lu solver(a);
  a.coeffRef(0, 0) = 1e-20;
  solver.factorize(a);
  ASSERT_EQ(solver.info(), Eigen::Success);
  Eigen::Vector2d x = solver.solve(Eigen::Vector2d(1e308, 1e308));
  EXPECT_TRUE(x.array().isNaN().all());
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  EXPECT_NE(solver.lastErrorMessage().find("backward error"), std::string::npos) << solver.lastErrorMessage();
  const Eigen::Vector2d b(1, 3);
  x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue) << "until the next factorization";
  solver.factorize(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_TRUE(solver.lastErrorMessage().empty());
}

TEST(EigenLuOutcome, NaNInBStaysInItsColumn) {
  const Matrix a = random_general<Matrix>(40, 3, 3, 0);
  const Lu solver(a);
  Eigen::MatrixXd b = random_dense(40, 3, 4);
  b(5, 1) = std::numeric_limits<double>::quiet_NaN();
  const Eigen::MatrixXd x = solver.solve(b);
  EXPECT_TRUE(x.col(1).hasNaN());
  EXPECT_SOLVES(a, x.col(2).eval(), b.col(2).eval());
  EXPECT_EQ(solver.info(), Eigen::Success);
}

TEST(EigenLuOptions, ThresholdIsThatOfReplacedPivots) {
  Lu solver;
  solver.setPivotThreshold(1e-12);
  EXPECT_EQ(solver.options().perturbation, 1e-12);
  const double largest = std::sqrt(std::numeric_limits<double>::epsilon());
  solver.setPivotThreshold(0.1);
  EXPECT_EQ(solver.options().perturbation, largest) << "a usual threshold of SparseLU";
  solver.isSymmetric(true);
  const Matrix a = random_general<Matrix>(40, 3, 3, 5);
  solver.compute(a);
  EXPECT_EQ(solver.report().factor.perturbed_pivots, 0);
  expect_solves(solver, a);
  solver.setPivotThreshold(-1.0);
  EXPECT_THROW(solver.compute(a), InvalidInput);
  solver.setPivotThreshold(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(solver.compute(a), InvalidInput);
}

TEST(EigenLuOptions, ReachTheLibraryExceptTheForm) {
  const Matrix a = random_general<Matrix>(40, 3, 3, 5);
  Lu solver;
  EXPECT_EQ(solver.options().form, Form::lu);
  solver.options().matching = MatchingRule::none;
  solver.options().refinement.max_steps = 2;
  solver.compute(random_general<Matrix>(40, 3, 3, 0));
  const Eigen::VectorXd x = solver.solve(Eigen::VectorXd::Ones(40));
  EXPECT_GE(solver.report().solve.backward_error, 0.0);
  solver.compute(a);
  EXPECT_GT(solver.report().factor.perturbed_pivots, 0) << "without an exchange of rows most of the diagonal is zero";
  std::ostringstream memory;
  solver.dumpMemory(memory);
  EXPECT_NE(memory.str().find("TOTAL:"), std::string::npos);
  solver.options().form = Form::llt;
  EXPECT_THROW(solver.compute(a), InvalidInput);
  Eigen::GpuSupernodalLLT<Matrix> llt;
  llt.options().form = Form::lu;
  EXPECT_THROW(llt.compute(laplacian(4)), InvalidInput);
}

TEST(EigenLuOptions, ReachTheLibrarysBackend) {
  Lu on_device;
  on_device.options().backend = Backend::cuda;
  const Matrix a = random_general<Matrix>(40, 3, 3, 5);
  bool device = false;
  for (const BackendInfo& info : backends()) device |= info.name == "cuda" && info.available;
  if (!device) {
    EXPECT_THROW(on_device.compute(a), BackendUnavailable);
    return;
  }
  on_device.compute(a);
  EXPECT_EQ(on_device.report().analyze.backend, Backend::cuda);
}

}  // namespace
}  // namespace gpusupernodal::test
