// Tests of GpuSupernodalSolver.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

template <class Scalar_, class StorageIndex, int Order, int UpLo_>
struct SystemCase {
  using Scalar = Scalar_;
  using Matrix = Eigen::SparseMatrix<Scalar, Order, StorageIndex>;
  using Solver = Eigen::GpuSupernodalSolver<Matrix, UpLo_>;
  static constexpr int UpLo = UpLo_;
};

template <class C>
class EigenSystem : public testing::Test {};
using SystemCases = testing::Types<SystemCase<double, int, Eigen::ColMajor, Eigen::Lower>,
                                   SystemCase<double, int, Eigen::RowMajor, Eigen::Upper>,
                                   SystemCase<double, std::int64_t, Eigen::ColMajor, Eigen::Lower | Eigen::Upper>,
                                   SystemCase<float, int, Eigen::ColMajor, Eigen::Upper>>;
TYPED_TEST_SUITE(EigenSystem, SystemCases);

template <class C>
typename C::Matrix half_of(const typename C::Matrix& a) {
  if (C::UpLo == (Eigen::Lower | Eigen::Upper)) return a;
  return typename C::Matrix(a.template triangularView < (C::UpLo & Eigen::Lower) ? Eigen::Lower : Eigen::Upper > ());
}

TYPED_TEST(EigenSystem, SolvesByEveryMethod) {
  using Scalar = typename TypeParam::Scalar;
  const auto a = laplacian<typename TypeParam::Matrix>(12);
  const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> b =
      Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>::Random(a.rows(), 2);
  const Scalar tolerance = sizeof(Scalar) == 4 ? Scalar(1e-5) : Scalar(1e-10);
  const Scalar rounding = Scalar(1000) * std::numeric_limits<Scalar>::epsilon();
  for (const Method method : {Method::automatic, Method::direct, Method::mixed, Method::pcg}) {
    typename TypeParam::Solver solver;
    solver.options().backend = Backend::host;
    solver.options().method = method;
    EXPECT_EQ(&solver.compute(half_of<TypeParam>(a)), &solver);
    ASSERT_EQ(solver.info(), Eigen::Success);
    EXPECT_EQ(solver.rows(), a.rows());
    const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> x = solver.solve(b);
    EXPECT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
    for (int c = 0; c < 2; ++c)
      EXPECT_LE((b.col(c) - a * x.col(c)).norm(), (tolerance + rounding) * b.col(c).norm()) << name_of(method);
    EXPECT_FALSE(solver.report().reason.empty());
    // New values of the same pattern.
    const typename TypeParam::Matrix scaled = a * Scalar(2);
    solver.factorize(half_of<TypeParam>(scaled));
    const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> again = solver.solve(b);
    for (int c = 0; c < 2; ++c)
      EXPECT_LE((b.col(c) - scaled * again.col(c)).norm(), (tolerance + rounding) * b.col(c).norm()) << name_of(method);
  }
}

using SystemMatrix = Eigen::SparseMatrix<double>;

TEST(EigenSystemOutcome, TellsWhyItFailed) {
  const SystemMatrix a = laplacian<SystemMatrix>(20);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(a.rows());
  Eigen::GpuSupernodalSolver<SystemMatrix> solver(a);
  solver.options().method = Method::pcg;
  solver.options().max_iterations = 2;
  EXPECT_TRUE(std::isnan(solver.solve(b).eval()(0)));
  EXPECT_EQ(solver.info(), Eigen::NoConvergence);
  EXPECT_NE(solver.lastErrorMessage().find("max_iterations"), std::string::npos) << solver.lastErrorMessage();
  solver.options() = SystemOptions();
  EXPECT_LE((b - a * solver.solve(b)).norm(), 1.01e-10 * b.norm());
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_TRUE(solver.lastErrorMessage().empty());
  const SystemMatrix negative = -a;
  solver.compute(negative);
  EXPECT_TRUE(std::isnan(solver.solve(b).eval()(0)));
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  EXPECT_EQ(solver.report().status, SystemStatus::not_positive_definite);
}

TEST(EigenSystemOutcome, SaysThatTheValuesAreMissing) {
  const SystemMatrix a = random_spd<SystemMatrix>(20, 40, 1);
  Eigen::GpuSupernodalSolver<SystemMatrix> solver;
  solver.analyzePattern(a);
  const Eigen::VectorXd x = solver.solve(Eigen::VectorXd(Eigen::VectorXd::Ones(20)));
  EXPECT_TRUE(std::isnan(x.sum()));
  EXPECT_EQ(solver.info(), Eigen::InvalidInput);
  EXPECT_NE(solver.lastErrorMessage().find("before factorize"), std::string::npos) << solver.lastErrorMessage();
  solver.factorize(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_TRUE(solver.lastErrorMessage().empty());
}

#if defined(NDEBUG) && !defined(EIGEN_FORCE_ASSERT)
/// With assertions, Eigen ends the program here.
TEST(EigenSystemOutcome, SaysThatThereIsNoMatrix) {
  Eigen::GpuSupernodalSolver<SystemMatrix> solver;
  const Eigen::VectorXd x = solver.solve(Eigen::VectorXd(Eigen::VectorXd::Ones(20)));
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ(solver.info(), Eigen::InvalidInput);
  EXPECT_NE(solver.lastErrorMessage().find("before compute"), std::string::npos) << solver.lastErrorMessage();
}
#endif

TEST(EigenSystemOutcome, SolvesExpressionsAndSparseSidesInSeveralThreads) {
  const SystemMatrix a = laplacian<SystemMatrix>(10);
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(a.rows(), 4);
  const Eigen::GpuSupernodalSolver<SystemMatrix> solver(2.0 * a);
  const SystemMatrix sparse = b.sparseView(1.0, 0.7);
  const SystemMatrix answer = solver.solve(sparse);
  EXPECT_LE((Eigen::MatrixXd(sparse) - 2.0 * (a * Eigen::MatrixXd(answer))).norm(), 1e-9 * sparse.norm());
  std::vector<std::thread> threads;
  std::vector<double> errors(4, 1.0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Eigen::VectorXd x = solver.solve(2.0 * b.col(t));
      errors[static_cast<std::size_t>(t)] = (b.col(t) - a * x).norm() / b.col(t).norm();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double error : errors) EXPECT_LE(error, 2e-10);
}

}  // namespace
}  // namespace gpusupernodal::test
