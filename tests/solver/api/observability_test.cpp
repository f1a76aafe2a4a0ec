/// Traces, progress and cancellation from the view of a user of Solver, on every backend.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using Observability = SolverTest<OnBackend>;
TYPED_TEST_SUITE(Observability, AllBackends, BackendNames);

/// Returns the names of complete events and checks that events of a lane do not overlap.
std::multiset<std::string> names_in(const std::string& text) {
  std::multiset<std::string> names;
  std::map<std::pair<int, int>, double> until;
  const nlohmann::json trace = nlohmann::json::parse(text);
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    names.insert(event["name"].get<std::string>());
    const double begin = event["ts"].get<double>();
    double& end = until[{event["pid"].get<int>(), event["tid"].get<int>()}];
    EXPECT_GE(begin, end - 1e-3 / 2) << event;  // Tolerance of half a nanosecond for rounded decimals.
    end = begin + event["dur"].get<double>();
  }
  return names;
}

TYPED_TEST(Observability, TraceHasTheLastFactorizationAndLaterSolves) {
  if (TypeParam::devices > 1) GTEST_SKIP() << "several devices keep no trace";
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(io::generate("lap3d:8"));
  Options options = this->options();
  options.trace = true;
  Solver<T> solver(options);
  expect_throw<InvalidState>([&] { static_cast<void>(solver.trace_json()); }, {"trace_json", "analyze"});
  solver.compute(s.view());
  EXPECT_EQ(solver.status(), Status::success);
  solution(solver, right_hand_side<T>(s.n));
  std::multiset<std::string> names = names_in(solver.trace_json());
  EXPECT_EQ(names.count("factorize"), 1U);
  EXPECT_EQ(names.count("solve"), 1U);
  const std::size_t events = names.size();
  EXPECT_GT(events, 2U) << "the trace holds the work inside the calls too";
  solver.refactorize(s.values);
  solution(solver, right_hand_side<T>(s.n));
  solution(solver, right_hand_side<T>(s.n));
  names = names_in(solver.trace_json());
  EXPECT_EQ(names.count("factorize"), 1U);
  EXPECT_EQ(names.count("solve"), 2U);
  solver.refactorize(s.values);
  EXPECT_LT(names_in(solver.trace_json()).size(), events) << "a new factorization begins a new trace";
}

TYPED_TEST(Observability, WithoutTheOptionThereIsNoTrace) {
  using T = typename TypeParam::Scalar;
  Solver<T> solver(this->options());
  const StoredMatrix<T> s = stored<T>(io::generate("lap2d:5"));
  solver.compute(s.view());
  expect_throw<InvalidState>([&] { static_cast<void>(solver.trace_json()); }, {"Options::trace"});
  for (const RegimeReport& regime : solver.factor_report().regimes) EXPECT_EQ(regime.seconds, 0.0);
}

TYPED_TEST(Observability, FlopsOfRegimesAddUp) {
  if (TypeParam::devices > 1) GTEST_SKIP() << "several devices keep no trace";
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(io::generate("lap3d:14"));
  Options options = this->options();
  options.trace = true;
  Solver<T> solver(options);
  solver.compute(s.view());
  double flops = 0.0;
  for (const RegimeReport& regime : solver.factor_report().regimes) {
    flops += regime.flops;
    EXPECT_EQ(regime.seconds > 0.0, regime.flops > 0.0) << regime.name;
    EXPECT_LE(regime.seconds, 60.0);
  }
  const double all = solver.analyze_report().stored_flops;
  // Bound on the number of tasks, each of which contributes one term to the sum.
  constexpr double max_tasks = 4096.0;
  EXPECT_NEAR(flops, all, max_tasks * std::numeric_limits<double>::epsilon() * all);
}

TYPED_TEST(Observability, SolveReportsTheBytesReadOfL) {
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(io::generate("lap2d:9"));
  Solver<T> solver(this->options());
  solver.compute(s.view());
  const double once = static_cast<double>(solver.analyze_report().stored_l) * sizeof(T);
  solution(solver, right_hand_side<T>(s.n, 3));
  EXPECT_EQ(solver.solve_report().bytes_of_l, 2.0 * once);
  solution(solver, right_hand_side<T>(s.n), System::forward);
  EXPECT_EQ(solver.solve_report().bytes_of_l, once);
  solution(solver, right_hand_side<T>(s.n), System::p);
  EXPECT_EQ(solver.solve_report().bytes_of_l, 0.0);
}

TYPED_TEST(Observability, ProgressAscendsToOneFromTheCallingThread) {
  using T = typename TypeParam::Scalar;
  const StoredMatrix<T> s = stored<T>(io::generate("lap3d:20"));
  std::vector<double> fractions;
  Options options = this->options();
  const auto here = std::this_thread::get_id();
  options.factor_progress = [&](const Progress& progress) {
    EXPECT_STREQ(progress.phase, "factorize");
    EXPECT_EQ(std::this_thread::get_id(), here);
    fractions.push_back(progress.fraction);
    return true;
  };
  Solver<T> solver(options);
  solver.analyze(s.view());
  EXPECT_TRUE(fractions.empty());
  for (int repetition = 0; repetition < 2; ++repetition) {
    fractions.clear();
    solver.factorize(s.view());
    ASSERT_GE(fractions.size(), 2U);
    EXPECT_EQ(fractions.front(), 0.0);
    EXPECT_EQ(fractions.back(), 1.0);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  }
}

/// Cancels a factorization at the k-th call of the callback and checks the solver afterwards. Returns whether a k-th call
/// occurred.
template <class T>
bool cancel_at(int k, const Options& base, const io::SymmetricMatrix& a, const StoredMatrix<T>& s) {
  int calls = 0;
  Options options = base;
  Solver<T> solver(options);
  solver.compute(s.view());
  options.factor_progress = [&](const Progress&) { return ++calls != k; };
  solver.set_options(options);
  try {
    solver.factorize(s.view());
    EXPECT_LT(calls, k) << "the answer was not heard";
    expect_solves(solver, a);
    return false;
  } catch (const Cancelled& error) {
    EXPECT_NE(std::string(error.what()).find("cancelled"), std::string::npos);
  }
  EXPECT_EQ(calls, k) << "asked again after a no";
  EXPECT_TRUE(solver.is_analyzed());
  EXPECT_FALSE(solver.is_factorized());
  expect_throw<InvalidState>([&] { expect_solves(solver, a); }, {"cancelled"});
  expect_throw<InvalidState>([&] { static_cast<void>(solver.factor_report()); });
  solver.refactorize(s.values);  // The k-th call is over, so the callback does not cancel.
  EXPECT_EQ(solver.status(), Status::success);
  expect_solves(solver, a);
  return true;
}

TYPED_TEST(Observability, CancelLeavesNoFactorAndTheNextFactorizeWorks) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:9"));
  const StoredMatrix<T> s = stored<T>(a);
  int k = 1;
  while (k < 200 && cancel_at(k, this->options(), a, s)) ++k;
  EXPECT_GE(k - 1, 2);
  EXPECT_LT(k, 200);
}

TYPED_TEST(Observability, ExceptionOfACallbackReachesTheCaller) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap2d:9"));
  const StoredMatrix<T> s = stored<T>(a);
  Options options = this->options();
  options.factor_progress = [](const Progress& progress) -> bool {
    if (progress.fraction == 1.0) throw std::domain_error("the caller's own");
    return true;
  };
  Solver<T> solver(options);
  EXPECT_THROW(solver.compute(s.view()), std::domain_error);
  EXPECT_FALSE(solver.is_factorized());
  options.factor_progress = nullptr;
  solver.set_options(options);
  solver.factorize(s.view());
  expect_solves(solver, a);
}

}  // namespace
}  // namespace gpusupernodal::test
