#include <gtest/gtest.h>

#include "tests/input/refusal.hpp"

namespace gpusupernodal::test {
namespace {

struct WrongPermutation {
  std::vector<std::int64_t> permutation;
  const char* sentence;
};

/// Invalid permutations for a matrix of order 3.
std::vector<WrongPermutation> wrong_permutations() {
  return {{{}, "the permutation has 0 entries, but the matrix has 3 rows"},
          {{0, 1}, "the permutation has 2 entries, but the matrix has 3 rows"},
          {{0, 1, 2, 3}, "the permutation has 4 entries, but the matrix has 3 rows"},
          {{1, 2, 3}, "permutation[2] is 3, but the rows of the matrix are 0 to 2"},
          {{0, -1, 2}, "permutation[1] is -1, but the rows of the matrix are 0 to 2"},
          {{0, (std::int64_t{1} << 32) + 1, 2}, "permutation[1] is 4294967297, but the rows of the matrix are 0 to 2"},
          {{2, 1, 2}, "permutation[0] and permutation[2] are both 2; every row must occur exactly once"}};
}

template <class OnBackend>
using BadPermutation = SolverTest<OnBackend>;
TYPED_TEST_SUITE(BadPermutation, AllBackends, BackendNames);

TYPED_TEST(BadPermutation, IsRefusedByAnalyze) {
  using T = typename TypeParam::Scalar;
  const GoodSystems<T> good;
  const io::SymmetricMatrix three = chain_spd(3);
  const StoredMatrix<T> s = stored<T>(three);
  for (const WrongPermutation& wrong : wrong_permutations()) {
    Solver<T> solver(this->options());
    solver.compute(good.before_stored.view());
    Options options = this->options();
    options.ordering = Ordering::user;
    options.permutation = wrong.permutation;
    solver.set_options(options);
    EXPECT_EQ(sentence_of<InvalidInput>([&] { solver.analyze(s.view()); }), wrong.sentence);
    EXPECT_EQ(sentence_of<InvalidInput>([&] { solver.compute(s.view()); }), wrong.sentence);
    expect_solves(solver, good.before);
    options.permutation = {1, 2, 0};
    solver.set_options(options);
    solver.compute(s.view());
    expect_solves(solver, three);
  }
}

/// This also covers Eigen, PETSc and the command line, which pass their arrays to this check.
TEST(EmptyPermutation, IsValidForAnEmptyMatrix) {
  Options options = on(Backend::host);
  options.ordering = Ordering::user;
  Solver<double> solver(options);
  solver.compute(MatrixView<double>());
  EXPECT_EQ(solver.status(), Status::success);
}

}  // namespace
}  // namespace gpusupernodal::test
