// Tests of phases, outcomes, moves, options and reports.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpusupernodal/eigen.hpp"
#include "gpusupernodal/info.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Llt = Eigen::GpuSupernodalLLT<Matrix>;

TEST(EigenPhases, NewValuesReuseTheAnalysis) {
  const Matrix a = laplacian(8);
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 1);
  Llt solver(a);
  const auto plan = solver.solver().plan();
  for (double scale : {2.0, 0.5}) {
    const Matrix scaled = scale * a;
    solver.factorize(scaled);
    ASSERT_EQ(solver.info(), Eigen::Success);
    const Eigen::VectorXd x = solver.solve(b);
    EXPECT_SOLVES(scaled, x, b);
  }
  EXPECT_EQ(solver.solver().plan(), plan);
  EXPECT_EQ(solver.report().factor.factorizations, 3);
}

TEST(EigenPhases, ComputeReusesTheCachedPlanOfAnEqualPattern) {
  const Matrix a = laplacian(9);
  const Matrix twice = 2.0 * a;
  Llt first(a);
  Llt second(twice);
  EXPECT_EQ(second.solver().plan(), first.solver().plan());
  EXPECT_EQ(second.solver().analyze_report().plan_source, PlanSource::cache);
  second.compute(a);
  EXPECT_EQ(second.solver().plan(), first.solver().plan());
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 1);
  const Eigen::VectorXd x = second.solve(b);
  EXPECT_SOLVES(a, x, b);
}

TEST(EigenPhases, SizesAreKnownAfterAnalyze) {
  Llt solver;
  EXPECT_EQ(solver.rows(), 0);
  solver.analyzePattern(laplacian(4));
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.rows(), 16);
  EXPECT_EQ(solver.cols(), 16);
  EXPECT_EQ(solver.permutationP().size(), 16);
}

TEST(EigenPhases, FactorizeRefusesAnotherPattern) {
  Llt solver(laplacian(4));
  EXPECT_THROW(solver.factorize(random_spd(16, 50, 3)), InvalidInput);
}

TEST(EigenOutcome, NotPositiveDefiniteIsANumericalIssueAndTheNextFactorizeWorks) {
  const Matrix a = laplacian(6);
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 2);
  Llt solver(-a);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  const Eigen::VectorXd none = solver.solve(b);
  EXPECT_TRUE(std::isnan(none.sum()));
  EXPECT_EQ(solver.report().factor.status, Status::not_positive_definite);
  solver.factorize(a);
  ASSERT_EQ(solver.info(), Eigen::Success);
  const Eigen::VectorXd x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);

  Matrix indefinite = a;
  indefinite.coeffRef(20, 20) = -1.0;
  solver.factorize(indefinite);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  solver.compute(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
}

TEST(EigenOutcome, NotANumberIsANumericalIssue) {
  Matrix a = laplacian(6);
  a.coeffRef(7, 7) = std::numeric_limits<double>::quiet_NaN();
  const Llt solver(a);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
}

/// An allocator that refuses every request.
class NoMemory : public Allocator {
 public:
  void* allocate(std::size_t, std::size_t) override { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t) noexcept override {}
};

TEST(EigenOutcome, InfoReportsRefusedMemory) {
  const Matrix a = laplacian(6);
  Llt solver;
  solver.options().backend = Backend::host;
  solver.options().host_allocator = std::make_shared<NoMemory>();
  solver.compute(a);
  EXPECT_EQ(solver.info(), Eigen::InvalidInput);
  EXPECT_FALSE(solver.report().failure.empty());
  solver.options().host_allocator = nullptr;
  solver.compute(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_TRUE(solver.report().failure.empty());
}

TEST(EigenMove, TakesTheFactorAndLeavesAnEmptySolver) {
  static_assert(!std::is_copy_constructible<Llt>::value && !std::is_copy_assignable<Llt>::value, "owns a factor");
  const Matrix a = laplacian(6);
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 4);
  Llt first(a);
  const Eigen::MatrixXd l(first.matrixL());
  Llt second(std::move(first));
  Eigen::VectorXd x = second.solve(b);
  EXPECT_SOLVES(a, x, b);
  EXPECT_EQ((Eigen::MatrixXd(second.matrixL()) - l).norm(), 0.0);

  first.compute(2.0 * a);
  x = first.solve(b);
  EXPECT_SOLVES(2.0 * a, x, b);
  first = std::move(second);
  x = first.solve(b);
  EXPECT_SOLVES(a, x, b);

  std::vector<Llt> many;
  for (int i = 0; i < 3; ++i) many.emplace_back((i + 1.0) * a);
  x = many[2].solve(b);
  EXPECT_SOLVES(3.0 * a, x, b);
}

TEST(EigenOptions, ReachTheLibrary) {
  const Matrix a = laplacian(8);
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 5);
  Llt solver;
  solver.options().backend = Backend::host;
  solver.options().ordering = Ordering::natural;
  solver.compute(a);
  EXPECT_EQ(solver.report().analyze.ordering, Ordering::natural);
  EXPECT_EQ(solver.report().analyze.backend, Backend::host);
  EXPECT_EQ(solver.permutationP().indices()[3], 3);
  solver.options().refinement.max_steps = 1;
  solver.factorize(a);
  const Eigen::VectorXd x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);
  EXPECT_EQ(solver.report().solve.refinement_steps, 1);
  EXPECT_GE(solver.report().solve.backward_error, 0.0);
}

TEST(EigenOptions, EveryBackendSolves) {
  const Matrix a = laplacian(12);
  const Eigen::MatrixXd b = random_dense(a.rows(), 3, 6);
  for (const BackendInfo& backend : backends()) {
    if (!backend.available) continue;
    Llt solver;
    solver.options().backend = backend.name == "cuda" ? Backend::cuda : Backend::host;
    solver.compute(a);
    ASSERT_EQ(solver.info(), Eigen::Success) << backend.name;
    const Eigen::MatrixXd x = solver.solve(b);
    EXPECT_SOLVES(a, x, b) << backend.name;
    const Matrix l = solver.matrixL();
    EXPECT_GE(l.nonZeros(), a.rows());
  }
}

/// Each thread runs all phases with a separate solver for one pattern.
TEST(EigenThreads, EachSolvesWithASeparateSolver) {
  const Matrix a = laplacian(12);
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 8);
  std::vector<Eigen::VectorXd> x(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < x.size(); ++t) {
    threads.emplace_back([&, t] {
      Llt solver;
      solver.analyzePattern(a);
      for (int step = 0; step < 5; ++step) solver.factorize((step + 1.0) * a);
      x[t] = solver.solve(b);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Eigen::VectorXd& solution : x) EXPECT_SOLVES(5.0 * a, solution, b);
}

TEST(EigenThreads, ShareOneFactor) {
  const Matrix a = laplacian(12);
  const Eigen::MatrixXd b = random_dense(a.rows(), 8, 7);
  Eigen::MatrixXd x(a.rows(), 8);
  const Llt solver(a);
  std::vector<std::thread> threads;
  for (Eigen::Index j = 0; j < 8; ++j) threads.emplace_back([&, j] { x.col(j) = solver.solve(b.col(j)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_SOLVES(a, x, b);
}

}  // namespace
}  // namespace gpusupernodal::test
