#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/solver/api/pcg_problems.hpp"

namespace gpusupernodal::test::pcg {
namespace {

struct Watched {
  Solved<double> solved;
  std::vector<PcgProgress> calls;
};

/// Solves with jacobi on the host and notes the calls; stops at the call number `last`.
Watched watch(const io::SymmetricMatrix& a, const std::vector<double>& b, std::size_t last = 1000000) {
  Watched watched;
  PcgOptions options = options_on(Backend::host, Preconditioner::jacobi);
  options.progress = [&](const PcgProgress& p) {
    watched.calls.push_back(p);
    return watched.calls.size() < last;
  };
  watched.solved = solve(options, Stored<double>(a), b);
  return watched;
}

TEST(PcgProgress, SeesEachIterationAndChangesNothing) {
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  const std::vector<double> b = random_side<double>(a.n);
  const Watched watched = watch(a, b);
  const Solved<double> plain = solve(options_on(Backend::host, Preconditioner::jacobi), Stored<double>(a), b);
  ASSERT_TRUE(plain.report.converged());
  ASSERT_EQ(plain.report.restarts, 0);
  EXPECT_EQ(watched.solved.x, plain.x);
  EXPECT_EQ(watched.solved.report.iterations, plain.report.iterations);
  ASSERT_EQ(watched.calls.size(), static_cast<std::size_t>(plain.report.iterations) + 1);
  for (std::size_t k = 0; k < watched.calls.size(); ++k) {
    EXPECT_EQ(watched.calls[k].iterations, static_cast<std::int64_t>(k));
    EXPECT_EQ(watched.calls[k].right_hand_side, plain.report.right_hand_side);
  }
  EXPECT_EQ(watched.calls.front().residual, plain.report.right_hand_side) << "x starts at 0";
  EXPECT_EQ(watched.calls.back().residual, plain.report.recursive_residual);
}

TEST(PcgProgress, EndsTheSolveAtTheIterateThatItSaw) {
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  const std::vector<double> b = random_side<double>(a.n);
  const Watched watched = watch(a, b, 6);
  const PcgReport& report = watched.solved.report;
  EXPECT_EQ(report.status, PcgStatus::max_iterations);
  EXPECT_EQ(report.iterations, 5);
  EXPECT_EQ(watched.calls.size(), 6U);
  constexpr double rounding = 1e-12;
  EXPECT_NEAR(residual(Stored<double>(a), watched.solved.x, b), watched.calls.back().residual,
              rounding * report.right_hand_side);
}

TEST(PcgProgress, DoesNotUndoConvergence) {
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  const std::vector<double> b = random_side<double>(a.n);
  const std::size_t calls = watch(a, b).calls.size();
  EXPECT_TRUE(watch(a, b, calls).solved.report.converged());
}

/// Norms are those of the caller's b, although the solve scales it.
TEST(PcgProgress, IsNotScaled) {
  const io::SymmetricMatrix a = io::generate("lap2d:12");
  std::vector<double> b = random_side<double>(a.n);
  const Watched plain = watch(a, b);
  constexpr double tiny = 0x1p-700;
  for (double& entry : b) entry *= tiny;
  const Watched small = watch(a, b);
  ASSERT_EQ(small.calls.size(), plain.calls.size());
  constexpr double rounding = 1e-6;  // Of the smallest residual, which loses digits.
  for (std::size_t k = 0; k < plain.calls.size(); ++k) {
    EXPECT_NEAR(small.calls[k].residual / tiny, plain.calls[k].residual, rounding * plain.calls[k].residual);
    EXPECT_NEAR(small.calls[k].right_hand_side / tiny, plain.calls[k].right_hand_side, rounding * plain.calls[k].residual);
  }
}

TEST(PcgProgress, PassesExceptionsOn) {
  const io::SymmetricMatrix a = io::generate("lap2d:12");
  const Stored<double> stored(a);
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x(b.size());
  PcgOptions options = options_on(Backend::host);
  options.progress = [](const PcgProgress& p) -> bool {
    if (p.iterations == 2) throw std::runtime_error("no more");
    return true;
  };
  Pcg<double> pcg(options);
  pcg.compute(stored.view());
  const DenseView<const double> right(b.data(), a.n);
  const DenseView<double> left(x.data(), a.n);
  EXPECT_THROW(pcg.solve(right, left), std::runtime_error);
  options.progress = nullptr;
  pcg.set_options(options);
  EXPECT_TRUE(pcg.solve(right, left).converged());
}

}  // namespace
}  // namespace gpusupernodal::test::pcg
