/// Factors of which a part is in host memory.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/solver/api/cuda/device_problem.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class HybridMemory : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }

  /// Options that allow this share of the panels on the device, and everything else.
  static Options within(const io::SymmetricMatrix& a, double share) {
    Options options = on(Backend::cuda);
    const MemoryEstimate memory = Solver<T>::preview(stored<T>(a).view(), options).report.memory;
    options.device_memory_limit =
        memory.total() - memory.factor + static_cast<std::int64_t>(share * static_cast<double>(memory.factor));
    return options;
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(HybridMemory, Scalars);

std::vector<io::SymmetricMatrix> hybrid_matrices() {
  std::vector<io::SymmetricMatrix> all;
  for (const char* spec : {"lap2d:150", "lap3d:24", "elas:10", "shell:40"}) all.push_back(io::generate(spec));
  all.push_back(joined_cliques_spd(7, 300, 40, 3));
  return all;
}

TYPED_TEST(HybridMemory, RefactorizeWithNewValues) {
  using T = TypeParam;
  for (const io::SymmetricMatrix& matrix : hybrid_matrices()) {
    const io::SymmetricMatrix a = rounded<T>(matrix);
    SCOPED_TRACE(a.name);
    const CallersStream stream;
    Solver<T> solver(this->within(a, 0.8));
    solver.set_stream(stream.get());
    const StoredMatrix<T> s = stored<T>(a);
    solver.analyze(s.view());
    ASSERT_GT(solver.analyze_report().memory.host, 0);
    EXPECT_LE(solver.analyze_report().memory.total(), solver.options().device_memory_limit);
    EXPECT_NE(solver.analyze_report().backend_reason.find("in host memory"), std::string::npos);
    for (int step = 1; step <= 4; ++step) {
      if (step == 4) solver.reserve_right_hand_sides(16);
      const DeviceSystem<T> system(a, step, static_cast<std::uint64_t>(step), step < 3 ? step : 20);
      system.refactorize(solver);
      system.solve(solver);
      ASSERT_EQ(solver.status(), Status::success);
      stream.wait();
      EXPECT_LE(system.error(), system.bound()) << "step " << step;
    }
  }
}

TYPED_TEST(HybridMemory, SolvesWithOneFactorHaveEqualBits) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:24"));
  Solver<T> solver(this->within(a, 0.6));
  solver.compute(stored<T>(a).view());
  for (const std::int64_t columns : {1, 8}) {
    const std::vector<T> b = right_hand_side<T>(a.n, columns);
    const std::vector<T> x = solution(solver, b);
    for (int again = 0; again < 5; ++again) EXPECT_EQ(solution(solver, b), x);
  }
}

/// What needs all of L has the same values as without a limit, up to rounding.
TYPED_TEST(HybridMemory, TheWholeFactorCanBeRead) {
  using T = TypeParam;
  using Real = typename ScalarTraits<T>::Real;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap2d:150"));
  Solver<T> hybrid(this->within(a, 0.6));
  Solver<T> device(on(Backend::cuda));
  hybrid.compute(stored<T>(a).view());
  device.compute(stored<T>(a).view());
  ASSERT_GT(hybrid.analyze_report().memory.host, 0);
  const double bound = 10.0 * static_cast<double>(a.n) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  EXPECT_NEAR(hybrid.log_determinant(), device.log_determinant(), bound * std::abs(device.log_determinant()));
  const FactorMatrix<T> l = hybrid.extract_l();
  const FactorMatrix<T> wanted = device.extract_l();
  ASSERT_EQ(l.rows, wanted.rows);
  for (std::size_t i = 0; i < l.values.size(); ++i)
    ASSERT_NEAR(static_cast<double>(l.values[i]), static_cast<double>(wanted.values[i]), bound);
}

TYPED_TEST(HybridMemory, NamesTheColumnThatFailsAndRecovers) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:24"));
  Solver<T> solver(this->within(a, 0.6));
  solver.analyze(stored<T>(a).view());
  for (const std::int64_t column : {std::int64_t{0}, a.n / 3, a.n - 1}) {
    io::SymmetricMatrix indefinite = a;
    for (auto e = a.offsets[static_cast<std::size_t>(column)]; e < a.offsets[static_cast<std::size_t>(column) + 1]; ++e) {
      if (a.indices[static_cast<std::size_t>(e)] == column) indefinite.values[static_cast<std::size_t>(e)] = -1.0;
    }
    solver.factorize(stored<T>(indefinite).view());
    EXPECT_EQ(solver.status(), Status::not_positive_definite);
    EXPECT_EQ(solver.factor_report().failed_column, column);
    solver.factorize(stored<T>(a).view());
    expect_solves(solver, a);
  }
}

TYPED_TEST(HybridMemory, LeavesCapturesAlone) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:24"));
  Solver<T> solver(this->within(a, 0.6));
  solver.analyze(stored<T>(a).view());
  expect_no_capture(solver, a, "copies panels between the device and host memory");
}

TYPED_TEST(HybridMemory, SaysHowMuchIsNeededAtLeast) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:24"));
  Solver<T> solver(this->within(a, 0.01));
  expect_throw<OutOfMemory>([&] { solver.analyze(stored<T>(a).view()); },
                            {"even with panels in host memory, but ", "bytes are allowed (device_memory_limit)"});
  Options options = this->within(a, 0.6);
  options.memory = FactorMemory::device;
  expect_throw<OutOfMemory>([&] { Solver<T>(options).analyze(stored<T>(a).view()); }, {"device_memory_limit"});
  options.memory = FactorMemory::hybrid;
  options.trace = true;
  expect_throw<InvalidInput>([&] { Solver<T>(options).analyze(stored<T>(a).view()); }, {"memory is hybrid", "trace is off"});
}

}  // namespace
}  // namespace gpusupernodal::test
