#include "tests/faults/life.hpp"

#include <utility>

namespace gpusupernodal::test {
namespace {

void nothing(Life&) {}

void construct(Life& life) {
  life.holds = nullptr;
  life.solver.reset();
  life.solver.emplace(life.options);
}

void analyzed(Life& life) {
  construct(life);
  if (life.subject.plan) {
    life.solver->analyze(life.subject.stored.view(), life.subject.plan);
  } else {
    life.solver->analyze(life.subject.stored.view());
  }
}

void factorized(Life& life) {
  analyzed(life);
  life.solver->factorize(life.subject.stored.view());
  life.holds = &life.subject.a;
}

void factorize_again(Life& life) {
  life.holds = nullptr;
  life.solver->factorize(life.subject.stored_twice.view());
  life.holds = &life.subject.twice;
}

void with_refinement(Life& life) {
  factorized(life);
  Options options = life.options;
  options.refinement.max_steps = 3;
  life.solver->set_options(options);
}

void refined(Life& life) {
  with_refinement(life);
  factorize_again(life);
}

Phase condition_estimate() {
  return {"reciprocal_condition", factorized,
          [](Life& life) { static_cast<void>(life.solver->reciprocal_condition(life.subject.stored.view())); }};
}

}  // namespace

std::vector<Phase> phases_of_analysis() {
  return {
      {"construct", nothing, construct},
      {"analyze", construct, [](Life& life) { life.solver->analyze(life.subject.stored.view()); }},
      {"compute", construct,
       [](Life& life) {
         life.solver->compute(life.subject.stored.view());
         life.holds = &life.subject.a;
       }},
      {"analyze another matrix", factorized,
       [](Life& life) {
         life.solver->analyze(life.subject.stored_other.view());
         life.holds = nullptr;
       }},
      {"analyze with a plan", factorized,
       [](Life& life) {
         life.solver->analyze(life.subject.stored.view(), life.subject.plan ? life.subject.plan : life.solver->plan());
         life.holds = nullptr;
       }},
      {"set_options", factorized,
       [](Life& life) {
         Options options = life.options;
         options.permutation.assign(100, 0);
         life.solver->set_options(std::move(options));
       }},
      {"plan_json", analyzed, [](Life& life) { static_cast<void>(plan_json(*life.solver->plan())); }},
      {"plan_graphviz", analyzed, [](Life& life) { static_cast<void>(plan_graphviz(*life.solver->plan())); }},
      {"old_of_new", analyzed, [](Life& life) { static_cast<void>(life.solver->old_of_new()); }},
  };
}

std::vector<Phase> phases_of_numbers() {
  return {
      {"factorize", analyzed,
       [](Life& life) {
         life.solver->factorize(life.subject.stored.view());
         life.holds = &life.subject.a;
       }},
      {"factorize again", factorized, factorize_again},
      {"refactorize", factorized,
       [](Life& life) {
         life.holds = nullptr;
         life.solver->refactorize(life.subject.stored_twice.values);
         life.holds = &life.subject.twice;
       }},
      {"factorize, refinement switched on", with_refinement, factorize_again},
      {"status", factorized, [](Life& life) { static_cast<void>(life.solver->status()); }},
      {"solve", factorized, [](Life& life) { life.solve(1); }},
      {"solve of 5, the first", factorized, [](Life& life) { life.solve(Subject::columns); }},
      {"solve, refined", refined, [](Life& life) { life.solve(1); }},
      {"solve of 5, refined", refined, [](Life& life) { life.solve(Subject::columns); }},
      {"solve, one part", factorized, [](Life& life) { life.solve(1, System::forward); }},
      {"reserve_right_hand_sides", factorized, [](Life& life) { life.solver->reserve_right_hand_sides(9); }},
      {"extract_l", factorized, [](Life& life) { static_cast<void>(life.solver->extract_l()); }},
      {"log_determinant", factorized, [](Life& life) { static_cast<void>(life.solver->log_determinant()); }},
      condition_estimate(),
      {"move", factorized,
       [](Life& life) {
         Solver<double> moved(std::move(*life.solver));
         *life.solver = std::move(moved);
       }},
      {"destroy", factorized,
       [](Life& life) {
         life.holds = nullptr;
         life.solver.reset();
       }},
  };
}

Observed observe(Life& life) {
  Observed observed;
  observed.there = life.solver.has_value();
  if (!observed.there) return observed;
  observed.analyzed = life.solver->is_analyzed();
  observed.factorized = life.solver->is_factorized();
  observed.order = life.solver->order();
  observed.plan = life.solver->plan();
  observed.holds = life.holds;
  if (observed.factorized && life.solver->backend() == Backend::host) {
    life.solve(1);
    observed.solution = life.x;
    observed.solution.resize(static_cast<std::size_t>(observed.order));
  }
  return observed;
}

void expect_former_or_invalid(Life& life, const Observed& was) {
  if (!life.solver) return;
  Solver<double>& solver = *life.solver;
  EXPECT_TRUE(solver.is_analyzed() || !was.analyzed) << "the analysis is lost";
  if (!solver.is_factorized()) {
    life.holds = nullptr;
    EXPECT_THROW(life.solve(1), InvalidState);
    EXPECT_THROW(solver.factor_report(), InvalidState);
    return;
  }
  ASSERT_TRUE(was.factorized) << "a factor out of a call that threw";
  EXPECT_EQ(solver.order(), was.order);
  EXPECT_EQ(solver.plan(), was.plan) << "the plan is not that of the factor";
  life.holds = was.holds;
  const Observed is = observe(life);
  EXPECT_EQ(is.solution, was.solution) << "another factor than before the call";
}

bool& numbers_are_real() {
  static bool real = true;
  return real;
}

void expect_sound(Life& life) {
  if (life.holds == nullptr) return;
  ASSERT_TRUE(life.solver.has_value());
  ASSERT_EQ(life.solver->status(), Status::success);
  if (numbers_are_real()) {
    expect_solves(*life.solver, *life.holds);
  } else {
    life.solve(1);
  }
}

}  // namespace gpusupernodal::test
