#include <gtest/gtest.h>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"

namespace gpusupernodal::test {
namespace {

/// A grid and its factor.
class PetscOptions : public PetscSession {
 protected:
  void SetUp() override {
    PetscSession::SetUp();
    PETSC_OK(MatFactorInfoInitialize(&info_));
    PETSC_OK(make_grid(17, 0, &a_));
    PETSC_OK(factorize(a_, nullptr, &f_));
  }
  void TearDown() override {
    PETSC_OK(MatDestroy(&f_));
    PETSC_OK(MatDestroy(&a_));
    PetscSession::TearDown();
  }
  double stored() {
    MatInfo info;
    EXPECT_EQ(static_cast<int>(MatGetInfo(f_, MAT_LOCAL, &info)), 0);
    return info.nz_allocated;
  }

  MatFactorInfo info_;
  Mat a_ = nullptr;
  Mat f_ = nullptr;
};

/// The symbolic phase reads the options; the numeric phase uses the values read then.
TEST_F(PetscOptions, TakeEffectInTheNextSymbolicPhase) {
  const double before = stored();
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_merging", "none"));
  PETSC_OK(MatCholeskyFactorNumeric(f_, a_, &info_));
  EXPECT_EQ(stored(), before);
  PETSC_OK(MatCholeskyFactorSymbolic(f_, a_, nullptr, &info_));
  PETSC_OK(MatCholeskyFactorNumeric(f_, a_, &info_));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_merging"));
  EXPECT_LT(stored(), before);
}

/// Numbers that need a 64-bit PetscInt must not be truncated to other, valid numbers.
TEST_F(PetscOptions, AreNotCutTo32Bits) {
  if (sizeof(PetscInt) < 8) GTEST_SKIP() << "this PETSc's integers have 32 bits";
  for (const char* name : {"-mat_gpusupernodal_threads", "-mat_gpusupernodal_block_width", "-mat_gpusupernodal_streams"}) {
    PETSC_OK(PetscOptionsSetValue(nullptr, name, "4294967312"));  // 2³² + 16.
    EXPECT_NE(static_cast<int>(MatCholeskyFactorSymbolic(f_, a_, nullptr, &info_)), 0) << name;
    PETSC_OK(PetscOptionsClearValue(nullptr, name));
  }
}

}  // namespace
}  // namespace gpusupernodal::test
