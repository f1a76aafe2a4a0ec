/// \file
/// SLEPc's shift and invert, and its search in an interval, with factorizations of the plugin.

#include <gtest/gtest.h>
#include <petscsys.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {
namespace {

constexpr int m = 21;
constexpr int n = 17;
constexpr double pi = 3.14159265358979323846;

/// Eigenvalues of the 5-point Laplacian, ascending.
std::vector<double> eigenvalues_of_grid() {
  std::vector<double> values;
  for (int i = 1; i <= m; ++i) {
    for (int j = 1; j <= n; ++j) values.push_back(4.0 - 2.0 * std::cos(i * pi / (m + 1)) - 2.0 * std::cos(j * pi / (n + 1)));
  }
  std::sort(values.begin(), values.end());
  return values;
}

class SlepcPrograms : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(TEST_EIGENVALUES).empty()) GTEST_SKIP() << "there is no SLEPc for this PETSc";
    prepare_mpi_environment();
  }
  static Outcome eigenvalues(const std::string& options) {
    return run(TEST_EIGENVALUES + std::string(" -m ") + std::to_string(m) + " -n " + std::to_string(n) +
               " -st_type sinvert -st_pc_type cholesky -st_pc_factor_mat_solver_type gpusupernodal" + load_plugin() + " " +
               options);
  }
};

/// Each printed value is an eigenvalue up to its residual, because the matrix is symmetric.
void expect_eigenvalues(const Outcome& outcome, const std::vector<double>& expected) {
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  std::vector<double> found = numbers_after(outcome.output, "eigenvalue ");
  const std::vector<double> errors = numbers_after(outcome.output, " error ");
  ASSERT_GE(found.size(), expected.size()) << outcome.output;
  ASSERT_EQ(errors.size(), found.size());
  constexpr double rounding = 8.0 * m * n * std::numeric_limits<double>::epsilon();
  const double largest_error = *std::max_element(errors.begin(), errors.end());
  EXPECT_LE(largest_error, 1e-8) << "SLEPc's own tolerance";
  for (const double value : expected) {
    const double distance = std::abs(*std::min_element(found.begin(), found.end(), [value](double x, double y) {
      return std::abs(x - value) < std::abs(y - value);
    }) - value);
    EXPECT_LE(distance, (largest_error + rounding) * value) << "the eigenvalue " << value << " is missing";
  }
}

TEST_F(SlepcPrograms, ShiftAndInvertFindsTheNearestEigenvalues) {
  constexpr double target = 1.3;
  std::vector<double> all = eigenvalues_of_grid();
  std::sort(all.begin(), all.end(), [](double x, double y) { return std::abs(x - target) < std::abs(y - target); });
  all.resize(4);
  expect_eigenvalues(eigenvalues("-eps_nev 4 -eps_target 1.3"), all);
  expect_eigenvalues(eigenvalues("-eps_nev 4 -eps_target 1.3 -mat_type sbaij"), all);
  expect_eigenvalues(eigenvalues("-eps_nev 4 -eps_target 1.3 -st_mat_gpusupernodal_form ldlt"), all);
}

/// SLEPc counts the eigenvalues of an interval by the inertia at its ends.
TEST_F(SlepcPrograms, IntervalsAreCountedByTheInertia) {
  std::vector<double> inside;
  for (const double value : eigenvalues_of_grid()) {
    if (value > 0.4 && value < 1.1) inside.push_back(value);
  }
  const Outcome outcome = eigenvalues("-eps_interval 0.4,1.1 -st_ksp_type preonly");
  expect_eigenvalues(outcome, inside);
  EXPECT_EQ(numbers_after(outcome.output, "eigenvalue ").size(), inside.size()) << outcome.output;
}

}  // namespace
}  // namespace gpusupernodal::test
