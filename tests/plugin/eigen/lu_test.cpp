// Tests of GpuSupernodalLU: solves with A and Aᵀ, phases, orderings, and its use as a preconditioner.
#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseLU>
#include <cmath>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/plugin/eigen/lu_problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Lu = Eigen::GpuSupernodalLU<Matrix>;

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
    EXPECT_EQ(solver.signDeterminant(), reference.signDeterminant()) << seed;
    EXPECT_NEAR(solver.determinant() / reference.determinant(), 1.0, bound) << seed;
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

/// Orders the columns backwards, and keeps the number of entries that it saw.
struct Backwards {
  using PermutationType = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;
  static inline Eigen::Index entries = 0;
  template <class A>
  void operator()(const A& a, PermutationType& permutation) {
    entries = a.nonZeros();
    permutation.resize(a.cols());
    for (int k = 0; k < a.cols(); ++k) permutation.indices()[k] = static_cast<int>(a.cols()) - 1 - k;
  }
};

TEST(EigenLu, AnOrderingFunctorIsObeyedAndSeesAllEntries) {
  Eigen::GpuSupernodalLU<Matrix, Backwards> solver(Matrix(random_dense(4, 4, 3).sparseView()));
  EXPECT_EQ(solver.colsPermutation().indices(), Eigen::Vector4i(3, 2, 1, 0));
  const Matrix a = random_general<Matrix>(40, 3, 4, 3);
  solver.compute(a);
  EXPECT_EQ(Backwards::entries, a.nonZeros());
  expect_solves(solver, a);
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
