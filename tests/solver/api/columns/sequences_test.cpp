/// Sequences of values of one pattern: traps, and the matrices of GPUSUPERNODAL_TEST_DATA/general.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "gpusupernodal/error.hpp"
#include "io/general_matrix.hpp"
#include "io/line_reader.hpp"
#include "io/residual.hpp"
#include "solver/plan/factor_plan.hpp"
#include "tests/solver/api/lu_problems.hpp"

namespace gpusupernodal::test {
namespace {

Options columns_options() {
  Options options = lu_options();
  options.lu_schedule = LuSchedule::columns;
  return options;
}

/// A pivot drifts to zero. KLU reports success for the last of them and returns a solution with a residual of 1.
TEST(LuColumnsSequences, NoWrongSolutionIsReturnedWhileAPivotVanishes) {
  GeneralEntries a{2, {}};
  a(0, 0) = a(0, 1) = a(1, 0) = 1.0;
  a(1, 1) = 2.0;
  StoredGeneral<double> stored = store_general<double>(a);
  for (const Repivot repivot : {Repivot::automatic, Repivot::report}) {
    Options options = columns_options();
    options.repivot = repivot;
    Solver<double> solver(options);
    solver.compute(stored.view());
    int solved = 0;
    constexpr double smallest = 1e-20;  // Far below eps.
    for (double pivot = 1.0; pivot > smallest; pivot *= 1e-2) {
      a(0, 0) = stored.values[0] = pivot;
      solver.refactorize(stored.values);
      if (solver.status() != Status::success) continue;
      const std::vector<double> b = {1.0, 3.0};
      EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(2)) << pivot;
      ++solved;
    }
    EXPECT_GT(solved, 5);
  }
}

/// The sign, the size and the pattern of zeros change from step to step.
TEST(LuColumnsSequences, RandomValuesOfOnePatternNeverGiveAWrongSolution) {
  const GeneralEntries first = random_entries(60, 3, 4.0, 5);
  StoredGeneral<double> stored = store_general<double>(first);
  Solver<double> solver(columns_options());
  solver.compute(stored.view());
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-9.0, 3.0);
  int solved = 0;
  for (int step = 0; step < 40; ++step) {
    GeneralEntries a{first.n, {}};
    for (std::size_t j = 0; j + 1 < stored.offsets.size(); ++j) {
      for (auto e = static_cast<std::size_t>(stored.offsets[j]); e < static_cast<std::size_t>(stored.offsets[j + 1]); ++e) {
        const double value = random() % 4 == 0 ? 0.0 : std::pow(10.0, exponent(random)) * (random() % 2 == 0 ? 1.0 : -1.0);
        stored.values[e] = a(stored.indices[e], static_cast<std::int64_t>(j)) = value;
      }
    }
    solver.refactorize(stored.values);
    if (solver.status() != Status::success) continue;
    const std::vector<double> b = vector_of<double>(a.n, static_cast<std::uint64_t>(step));
    try {
      EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(a.n)) << step;
      ++solved;
    } catch (const NumericalFailure&) {  // Refused, not wrong.
    }
  }
  EXPECT_GT(solved, 0);
}

/// The strips of the tail report progress too, and can be cancelled; the next factorization works.
TEST(LuColumnsSequences, TheTailReportsProgress) {
  const GeneralEntries a = convection(9, 0.7);
  const StoredGeneral<double> stored = store_general<double>(a);
  std::vector<double> fractions;
  double cancel_after = 2.0;
  Options options = columns_options();
  options.factor_progress = [&](const Progress& progress) {
    fractions.push_back(progress.fraction);
    return progress.fraction <= cancel_after || progress.fraction >= 1.0;
  };
  Solver<double> solver(options);
  solver.compute(stored.view());
  const ColumnStructure& structure = *solver.plan()->structure().columns;
  ASSERT_GT(structure.tail(), 64);
  // Fractions are sums of at most n terms, which round to within n·eps. The bound is twice that.
  const double rounding = 2.0 * static_cast<double>(a.n) * std::numeric_limits<double>::epsilon();
  const double before_tail = 1.0 - structure.tail_flops / structure.flops + rounding;
  EXPECT_GE(std::count_if(fractions.begin(), fractions.end(), [&](double f) { return f > before_tail && f < 1.0; }), 2);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.front(), 0.0);
  EXPECT_EQ(fractions.back(), 1.0);
  cancel_after = before_tail;
  EXPECT_THROW(solver.refactorize(stored.values), Cancelled);
  cancel_after = 2.0;
  solver.refactorize(stored.values);
  expect_solves(solver, a, "after a cancelled factorization");
}

std::vector<double> further_values(const std::string& path) {
  std::vector<double> values;
  io::LineReader reader(path);
  for (std::string_view line; reader.next(line);) values.push_back(std::strtod(std::string(line).c_str(), nullptr));
  return values;
}

/// Values of a file are in the order of X.mtx, which is that of columns.
TEST(LuColumnsSequences, SolvesMeasuredMatricesAndTheirSequences) {
  const char* const folder = std::getenv("GPUSUPERNODAL_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "GPUSUPERNODAL_TEST_DATA is not set";
  int matrices = 0;
  for (const char* const name : {"arrow", "impcol_a", "memplus", "pf_ACTIVSg200", "pf_1354pegase", "pf_ACTIVSg10k"}) {
    const std::filesystem::path base = std::filesystem::path(folder) / "general" / name;
    if (!std::filesystem::exists(base.string() + ".mtx.gz")) continue;
    io::GeneralMatrix a;
    try {
      a = io::load_general(base.string() + ".mtx.gz");
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    ++matrices;
    Solver<double> solver(columns_options());
    solver.compute(a.view());
    for (int set = 0; set < 3; ++set) {
      const std::string further = base.string() + ".v" + std::to_string(set) + ".gz";
      if (set > 0 && !std::filesystem::exists(further)) break;
      if (set > 0) {
        a.values = further_values(further);
        solver.refactorize(a.values);
      }
      ASSERT_EQ(solver.status(), Status::success) << name << ", set " << set;
      const std::vector<double> b = io::multiply(a, std::vector<double>(static_cast<std::size_t>(a.n), 1.0));
      EXPECT_LE(io::backward_error(a, solve(solver, b), b), bound<double>(a.n)) << name << ", set " << set;
      EXPECT_EQ(solver.factor_report().perturbed_pivots, 0) << name << ", set " << set;
    }
  }
  if (matrices == 0) GTEST_SKIP() << "no general matrices in " << folder;
}

}  // namespace
}  // namespace gpusupernodal::test
