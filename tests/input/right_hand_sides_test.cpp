#include <gtest/gtest.h>

#include <limits>

#include "tests/input/refusal.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using BadRightHandSide = SolverTest<OnBackend>;
TYPED_TEST_SUITE(BadRightHandSide, AllBackends, BackendNames);

struct Sizes {
  std::int64_t rows = 30;
  std::int64_t cols = 1;
  std::int64_t ld = 30;
};

struct WrongSizes {
  const char* name;
  Sizes b;
  Sizes x;
  const char* sentence;
};

/// Wrong sizes for a matrix of order 30.
std::vector<WrongSizes> wrong_sizes() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return {{"b too short", {29, 1, 29}, {}, "b has 29 rows, but the matrix is of order 30"},
          {"b too long", {31, 1, 31}, {}, "b has 31 rows, but the matrix is of order 30"},
          {"x too long", {}, {31, 1, 31}, "x has 31 rows, but the matrix is of order 30"},
          {"b negative", {-1, 1, 1}, {}, "b has -1 rows, but the matrix is of order 30"},
          {"fewer columns in b", {30, 2, 30}, {30, 3, 30}, "b has 2 columns, but x has 3"},
          {"negative columns", {30, -1, 30}, {30, -1, 30}, "b has -1 columns"},
          {"columns of b that overlap", {30, 2, 29}, {30, 2, 30}, "b has leading dimension 29, less than its 30 rows"},
          {"columns of x that overlap", {30, 2, 30}, {30, 2, 0}, "x has leading dimension 0, less than its 30 rows"},
          {"columns of b beyond any memory",
           {30, most, 30},
           {30, most, 30},
           "b has 9223372036854775807 columns with leading dimension 30, more than any memory holds"},
          {"ld of b beyond any memory",
           {30, 2, most},
           {30, 2, 30},
           "b has 2 columns with leading dimension 9223372036854775807, more than any memory holds"},
          {"ld of x beyond any memory",
           {30, 3, 30},
           {30, 3, most / 4},
           "x has 3 columns with leading dimension 2305843009213693951, more than any memory holds"}};
}

TYPED_TEST(BadRightHandSide, WrongSizesAreRefused) {
  using T = typename TypeParam::Scalar;
  std::vector<T> b(200, T(1));
  std::vector<T> x(200, T(-3));
  for (const WrongSizes& wrong : wrong_sizes()) {
    const DenseView<const T> right(b.data(), wrong.b.rows, wrong.b.cols, wrong.b.ld);
    const DenseView<T> left(x.data(), wrong.x.rows, wrong.x.cols, wrong.x.ld);
    expect_refused<InvalidInput>(
        Refusal<T>{wrong.name, wrong.sentence, [&](Solver<T>& solver) { solver.solve(right, left); }}, this->options(),
        false);
  }
  EXPECT_EQ(x, std::vector<T>(x.size(), T(-3))) << "nothing written";
}

TYPED_TEST(BadRightHandSide, NullPointersAreRefused) {
  using T = typename TypeParam::Scalar;
  std::vector<T> data(30, T(1));
  const DenseView<T> good(data.data(), 30);
  const DenseView<T> none(nullptr, 30);
  expect_refused<InvalidInput>(
      Refusal<T>{"b", "b has no data (a null pointer)", [&](Solver<T>& solver) { solver.solve(none, good); }},
      this->options(), false);
  expect_refused<InvalidInput>(
      Refusal<T>{"x", "x has no data (a null pointer)", [&](Solver<T>& solver) { solver.solve(good, none); }},
      this->options(), false);
}

TYPED_TEST(BadRightHandSide, ReservationsOutOfRangeAreRefused) {
  using T = typename TypeParam::Scalar;
  for (const std::int64_t columns : {std::int64_t{0}, std::int64_t{-4}, std::int64_t{65537}, std::int64_t{1} << 62}) {
    expect_refused<InvalidInput>(
        Refusal<T>{std::to_string(columns),
                   std::to_string(columns) +
                       " right-hand sides cannot be reserved; it must be 1 to 65536 (a solve takes any number)",
                   [&](Solver<T>& solver) { solver.reserve_right_hand_sides(columns); }},
        this->options(), true);
  }
}

/// The sentence names the row and right-hand side of NaN or Inf in b, in the caller's layout, and x is not written.
TYPED_TEST(BadRightHandSide, NonFiniteEntriesAreNamed) {
  using T = typename TypeParam::Scalar;
  using Limits = std::numeric_limits<T>;
  constexpr std::int64_t ld = 33;
  const std::vector<T> good(static_cast<std::size_t>(3 * ld), T(1));
  for (const auto& [value, text] : {std::pair(Limits::quiet_NaN(), "nan"), std::pair(Limits::infinity(), "inf"),
                                    std::pair(-Limits::infinity(), "-inf")}) {
    for (const std::int64_t row : {0, 17, 29}) {
      for (const std::int64_t column : {0, 2}) {
        std::vector<T> b = good;
        std::vector<T> x(b.size(), T(-3));
        b[static_cast<std::size_t>(row + column * ld)] = value;
        const std::string where =
            "row " + std::to_string(row) + " of right-hand side " + std::to_string(column) + " (counted from 0)";
        const auto call = [&](Solver<T>& solver) {
          solver.solve(DenseView<const T>(b.data(), 30, 3, ld), DenseView<T>(x.data(), 30, 3, ld));
        };
        expect_refused<InvalidInput>(Refusal<T>{text, std::string("b has the value ") + text + " in " + where, call},
                                     this->options(), false);
        EXPECT_EQ(x, std::vector<T>(x.size(), T(-3)));
      }
    }
  }
}

TYPED_TEST(BadRightHandSide, GapsBetweenColumnsAreIgnored) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  Solver<T> solver(this->options());
  solver.compute(good.before_stored.view());
  std::vector<T> b(66, T(1));
  for (std::size_t gap : {30, 31, 32, 63, 64, 65}) b[gap] = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> x(60);
  solver.solve(DenseView<const T>(b.data(), 30, 2, 33), DenseView<T>(x.data(), 30, 2, 30));
  for (const T value : x) ASSERT_TRUE(std::isfinite(value));
}

/// For programs that, like CG, check their numbers themselves.
TYPED_TEST(BadRightHandSide, NonFiniteEntriesSpreadIfChecksAreOff) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  Options options = this->options();
  options.check_right_hand_sides = false;
  Solver<T> solver(options);
  solver.compute(good.before_stored.view());
  std::vector<T> b(30, std::numeric_limits<T>::quiet_NaN());
  EXPECT_TRUE(std::isnan(solution(solver, b)[0]));
  expect_solves(solver, good.before);
  solver.set_options(this->options());
  EXPECT_THROW(solution(solver, b), InvalidInput) << "from the next solve on";
}

}  // namespace
}  // namespace gpusupernodal::test
