#include "solver/api/row_iteration.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "solver/api/checks.hpp"
#include "tests/solver/api/system_problems.hpp"

namespace gpusupernodal::test::system {
namespace {

/// A by rows with its values.
template <class T>
struct Rows {
  explicit Rows(const Stored<T>& a) : pattern(symmetric_rows(pattern_of(a.view()))) {
    for (const std::int64_t entry : pattern.source) values.push_back(a.values[static_cast<std::size_t>(entry)]);
  }
  SymmetricRows pattern;
  std::vector<T> values;
};

PcgOptions by_jacobi(int threads) {
  PcgOptions options;
  options.preconditioner = Preconditioner::jacobi;
  options.threads = threads;
  return options;
}

template <class T>
class RowIterations : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RowIterations, Scalars);

/// 1e-10, and 1e-5 for float, by default. What rounding in T adds to ‖b − A x‖₂ is 1000·eps·‖b‖₂ for these matrices.
TYPED_TEST(RowIterations, SolveWithEqualBitsOnAnyNumberOfThreads) {
  using T = TypeParam;
  for (const char* const spec : {"lap2d:60", "lap3d:20", "elas:6"}) {
    const Stored<T> a(io::generate(spec));
    const Rows<T> rows(a);
    const std::vector<T> b = random_side<T>(a.n);
    std::vector<T> one(b.size()), four(b.size());
    RowIteration<T> on_one(rows.pattern, rows.values.data(), by_jacobi(1));
    RowIteration<T> on_four(rows.pattern, rows.values.data(), by_jacobi(4));
    ASSERT_TRUE(on_one.has_preconditioner());
    const PcgReport report = on_one.solve(b.data(), one.data(), by_jacobi(1));
    EXPECT_TRUE(report.converged()) << spec;
    EXPECT_EQ(report.preconditioner, Preconditioner::jacobi);
    EXPECT_EQ(on_four.solve(b.data(), four.data(), by_jacobi(4)).iterations, report.iterations) << spec;
    EXPECT_EQ(one, four) << spec;
    const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-10;
    EXPECT_LE(residual(a, one, b), (tolerance + 1000.0 * std::numeric_limits<T>::epsilon()) * norm(b)) << spec;
  }
}

TYPED_TEST(RowIterations, RefuseADiagonalThatIsNotPositive) {
  using T = TypeParam;
  for (const double entry : {0.0, -1.0, 1e-320}) {
    const Stored<T> a(diagonal({1.0, entry, 2.0}));
    const Rows<T> rows(a);
    EXPECT_FALSE(RowIteration<T>(rows.pattern, rows.values.data(), by_jacobi(1)).has_preconditioner()) << entry;
    PcgOptions plain = by_jacobi(1);
    plain.preconditioner = Preconditioner::none;
    EXPECT_TRUE(RowIteration<T>(rows.pattern, rows.values.data(), plain).has_preconditioner()) << entry;
  }
}

/// The first right-hand side needs no second copy of A; the second one is worth a format for products.
TEST(SystemMemory, TheFirstIterationTakesNoCopyOfA) {
  const Stored<double> a(chain(5000, 20.0, 20.0));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x;
  SystemSolver<double> system(with(Method::automatic)), pcg(with(Method::pcg));
  system.compute(a.view());
  pcg.compute(a.view());
  const SystemReport first = solve(system, b, x), alone = solve(pcg, b, x);
  ASSERT_TRUE(first.solved()) << first.reason;
  EXPECT_EQ(first.method, Method::pcg) << first.reason;
  EXPECT_LT(first.memory, alone.memory);
  EXPECT_EQ(solve(system, b, x).memory, alone.memory);
  EXPECT_LE(residual(a, x, b), 1.01e-10 * norm(b));
}

}  // namespace
}  // namespace gpusupernodal::test::system
