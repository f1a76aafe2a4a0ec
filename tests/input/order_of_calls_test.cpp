#include <gtest/gtest.h>

#include "tests/input/refusal.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using OrderOfCalls = SolverTest<OnBackend>;
TYPED_TEST_SUITE(OrderOfCalls, AllBackends, BackendNames);

template <class T>
struct NamedCall {
  const char* name;
  std::function<void(Solver<T>&)> call;
};

template <class T>
std::vector<NamedCall<T>> calls_that_need_a_factor(const StoredMatrix<T>& a) {
  const auto n = static_cast<std::size_t>(a.n);
  return {{"solve",
           [n](Solver<T>& solver) {
             std::vector<T> x(n, T(1));
             const DenseView<T> view(x.data(), static_cast<std::int64_t>(n));
             solver.solve(view, view);
           }},
          {"extract_l", [](Solver<T>& solver) { solver.extract_l(); }},
          {"log_determinant", [](Solver<T>& solver) { solver.log_determinant(); }},
          {"reciprocal_condition", [&a](Solver<T>& solver) { solver.reciprocal_condition(a.view()); }}};
}

template <class T>
std::vector<NamedCall<T>> calls_that_need_an_analysis(const StoredMatrix<T>& a) {
  return {{"factorize", [&a](Solver<T>& solver) { solver.factorize(a.view()); }},
          {"refactorize", [&a](Solver<T>& solver) { solver.refactorize(a.values); }},
          {"refactorize", [&a](Solver<T>& solver) { solver.refactorize(a.view()); }},
          {"trace_json", [](Solver<T>& solver) { solver.trace_json(); }},
          {"old_of_new", [](Solver<T>& solver) { solver.old_of_new(); }}};
}

/// These report on any factorization, including a failed one.
template <class T>
std::vector<NamedCall<T>> calls_that_need_a_factorization() {
  return {{"status", [](Solver<T>& solver) { solver.status(); }},
          {"factor_report", [](Solver<T>& solver) { solver.factor_report(); }}};
}

template <class T>
void expect_too_early(Solver<T>& solver, const std::vector<NamedCall<T>>& calls, const std::string& missing) {
  for (const NamedCall<T>& named : calls) {
    EXPECT_EQ(sentence_of<InvalidState>([&] { named.call(solver); }),
              std::string(named.name) + " was called before " + missing);
  }
}

TYPED_TEST(OrderOfCalls, NothingBeforeAnalyze) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  Solver<T> solver(this->options());
  for (const auto& table : {calls_that_need_an_analysis(good.after_stored), calls_that_need_a_factor(good.after_stored),
                            calls_that_need_a_factorization<T>()}) {
    expect_too_early(solver, table, "analyze");
    EXPECT_FALSE(solver.is_analyzed());
  }
  expect_takes(solver, good);
}

TYPED_TEST(OrderOfCalls, NoSolveBeforeFactorize) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  Solver<T> solver(this->options());
  solver.analyze(good.after_stored.view());
  expect_too_early(solver, calls_that_need_a_factor(good.after_stored), "factorize");
  expect_too_early(solver, calls_that_need_a_factorization<T>(), "factorize");
  solver.factorize(good.after_stored.view());
  expect_solves(solver, good.after);
}

TYPED_TEST(OrderOfCalls, NoSolveAfterAFailedFactorize) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  Solver<T> solver(this->options());
  solver.analyze(good.after_stored.view());
  std::vector<T> values = good.after_stored.values;
  values[static_cast<std::size_t>(good.after.offsets[7])] = T(-2);
  solver.refactorize(values);
  ASSERT_EQ(solver.status(), Status::not_positive_definite);
  for (const NamedCall<T>& named : calls_that_need_a_factor(good.after_stored)) {
    const std::string said = sentence_of<NumericalFailure>([&] { named.call(solver); });
    EXPECT_EQ(said.find(std::string(named.name) + " needs a factor, but the last factorization failed: A is not positive "
                                                  "definite; the pivot of column 7 (counted from 0) is -"),
              0U)
        << said;
  }
  solver.refactorize(good.after_stored.values);
  expect_solves(solver, good.after);
}

/// A random sequence of valid and invalid calls: each is done or refused, and the object can still solve.
TYPED_TEST(OrderOfCalls, RandomSequencesLeaveAUsableSolver) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  std::vector<NamedCall<T>> calls{{"analyze", [&](Solver<T>& solver) { solver.analyze(good.after_stored.view()); }},
                                  {"analyze another", [&](Solver<T>& s) { s.analyze(good.before_stored.view()); }},
                                  {"reserve", [&](Solver<T>& solver) { solver.reserve_right_hand_sides(3); }}};
  for (const auto& table : {calls_that_need_an_analysis(good.after_stored), calls_that_need_a_factor(good.after_stored)}) {
    calls.insert(calls.end(), table.begin(), table.end());
  }
  Solver<T> solver(this->options());
  std::mt19937_64 random(11);
  for (int step = 0; step < 300; ++step) {
    const NamedCall<T>& named = calls[random() % calls.size()];
    try {
      named.call(solver);
    } catch (const Error&) {
      // Other cases test which calls are refused.
    } catch (const std::exception& error) {
      FAIL() << named.name << ": " << error.what();
    }
    if (step % 30 == 0) expect_takes(solver, good);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
