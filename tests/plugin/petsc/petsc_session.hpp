#pragma once

/// \file
/// PETSc in the test's own process, with the plugin loaded.

#include <gtest/gtest.h>
#include <petscksp.h>

/// Ends the test where a PETSc call fails.
#define PETSC_OK(...) ASSERT_EQ(static_cast<int>(__VA_ARGS__), 0) << #__VA_ARGS__

namespace gpusupernodal::test {

/// PetscInitialize and loading of the plugin around each test; PETSc errors come back as codes, silently.
class PetscSession : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  /// The steps of SetUp one by one: MPI, once in a process; PETSc; the plugin.
  static void start_mpi();
  static void initialize();
  static void load();
  /// To be called in the middle of a test, too: a process may initialize PETSc several times.
  static void start();
  static void stop();
};

/// Symbolic and numeric phase with our solver; `permutation` may be NULL.
PetscErrorCode factorize(Mat a, IS permutation, Mat* f);

}  // namespace gpusupernodal::test
