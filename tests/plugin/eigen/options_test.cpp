/// Tests that options changed after compute take effect when the documentation says.

#include <gtest/gtest.h>

#include <gpusupernodal/eigen.hpp>

#include "tests/plugin/eigen/problems.hpp"
#include "tests/support/option_effects.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Llt = Eigen::GpuSupernodalLLT<Matrix>;

class EigenSubject final : public OptionSubject {
 public:
  void set(const Options& options) override { llt_.options() = options; }
  void analyze() override { llt_.analyzePattern(a_); }
  void factorize() override { llt_.factorize(a_); }
  bool tells_nan_in_matrix() override {
    Matrix with_nan = a_;
    with_nan.coeffRef(1, 0) = std::numeric_limits<double>::quiet_NaN();
    llt_.factorize(with_nan);
    const bool reported = llt_.report().factor.status == Status::non_finite_input;
    llt_.factorize(a_);
    return reported;
  }
  void solve() override {
    const Eigen::VectorXd b = random_dense(a_.rows(), 1, 3);
    const Eigen::VectorXd x = llt_.solve(b);
    EXPECT_SOLVES(a_, x, b);
  }
  bool refuses_nan_in_right_hand_side() override {
    const Eigen::VectorXd b = Eigen::VectorXd::Constant(a_.rows(), std::numeric_limits<double>::quiet_NaN());
    try {
      const Eigen::VectorXd x = llt_.solve(b);
      EXPECT_TRUE(x.array().isNaN().any());
      return false;
    } catch (const InvalidInput&) {
      return true;
    }
  }
  Solver<double>& solver() override { return llt_.solver(); }

 private:
  Matrix a_ = laplacian(12);
  Llt llt_;
};

TEST(EigenOptionEffects, OccurWhenDocumented) {
  for (const OptionEffect& effect : option_effects()) {
    EigenSubject subject;
    for (const std::string& wrong : wrong_effects(effect, subject)) ADD_FAILURE() << wrong;
  }
}

/// compute analyzes and factorizes, so every option takes effect.
TEST(EigenOptionEffects, ComputeAppliesAllOptions) {
  const Matrix a = laplacian(6);
  Llt llt(a);
  int analyses = 0;
  int factorizations = 0;
  llt.options().progress = [&](const Progress&) { return ++analyses > 0; };
  llt.options().factor_progress = [&](const Progress&) { return ++factorizations > 0; };
  llt.compute(a);
  EXPECT_GT(analyses, 0);
  EXPECT_GT(factorizations, 0);
  llt.options().factor_progress = nullptr;
  factorizations = 0;
  llt.factorize(a);
  EXPECT_EQ(factorizations, 0) << "switched off";
}

/// After the callback cancels a factorize, no factor exists, and the object stays usable.
TEST(EigenOptionEffects, ACancelledFactorizeCanBeRepeated) {
  const Matrix a = laplacian(6);
  Llt llt(a);
  llt.options().factor_progress = [](const Progress&) { return false; };
  EXPECT_THROW(llt.factorize(a), Cancelled);
  EXPECT_EQ(llt.info(), Eigen::InvalidInput);
  llt.options().factor_progress = nullptr;
  llt.factorize(a);
  ASSERT_EQ(llt.info(), Eigen::Success);
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 3);
  const Eigen::VectorXd x = llt.solve(b);
  EXPECT_SOLVES(a, x, b);
}

}  // namespace
}  // namespace gpusupernodal::test
