/// The launches of LU by columns, run on the host in a random order within each level: they must yield the factors of plain
/// elimination, and solves must find all that they wait for.

#include "solver/cuda/plan/column_launches.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <random>

#include "solver/cuda/plan/column_solve_order.hpp"
#include "tests/support/column_problem.hpp"

namespace gpusupernodal::test {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Absolute bounds c·n·eps. Diagonals dominate in column_problems(): entries of L + U are at most 7, those of x at most 4,
/// and condition numbers are small.
double factor_bound(std::int64_t n) { return 8.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }
double solution_bound(std::int64_t n) { return 16.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }

/// L + U of the diagonal blocks by plain elimination; what is above them stays.
std::vector<std::vector<double>> eliminated(const ColumnProblem& problem) {
  auto b = problem.a;
  std::int32_t begin = 0;
  for (const std::int32_t end : problem.block_ends) {
    for (std::int32_t k = begin; k < end; ++k) {
      for (std::int32_t i = k + 1; i < end; ++i) {
        b[at(i)][at(k)] /= b[at(k)][at(k)];
        for (std::int32_t j = k + 1; j < end; ++j) b[at(i)][at(j)] -= b[at(i)][at(k)] * b[at(k)][at(j)];
      }
    }
    begin = end;
  }
  return b;
}

std::vector<double> assembled(const ColumnProblem& problem, const ColumnStructure& s) {
  std::vector<double> values(at(s.values()), 0.0);
  for (std::int32_t i = 0; i < s.n; ++i) {
    for (std::int32_t j = 0; j < s.n; ++j) {
      if (problem.a[at(i)][at(j)] != 0.0) values[at(s.find(i, j))] = problem.a[at(i)][at(j)];
    }
  }
  return values;
}

/// As the kernel: multipliers, then updates.
void run(const ColumnStructure& s, const cuda::ColumnLaunches& launches, const cuda::ColumnTask& task, bool one_by_one,
         std::vector<double>& values) {
  const auto multiply = [&](const cuda::ColumnSource& source) {
    values[at(s.row_offset[at(task.row)] + source.offset)] /= values[at(s.diagonal(source.column))];
  };
  const auto source_of = [&](std::int32_t i) { return launches.sources[at(task.first + i)]; };
  for (std::int32_t i = 0; i < task.count && !one_by_one; ++i) multiply(source_of(i));
  for (std::int32_t i = 0; i < task.count; ++i) {
    const cuda::ColumnSource source = source_of(i);
    if (one_by_one) multiply(source);
    const double factor = values[at(s.row_offset[at(task.row)] + source.offset)];
    const std::int64_t diagonal = s.diagonal(source.column);
    for (std::int64_t u = diagonal + 1; u < diagonal + s.upper[at(source.column)]; ++u)
      values[at(s.find(task.row, s.columns[at(u)]))] -= factor * values[at(u)];
  }
}

void factorize_tail(const ColumnStructure& s, std::vector<double>& values) {
  for (std::int32_t k = s.tail_begin; k < s.tail_end; ++k) {
    for (std::int32_t i = k + 1; i < s.tail_end; ++i) {
      values[at(s.tail_index(i, k))] /= values[at(s.tail_index(k, k))];
      for (std::int32_t j = k + 1; j < s.tail_end; ++j)
        values[at(s.tail_index(i, j))] -= values[at(s.tail_index(i, k))] * values[at(s.tail_index(k, j))];
    }
  }
}

std::vector<ColumnLaunchRules> all_rules() {
  std::vector<ColumnLaunchRules> rules;
  for (const bool by_rows : {false, true}) {
    for (const bool merge : {false, true}) rules.push_back({by_rows, merge});
  }
  return rules;
}

TEST(ColumnLaunches, YieldTheFactorsOfPlainEliminationInAnyOrderWithinALevel) {
  std::mt19937 random(7);
  for (const ColumnProblem& problem : column_problems()) {
    const auto expected = eliminated(problem);
    for (const std::int32_t min_tail : {4, 1000}) {
      ColumnRules column_rules;
      column_rules.min_tail = min_tail;
      const ColumnStructure s = problem.structure(column_rules);
      for (const ColumnLaunchRules& rules : all_rules()) {
        const cuda::ColumnLaunches launches = cuda::build_column_launches(s, rules);
        std::vector<double> values = assembled(problem, s);
        for (std::int64_t level = 0; level < launches.levels(); ++level) {
          std::vector<cuda::ColumnTask> tasks(launches.tasks.begin() + launches.level_tasks[at(level)],
                                              launches.tasks.begin() + launches.level_tasks[at(level) + 1]);
          std::shuffle(tasks.begin(), tasks.end(), random);
          for (const cuda::ColumnTask& task : tasks) run(s, launches, task, rules.by_rows, values);
        }
        factorize_tail(s, values);
        for (std::int32_t i = 0; i < s.n; ++i) {
          for (std::int32_t j = problem.block_begin(i); j < s.n; ++j) {
            if (expected[at(i)][at(j)] != 0.0) {
              EXPECT_NEAR(values[at(s.find(i, j))], expected[at(i)][at(j)], factor_bound(s.n));
            }
          }
        }
      }
    }
  }
}

/// No two tasks of a level write the same row, and none reads a row that another one of its level writes.
TEST(ColumnLaunches, TasksOfALevelAreIndependent) {
  for (const ColumnProblem& problem : column_problems()) {
    const ColumnStructure s = problem.structure();
    for (const ColumnLaunchRules& rules : all_rules()) {
      const cuda::ColumnLaunches launches = cuda::build_column_launches(s, rules);
      for (std::int64_t level = 0; level < launches.levels(); ++level) {
        std::vector<bool> written(at(s.n), false);
        for (std::int64_t t = launches.level_tasks[at(level)]; t < launches.level_tasks[at(level) + 1]; ++t) {
          EXPECT_FALSE(written[at(launches.tasks[at(t)].row)]);
          written[at(launches.tasks[at(t)].row)] = true;
        }
        for (std::int64_t t = launches.level_tasks[at(level)]; t < launches.level_tasks[at(level) + 1]; ++t) {
          const cuda::ColumnTask& task = launches.tasks[at(t)];
          for (std::int32_t i = 0; i < task.count; ++i)
            EXPECT_FALSE(written[at(launches.sources[at(task.first + i)].column)]);
        }
      }
    }
  }
}

/// The launches hold every task once; their sizes follow the levels, and merging makes fewer of them.
TEST(ColumnLaunches, SizesFollowTheLevels) {
  const ColumnProblem problem = column_problem(400, 900, 5, false);
  const ColumnStructure s = problem.structure();
  const cuda::ColumnLaunches merged = cuda::build_column_launches(s, {false, true});
  const cuda::ColumnLaunches single = cuda::build_column_launches(s, {false, false});
  EXPECT_LT(merged.launches.size(), single.launches.size());
  EXPECT_EQ(static_cast<std::int64_t>(single.launches.size()), single.levels());
  EXPECT_EQ(single.merged_levels(), 0);
  EXPECT_GT(merged.merged_levels(), 0);
  for (const cuda::ColumnLaunches* launches : {&merged, &single}) {
    std::int64_t tasks = 0;
    for (const cuda::ColumnLaunch& launch : launches->launches) {
      tasks += launch.is_merged()
                   ? launches->level_tasks[at(launch.levels_end)] - launches->level_tasks[at(launch.levels_begin)]
                   : launch.short_count + launch.long_count;
    }
    EXPECT_EQ(tasks, static_cast<std::int64_t>(launches->tasks.size()));
  }
}

/// Steps are numbered by 32-bit integers: two for each row and two for each block of 32 rows of the tail.
TEST(ColumnLaunches, StepsOfVeryLargeMatricesDoNotFit) {
  constexpr std::int64_t most = (std::int64_t{1} << 30) - 1;
  EXPECT_TRUE(cuda::steps_fit(most, 0));
  EXPECT_FALSE(cuda::steps_fit(most + 1, 0));
  EXPECT_FALSE(cuda::steps_fit(most, 1));
  EXPECT_TRUE(cuda::steps_fit(most - 4, 128));
}

/// Runs the steps of a solve; each entry that a step needs must be there already.
class Emulation {
 public:
  Emulation(const ColumnStructure& s, const std::vector<double>& values, std::vector<double> b, bool transposed)
      : s_(s), values_(values), x_(std::move(b)), transposed_(transposed), tail_(at(s.n)), y_(at(s.n)), z_(at(s.n)) {}

  std::vector<double> run(const std::vector<std::int32_t>& nodes) {
    for (const std::int32_t node : nodes) step(node);
    std::vector<double> solution;
    for (const auto& entry : z_) solution.push_back(entry.value());
    return solution;
  }

 private:
  double entry(std::int32_t i, std::int32_t j) const { return values_[at(transposed_ ? s_.find(j, i) : s_.find(i, j))]; }
  double product(std::int64_t begin, std::int64_t end, const std::vector<std::optional<double>>& source) const {
    double sum = 0.0;
    for (std::int64_t e = begin; e < end; ++e) {
      const std::int32_t other = transposed_ ? s_.rows[at(e)] : s_.columns[at(e)];
      sum += values_[at(transposed_ ? s_.position[at(e)] : e)] * source[at(other)].value();
    }
    return sum;
  }

  void step(std::int32_t node) {
    const std::int32_t blocks = cuda::tail_blocks(s_);
    if (node < s_.n) return first_step(node);
    if (node < 2 * s_.n) return second_step(node - s_.n);
    const std::int32_t number = node - 2 * s_.n;
    const std::int32_t first = s_.tail_begin + number % blocks * cuda::tail_block;
    const std::int32_t last = std::min(s_.tail_end, first + cuda::tail_block);
    if (number < blocks) {
      for (std::int32_t k = first; k < last; ++k) {
        double sum = tail_[at(k)].value();
        for (std::int32_t j = s_.tail_begin; j < k; ++j) sum -= entry(k, j) * y_[at(j)].value();
        y_[at(k)] = transposed_ ? sum / entry(k, k) : sum;
      }
    } else {
      for (std::int32_t k = last - 1; k >= first; --k) {
        double sum = y_[at(k)].value();
        for (std::int32_t j = k + 1; j < s_.tail_end; ++j) sum -= entry(k, j) * z_[at(j)].value();
        z_[at(k)] = transposed_ ? sum : sum / entry(k, k);
      }
    }
  }

  void first_step(std::int32_t k) {
    double sum = x_[at(k)];
    if (transposed_) {
      const std::int64_t begin = s_.column_offset[at(k)], middle = begin + s_.before[at(k)];
      sum -= product(begin, middle, z_) + product(middle, middle + s_.above[at(k)], y_);
    } else {
      const std::int64_t begin = s_.row_offset[at(k)], middle = begin + s_.lower[at(k)];
      sum -= product(begin, middle, y_) + product(middle + s_.upper[at(k)], s_.row_offset[at(k) + 1], z_);
    }
    if (s_.in_tail(k)) {
      tail_[at(k)] = sum;
    } else {
      y_[at(k)] = transposed_ ? sum / entry(k, k) : sum;
    }
  }

  void second_step(std::int32_t k) {
    const std::int64_t diagonal = s_.row_offset[at(k)] + s_.lower[at(k)];
    const std::int64_t below = s_.column_offset[at(k)] + s_.before[at(k)] + s_.above[at(k)] + 1;
    const double rest = y_[at(k)].value() - (transposed_ ? product(below, s_.column_offset[at(k) + 1], z_)
                                                         : product(diagonal + 1, diagonal + s_.upper[at(k)], z_));
    z_[at(k)] = transposed_ ? rest : rest / entry(k, k);
  }

  const ColumnStructure& s_;
  const std::vector<double>& values_;
  std::vector<double> x_;
  bool transposed_;
  std::vector<std::optional<double>> tail_, y_, z_;
};

TEST(ColumnLaunches, SolvesFindWhatTheyWaitForAndTakeInEntriesAboveTheBlocks) {
  for (const ColumnProblem& problem : column_problems()) {
    ColumnRules column_rules;
    column_rules.min_tail = 4;
    const ColumnStructure s = problem.structure(column_rules);
    const cuda::ColumnLaunches launches = cuda::build_column_launches(s, {});
    std::vector<double> values(at(s.values()), 0.0);
    const auto factors = eliminated(problem);
    for (std::int32_t i = 0; i < s.n; ++i) {
      for (std::int32_t j = problem.block_begin(i); j < s.n; ++j) {
        if (factors[at(i)][at(j)] != 0.0) values[at(s.find(i, j))] = factors[at(i)][at(j)];
      }
    }
    for (const bool transposed : {false, true}) {
      std::vector<double> b(at(s.n));
      for (std::int32_t i = 0; i < s.n; ++i) {
        for (std::int32_t j = 0; j < s.n; ++j)
          b[at(i)] += (transposed ? problem.a[at(j)][at(i)] : problem.a[at(i)][at(j)]) * (1.0 + j % 4);
      }
      const std::vector<double> x =
          Emulation(s, values, b, transposed).run(transposed ? launches.solve_transposed : launches.solve);
      for (std::int32_t j = 0; j < s.n; ++j) EXPECT_NEAR(x[at(j)], 1.0 + j % 4, solution_bound(s.n));
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
