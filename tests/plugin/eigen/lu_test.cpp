// Tests of GpuSupernodalLU: solves with A and Aᵀ, phases, outcomes, options, and its use as a preconditioner.
#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseLU>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Lu = Eigen::GpuSupernodalLU<Matrix>;

/// Solves with A and Aᵀ, for a dense and a sparse b, and compares the backward errors with the bound.
template <class Solver>
void expect_solves(const Solver& solver, const typename Solver::MatrixType& a) {
  using Scalar = typename Solver::Scalar;
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
  const typename Solver::MatrixType transposed(a.transpose());
  const Dense b = random_dense<Scalar>(a.rows(), 3, 1);
  const Dense x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);
  const Dense y = solver.transpose().solve(b);
  EXPECT_SOLVES(transposed, y, b);
  const Dense z = solver.adjoint().solve(b);
  EXPECT_EQ((z - y).norm(), Scalar(0));

  const Eigen::SparseMatrix<Scalar> sparse = random_spd<Eigen::SparseMatrix<Scalar>>(static_cast<int>(a.rows()), 40, 2);
  Eigen::SparseMatrix<Scalar> answer = solver.solve(sparse);
  EXPECT_SOLVES(a, Dense(answer), Dense(sparse));
  answer = solver.transpose().solve(sparse);
  EXPECT_SOLVES(transposed, Dense(answer), Dense(sparse));
  Eigen::SparseVector<Scalar> column = solver.transpose().solve(Eigen::SparseVector<Scalar>(sparse.col(2)));
  EXPECT_SOLVES(transposed, Dense(column), Dense(sparse.col(2)));
}

/// Diagonally strong matrices, and the same with their rows shifted, so that most of the diagonal is zero.
template <class Sparse, class Ordering>
void expect_solves_both() {
  for (const int shift : {0, 7}) {
    const Sparse a = random_general<Sparse>(90, 4, 11, shift);
    expect_solves(Eigen::GpuSupernodalLU<Sparse, Ordering>(a), a);
  }
}

TEST(EigenLu, SolvesForAllScalarsIndicesOrdersAndOrderings) {
  expect_solves_both<Eigen::SparseMatrix<double>, Eigen::AutoOrdering>();
  expect_solves_both<Eigen::SparseMatrix<double, Eigen::RowMajor>, Eigen::AutoOrdering>();
  expect_solves_both<Eigen::SparseMatrix<float, Eigen::ColMajor, std::int64_t>, Eigen::AutoOrdering>();
  expect_solves_both<Eigen::SparseMatrix<float, Eigen::RowMajor, std::int64_t>, Eigen::AutoOrdering>();
  expect_solves_both<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>>();
  expect_solves_both<Eigen::SparseMatrix<double>, Eigen::AMDOrdering<int>>();
  expect_solves_both<Eigen::SparseMatrix<double>, Eigen::NaturalOrdering<int>>();
}

TEST(EigenLu, AgreesWithSparseLU) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Matrix a = random_general<Matrix>(5 + 7 * static_cast<int>(seed), 3, seed, static_cast<int>(seed % 5));
    Eigen::SparseLU<Matrix> reference(a);
    const Lu solver(a);
    ASSERT_EQ(solver.info(), reference.info()) << seed;
    const Eigen::VectorXd b = random_dense(a.rows(), 1, seed);
    const Eigen::VectorXd expected = reference.solve(b);
    const Eigen::VectorXd x = solver.solve(b);
    EXPECT_SOLVES(a, expected, b) << seed;
    EXPECT_SOLVES(a, x, b) << seed;
    const double bound = backward_error_bound<double>(a.rows()) * static_cast<double>(a.rows());
    EXPECT_NEAR(solver.logAbsDeterminant(), reference.logAbsDeterminant(), bound) << seed;
    EXPECT_NEAR(std::log(solver.absDeterminant()), reference.logAbsDeterminant(), bound) << seed;
  }
}

/// Expressions, transposes, blocks and uncompressed matrices; b in other layouts, precisions and overlapping x.
TEST(EigenLu, TakesTheFormsThatLltTakes) {
  const Matrix a = random_general<Matrix>(50, 3, 5, 3);
  Lu solver(a.transpose());
  const Eigen::MatrixXd b = random_dense(50, 4, 6);
  Eigen::MatrixXd x = solver.transpose().solve(b);
  EXPECT_SOLVES(a, x, b);
  solver.compute(2.0 * a);
  x = b;
  x = solver.solve(x);
  EXPECT_SOLVES(Matrix(2.0 * a), x, b);
  Matrix loose = a;
  loose.uncompress();
  solver.compute(loose);
  x = b;
  x.leftCols(2) = solver.transpose().solve(x.rightCols(2));
  EXPECT_SOLVES(Matrix(a.transpose()), x.leftCols(2).eval(), b.rightCols(2).eval());
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = solver.solve(2.0 * b);
  EXPECT_SOLVES(a, rows, Eigen::MatrixXd(2.0 * b));
  const Eigen::MatrixXf narrow = solver.transpose().solve(b.cast<float>());
  EXPECT_SOLVES(Matrix(a.transpose()), narrow, Eigen::MatrixXf(b.cast<float>()));
  EXPECT_EQ(Eigen::MatrixXd(solver.solve(Eigen::MatrixXd(50, 0))).cols(), 0);
  const Lu empty(Matrix(0, 0));
  EXPECT_EQ(empty.info(), Eigen::Success);
  EXPECT_EQ(empty.rows(), 0);
}

TEST(EigenLu, NewValuesReuseTheAnalysis) {
  Matrix a = random_general<Matrix>(80, 4, 8, 2);
  Lu solver;
  EXPECT_EQ(solver.rows(), 0);
  solver.analyzePattern(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.cols(), 80);
  const auto plan = solver.solver().plan();
  for (int step = 0; step < 4; ++step) {
    for (Eigen::Index p = 0; p < a.nonZeros(); ++p) a.valuePtr()[p] *= 1.0 + 0.05 * std::sin(static_cast<double>(p + step));
    solver.factorize(a);
    expect_solves(solver, a);
  }
  EXPECT_EQ(solver.solver().plan(), plan);
  EXPECT_EQ(solver.report().factor.factorizations, 4);
  EXPECT_THROW(solver.factorize(random_general<Matrix>(80, 4, 9, 2)), InvalidInput);
  EXPECT_THROW(solver.factorize(random_general<Matrix>(81, 4, 8, 2)), InvalidInput);
}

/// The numbers are those of columns of A, although its rows are exchanged, and the direction is SparseLU's.
TEST(EigenLu, ColsPermutationGivesTheOrderOfElimination) {
  Matrix dense = random_dense(4, 4, 3).sparseView();
  Lu solver;
  solver.options().ordering = Ordering::user;
  solver.options().permutation = {2, 0, 3, 1};
  solver.compute(dense);
  EXPECT_EQ(solver.colsPermutation().indices(), Eigen::Vector4i(1, 3, 0, 2));
  // A full row and a full column, which have to come last; the rows are shifted by 6.
  Matrix arrow(30, 30);
  for (int i = 0; i < 30; ++i) {
    arrow.coeffRef((i + 6) % 30, i) = 40.0;
    if (i > 0) arrow.coeffRef(6, i) = arrow.coeffRef((i + 6) % 30, 0) = 1.0;
  }
  solver.options() = Lu().options();
  solver.compute(arrow);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_GE(solver.colsPermutation().indices()[0], 28);
}

TEST(EigenLu, MovesAndSharesItsFactor) {
  static_assert(!std::is_copy_constructible<Lu>::value && !std::is_copy_assignable<Lu>::value, "owns a factor");
  const Matrix a = random_general<Matrix>(60, 3, 4, 1);
  Lu first(a);
  Lu second(std::move(first));
  expect_solves(second, a);
  first.compute(Matrix(2.0 * a));
  expect_solves(first, Matrix(2.0 * a));
  first = std::move(second);
  expect_solves(first, a);
  const Eigen::MatrixXd b = random_dense(60, 6, 7);
  Eigen::MatrixXd x(60, 6);
  std::vector<std::thread> threads;
  for (Eigen::Index j = 0; j < 6; ++j) threads.emplace_back([&, j] { x.col(j) = first.solve(b.col(j)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_SOLVES(a, x, b);
}

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

/// Solutions are verified, with and without replaced pivots; one that is not accurate is NaN and told by info(). Here the
/// product A x overflows.
TEST(EigenLuOutcome, ASolveThatIsNotAccurateIsTold) {
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
  Lu on_device;
  on_device.options().backend = Backend::cuda;
  EXPECT_THROW(on_device.compute(a), BackendUnavailable);
}

TEST(EigenLuPreconditioner, ConvergesInTwoIterations) {
  const Matrix a = random_general<Matrix>(200, 4, 6, 9);
  const Eigen::VectorXd b = random_dense(200, 1, 1);
  Eigen::BiCGSTAB<Matrix, Lu> exact(a);
  exact.setTolerance(backward_error_bound<double>(200));
  Eigen::VectorXd x = exact.solve(b);
  EXPECT_EQ(exact.info(), Eigen::Success);
  EXPECT_LE(exact.iterations(), 2);
  EXPECT_SOLVES(a, x, b);
  Eigen::BiCGSTAB<Matrix, Eigen::GpuSupernodalLU<Eigen::SparseMatrix<float>>> narrow;
  narrow.setTolerance(backward_error_bound<double>(200));
  narrow.compute(a);
  for (const double scale : {1.0, 1e60}) {
    x = narrow.solve(scale * b);
    EXPECT_EQ(narrow.info(), Eigen::Success);
    EXPECT_LE(narrow.iterations(), 10);
    EXPECT_SOLVES(a, x, Eigen::VectorXd(scale * b));
  }
}

}  // namespace
}  // namespace gpusupernodal::test
