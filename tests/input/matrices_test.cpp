/// Tests of matrices that every call must refuse. A MatrixView has a single order and cannot express a non-square
/// matrix; the Eigen class and the PETSc plugin refuse those themselves.

#include <gtest/gtest.h>

#include <memory>

#include "tests/input/refusal.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using BadMatrix = SolverTest<OnBackend>;
TYPED_TEST_SUITE(BadMatrix, AllBackends, BackendNames);

/// A caller's arrays, right or wrong.
template <class T>
struct Arrays {
  std::int64_t n = 3;
  std::vector<std::int64_t> offsets{0, 2, 4, 5};
  std::vector<std::int64_t> indices{0, 1, 1, 2, 2};
  StoredPart part = StoredPart::lower;
  Compression compression = Compression::columns;
  MemorySpace pattern_space = MemorySpace::host;
  bool with_offsets = true;
  bool with_indices = true;
  bool with_values = true;
  std::vector<T> values = std::vector<T>(8, T(4));

  MatrixView<T> view() const {
    MatrixView<T> a;
    a.n = n;
    if (with_offsets) a.offsets = offsets.data();
    if (with_indices) a.indices = indices.data();
    if (with_values) a.values = values.data();
    a.part = part;
    a.compression = compression;
    a.pattern_space = pattern_space;
    return a;
  }
};

struct Spoiled {
  const char* name;
  std::function<void(Arrays<double>&)> spoil;
  const char* sentence;
};

std::vector<Spoiled> sizes_and_offsets() {
  using A = Arrays<double>;
  return {{"negative order", [](A& a) { a.n = -3; }, "the order of the matrix is -3, but cannot be negative"},
          {"order beyond 32 bits", [](A& a) { a.n = std::int64_t{1} << 31; },
           "the order of the matrix is 2147483648, but at most 2147483647 is supported"},
          {"no offsets", [](A& a) { a.with_offsets = false; }, "offsets are null, but a matrix of order 3 has 4 of them"},
          {"no indices", [](A& a) { a.with_indices = false; },
           "indices are null, but according to the offsets the matrix has 5 entries"},
          {"offsets from one",
           [](A& a) {
             a.offsets = {1, 3, 5, 6};
           },
           "offsets[0] is 1, but offsets start at 0 (offsets and indices count from 0, not from 1)"},
          {"offsets from elsewhere", [](A& a) { a.offsets[0] = -7; }, "offsets[0] is -7, but offsets start at 0"},
          {"offsets that decrease",
           [](A& a) {
             a.offsets = {0, 4, 2, 5};
           },
           "offsets decrease at column 1: offsets[1] is 4, offsets[2] is 2"},
          {"offsets that decrease, by rows",
           [](A& a) {
             a.offsets = {0, 1, 4, 3};
             a.compression = Compression::rows;
           },
           "offsets decrease at row 2: offsets[2] is 4, offsets[3] is 3"},
          {"offsets that overflowed", [](A& a) { a.offsets[3] = -2147483648; },
           "offsets[3] is -2147483648, but offsets cannot be negative (32-bit offsets count to 2147483647)"},
          {"pattern on a device", [](A& a) { a.pattern_space = MemorySpace::device; },
           "the pattern (offsets and indices) is in device memory; analyze and checks of the pattern need it on the host"}};
}

std::vector<Spoiled> entries() {
  using A = Arrays<double>;
  return {{"index past the end", [](A& a) { a.indices[3] = 3; },
           "indices[3] in column 1 is 3, but rows of a matrix of order 3 are 0 to 2"},
          {"negative index", [](A& a) { a.indices[0] = -1; },
           "indices[0] in column 0 is -1, but rows of a matrix of order 3 are 0 to 2"},
          {"index that 32 bits would cut to a good one", [](A& a) { a.indices[1] = (std::int64_t{1} << 32) + 1; },
           "indices[1] in column 0 is 4294967297, but rows of a matrix of order 3 are 0 to 2"},
          {"index out of range, by rows",
           [](A& a) {
             a.part = StoredPart::upper;
             a.compression = Compression::rows;
             a.indices[4] = 9;
           },
           "indices[4] in row 2 is 9, but columns of a matrix of order 3 are 0 to 2"},
          {"entry above the diagonal", [](A& a) { a.indices[3] = 0; },
           "the entry at row 0, column 1 (indices[3]) is above the diagonal, but the view says that only the lower part is "
           "stored; "
           "use StoredPart::full if both triangles are stored"},
          {"entry below the diagonal", [](A& a) { a.part = StoredPart::upper; },
           "the entry at row 1, column 0 (indices[1]) is below the diagonal, but the view says that only the upper part is "
           "stored; "
           "use StoredPart::full if both triangles are stored"},
          {"entry above the diagonal, by rows", [](A& a) { a.compression = Compression::rows; },
           "the entry at row 0, column 1 (indices[1]) is above the diagonal, but the view says that only the lower part is "
           "stored; "
           "use StoredPart::full if both triangles are stored"},
          {"an entry twice in a row", [](A& a) { a.indices[3] = 1; },
           "the entry at row 1, column 1 occurs more than once (again at indices[3]); sum duplicate entries first"},
          {"an entry twice, apart, unsorted",
           [](A& a) {
             a.offsets = {0, 4, 4, 4};
             a.indices = {2, 0, 1, 2};
           },
           "the entry at row 2, column 0 occurs more than once (again at indices[3]); sum duplicate entries first"},
          {"the diagonal twice in a full matrix",
           [](A& a) {
             a.part = StoredPart::full;
             a.offsets = {0, 2, 4, 5};
             a.indices = {0, 1, 1, 1, 2};
           },
           "the entry at row 1, column 1 occurs more than once (again at indices[3]); sum duplicate entries first"}};
}

/// The arrays with another scalar type.
template <class T>
Arrays<T> with_scalar(const Arrays<double>& from) {
  Arrays<T> arrays;
  arrays.n = from.n;
  arrays.offsets = from.offsets;
  arrays.indices = from.indices;
  arrays.part = from.part;
  arrays.compression = from.compression;
  arrays.pattern_space = from.pattern_space;
  arrays.with_offsets = from.with_offsets;
  arrays.with_indices = from.with_indices;
  return arrays;
}

template <class T>
void expect_pattern_refused(const std::vector<Spoiled>& table, const Options& options) {
  for (const Spoiled& spoiled : table) {
    Arrays<double> wrong;
    spoiled.spoil(wrong);
    const Arrays<T> arrays = with_scalar<T>(wrong);
    const std::string name = spoiled.name;
    const auto refuse = [&](const char* how, auto call) {
      expect_refused<InvalidInput>(Refusal<T>{name + how, spoiled.sentence, call}, options, true);
    };
    refuse(", analyze", [&](Solver<T>& solver) { solver.analyze(arrays.view()); });
    refuse(", compute", [&](Solver<T>& solver) { solver.compute(arrays.view()); });
    Solver<T> other(options);
    other.analyze(Arrays<T>().view());
    refuse(", analyze with a plan", [&](Solver<T>& solver) { solver.analyze(arrays.view(), other.plan()); });
  }
}

TYPED_TEST(BadMatrix, WrongSizesAndOffsetsAreRefused) {
  expect_pattern_refused<typename TypeParam::Scalar>(sizes_and_offsets(), this->options());
}

TYPED_TEST(BadMatrix, WrongEntriesAreRefused) {
  expect_pattern_refused<typename TypeParam::Scalar>(entries(), this->options());
}

/// Calls on an analyzed object (order 30) with a matrix or values that do not fit the analyzed matrix.
template <class T>
std::vector<Refusal<T>> other_matrices(const StoredMatrix<T>& good) {
  const std::string count = std::to_string(good.values.size());
  const auto factorize = [](StoredMatrix<T> a) { return [a](Solver<T>& solver) { solver.factorize(a.view()); }; };
  StoredMatrix<T> moved = good;
  std::swap(moved.narrow_indices[0], moved.narrow_indices[1]);
  const std::string another = "the matrix has another pattern than the analyzed one; analyze it first";
  return {{"another order", "the matrix is of order 29, but the analyzed one is of order 30",
           factorize(stored<T>(chain_spd(29)))},
          {"another number of entries", "the matrix has 30 entries, but the analyzed one has " + count,
           factorize(stored<T>(diagonal_spd(30)))},
          {"another order of the entries", another, factorize(moved)},
          {"another order of the entries, refactorize", another,
           [moved](Solver<T>& solver) { solver.refactorize(moved.view()); }},
          {"another order of the entries, condition", another,
           [moved](Solver<T>& solver) { solver.reciprocal_condition(moved.view()); }},
          {"too few values", "3 values were given, but the analyzed matrix has " + count + " entries",
           [](Solver<T>& solver) { solver.refactorize(std::vector<T>(3)); }},
          {"too many values", "999 values were given, but the analyzed matrix has " + count + " entries",
           [](Solver<T>& solver) { solver.refactorize(std::vector<T>(999)); }},
          {"no indices", "the matrix has no offsets or no indices (null pointers); refactorize(values) takes values alone",
           [good](Solver<T>& solver) {
             MatrixView<T> view = good.view();
             view.indices = IndexArray();
             solver.factorize(view);
           }}};
}

template <class T>
std::vector<Refusal<T>> without_values(const StoredMatrix<T>& good) {
  MatrixView<T> view = good.view();
  view.values = nullptr;
  const std::string sentence = "the matrix has no values (a null pointer)";
  return {{"no values, factorize", sentence, [view](Solver<T>& solver) { solver.factorize(view); }},
          {"no values, refactorize", sentence, [view](Solver<T>& solver) { solver.refactorize(view); }},
          {"no values, condition", sentence, [view](Solver<T>& solver) { solver.reciprocal_condition(view); }}};
}

TYPED_TEST(BadMatrix, PatternsOtherThanTheAnalyzedAreRefused) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  for (const auto& refusal : other_matrices(good.before_stored)) {
    expect_refused<InvalidInput>(refusal, this->options(), false);
  }
  for (const auto& refusal : without_values(good.before_stored)) {
    expect_refused<InvalidInput>(refusal, this->options(), false);
  }
  // compute analyzes first, which discards the factor; it must check the values before.
  MatrixView<T> no_values = good.after_stored.view();
  no_values.values = nullptr;
  expect_refused<InvalidInput>(Refusal<T>{"no values, compute", "the matrix has no values (a null pointer)",
                                          [&](Solver<T>& solver) { solver.compute(no_values); }},
                               this->options(), true);
}

TYPED_TEST(BadMatrix, PlansOfAnotherPatternAreRefused) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  Solver<T> other(this->options());
  other.analyze(good.after_stored.view());
  expect_refused<InvalidInput>(
      Refusal<T>{"plan of another pattern", "the plan was made for another pattern than that of the matrix",
                 [&](Solver<T>& solver) { solver.analyze(good.before_stored.view(), other.plan()); }},
      this->options(), true);
  expect_refused<InvalidInput>(Refusal<T>{"no plan", "the plan is a null pointer",
                                          [&](Solver<T>& solver) { solver.analyze(good.before_stored.view(), nullptr); }},
                               this->options(), true);
}

TYPED_TEST(BadMatrix, NonFiniteShiftsAreRefused) {
  using T = typename TypeParam::Scalar;
  for (const auto& refusal : {Refusal<T>{"offset", "the shift nan and the scale 1 must be finite",
                                         [](Solver<T>& solver) { solver.set_shift(std::nan("")); }},
                              Refusal<T>{"scale", "the shift 0.5 and the scale inf must be finite",
                                         [](Solver<T>& solver) { solver.set_shift(0.5, HUGE_VAL); }}}) {
    expect_refused<InvalidInput>(refusal, this->options(), true);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
