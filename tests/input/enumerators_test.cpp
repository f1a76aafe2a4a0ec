/// Tests of values outside an enumeration, as casts and uninitialised structs produce them.

#include <gtest/gtest.h>

#include "tests/input/refusal.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using BadEnumerator = SolverTest<OnBackend>;
TYPED_TEST_SUITE(BadEnumerator, AllBackends, BackendNames);

constexpr const char* backends_there_are = "auto (0), host (1), cuda (2)";
constexpr const char* orderings_there_are = "auto (0), nested_dissection (1), metis (2), amd (3), natural (4), user (5)";
constexpr const char* mergings_there_are = "none (0), narrow (1), bounded (2)";
constexpr const char* lu_schedules_there_are = "auto (0), supernodes (1), columns (2), dense (3)";
constexpr const char* schedules_there_are = "levels (0), streams (1)";
constexpr const char* parts_there_are = "full (0), lower (1), upper (2)";
constexpr const char* compressions_there_are = "columns (0), rows (1)";
constexpr const char* spaces_there_are = "host (0), device (1)";
constexpr const char* systems_there_are =
    "a (0), l (1), lt (2), p (3), pt (4), forward (5), backward (6), transposed (7), adjoint (8)";

std::string sentence(const std::string& what, int number, const std::string& names) {
  return what + " is " + std::to_string(number) + "; it must be one of " + names;
}

template <class T>
void append_options(std::vector<Refusal<T>>& cases) {
  const auto add = [&](const std::string& what, int number, const char* names, std::function<void(Options&)> spoil) {
    cases.push_back({what, sentence(what, number, names), [spoil](Solver<T>& solver) {
                       Options options = solver.options();
                       spoil(options);
                       solver.set_options(options);
                     }});
  };
  for (const int number : {99, -1, 1 << 30}) {
    add("backend", number, backends_there_are, [number](Options& o) { o.backend = static_cast<Backend>(number); });
    add("ordering", number, orderings_there_are, [number](Options& o) { o.ordering = static_cast<Ordering>(number); });
    add("merging", number, mergings_there_are, [number](Options& o) { o.merging = static_cast<Merging>(number); });
    add("cuda_schedule", number, schedules_there_are,
        [number](Options& o) { o.cuda_schedule = static_cast<CudaSchedule>(number); });
    add("lu_schedule", number, lu_schedules_there_are,
        [number](Options& o) { o.lu_schedule = static_cast<LuSchedule>(number); });
  }
  add("ordering", 6, orderings_there_are, [](Options& o) { o.ordering = static_cast<Ordering>(6); });
  add("backend", 3, backends_there_are, [](Options& o) { o.backend = static_cast<Backend>(3); });
}

TYPED_TEST(BadEnumerator, IsRefusedInAnOption) {
  using T = typename TypeParam::Scalar;
  std::vector<Refusal<T>> cases;
  append_options(cases);
  for (const Refusal<T>& refusal : cases) expect_refused<InvalidInput>(refusal, this->options(), true);
  Options options = this->options();
  options.ordering = static_cast<Ordering>(99);
  EXPECT_EQ(sentence_of<InvalidInput>([&] { Solver<T> solver(options); }), sentence("ordering", 99, orderings_there_are));
}

/// All calls that take a view of A.
template <class T>
std::vector<Refusal<T>> calls_with(const MatrixView<T>& view, const std::string& expected) {
  return {{"analyze", expected, [=](Solver<T>& s) { s.analyze(view); }},
          {"analyze with a plan", expected, [=](Solver<T>& s) { s.analyze(view, s.plan()); }},
          {"load_plan", expected, [=](Solver<T>& s) { s.load_plan(view, "no such file"); }},
          {"compute", expected, [=](Solver<T>& s) { s.compute(view); }},
          {"factorize", expected, [=](Solver<T>& s) { s.factorize(view); }},
          {"refactorize", expected, [=](Solver<T>& s) { s.refactorize(view); }},
          {"reciprocal_condition", expected, [=](Solver<T>& s) { s.reciprocal_condition(view); }}};
}

TYPED_TEST(BadEnumerator, IsRefusedInAMatrix) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  for (const int number : {9, -1}) {
    MatrixView<T> part = good.before_stored.view();
    part.part = static_cast<StoredPart>(number);
    MatrixView<T> compression = good.before_stored.view();
    compression.compression = static_cast<Compression>(number);
    MatrixView<T> values = good.before_stored.view();
    values.value_space = static_cast<MemorySpace>(number);
    MatrixView<T> pattern = good.before_stored.view();
    pattern.pattern_space = static_cast<MemorySpace>(number);
    for (const auto& [view, expected] :
         {std::pair(part, sentence("the matrix's part", number, parts_there_are)),
          std::pair(compression, sentence("the matrix's compression", number, compressions_there_are)),
          std::pair(values, sentence("the space of the matrix's values", number, spaces_there_are)),
          std::pair(pattern, sentence("the space of the matrix's pattern", number, spaces_there_are))}) {
      for (const Refusal<T>& refusal : calls_with(view, expected))
        expect_refused<InvalidInput>(refusal, this->options(), false);
    }
  }
}

TYPED_TEST(BadEnumerator, IsRefusedInASolveAndInValues) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  const std::int64_t n = good.before.n;
  std::vector<T> x(static_cast<std::size_t>(n), T(1));
  const DenseView<T> view(x.data(), n);
  for (const int number : {77, -1, 9}) {
    DenseView<T> elsewhere = view;
    elsewhere.space = static_cast<MemorySpace>(number);
    const std::string spaces = sentence("", number, spaces_there_are);
    for (const Refusal<T>& refusal :
         {Refusal<T>{"part", sentence("the part of the solve", number, systems_there_are),
                     [&](Solver<T>& s) { s.solve(view, view, static_cast<System>(number)); }},
          Refusal<T>{"b", "the space of b" + spaces, [&](Solver<T>& s) { s.solve(elsewhere, view); }},
          Refusal<T>{"x", "the space of x" + spaces, [&](Solver<T>& s) { s.solve(view, elsewhere); }},
          Refusal<T>{"values", "the space of the values" + spaces,
                     [&](Solver<T>& s) { s.refactorize(good.before_stored.values, static_cast<MemorySpace>(number)); }}}) {
      expect_refused<InvalidInput>(refusal, this->options(), false);
    }
    EXPECT_EQ(x, std::vector<T>(x.size(), T(1))) << "nothing was written";
  }
}

}  // namespace
}  // namespace gpusupernodal::test
