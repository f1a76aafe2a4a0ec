/// Solves with the tasks that matrices of many entries have, of matrices of few.

#include <gtest/gtest.h>

#include <limits>

#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/plan/cuda_sweep.hpp"
#include "solver/plan/cuda_tiling.hpp"
#include "solver/symbolic/step_log.hpp"
#include "tests/solver/exec/problem.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Makes a plan's part for a device with those tasks, before anybody asks for it.
void use_bulk_tasks(const FactorPlan& plan) {
  ThreadTeam team(1);
  StepLog log;
  std::unique_ptr<CudaPlan> begun = plan.begin_cuda(team, log);
  CudaSolvePlan& solve = begun->solve;
  const SingleShape of_double{cuda_single_entries, cuda_single_most_outputs};
  const SingleShape of_float{cuda_single_float_entries, cuda_single_most_outputs};
  std::int64_t sums = 0;
  std::int64_t partials = 0;
  solve.forward_single = build_single_forward_sweep(plan.symbolic, of_double, solve.sums_single);
  solve.backward_single = build_single_backward_sweep(plan.symbolic, of_double, solve.partials_single);
  solve.forward_float = build_single_forward_sweep(plan.symbolic, of_float, sums);
  solve.backward_float = build_single_backward_sweep(plan.symbolic, of_float, partials);
  solve.sums_single = std::max(solve.sums_single, sums);
  solve.partials_single = std::max(solve.partials_single, partials);
  plan.cuda(team, log, std::move(begun));
}

template <class T>
class CudaBulkSolves : public ::testing::Test {};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaBulkSolves, Scalars);

TYPED_TEST(CudaBulkSolves, AreToTheBound) {
  using T = TypeParam;
  const CudaAvailability cuda = cuda_availability();
  if (!cuda.available) GTEST_SKIP() << cuda.reason;
  std::vector<io::SymmetricMatrix> matrices;
  for (const char* name : {"lap3d:16", "elas:9", "shell:60", "lap2d:80"}) matrices.push_back(io::generate(name));
  for (const int width : {65, 70, 76}) matrices.push_back(joined_cliques_spd(300, width, 2, 3));
  matrices.push_back(joined_cliques_spd(2, 1100, 90, 3));
  for (io::SymmetricMatrix& a : matrices) {
    SCOPED_TRACE(a.name);
    const Problem<T> problem(std::move(a));
    use_bulk_tasks(*problem.plan);
    const auto executor = make_cuda_executor<T>(problem.plan, ExecutorOptions());
    executor->factorize(problem.input());
    const std::vector<double> b = io::multiply(problem.a, std::vector<double>(problem.order(), 1.0));
    std::vector<T> right(b.begin(), b.end());
    std::vector<T> x(right.size());
    executor->solve(SolveSteps(), DenseView<const T>(right.data(), problem.a.n), DenseView<T>(x.data(), problem.a.n));
    const std::vector<double> solution(x.begin(), x.end());
    const std::vector<double> rounded(right.begin(), right.end());
    const double bound = 4.0 * static_cast<double>(problem.a.n) * static_cast<double>(std::numeric_limits<T>::epsilon());
    EXPECT_LE(backward_error(problem.a, solution, rounded), bound);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
