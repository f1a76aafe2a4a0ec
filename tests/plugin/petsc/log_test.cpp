#include <gtest/gtest.h>

#include "tests/plugin/petsc/petsc_session.hpp"

namespace gpusupernodal::test {
namespace {

/// Access to the values that -log_view shows for our events.
class PetscLog : public PetscSession {
 protected:
  void SetUp() override {
    PetscSession::SetUp();
    PETSC_OK(PetscLogDefaultBegin());
  }
  static PetscLogDouble flops_of(const char* event) {
    PetscLogEvent id = -1;
    PetscEventPerfInfo info{};
    EXPECT_EQ(static_cast<int>(PetscLogEventGetId(event, &id)), 0);
    EXPECT_EQ(static_cast<int>(PetscLogEventGetPerfInfo(PETSC_DETERMINE, id, &info)), 0);
    return info.flops;
  }
  /// Makes a matrix with all entries within `bandwidth` of the diagonal, to be factorized in natural order.
  static void make_banded(PetscInt n, PetscInt bandwidth, Mat* a) {
    PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 2 * bandwidth + 1, nullptr, a));
    for (PetscInt row = 0; row < n; ++row) {
      for (PetscInt column = PetscMax(row - bandwidth, 0); column <= PetscMin(row + bandwidth, n - 1); ++column) {
        const PetscScalar value = row == column ? static_cast<PetscScalar>(2 * bandwidth + 1) : -1;
        PETSC_OK(MatSetValue(*a, row, column, value, INSERT_VALUES));
      }
    }
    PETSC_OK(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  }
};

// For columns with c entries: c² for the factor; for each triangle of a solve, a product and a sum per entry below the
// diagonal and a quotient.
TEST_F(PetscLog, CountsTextbookFlops) {
  constexpr PetscInt n = 30;
  for (const PetscInt bandwidth : {PetscInt{0}, PetscInt{2}, n - 1}) {
    Mat a = nullptr;
    Mat f = nullptr;
    Vec b = nullptr;
    Vec x = nullptr;
    IS natural = nullptr;
    make_banded(n, bandwidth, &a);
    PETSC_OK(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &natural));
    PETSC_OK(MatCreateVecs(a, &x, &b));
    PETSC_OK(VecSet(b, 1));
    double squares = 0;
    double entries = 0;
    for (PetscInt row = 0; row < n; ++row) {
      const auto count = static_cast<double>(PetscMin(bandwidth + 1, n - row));
      squares += count * count;
      entries += count;
    }
    const double triangle = 2 * entries - n;
    const PetscLogDouble factor_before = flops_of("GpuSnFactor");
    const PetscLogDouble solve_before = flops_of("GpuSnSolve");
    PETSC_OK(factorize(a, natural, &f));
    PETSC_OK(MatSolve(f, b, x));
    EXPECT_EQ(flops_of("GpuSnFactor") - factor_before, squares) << bandwidth;
    EXPECT_EQ(flops_of("GpuSnSolve") - solve_before, 2 * triangle) << bandwidth;
    PETSC_OK(MatForwardSolve(f, b, x));
    EXPECT_EQ(flops_of("GpuSnSolve") - solve_before, 3 * triangle) << bandwidth;
    PETSC_OK(MatDestroy(&f));
    PETSC_OK(MatDestroy(&a));
    PETSC_OK(VecDestroy(&b));
    PETSC_OK(VecDestroy(&x));
    PETSC_OK(ISDestroy(&natural));
  }
}

}  // namespace
}  // namespace gpusupernodal::test
