/// The solver postorders the natural order and the user's order; old_of_new reports the resulting elimination order.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using EliminationOrder = SolverTest<OnBackend>;
TYPED_TEST_SUITE(EliminationOrder, AllBackends, BackendNames);

/// Rows 0 and 2 are coupled to 3, and row 1 to 4 only. In the order 0, 1, 2, 3, 4, row 1 separates the subtree of 3, so
/// postordering changes the order.
io::SymmetricMatrix two_trees() {
  io::SymmetricMatrix a = diagonal_spd(5);
  a.offsets = {0, 2, 4, 6, 7, 8};
  a.indices = {0, 3, 1, 4, 2, 3, 3, 4};
  a.values = {4.0, 1.0, 5.0, 1.0, 6.0, 2.0, 7.0, 8.0};
  return a;
}

/// Expects P A Pᵀ = L Lᵀ with P from old_of_new, and that System::p permutes in that order.
template <class T>
void expect_order_of(Solver<T>& solver, const io::SymmetricMatrix& a, const std::vector<std::int64_t>& asked) {
  const std::vector<std::int64_t> order = solver.old_of_new();
  EXPECT_NE(order, asked) << "postordering changes this order";
  EXPECT_TRUE(std::is_permutation(order.begin(), order.end(), asked.begin(), asked.end()));
  const FactorMatrix<T> l = solver.extract_l();
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<std::vector<double>> dense_a(n, std::vector<double>(n, 0.0));
  std::vector<std::vector<double>> dense_l = dense_a;
  for (std::size_t j = 0; j < n; ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      const auto i = static_cast<std::size_t>(a.indices[e]);
      dense_a[i][j] = dense_a[j][i] = a.values[e];
    }
    for (auto e = static_cast<std::size_t>(l.offsets[j]); e < static_cast<std::size_t>(l.offsets[j + 1]); ++e)
      dense_l[static_cast<std::size_t>(l.rows[e])][j] = static_cast<double>(l.values[e]);
  }
  const double bound = 8.0 * 5.0 * 8.0 * static_cast<double>(std::numeric_limits<T>::epsilon());  // c · n · ‖A‖ · eps.
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double product = std::inner_product(dense_l[i].begin(), dense_l[i].end(), dense_l[j].begin(), 0.0);
      EXPECT_NEAR(product, dense_a[static_cast<std::size_t>(order[i])][static_cast<std::size_t>(order[j])], bound);
    }
  }
  const std::vector<T> b{T(1), T(2), T(3), T(4), T(5)};
  const std::vector<T> permuted = solution(solver, b, System::p);
  for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(permuted[k], b[static_cast<std::size_t>(order[k])]);
}

TYPED_TEST(EliminationOrder, IsReturnedByOldOfNew) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = two_trees();
  const StoredMatrix<T> s = stored<T>(a);
  std::vector<std::int64_t> identity(5);
  std::iota(identity.begin(), identity.end(), 0);
  for (const Ordering ordering : {Ordering::natural, Ordering::user}) {
    Options options = this->options();
    options.ordering = ordering;
    if (ordering == Ordering::user) options.permutation = identity;
    Solver<T> solver(options);
    solver.compute(s.view());
    EXPECT_EQ(solver.analyze_report().ordering, ordering);
    expect_order_of(solver, a, identity);
  }
}

/// A dense matrix is one supernode. It is stored as a square, of which L fills a little more than half.
TYPED_TEST(EliminationOrder, StoredLCountsWholeRectangles) {
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(dense_spd(32, 3));
  Solver<T> solver(this->options());
  solver.compute(s.view());
  const AnalyzeReport& report = solver.analyze_report();
  EXPECT_EQ(report.stored_l, 32 * 32);
  EXPECT_EQ(report.nonzeros_l, 32 * 33 / 2);
  EXPECT_EQ(solver.extract_l().values.size(), 32U * 33U / 2U);
  if (!this->on_host) return;
  EXPECT_EQ(report.memory.factor, report.stored_l * static_cast<std::int64_t>(sizeof(T)));
}

}  // namespace
}  // namespace gpusupernodal::test
