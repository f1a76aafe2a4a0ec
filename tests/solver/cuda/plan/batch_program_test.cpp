/// The program of a batch, run one operation after another on the host: its stages are independent, and it solves.

#include "solver/cuda/plan/batch_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "tests/solver/cuda/plan/random_matrix.hpp"

namespace gpusupernodal {
namespace {

using test::RandomMatrix;

/// Largest error, relative to n·eps, of a solution whose factorization has little growth.
constexpr double error_constant = 100.0;

/// Runs a program. Tasks of a stage run in either order, and must not read what their stage writes. Scales are those of the
/// device.
class Interpreter {
 public:
  Interpreter(const BatchProgram& program, const std::vector<double>& a, bool reversed)
      : program_(program), a_(a), reversed_(reversed), inverse_(static_cast<std::size_t>(program.n)) {
    find_scales();
    for (const cuda::BatchEntry& entry : program.entries)
      values_.push_back(entry.source < 0 ? 0.0 : scaled(a[index(entry.source)], entry.row, entry.column));
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
    const Side side = side_of(transposed);
    const BatchSweeps& sweeps = side.swapped ? program_.transposed : program_.solve;
    std::vector<double> w(b.size()), x(b.size());
    for (std::size_t k = 0; k < w.size(); ++k) w[k] = std::ldexp(b[index(side.in[k])], side.scale_in[k]);
    sweep(sweeps.forward, w, false);
    sweep(sweeps.backward, w, true);
    for (std::size_t k = 0; k < w.size(); ++k) x[index(side.out[k])] = std::ldexp(w[k], side.scale_out[k]);
    return x;
  }

  /// Expects that the program's rows of A give the product `ax`. Returns ‖R (b − A x)‖∞ / (‖R A C‖∞ ‖C⁻¹ x‖∞ + ‖R b‖∞),
  /// where R and C are the scales.
  double error(const std::vector<double>& x, const std::vector<double>& b, const std::vector<double>& ax,
               bool transposed) const {
    const Side side = side_of(transposed);
    double of_r = 0.0, of_a = 0.0, of_x = 0.0, of_b = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      double sum = 0.0, magnitudes = 0.0, row = 0.0;
      for (std::int32_t t = side.a.offsets[k]; t < side.a.offsets[k + 1]; ++t) {
        const cuda::BatchRowTerm& term = side.a.terms[index(t)];
        const double entry = a_[index(term.source)], factor = x[index(side.out[index(term.column)])];
        sum += entry * factor;
        magnitudes += std::abs(entry * factor);
        row += std::abs(std::ldexp(entry, side.scale_in[k] + side.scale_out[index(term.column)]));
      }
      const auto in = index(side.in[k]);
      EXPECT_LE(std::abs(sum - ax[in]),
                2.0 * static_cast<double>(x.size()) * std::numeric_limits<double>::epsilon() * magnitudes)
          << "row " << in;
      of_r = std::max(of_r, std::abs(std::ldexp(b[in] - sum, side.scale_in[k])));
      of_a = std::max(of_a, row);
      of_x = std::max(of_x, std::abs(std::ldexp(x[index(side.out[k])], -side.scale_out[k])));
      of_b = std::max(of_b, std::abs(std::ldexp(b[in], side.scale_in[k])));
    }
    return of_r / (of_a * of_x + of_b);
  }

  /// The largest magnitude in the scaled A.
  double largest_scaled() const {
    double largest = 0.0;
    for (const cuda::BatchEntry& entry : program_.entries) {
      if (entry.source < 0) continue;
      largest = std::max(largest, std::abs(scaled(a_[index(entry.source)], entry.row, entry.column)));
    }
    return largest;
  }

 private:
  /// What solves with A, or with its transpose, read.
  struct Side {
    bool swapped;
    const std::vector<std::int32_t>& in;
    const std::vector<std::int32_t>& out;
    const BatchRows& a;
    const std::vector<int>& scale_in;
    const std::vector<int>& scale_out;
  };
  Side side_of(bool transposed) const {
    const std::vector<int>& columns = program_.is_symmetric() ? row_scale_ : column_scale_;
    if (!transposed || program_.is_symmetric())
      return {false, program_.row_of_new, program_.col_of_new, program_.a_rows, row_scale_, columns};
    return {true, program_.col_of_new, program_.row_of_new, program_.a_columns, columns, row_scale_};
  }

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  /// Sweeps of the rows and of the columns, both with the scales before.
  void find_scales() {
    row_scale_.assign(index(program_.n), 0);
    std::copy(program_.row_scale.begin(), program_.row_scale.end(), row_scale_.begin());
    column_scale_ = row_scale_;
    std::copy(program_.column_scale.begin(), program_.column_scale.end(), column_scale_.begin());
    for (std::int32_t s = 0; s < program_.scaling_sweeps; ++s) {
      const std::vector<int> rows = row_scale_;
      scale_lines(program_.a_rows, row_scale_, program_.is_symmetric() ? rows : column_scale_);
      if (!program_.is_symmetric()) scale_lines(program_.a_columns, column_scale_, rows);
    }
  }
  void scale_lines(const BatchRows& lines, std::vector<int>& scale, const std::vector<int>& across) const {
    for (std::size_t k = 0; k < scale.size(); ++k) {
      int largest = std::numeric_limits<int>::min();
      for (std::int32_t t = lines.offsets[k]; t < lines.offsets[k + 1]; ++t) {
        const cuda::BatchRowTerm& term = lines.terms[index(t)];
        if (a_[index(term.source)] != 0.0)
          largest = std::max(largest, std::ilogb(a_[index(term.source)]) + scale[k] + across[index(term.column)]);
      }
      if (largest != std::numeric_limits<int>::min()) scale[k] -= largest >> 1;
    }
  }
  double scaled(double value, std::int32_t row, std::int32_t column) const {
    const std::vector<int>& columns = program_.is_symmetric() ? row_scale_ : column_scale_;
    return std::ldexp(value, row_scale_[index(row)] + columns[index(column)]);
  }

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
  const std::vector<double>& a_;
  bool reversed_;
  std::vector<int> row_scale_;  ///< Binary exponents; those of the columns too if the matrix is symmetric.
  std::vector<int> column_scale_;
  std::vector<double> values_;
  std::vector<double> inverse_;
};

void expect_solved(const RandomMatrix& a, Form form) {
  const auto plan = a.plan();
  const BatchProgram program = make_batch_program(plan->structure(), form);
  ASSERT_EQ(program.n, a.n);
  std::vector<double> b(static_cast<std::size_t>(a.n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i + 1));
  const double bound = error_constant * static_cast<double>(a.n) * std::numeric_limits<double>::epsilon();
  for (const bool reversed : {false, true}) {
    const Interpreter run(program, a.values, reversed);
    for (const bool transposed : {false, true}) {
      const std::vector<double> x = run.solve(b, transposed);
      EXPECT_LE(run.error(x, b, a.product(x, transposed), transposed), bound);
    }
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

TEST(BatchProgram, SolvesSystemsWithExchangedAndScaledRows) {
  for (const double density : {0.0, 0.02, 0.2, 1.0}) {
    for (const std::int64_t n : {2, 17, 90}) {
      const RandomMatrix a = RandomMatrix::exchanged(n, density, 6);
      expect_solved(a, Form::lu);
      const BatchProgram program = make_batch_program(a.plan()->structure(), Form::lu);
      EXPECT_NE(program.row_of_new, program.col_of_new);
      ASSERT_EQ(program.row_scale.size(), static_cast<std::size_t>(n));
      EXPECT_GE(program.scaling_sweeps, 1);
      // A sweep makes the exponent of the largest entry of each row and column at most 1 where it was −1 to 3.
      EXPECT_LT(Interpreter(program, a.values, false).largest_scaled(), 4.0);
    }
  }
}

/// Values whose rows have other scales than those that the plan was made for.
TEST(BatchProgram, SweepsScaleOtherValues) {
  RandomMatrix a(40, 0.2, false, 8);
  const auto plan = a.plan();
  for (std::size_t e = 0; e < a.values.size(); ++e)
    a.values[e] = std::ldexp(a.values[e], static_cast<int>(30 * (a.rows[e] % 4)));
  expect_solved(a, Form::lu);
  const BatchProgram program = make_batch_program(plan->structure(), Form::lu);
  EXPECT_GT(program.scaling_sweeps, 1);
  EXPECT_LT(Interpreter(program, a.values, false).largest_scaled(), 4.0);
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

/// A's values, and two arrays of exponents for each kind of scales; symmetric matrices have one kind.
TEST(BatchProgram, WorkspaceIsWhatSystemsHold) {
  const std::int64_t n = 40, exponents = 2 * n * static_cast<std::int64_t>(sizeof(std::int32_t));
  const auto scales_of = [](const RandomMatrix& a, Form form) {
    const BatchProgram program = make_batch_program(a.plan()->structure(), form);
    const auto values = static_cast<std::int64_t>(a.values.size() * sizeof(float));
    return program.workspace_bytes(ScalarType::real_single) - values;
  };
  EXPECT_EQ(scales_of(RandomMatrix(n, 0.1, true, 7), Form::llt), 0);
  EXPECT_EQ(scales_of(RandomMatrix(n, 0.1, true, 7), Form::ldlt), exponents);
  EXPECT_EQ(scales_of(RandomMatrix(n, 0.1, false, 7), Form::lu), 2 * exponents);
}

TEST(BatchProgram, EmptyMatricesHaveNoTasks) {
  const BatchProgram program = make_batch_program(RandomMatrix(0, 0.0, true, 1).plan()->structure(), Form::llt);
  EXPECT_EQ(program.n, 0);
  EXPECT_EQ(program.factor.stages(), 0);
  EXPECT_EQ(program.values(), 0);
}

/// n³/6 terms of a full symmetric matrix are too many for n = 500, n³/3 of a general one for n = 380.
TEST(BatchProgram, RefusesFactorizationsWithTooManyTerms) {
  EXPECT_THROW(make_batch_program(RandomMatrix(500, 1.0, true, 1).plan()->structure(), Form::llt), BackendUnavailable);
  EXPECT_THROW(make_batch_program(RandomMatrix(380, 1.0, false, 1).plan()->structure(), Form::lu), BackendUnavailable);
  EXPECT_NO_THROW(make_batch_program(RandomMatrix(360, 1.0, false, 1).plan()->structure(), Form::lu));
}

}  // namespace
}  // namespace gpusupernodal
