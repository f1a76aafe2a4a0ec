#include "solver/factor/task_flops.hpp"

#include <gtest/gtest.h>

#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Compares every formula with the sum it stands for. All numbers are integers below 2⁵³, so equality is exact.
TEST(TaskFlops, FormulasEqualTheirSums) {
  for (int n = 0; n <= 40; ++n) {
    double squares = 0.0;
    for (int c = 1; c <= n; ++c) squares += c * c;
    EXPECT_EQ(potrf_flops(n), squares);
    for (int k = 0; k <= 5; ++k) {
      double lower = 0.0;
      for (int j = 0; j < n; ++j) lower += 2.0 * k * (n - j);
      EXPECT_EQ(syrk_flops(n, k), lower);
    }
  }
}

TEST(TaskFlops, SupernodeFlopsAreSumsOfSquaredColumnCounts) {
  for (const auto& a : small_matrices()) {
    const SymbolicFactor factor = analyze(graph_of(a), Ordering::amd, Merging::none);
    double all = 0.0;
    for (SupernodeId s : factor.supernode_ids()) {
      double squares = 0.0;
      for (std::int32_t c = 0; c < factor.width(s); ++c) {
        const double count = factor.front(s) - c;
        squares += count * count;
      }
      EXPECT_EQ(supernode_flops(factor, s), squares);
      all += squares;
    }
    EXPECT_EQ(all, factor.flops) << a.name << ": without merging there are no explicit zeros";
  }
}

/// Splitting a block in two does not change the flops: potrf(a+b) = potrf(a) + trsm(b, a) + syrk(b, a) + potrf(b).
TEST(TaskFlops, FlopsOfHalvesAddUpToTheWhole) {
  for (int a = 0; a <= 20; ++a) {
    for (int b = 0; b <= 20; ++b) {
      EXPECT_EQ(potrf_flops(a + b), potrf_flops(a) + trsm_flops(b, a) + syrk_flops(b, a) + potrf_flops(b));
      EXPECT_EQ(syrk_flops(a + b, 3), syrk_flops(a, 3) + gemm_flops(b, a, 3) + syrk_flops(b, 3));
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
