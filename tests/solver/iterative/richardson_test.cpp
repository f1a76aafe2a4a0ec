#include "solver/iterative/richardson.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solver/factor/factor_structure.hpp"

namespace gpusupernodal::test {
namespace {

/// A = (1) of order 1.
class One final : public LinearOperator<double> {
 public:
  void apply(const DenseView<const double>& x, const DenseView<double>& y) override { y.data[0] = x.data[0]; }
  ResidualNorms residual(const DenseView<const double>& b, const DenseView<const double>& x,
                         const DenseView<double>& r) override {
    r.data[0] = b.data[0] - x.data[0];
    return {std::abs(r.data[0]), 1.0, std::abs(x.data[0]), std::abs(b.data[0])};
  }
};

/// Answers each application with a scripted number, so that steps go wrong on purpose.
class Script final : public ApproximateInverse<double> {
 public:
  explicit Script(std::vector<double> answers) : answers_(std::move(answers)) {}
  void apply(const DenseView<const double>&, const DenseView<double>& z) override { z.data[0] = answers_.at(count_++); }
  std::size_t applications() const { return count_; }

 private:
  std::vector<double> answers_;
  std::size_t count_ = 0;
};

/// Vectors of one entry.
class Numbers final : public VectorSpace<double> {
 public:
  MemorySpace space() const override { return MemorySpace::host; }
  DenseView<double> scratch(int slot, std::int64_t, std::int64_t) override {
    return {&slots_.at(static_cast<std::size_t>(slot)), 1, MemorySpace::host};
  }
  void copy(const DenseView<const double>& from, const DenseView<double>& to) override { to.data[0] = from.data[0]; }
  void axpy(double alpha, const DenseView<const double>& x, const DenseView<double>& y) override {
    y.data[0] += alpha * x.data[0];
  }
  double max_norm(const DenseView<const double>& x) override { return std::abs(x.data[0]); }

 private:
  std::array<double, refinement_vectors> slots_{};
};

constexpr double b_value = 1.0;
double error_of(double x) { return std::abs(b_value - x) / (std::abs(x) + b_value); }

struct Refined {
  double x = 0.0;
  SolveReport report;
  std::size_t solves = 0;
};

Refined refine(std::vector<double> answers, const Refinement& refinement) {
  One a;
  Script m(std::move(answers));
  Numbers numbers;
  Refined refined;
  refined.report = richardson<double>(a, m, numbers, refinement, DenseView<const double>(&b_value, 1, MemorySpace::host),
                                      DenseView<double>(&refined.x, 1, MemorySpace::host));
  refined.solves = m.applications();
  return refined;
}

TEST(Richardson, TakesCorrectionsWhileTheyHelp) {
  const Refined refined = refine({0.5, 0.375, 0.0625}, {2, 0.0});
  EXPECT_EQ(refined.x, 0.9375);
  EXPECT_EQ(refined.report.refinement_steps, 2);
  EXPECT_EQ(refined.report.backward_error, error_of(0.9375));
}

TEST(Richardson, UndoesAStepThatIncreasesTheError) {
  const Refined refined = refine({0.5, 0.375, -0.5}, {5, 0.0});
  EXPECT_EQ(refined.x, 0.875) << "after the first step, before the second";
  EXPECT_EQ(refined.report.backward_error, error_of(0.875));
}

TEST(Richardson, UndoesAStepThatGivesNaN) {
  const Refined refined = refine({0.5, std::numeric_limits<double>::quiet_NaN()}, {5, 0.0});
  EXPECT_EQ(refined.x, 0.5);
  EXPECT_EQ(refined.report.backward_error, error_of(0.5));
}

TEST(Richardson, StopsIfAStepDoesNotHalveTheError) {
  const Refined refined = refine({0.5, 0.125}, {5, 0.0});
  EXPECT_EQ(refined.x, 0.625) << "a better solution is kept";
  EXPECT_EQ(refined.solves, 2U);
}

TEST(Richardson, StopsAtTheRequestedError) {
  const Refined refined = refine({0.5, 0.4375}, {5, 0.05});
  EXPECT_EQ(refined.x, 0.9375);
  EXPECT_EQ(refined.report.refinement_steps, 1);
}

TEST(Richardson, StopsAtOnceIfTheErrorIsNaN) {
  const Refined refined = refine({std::numeric_limits<double>::quiet_NaN()}, {5, 0.0});
  EXPECT_TRUE(std::isnan(refined.report.backward_error)) << "reported, not hidden";
  EXPECT_EQ(refined.solves, 1U);
}

}  // namespace
}  // namespace gpusupernodal::test
