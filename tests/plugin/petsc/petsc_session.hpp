#pragma once

/// \file
/// PETSc in the test's process, with the plugin loaded.

#include <gtest/gtest.h>
#include <petscksp.h>

/// Ends the test if a PETSc call fails.
#define PETSC_OK(...) ASSERT_EQ(static_cast<int>(__VA_ARGS__), 0) << #__VA_ARGS__

namespace gpusupernodal::test {

/// Initializes PETSc and loads the plugin around each test; PETSc errors are returned as codes, silently.
class PetscSession : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  /// The steps of SetUp: MPI, once per process; PETSc; the plugin.
  static void start_mpi();
  static void initialize();
  static void load();
  /// May be called within a test, too: a process may initialize PETSc several times.
  static void start();
  static void stop();
};

/// Runs the symbolic and numeric phases of Cholesky with our solver; `permutation` may be NULL.
PetscErrorCode factorize(Mat a, IS permutation, Mat* f);
/// A factorization by LU with our solver or another one; `columns`, the order of the columns and of the rows, may be NULL.
PetscErrorCode factorize_lu(Mat a, IS columns, Mat* f, const char* solver = "gpusupernodal");

}  // namespace gpusupernodal::test
