/// The program of a batch, run one operation after another on the host: its stages are independent, and it solves.

#include "solver/cuda/plan/batch_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "solver/api/checks.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/plan/general_plan.hpp"

namespace gpusupernodal {
namespace {

/// Random entries in a matrix with a dominant diagonal.
struct RandomMatrix {
  std::int64_t n = 0;
  bool symmetric = false;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> rows;
  std::vector<double> values;

  RandomMatrix(std::int64_t order, double density, bool is_symmetric, std::uint64_t seed)
      : n(order), symmetric(is_symmetric) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> number(0.0, 1.0);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = symmetric ? j : 0; i < n; ++i) {
        if (i != j && number(random) > density) continue;
        rows.push_back(i);
        values.push_back(i == j ? static_cast<double>(n) + number(random) : number(random) - 0.5);
      }
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
  }
  PatternView pattern() const {
    MatrixView<double> view;
    view.n = n;
    view.offsets = offsets.data();
    view.indices = rows.data();
    view.values = values.data();
    view.part = symmetric ? StoredPart::lower : StoredPart::full;
    return pattern_of(view);
  }
  std::shared_ptr<const FactorPlan> plan() const {
    PlanOptions options;
    options.symbolic.threads = 1;
    if (symmetric) return make_plan(pattern(), options);
    return make_general_plan(pattern(), nullptr, MatchingRule::none, options, {});
  }
  /// ‖b − A x‖∞, or with the transpose.
  double residual(const std::vector<double>& x, const std::vector<double>& b, bool transposed) const {
    std::vector<double> r = b;
    for (std::int64_t j = 0; j < n; ++j) {
      for (auto e = static_cast<std::size_t>(offsets[static_cast<std::size_t>(j)]);
           e < static_cast<std::size_t>(offsets[static_cast<std::size_t>(j) + 1]); ++e) {
        const auto row = static_cast<std::size_t>(transposed ? j : rows[e]);
        const auto column = static_cast<std::size_t>(transposed ? rows[e] : j);
        r[row] -= values[e] * x[column];
        if (symmetric && row != column) r[column] -= values[e] * x[row];
      }
    }
    double largest = 0.0;
    for (const double entry : r) largest = std::max(largest, std::abs(entry));
    return largest;
  }
};

/// Runs a program. Tasks of a stage run in either order, and must not read what their stage writes.
class Interpreter {
 public:
  Interpreter(const BatchProgram& program, const std::vector<double>& a, bool reversed)
      : program_(program), reversed_(reversed), inverse_(static_cast<std::size_t>(program.n)) {
    for (const cuda::BatchEntry& entry : program.entries)
      values_.push_back(entry.source < 0 ? 0.0 : a[static_cast<std::size_t>(entry.source)]);
    std::vector<int> written(values_.size(), -1), pivot_stage(inverse_.size(), -1);
    each_task(program.factor, [&](int stage, const cuda::BatchTask& task) {
      double& target = values_[index(task.target)];
      EXPECT_LT(written[index(task.target)], stage);
      for (std::int32_t t = task.first; t < task.first + task.count; ++t) {
        const cuda::BatchTerm& term = program.factor.terms[index(t)];
        EXPECT_LT(written[index(term.left)], stage);
        EXPECT_LT(written[index(term.right)], stage);
        EXPECT_TRUE(pivot_stage[index(term.pivot)] >= 0 && pivot_stage[index(term.pivot)] < stage);
        target -= values_[index(term.left)] * inverse_[index(term.pivot)] * values_[index(term.right)];
      }
      written[index(task.target)] = stage;
      if (task.pivot < 0) return;
      EXPECT_EQ(task.target, program.diagonal[index(task.pivot)]);
      pivot_stage[index(task.pivot)] = stage;
      inverse_[index(task.pivot)] = 1.0 / target;
    });
    for (const int stage : pivot_stage) EXPECT_GE(stage, 0);
  }

  std::vector<double> solve(const std::vector<double>& b, bool transposed) const {
    const bool other = transposed && !program_.is_symmetric();
    const BatchSweeps& sweeps = other ? program_.transposed : program_.solve;
    const std::vector<std::int32_t>& in = other ? program_.col_of_new : program_.row_of_new;
    const std::vector<std::int32_t>& out = other ? program_.row_of_new : program_.col_of_new;
    std::vector<double> w(b.size()), x(b.size());
    for (std::size_t k = 0; k < w.size(); ++k) w[k] = b[index(in[k])];
    sweep(sweeps.forward, w, false);
    sweep(sweeps.backward, w, true);
    for (std::size_t k = 0; k < w.size(); ++k) x[index(out[k])] = w[k];
    return x;
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  template <class Term, class Run>
  void each_task(const cuda::BatchStages<Term>& stages, const Run& run) const {
    for (int s = 0; s < stages.stages(); ++s) {
      const std::int32_t first = stages.stage_first[index(s)], last = stages.stage_first[index(s) + 1];
      for (std::int32_t t = first; t < last; ++t) run(s, stages.tasks[index(reversed_ ? first + last - 1 - t : t)]);
    }
  }
  void sweep(const cuda::BatchStages<cuda::BatchSweepTerm>& stages, std::vector<double>& w, bool backward) const {
    std::vector<int> written(w.size(), -1);
    each_task(stages, [&](int stage, const cuda::BatchTask& task) {
      EXPECT_LT(written[index(task.target)], stage);
      double sum = 0.0;
      for (std::int32_t t = task.first; t < task.first + task.count; ++t) {
        const cuda::BatchSweepTerm& term = stages.terms[index(t)];
        EXPECT_LT(written[index(term.column)], stage);
        sum += values_[index(term.entry)] * w[index(term.column)];
      }
      double& target = w[index(task.target)];
      target -= backward ? sum * inverse_[index(task.target)] : sum;
      if (task.pivot >= 0) target *= inverse_[index(task.pivot)];
      written[index(task.target)] = stage;
    });
  }

  const BatchProgram& program_;
  bool reversed_;
  std::vector<double> values_;
  std::vector<double> inverse_;
};

void expect_solved(const RandomMatrix& a, Form form) {
  const auto plan = a.plan();
  const BatchProgram program = make_batch_program(plan->structure(), form);
  ASSERT_EQ(program.n, a.n);
  std::vector<double> b(static_cast<std::size_t>(a.n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i + 1));
  // The entries of A's rows sum up to at most 2 n, and x is at most 2 / n.
  const double bound = 100.0 * static_cast<double>(a.n) * std::numeric_limits<double>::epsilon();
  for (const bool reversed : {false, true}) {
    const Interpreter run(program, a.values, reversed);
    for (const bool transposed : {false, true}) EXPECT_LE(a.residual(run.solve(b, transposed), b, transposed), bound);
  }
}

TEST(BatchProgram, SolvesSymmetricSystems) {
  for (const double density : {0.0, 0.02, 0.2, 1.0}) {
    for (const std::int64_t n : {1, 2, 17, 90}) {
      expect_solved(RandomMatrix(n, density, true, 3), Form::llt);
      expect_solved(RandomMatrix(n, density, true, 4), Form::ldlt);
    }
  }
}

TEST(BatchProgram, SolvesGeneralSystems) {
  for (const double density : {0.0, 0.02, 0.2, 1.0}) {
    for (const std::int64_t n : {1, 2, 17, 90}) expect_solved(RandomMatrix(n, density, false, 5), Form::lu);
  }
}

TEST(BatchProgram, StoresNoExplicitZeros) {
  const RandomMatrix a(120, 0.02, true, 7);
  const auto plan = a.plan();
  const BatchProgram program = make_batch_program(plan->structure(), Form::llt);
  EXPECT_EQ(program.values(), plan->symbolic.nonzeros);
  EXPECT_GT(plan->panels.values(), plan->symbolic.nonzeros);
}

/// The last row of an arrow matrix is one long sum: it is divided, and the columns before it are one stage.
TEST(BatchProgram, DividesLongSums) {
  RandomMatrix a(2, 0.0, true, 1);
  a.n = 1000;
  a.offsets = {0};
  a.rows.clear();
  a.values.clear();
  for (std::int64_t j = 0; j < a.n; ++j) {
    a.rows.push_back(j);
    a.values.push_back(j + 1 < a.n ? 4.0 : 1000.0);
    if (j + 1 < a.n) {
      a.rows.push_back(a.n - 1);
      a.values.push_back(1.0);
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.rows.size()));
  }
  expect_solved(a, Form::llt);
  const BatchProgram program = make_batch_program(a.plan()->structure(), Form::llt);
  for (const cuda::BatchTask& task : program.factor.tasks) EXPECT_LE(task.count, 64);
  EXPECT_EQ(program.factor.stage_first[1], 999);
}

TEST(BatchProgram, EmptyMatricesHaveNoTasks) {
  const BatchProgram program = make_batch_program(RandomMatrix(0, 0.0, true, 1).plan()->structure(), Form::llt);
  EXPECT_EQ(program.n, 0);
  EXPECT_EQ(program.factor.stages(), 0);
  EXPECT_EQ(program.values(), 0);
}

/// n³/6 terms of a full matrix are too many for n = 500.
TEST(BatchProgram, RefusesFactorizationsWithTooManyTerms) {
  const RandomMatrix a(500, 1.0, true, 1);
  const auto plan = a.plan();
  EXPECT_THROW(make_batch_program(plan->structure(), Form::llt), BackendUnavailable);
}

}  // namespace
}  // namespace gpusupernodal
