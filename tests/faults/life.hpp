#pragma once

/// \file
/// A solver's life in phases, each of which can be interrupted, and what must hold afterwards.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {

/// The matrices of a sweep, with the plan of the first, so that new solvers need no ordering.
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
  std::shared_ptr<const FactorPlan> plan;  ///< Plan of `a`; set by make_plan_of.
};

/// A solver and the matrix that it last factorized.
struct Life {
  const Subject& subject;
  Options options;
  std::optional<Solver<double>> solver;
  const io::SymmetricMatrix* holds = nullptr;  ///< The factorized matrix; nullptr: none.
  std::vector<double> x;

  Life(const Subject& s, const Options& o) : subject(s), options(o), x(s.b.size()) {}

  void solve(std::int64_t columns, System part = System::a) {
    const std::int64_t n = solver->order();
    const std::vector<double>& b = n == subject.a.n ? subject.b : subject.b_other;
    solver->solve(DenseView<const double>(b.data(), n, columns, n), DenseView<double>(x.data(), n, columns, n), part);
  }
};

/// `before` takes a new life to the start of `call`, which may be repeated.
struct Phase {
  std::string name;
  std::function<void(Life&)> before;
  std::function<void(Life&)> call;
};

/// All phases: construct, analyze, factorize, refactorize, solve, extract, estimate, move.
std::vector<Phase> phases_of_analysis();
std::vector<Phase> phases_of_numbers();

/// Observable state of a solver, for comparison with a later state.
struct Observed {
  bool there = false;
  bool analyzed = false;
  bool factorized = false;
  std::int64_t order = 0;
  std::shared_ptr<const FactorPlan> plan;
  const io::SymmetricMatrix* holds = nullptr;
  std::vector<double> solution;  ///< Host only; on CUDA, sums differ in their last bits.
};
/// Precondition: no faults are armed.
Observed observe(Life& life);

/// Expects that the solver is unchanged, or throws InvalidState because it has no factor; an analysis is never lost.
void expect_former_or_invalid(Life& life, const Observed& was);

/// Whether results can be checked; false on a simulated device, whose kernels do nothing.
bool& numbers_are_real();

/// Expects that the solver can solve if it holds a factor.
void expect_sound(Life& life);

}  // namespace gpusupernodal::test
