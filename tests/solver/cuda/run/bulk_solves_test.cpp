/// Solves with small matrices and the tasks of large plans.

#include <gtest/gtest.h>

#include <limits>

#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/solver/backend/problem.hpp"
#include "tests/solver/cuda/plan/bulk_tasks.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class CudaBulkSolves : public ::testing::Test {};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaBulkSolves, Scalars);

TYPED_TEST(CudaBulkSolves, MeetTheErrorBound) {
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
    const auto plan = with_bulk_tasks(*problem.plan);
    const auto executor = make_cuda_executor<T>(plan->cuda_plan(), ExecutorOptions());
    executor->factorization().factorize(problem.input());
    const std::vector<double> b = io::multiply(problem.a, std::vector<double>(problem.order(), 1.0));
    std::vector<T> right(b.begin(), b.end());
    std::vector<T> x(right.size());
    executor->factorization().solve(SolveSteps(), DenseView<const T>(right.data(), problem.a.n),
                                    DenseView<T>(x.data(), problem.a.n));
    const std::vector<double> solution(x.begin(), x.end());
    const std::vector<double> rounded(right.begin(), right.end());
    const double bound = 4.0 * static_cast<double>(problem.a.n) * static_cast<double>(std::numeric_limits<T>::epsilon());
    EXPECT_LE(backward_error(problem.a, solution, rounded), bound);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
