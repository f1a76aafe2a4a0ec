#include "tests/support/option_effects.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

class CppSubject final : public OptionSubject {
 public:
  void set(const Options& options) override { solver_.set_options(options); }
  void analyze() override { solver_.analyze(a_.view()); }
  void factorize() override { solver_.factorize(a_.view()); }
  bool tells_nan_in_matrix() override {
    std::vector<double> values = a_.values;
    values[1] = std::nan("");
    solver_.refactorize(values);
    const bool reported = solver_.status() == Status::non_finite_input;
    solver_.refactorize(a_.values);
    return reported;
  }
  void solve() override { expect_solves(solver_, matrix_); }
  bool refuses_nan_in_right_hand_side() override {
    std::vector<double> b(static_cast<std::size_t>(a_.n), std::nan(""));
    try {
      solution(solver_, b);
      return false;
    } catch (const InvalidInput&) {
      return true;
    }
  }
  Solver<double>& solver() override { return solver_; }

 private:
  io::SymmetricMatrix matrix_ = io::generate("lap2d:12");
  StoredMatrix<double> a_ = stored<double>(matrix_);
  Solver<double> solver_;
};

TEST(OptionEffects, TakeEffectInTheSolverWhenDocumented) {
  for (const OptionEffect& effect : option_effects()) {
    CppSubject subject;
    for (const std::string& wrong : wrong_effects(effect, subject)) ADD_FAILURE() << wrong;
  }
}

TEST(OptionEffects, TableListsEveryOption) {
  std::set<std::string> in_table;
  for (const OptionEffect& effect : option_effects()) in_table.insert(effect.option);
  for (const std::string& name : options_of_cuda_alone()) in_table.insert(name);
  for (const std::string& name : options_of_lu_alone()) in_table.insert(name);  // lu_test.cpp has their effects.
  const std::vector<std::string> names = option_names();
  EXPECT_EQ(in_table, std::set<std::string>(names.begin(), names.end()));
}

}  // namespace
}  // namespace gpusupernodal::test
