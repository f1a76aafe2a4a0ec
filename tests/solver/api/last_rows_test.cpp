/// Solvers that eliminate groups of rows last.

#include <algorithm>
#include <cstdint>

#include "io/generators.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/support/allow_threads.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

using Lists = std::vector<std::vector<std::int64_t>>;

/// Row 3 of every 7 rows, then row 5 of every 11 among the others.
Lists two_groups(std::int64_t n) {
  Lists lists(2);
  for (std::int64_t row = 0; row < n; ++row) {
    if (row % 7 == 3) lists[0].push_back(row);
    if (row % 7 != 3 && row % 11 == 5) lists[1].push_back(row);
  }
  return lists;
}

template <class T>
void expect_last(const Solver<T>& solver, const Lists& lists) {
  std::vector<std::int64_t> order = solver.old_of_new();
  for (auto list = lists.rbegin(); list != lists.rend(); ++list) {
    ASSERT_GE(order.size(), list->size());
    const auto begin = order.end() - static_cast<std::ptrdiff_t>(list->size());
    EXPECT_TRUE(std::is_permutation(begin, order.end(), list->begin()));
    order.erase(begin, order.end());
  }
}

template <class OnBackend>
class LastRows : public SolverTest<OnBackend> {};
TYPED_TEST_SUITE(LastRows, AllBackends, BackendNames);

TYPED_TEST(LastRows, SolveToTheirBound) {
  using T = typename TypeParam::Scalar;
  for (const char* name : {"lap2d:40", "lap3d:11", "elas:6", "shell:9"}) {
    const io::SymmetricMatrix a = rounded<T>(io::load(name));
    const StoredMatrix<T> matrix = stored<T>(a);
    for (const Ordering ordering : {Ordering::automatic, Ordering::nested_dissection, Ordering::natural}) {
      Options options = TestFixture::options();
      options.ordering = ordering;
      options.last_rows = two_groups(a.n);
      Solver<T> solver(options);
      solver.compute(matrix.view());
      expect_last(solver, options.last_rows);
      expect_solves(solver, a);
      solver.refactorize({matrix.values.data(), matrix.values.size()});
      const std::vector<T> b = right_hand_side<T>(a.n, 5);
      const std::vector<T> x = solution(solver, b);
      for (int c = 0; c < 5; ++c) {
        const auto of = [&](const std::vector<T>& v) {
          return std::vector<double>(v.begin() + c * a.n, v.begin() + (c + 1) * a.n);
        };
        EXPECT_LE(backward_error(a, of(x), of(b)), backward_error_bound<T>(a.n));
      }
    }
  }
}

/// If b is zero outside the last rows, the Schur complement alone determines x₂: S x₂ = b₂.
TYPED_TEST(LastRows, TrailingFactorIsThatOfTheSchurComplement) {
  using T = typename TypeParam::Scalar;
  constexpr std::int64_t n = 90;
  constexpr std::int64_t last = 9;
  const io::SymmetricMatrix a = rounded<T>(random_spd(n, 200, 8));
  const StoredMatrix<T> matrix = stored<T>(a);
  Options options = TestFixture::options();
  options.last_rows = {{}};
  for (std::int64_t k = 0; k < last; ++k) options.last_rows[0].push_back(10 * k + 4);
  Solver<T> solver(options);
  solver.compute(matrix.view());
  const FactorMatrix<T> l = solver.extract_l();
  std::vector<double> trailing(last * last, 0.0);
  for (std::int64_t column = n - last; column < n; ++column) {
    for (std::int64_t k = l.offsets[column]; k < l.offsets[column + 1]; ++k)
      trailing[(l.rows[k] - (n - last)) + last * (column - (n - last))] = static_cast<double>(l.values[k]);
  }
  const std::vector<std::int64_t> old_of_new = solver.old_of_new();
  for (std::int64_t j = 0; j < last; ++j) {
    std::vector<T> b(n, T(0));
    b[static_cast<std::size_t>(old_of_new[n - last + j])] = T(1);
    const std::vector<T> x = solution(solver, b);
    // Check (L₂₂ L₂₂ᵀ) x₂ = e_j.
    for (std::int64_t i = 0; i < last; ++i) {
      double product = 0.0;
      for (std::int64_t k = 0; k < last; ++k) {
        double inner = 0.0;
        for (std::int64_t m = 0; m < last; ++m)
          inner += trailing[m + last * k] * static_cast<double>(x[static_cast<std::size_t>(old_of_new[n - last + m])]);
        product += trailing[i + last * k] * inner;
      }
      EXPECT_NEAR(product, i == j ? 1.0 : 0.0, 100.0 * n * static_cast<double>(std::numeric_limits<T>::epsilon()));
    }
  }
}

TEST(LastRowsOutcome, BitsDoNotDependOnThreads) {
  allow_threads(4);
  const io::SymmetricMatrix a = io::load("lap2d:90");
  const StoredMatrix<double> matrix = stored<double>(a);
  const std::vector<double> b = right_hand_side<double>(a.n, 2);
  std::vector<double> expected;
  for (const int threads : {1, 2, 4}) {
    Options options = on(Backend::host);
    options.threads = threads;
    options.last_rows = two_groups(a.n);
    Solver<double> solver(options);
    solver.compute(matrix.view());
    const std::vector<double> x = solution(solver, b);
    if (expected.empty()) expected = x;
    EXPECT_EQ(x, expected);
  }
}

TEST(LastRowsOutcome, InvalidGroupsAreRefusedAndTheSolverIsUnchanged) {
  const io::SymmetricMatrix a = io::load("lap2d:12");
  const StoredMatrix<double> matrix = stored<double>(a);
  Options options = on(Backend::host);
  options.last_rows = {{3, 4}, {7}};
  Solver<double> solver(options);
  solver.compute(matrix.view());
  const auto plan = solver.plan();
  const std::pair<Lists, const char*> wrong[] = {
      {{{3}, {144}}, "last_rows[1][0] is 144"},
      {{{3, 3}}, "last_rows[0][0] and last_rows[0][1] are both 3; every row may occur only once"}};
  for (const auto& [lists, sentence] : wrong) {
    options.last_rows = lists;
    solver.set_options(options);
    expect_throw<InvalidInput>([&] { solver.analyze(matrix.view()); }, {sentence});
    EXPECT_EQ(solver.plan(), plan);
    expect_solves(solver, a);
  }
}

/// A plan from a file or another solver is accepted only if its order has these groups.
TEST(LastRowsOutcome, RefusesImportedPlansWithOtherGroups) {
  const TemporaryFile file({}, ".plan");
  const io::SymmetricMatrix a = io::load("lap2d:12");
  const StoredMatrix<double> matrix = stored<double>(a);
  Options options = on(Backend::host);
  options.last_rows = two_groups(a.n);
  Solver<double> first(options);
  first.analyze(matrix.view());
  save_plan(*first.plan(), file.path());
  options.last_rows = {options.last_rows[1]};
  Solver<double> fewer(options);
  fewer.load_plan(matrix.view(), file.path());
  fewer.factorize(matrix.view());
  expect_solves(fewer, a);
  options.last_rows = {{1, 2, 3}};
  Solver<double> other(options);
  expect_throw<InvalidInput>([&] { other.load_plan(matrix.view(), file.path()); },
                             {file.path(), "last_rows wants it before"});
  expect_throw<InvalidInput>([&] { other.analyze(matrix.view(), first.plan()); }, {"the plan eliminates row"});
  options.last_rows = {{144}};
  other.set_options(options);
  expect_throw<InvalidInput>([&] { other.load_plan(matrix.view(), file.path()); }, {"last_rows[0][0] is 144"});
  EXPECT_FALSE(other.is_analyzed());
}

}  // namespace
}  // namespace gpusupernodal::test
