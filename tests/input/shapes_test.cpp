/// Tests of valid matrices with unusual shapes that code tends to forget, one after the other in one object.

#include <gtest/gtest.h>

#include "tests/input/refusal.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using Shape = SolverTest<OnBackend>;
TYPED_TEST_SUITE(Shape, AllBackends, BackendNames);

std::vector<io::SymmetricMatrix> shapes() {
  return {dense_spd(40, 3),     diagonal_spd(0),       diagonal_spd(1),  chain_spd(2),          diagonal_spd(50),
          star_spd(60, 0),      star_spd(60, 59),      star_spd(60, 31), arrowhead_spd(70),     blocks_spd(6, 5, 2),
          blocks_spd(40, 1, 2), random_spd(80, 20, 4), dense_spd(1, 5),  random_spd(90, 400, 7)};
}

TYPED_TEST(Shape, OneSolverHandlesAllShapes) {
  using T = typename TypeParam::Scalar;
  for (const Ordering ordering : {Ordering::automatic, Ordering::metis, Ordering::amd, Ordering::natural}) {
    Options options = this->options();
    options.ordering = ordering;
    Solver<T> solver(options);
    for (const io::SymmetricMatrix& shape : shapes()) {
      SCOPED_TRACE(shape.name);
      const io::SymmetricMatrix a = rounded<T>(shape);
      for (const Form& form : {Form{}, Form{StoredPart::full, Compression::rows, true, true},
                               Form{StoredPart::upper, Compression::columns, false, true}}) {
        const StoredMatrix<T> s = store<T>(a, form);
        solver.compute(s.view());
        ASSERT_EQ(solver.status(), Status::success);
        EXPECT_EQ(solver.order(), a.n);
        expect_solves(solver, a);
      }
    }
  }
}

/// Null pointers stand for arrays without elements.
TYPED_TEST(Shape, MatrixWithoutEntriesIsAnalyzed) {
  using T = typename TypeParam::Scalar;
  const std::int64_t offsets[] = {0, 0, 0, 0};
  MatrixView<T> a;
  a.n = 3;
  a.offsets = offsets;
  Solver<T> solver(this->options());
  solver.analyze(a);
  solver.set_shift(4.0);
  solver.factorize(a);
  ASSERT_EQ(solver.status(), Status::success) << "4 I";
  EXPECT_EQ(solution(solver, std::vector<T>{T(4), T(8), T(12)}), (std::vector<T>{T(1), T(2), T(3)}));
  solver.refactorize(Span<const T>());
  EXPECT_EQ(solver.status(), Status::success);
}

}  // namespace
}  // namespace gpusupernodal::test
