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

/// The host backend ignores a correct list of devices.
TEST_F(PetscOptions, ListsOfDevicesAreChecked) {
  constexpr const char* devices = "-mat_gpusupernodal_devices";
  const auto symbolic = [&](const char* name, const char* value) {
    EXPECT_EQ(static_cast<int>(PetscOptionsSetValue(nullptr, name, value)), 0);
    const auto error = static_cast<int>(MatCholeskyFactorSymbolic(f_, a_, nullptr, &info_));
    EXPECT_EQ(static_cast<int>(PetscOptionsClearValue(nullptr, name)), 0);
    return error;
  };
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_backend", "host"));
  EXPECT_EQ(symbolic(devices, "0,1"), 0);
  EXPECT_EQ(symbolic(devices, "0-3"), 0);  // PETSc's range: 0, 1, 2.
  EXPECT_NE(symbolic(devices, "0,-1"), 0);
  PETSC_OK(PetscOptionsSetValue(nullptr, devices, "0,1"));
  EXPECT_NE(symbolic("-mat_gpusupernodal_device", "0"), 0);
  EXPECT_NE(symbolic("-mat_gpusupernodal_form", "ldlt"), 0);
  EXPECT_NE(symbolic("-mat_gpusupernodal_deterministic", "true"), 0);
  PETSC_OK(PetscOptionsClearValue(nullptr, devices));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_backend"));
}

/// The host backend ignores correct values.
TEST_F(PetscOptions, DeviceMemoryIsChecked) {
  constexpr const char* memory = "-mat_gpusupernodal_memory";
  const auto symbolic = [&](const char* name, const char* value) {
    EXPECT_EQ(static_cast<int>(PetscOptionsSetValue(nullptr, name, value)), 0);
    const auto error = static_cast<int>(MatCholeskyFactorSymbolic(f_, a_, nullptr, &info_));
    EXPECT_EQ(static_cast<int>(PetscOptionsClearValue(nullptr, name)), 0);
    return error;
  };
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_backend", "host"));
  for (const char* name : {"auto", "device", "hybrid"}) EXPECT_EQ(symbolic(memory, name), 0) << name;
  EXPECT_NE(symbolic(memory, "both"), 0);
  for (const char* bytes : {"0", "1", "80e9", "1e300"})  // More than 32 bits, and more than 64.
    EXPECT_EQ(symbolic("-mat_gpusupernodal_device_memory_limit", bytes), 0) << bytes;
  for (const char* bytes : {"-1", "-0.5", "-1e300"})
    EXPECT_NE(symbolic("-mat_gpusupernodal_device_memory_limit", bytes), 0) << bytes;
  PETSC_OK(PetscOptionsSetValue(nullptr, memory, "hybrid"));
  EXPECT_NE(symbolic("-mat_gpusupernodal_form", "ldlt"), 0);
  EXPECT_NE(symbolic("-mat_gpusupernodal_deterministic", "true"), 0);
  EXPECT_NE(symbolic("-mat_gpusupernodal_devices", "0,1"), 0);
  PETSC_OK(PetscOptionsClearValue(nullptr, memory));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_backend"));
}

}  // namespace
}  // namespace gpusupernodal::test
