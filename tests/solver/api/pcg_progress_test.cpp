#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/pcg_problems.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test::pcg {
namespace {

struct Watched {
  Solved<double> solved;
  std::vector<PcgProgress> calls;
};

/// Solves with jacobi on the host and notes the calls.
Watched watch(const io::SymmetricMatrix& a, const std::vector<double>& b) {
  Watched watched;
  PcgOptions options = options_on(Backend::host, Preconditioner::jacobi);
  options.progress = [&](const PcgProgress& p) {
    watched.calls.push_back(p);
    return true;
  };
  watched.solved = solve(options, Stored<double>(a), b);
  return watched;
}

TEST(PcgProgress, SeesEachIterationAndChangesNothing) {
  const double eps = std::numeric_limits<double>::epsilon();
  const double tolerance = 1e-10;  // The default.
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  const std::vector<double> b = random_side<double>(a.n);
  const Watched watched = watch(a, b);
  const Solved<double> plain = solve(options_on(Backend::host, Preconditioner::jacobi), Stored<double>(a), b);
  ASSERT_TRUE(plain.report.converged());
  ASSERT_EQ(plain.report.restarts, 0);
  EXPECT_EQ(watched.solved.x, plain.x);
  EXPECT_EQ(watched.solved.report.iterations, plain.report.iterations);
  ASSERT_EQ(watched.calls.size(), static_cast<std::size_t>(plain.report.iterations));
  EXPECT_EQ(watched.calls.front().beta, 0.0);
  for (std::size_t k = 0; k < watched.calls.size(); ++k) {
    const PcgProgress& call = watched.calls[k];
    EXPECT_EQ(call.iterations, static_cast<std::int64_t>(k) + 1);
    EXPECT_GT(call.alpha, 0.0);
    EXPECT_EQ(call.beta > 0.0, k > 0);
    EXPECT_NEAR(call.target, 0.99 * tolerance, 4.0 * eps * tolerance);
    EXPECT_EQ(call.residual <= call.target, k + 1 == watched.calls.size());
  }
  const double last = plain.report.recursive_residual / plain.report.right_hand_side;
  EXPECT_NEAR(watched.calls.back().residual, last, 4.0 * eps * last);
}

/// The residual that a call sees is that of the iterate, which a solve with a limit returns.
TEST(PcgProgress, SeesTheResidualOfTheIterate) {
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  const std::vector<double> b = random_side<double>(a.n);
  const Watched watched = watch(a, b);
  PcgOptions options = options_on(Backend::host, Preconditioner::jacobi);
  options.max_iterations = 5;
  const Solved<double> limited = solve(options, Stored<double>(a), b);
  ASSERT_EQ(limited.report.iterations, 5);
  constexpr double rounding = 1e-12;
  EXPECT_NEAR(residual(Stored<double>(a), limited.x, b) / norm(b), watched.calls[4].residual, rounding);
}

/// Residuals are relative to the caller's b, although the solve scales it.
TEST(PcgProgress, IsNotScaled) {
  const io::SymmetricMatrix a = io::generate("lap2d:12");
  std::vector<double> b = random_side<double>(a.n);
  const Watched plain = watch(a, b);
  constexpr double tiny = 0x1p-700;
  for (double& entry : b) entry *= tiny;
  const Watched small = watch(a, b);
  ASSERT_EQ(small.calls.size(), plain.calls.size());
  constexpr double rounding = 1e-6;  // Relative error of the smallest residual, which loses digits.
  for (std::size_t k = 0; k < plain.calls.size(); ++k) {
    EXPECT_NEAR(small.calls[k].residual, plain.calls[k].residual, rounding * plain.calls[k].residual);
    EXPECT_NEAR(small.calls[k].target, plain.calls[k].target, rounding * plain.calls[k].target);
  }
}

class PcgProgressEnds : public testing::Test {
 protected:
  PcgProgressEnds() { pcg_.compute(a_.view()); }

  const PcgReport& solve_with(std::function<bool(const PcgProgress&)> progress) {
    options_.progress = std::move(progress);
    pcg_.set_options(options_);
    return pcg_.solve(DenseView<const double>(b_.data(), a_.n), DenseView<double>(x_.data(), a_.n));
  }

  const Stored<double> a_{io::generate("lap2d:12")};
  const std::vector<double> b_ = random_side<double>(a_.n);
  const std::vector<double> before_ = std::vector<double>(b_.size(), 3.0);
  std::vector<double> x_ = before_;
  PcgOptions options_ = options_on(Backend::host, Preconditioner::jacobi);
  Pcg<double> pcg_{options_};
};

TEST_F(PcgProgressEnds, ACancelledSolveWritesNothing) {
  expect_throw<Cancelled>([&] { solve_with([](const PcgProgress& p) { return p.iterations < 4; }); },
                          {"after 4 iterations"});
  EXPECT_EQ(x_, before_);
  EXPECT_TRUE(solve_with(nullptr).converged());
}

/// So does one that would have ended after this call.
TEST_F(PcgProgressEnds, TheLastCallCancelsToo) {
  const std::int64_t iterations = solve_with(nullptr).iterations;
  x_ = before_;
  expect_throw<Cancelled>([&] { solve_with([](const PcgProgress& p) { return p.residual > p.target; }); },
                          {"after " + std::to_string(iterations) + " iterations"});
  EXPECT_EQ(x_, before_);
}

TEST_F(PcgProgressEnds, ExceptionsPassOn) {
  const auto throws = [](const PcgProgress& p) -> bool {
    if (p.iterations == 2) throw std::runtime_error("no more");
    return true;
  };
  EXPECT_THROW(solve_with(throws), std::runtime_error);
  EXPECT_EQ(x_, before_);
  EXPECT_TRUE(solve_with(nullptr).converged());
}

}  // namespace
}  // namespace gpusupernodal::test::pcg
