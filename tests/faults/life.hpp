#pragma once

/// \file
/// A solver's life cut into phases, each of which can be broken off, and what has to hold afterwards.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {

/// The matrices of a sweep, with the plan of the first, so that a fresh solver costs no ordering.
struct Subject {
  explicit Subject(const std::string& spec, const std::string& other_spec = "lap2d:4")
      : a(io::generate(spec)), twice(a), other(io::generate(other_spec)), stored(test::stored<double>(a)) {
    for (double& value : twice.values) value *= 2.0;
    stored_twice = test::stored<double>(twice);
    stored_other = test::stored<double>(other);
    b = right_hand_side<double>(a.n, columns);
    b_other = right_hand_side<double>(other.n);
  }
  static constexpr std::int64_t columns = 5;

  io::SymmetricMatrix a, twice, other;
  StoredMatrix<double> stored, stored_twice, stored_other;
  std::vector<double> b, b_other;
  std::shared_ptr<const FactorPlan> plan;  ///< Of a; made by make_plan_of.
};

/// One solver and what it was last asked to factorize.
struct Life {
  const Subject& subject;
  Options options;
  std::optional<Solver<double>> solver;
  const io::SymmetricMatrix* holds = nullptr;  ///< The matrix whose factor the solver has; nullptr: none.
  std::vector<double> x;

  Life(const Subject& s, const Options& o) : subject(s), options(o), x(s.b.size()) {}

  void solve(std::int64_t columns, System part = System::a) {
    const std::int64_t n = solver->order();
    const std::vector<double>& b = n == subject.a.n ? subject.b : subject.b_other;
    solver->solve(DenseView<const double>(b.data(), n, columns, n), DenseView<double>(x.data(), n, columns, n), part);
  }
};

/// `before` brings a fresh life to where `call` begins. A call may be repeated.
struct Phase {
  std::string name;
  std::function<void(Life&)> before;
  std::function<void(Life&)> call;
};

/// All phases: construct, analyze, factorize, refactorize, solve, extract, estimate, move.
std::vector<Phase> phases_of_analysis();
std::vector<Phase> phases_of_numbers();

/// What a solver tells about itself, to be compared with what it tells later.
struct Told {
  bool there = false;
  bool analyzed = false;
  bool factorized = false;
  std::int64_t order = 0;
  std::shared_ptr<const FactorPlan> plan;
  const io::SymmetricMatrix* holds = nullptr;
  std::vector<double> solution;  ///< On the host; on CUDA sums differ in their last bits.
};
/// Precondition: no faults are armed.
Told report_progress(Life& life);

/// The solver is what it was, or says by InvalidState that it holds no factor; an analysis is never lost.
void expect_former_or_invalid(Life& life, const Told& was);

/// Whether answers can be looked at; false on a simulated device, whose kernels do nothing.
bool& numbers_are_real();

/// Where the life holds a factor, it solves.
void expect_sound(Life& life);

}  // namespace gpusupernodal::test
