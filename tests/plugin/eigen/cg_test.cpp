// Tests of GpuSupernodalCG beside Eigen::ConjugateGradient.
#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

template <class Scalar_, class StorageIndex, int Order, int UpLo_, class Preconditioner_>
struct CgCase {
  using Scalar = Scalar_;
  using Matrix = Eigen::SparseMatrix<Scalar, Order, StorageIndex>;
  using Solver = Eigen::GpuSupernodalCG<Matrix, UpLo_, Preconditioner_>;
  static constexpr int UpLo = UpLo_;
};

template <Preconditioner Kind>
using Own = OwnPreconditioner<Kind>;

template <class C>
class EigenCg : public testing::Test {};
using CgCases =
    testing::Types<CgCase<double, int, Eigen::ColMajor, Eigen::Lower, Own<Preconditioner::automatic>>,
                   CgCase<double, int, Eigen::RowMajor, Eigen::Upper, Own<Preconditioner::fsai>>,
                   CgCase<double, std::int64_t, Eigen::ColMajor, Eigen::Upper, Eigen::DiagonalPreconditioner<double>>,
                   CgCase<double, int, Eigen::ColMajor, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>,
                   CgCase<double, int, Eigen::ColMajor, Eigen::Lower, Own<Preconditioner::factor>>,
                   CgCase<float, int, Eigen::RowMajor, Eigen::Lower, Own<Preconditioner::block_jacobi>>,
                   CgCase<double, int, Eigen::ColMajor, Eigen::Lower | Eigen::Upper, Eigen::IncompleteCholesky<double>>>;
TYPED_TEST_SUITE(EigenCg, CgCases);

template <class C>
typename C::Matrix stored_half(const typename C::Matrix& a) {
  if (C::UpLo == (Eigen::Lower | Eigen::Upper)) return a;
  return typename C::Matrix(a.template triangularView < (C::UpLo & Eigen::Lower) ? Eigen::Lower : Eigen::Upper > ());
}

TYPED_TEST(EigenCg, SolvesFromZeroAndFromAGuess) {
  using Scalar = typename TypeParam::Scalar;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  const auto a = laplacian<typename TypeParam::Matrix>(12);
  const Vector b = Vector::Random(a.rows());
  typename TypeParam::Solver solver;
  solver.options().backend = Backend::host;
  EXPECT_EQ(&solver.compute(stored_half<TypeParam>(a)), &solver);
  ASSERT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.rows(), a.rows());
  const Vector x = solver.solve(b);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_GT(solver.iterations(), 0);
  EXPECT_LE(solver.error(), solver.tolerance());
  const Scalar rounding = Scalar(100) * std::numeric_limits<Scalar>::epsilon();
  EXPECT_LE((b - a * x).norm(), (solver.tolerance() + rounding) * b.norm());
  const Vector again = solver.solveWithGuess(b, x);
  EXPECT_EQ(solver.iterations(), 0);
  EXPECT_EQ(again, x);
  // New values of the same pattern.
  const typename TypeParam::Matrix scaled = a * Scalar(2);
  solver.factorize(stored_half<TypeParam>(scaled));
  const Vector half = solver.solve(b);
  EXPECT_LE((half - x / Scalar(2)).norm(), Scalar(1000) * solver.tolerance() * x.norm());
}

using Matrix = Eigen::SparseMatrix<double>;
using Cg = Eigen::GpuSupernodalCG<Matrix>;

TEST(EigenCgOutcome, TellsWhyItFailed) {
  const Matrix a = laplacian<Matrix>(20);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(a.rows());
  Cg solver(a);
  EXPECT_EQ(solver.maxIterations(), 10 * a.rows());
  solver.setMaxIterations(2).setTolerance(1e-13);
  EXPECT_EQ(solver.maxIterations(), 2);
  EXPECT_EQ(solver.tolerance(), 1e-13);
  solver.solve(b).eval();
  EXPECT_EQ(solver.info(), Eigen::NoConvergence);
  EXPECT_EQ(solver.iterations(), 2);
  EXPECT_GT(solver.error(), 1e-13);
  EXPECT_EQ(solver.reports().front().status, PcgStatus::max_iterations);
  const Matrix negative = -a;
  solver.compute(negative);
  solver.solve(b).eval();
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
}

#ifdef NDEBUG  // Otherwise an assertion fails first: EigenAssertions.ConjugateGradientAsksForItsPhases.
TEST(EigenCgOutcome, RefusesAMatrixThatIsNotSquare) {
  Cg solver;
  EXPECT_THROW(solver.compute(Matrix(2, 3)), InvalidInput);
}
#endif

TEST(EigenCgOutcome, SaysThatTheValuesAreMissing) {
  const Matrix a = random_spd<Matrix>(20, 40, 1);
  Cg solver;
  solver.analyzePattern(a);
  const Eigen::VectorXd x = solver.solve(Eigen::VectorXd(Eigen::VectorXd::Ones(20)));
  EXPECT_TRUE(std::isnan(x.sum()));
  EXPECT_EQ(solver.info(), Eigen::InvalidInput);
  solver.factorize(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
}

TEST(EigenCgOutcome, SolvesManyColumnsExpressionsAndSparseSides) {
  const Matrix a = laplacian<Matrix>(10);
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(a.rows(), 4);
  const Cg solver(2.0 * a);
  const Eigen::MatrixXd x = solver.solve(2.0 * b);
  for (int c = 0; c < 4; ++c) EXPECT_LE((b.col(c) - a * x.col(c)).norm(), 2e-10 * b.col(c).norm());
  const Matrix sparse = b.sparseView(1.0, 0.7);
  const Matrix answer = solver.solve(sparse);
  EXPECT_LE((Eigen::MatrixXd(sparse) - 2.0 * (a * Eigen::MatrixXd(answer))).norm(), 1e-9 * sparse.norm());
}

TEST(EigenCgOutcome, TakesAboutAsManyIterationsAsEigen) {
  const Matrix a = laplacian<Matrix>(30);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(a.rows());
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper> eigen(a);
  eigen.setTolerance(1e-10);
  eigen.solve(b).eval();
  Eigen::GpuSupernodalCG<Matrix, Eigen::Lower, Eigen::DiagonalPreconditioner<double>> ours(a);
  ours.solve(b).eval();
  EXPECT_NEAR(static_cast<double>(ours.iterations()), static_cast<double>(eigen.iterations()), 2.0);
}

TEST(EigenCgOutcome, SolvesInSeveralThreads) {
  const Matrix a = laplacian<Matrix>(15);
  const Cg solver(a);
  std::vector<std::thread> threads;
  std::vector<double> errors(4, 1.0);
  for (std::size_t t = 0; t < errors.size(); ++t) {
    threads.emplace_back([&, t] {
      const Eigen::VectorXd b = Eigen::VectorXd::Constant(a.rows(), 1.0 + static_cast<double>(t));
      const Eigen::VectorXd x = solver.solve(b);
      errors[t] = (b - a * x).norm() / b.norm();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double error : errors) EXPECT_LE(error, 1e-9);
}

}  // namespace
}  // namespace gpusupernodal::test
