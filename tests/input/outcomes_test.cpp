/// Tests of well-formed matrices that are not positive definite or not finite: an outcome with its position, no
/// exception.

#include <gtest/gtest.h>

#include <limits>

#include "tests/input/refusal.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using BadOutcome = SolverTest<OnBackend>;
TYPED_TEST_SUITE(BadOutcome, AllBackends, BackendNames);

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A lower triangle by columns; in natural order, all arithmetic is exact.
struct Outcome {
  const char* name;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> indices;
  std::vector<double> values;
  const char* sentence;
};

std::vector<Outcome> not_positive_definite() {
  const std::vector<std::int64_t> full3{0, 3, 5, 6};
  const std::vector<std::int64_t> rows3{0, 1, 2, 1, 2, 2};
  return {{"indefinite", full3, rows3, {4, 2, 2, 1, 1, 9}, "the pivot of column 1 (counted from 0) is 0"},
          {"indefinite at the end", full3, rows3, {4, 2, 2, 5, 1, 0.5}, "the pivot of column 2 (counted from 0) is -0.5"},
          {"negative definite", full3, rows3, {-4, 0, 0, -4, 0, -4}, "the pivot of column 0 (counted from 0) is -4"},
          {"semidefinite", full3, rows3, {1, 1, 1, 1, 1, 1}, "the pivot of column 1 (counted from 0) is 0"},
          {"singular, a row of zeros", full3, rows3, {4, 0, 2, 0, 0, 5}, "the pivot of column 1 (counted from 0) is 0"},
          {"zero", full3, rows3, {0, 0, 0, 0, 0, 0}, "the pivot of column 0 (counted from 0) is 0"},
          {"zero, nothing stored", {0, 0, 0, 0}, {}, {}, "the pivot of column 0 (counted from 0) is 0"},
          {"a diagonal entry not stored", {0, 2, 3, 3}, {0, 1, 1}, {4, 2, 5}, "the pivot of column 2 (counted from 0) is 0"},
          {"a diagonal entry not stored, others in its column",
           {0, 2, 3, 4},
           {0, 1, 2, 2},
           {4, 2, 1, 5},
           "the pivot of column 1 (counted from 0) is -1"},
          {"one by one, zero", {0, 1}, {0}, {0}, "the pivot of column 0 (counted from 0) is 0"},
          {"one by one, negative", {0, 1}, {0}, {-3}, "the pivot of column 0 (counted from 0) is -3"}};
}

std::vector<Outcome> not_finite() {
  const std::vector<std::int64_t> full3{0, 3, 5, 6};
  const std::vector<std::int64_t> rows3{0, 1, 2, 1, 2, 2};
  return {
      {"NaN off the diagonal",
       full3,
       rows3,
       {4, nan, 2, 5, 1, 9},
       "A has the value nan in row 1, column 0 (counted from 0)"},
      {"Inf on the diagonal", full3, rows3, {4, 1, 2, 5, 1, inf}, "A has the value inf in row 2, column 2 (counted from 0)"},
      {"-Inf first of several",
       full3,
       rows3,
       {4, 1, -inf, nan, 1, inf},
       "A has the value -inf in row 2, column 0 (counted from 0)"},
      {"NaN also where not positive definite",
       full3,
       rows3,
       {-4, 1, 1, 5, nan, 9},
       "A has the value nan in row 2, column 1 (counted from 0)"},
      {"one by one", {0, 1}, {0}, {nan}, "A has the value nan in row 0, column 0 (counted from 0)"}};
}

template <class T>
void expect_outcome(const Outcome& outcome, Status status, const char* prefix, Options options) {
  SCOPED_TRACE(outcome.name);
  options.ordering = Ordering::natural;
  const GoodSystems<T> good;
  const std::vector<T> values(outcome.values.begin(), outcome.values.end());
  MatrixView<T> a;
  a.n = static_cast<std::int64_t>(outcome.offsets.size()) - 1;
  a.offsets = outcome.offsets.data();
  if (!outcome.indices.empty()) a.indices = outcome.indices.data();
  if (!values.empty()) a.values = values.data();
  Solver<T> solver(options);
  solver.compute(a);
  EXPECT_EQ(solver.status(), status);
  std::vector<T> x(static_cast<std::size_t>(a.n), T(1));
  const DenseView<T> view(x.data(), a.n);
  const std::string said = sentence_of<NumericalFailure>([&] { solver.solve(view, view); });
  EXPECT_EQ(said, std::string("solve needs a factor, but the last factorization failed: ") + prefix + outcome.sentence);
  EXPECT_EQ(x, std::vector<T>(x.size(), T(1))) << "nothing written";
  solver.factorize(a);
  EXPECT_EQ(solver.status(), status) << "again, by factorize";
  expect_takes(solver, good);
}

TYPED_TEST(BadOutcome, IndefiniteMatricesAreReported) {
  for (const Outcome& outcome : not_positive_definite()) {
    expect_outcome<typename TypeParam::Scalar>(outcome, Status::not_positive_definite, "A is not positive definite; ",
                                               this->options());
  }
}

TYPED_TEST(BadOutcome, NonFiniteEntriesAreReported) {
  for (const Outcome& outcome : not_finite()) {
    expect_outcome<typename TypeParam::Scalar>(outcome, Status::non_finite_input, "", this->options());
  }
}

/// The largest numbers overflow during the factorization; the check of pivots detects this, too.
TYPED_TEST(BadOutcome, OverflowIsNotMistakenForAFactor) {
  using T = typename TypeParam::Scalar;
  const T huge = std::numeric_limits<T>::max();
  const std::int64_t offsets[] = {0, 2, 3};
  const std::int64_t indices[] = {0, 1, 1};
  const T values[] = {T(1), huge, huge};
  MatrixView<T> a;
  a.n = 2;
  a.offsets = offsets;
  a.indices = indices;
  a.values = values;
  Solver<T> solver(this->options());
  solver.compute(a);
  EXPECT_EQ(solver.status(), Status::not_positive_definite);
  expect_takes(solver, GoodSystems<T>());
}

}  // namespace
}  // namespace gpusupernodal::test
