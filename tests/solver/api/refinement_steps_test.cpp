#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solver/api/refinement.hpp"

namespace gpusupernodal::test {
namespace {

/// Executor for A = (1) whose solves return scripted values, so that tests can make steps go wrong.
class ScriptedExecutor final : public Executor<double> {
 public:
  explicit ScriptedExecutor(std::vector<double> answers) : answers_(std::move(answers)) {}

  void solve(const SolveSteps& steps, const DenseView<const double>& b, const DenseView<double>& x) override {
    x.data[0] = steps.forward ? answers_.at(solves_++) : b.data[0];
  }
  ResidualNorms residual(const DenseView<const double>& b, const DenseView<const double>& x,
                         const DenseView<double>& r) override {
    r.data[0] = b.data[0] - x.data[0];
    return {std::abs(r.data[0]), 1.0, std::abs(x.data[0]), std::abs(b.data[0])};
  }
  void add(const DenseView<const double>& d, const DenseView<double>& x) override { x.data[0] += d.data[0]; }
  DenseView<double> scratch(int slot, std::int64_t, std::int64_t) override {
    return {&vectors_.at(static_cast<std::size_t>(slot)), 1, MemorySpace::host};
  }
  std::size_t solves() const { return solves_; }

  std::string device_name() const override { return "scripted"; }
  void set_stream(void*) override {}
  void factorize(const FactorInput<double>&) override {}
  FactorOutcome outcome() override { return {}; }
  bool outcome_known() const override { return true; }
  void reserve_right_hand_sides(std::int64_t) override {}
  void copy_panels(Span<double>) override {}
  void copy_diagonal(Span<double>) override {}
  MemorySpace space() const override { return MemorySpace::host; }

 private:
  std::vector<double> answers_;
  std::size_t solves_ = 0;
  std::array<double, 5> vectors_{};
};

constexpr double b_value = 1.0;
double error_of(double x) { return std::abs(b_value - x) / (std::abs(x) + b_value); }

struct Refined {
  double x = 0.0;
  SolveReport report;
  std::size_t solves = 0;
};

Refined refine(std::vector<double> answers, const Refinement& refinement) {
  ScriptedExecutor executor(std::move(answers));
  Refined refined;
  refined.report = solve_refined<double>(executor, refinement, DenseView<const double>(&b_value, 1, MemorySpace::host),
                                         DenseView<double>(&refined.x, 1, MemorySpace::host));
  refined.solves = executor.solves();
  return refined;
}

TEST(RefinementSteps, TakeCorrectionsWhileTheyHelp) {
  const Refined refined = refine({0.5, 0.375, 0.0625}, {2, 0.0});
  EXPECT_EQ(refined.x, 0.9375);
  EXPECT_EQ(refined.report.refinement_steps, 2);
  EXPECT_EQ(refined.report.backward_error, error_of(0.9375));
}

TEST(RefinementSteps, UndoAStepThatDidHarm) {
  const Refined refined = refine({0.5, 0.375, -0.5}, {5, 0.0});
  EXPECT_EQ(refined.x, 0.875) << "after the first step, before the second";
  EXPECT_EQ(refined.report.backward_error, error_of(0.875));
}

TEST(RefinementSteps, EndWhereAStepNoLongerHalvesTheError) {
  const Refined refined = refine({0.5, 0.125}, {5, 0.0});
  EXPECT_EQ(refined.x, 0.625) << "a better solution is kept";
  EXPECT_EQ(refined.solves, 2U);
}

TEST(RefinementSteps, EndAtTheWantedError) {
  const Refined refined = refine({0.5, 0.4375}, {5, 0.05});
  EXPECT_EQ(refined.x, 0.9375);
  EXPECT_EQ(refined.report.refinement_steps, 1);
}

TEST(RefinementSteps, StopAtOnceIfTheErrorIsNaN) {
  const Refined refined = refine({std::numeric_limits<double>::quiet_NaN()}, {5, 0.0});
  EXPECT_TRUE(std::isnan(refined.report.backward_error)) << "reported, not hidden";
  EXPECT_EQ(refined.solves, 1U);
}

}  // namespace
}  // namespace gpusupernodal::test
