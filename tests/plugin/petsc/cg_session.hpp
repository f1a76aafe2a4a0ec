#pragma once

/// \file
/// A KSP in the test's process, for the tests of gpusupernodalcg and of the preconditioner gpusupernodal.

#include <string>
#include <vector>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"

namespace gpusupernodal::test {

/// What a solve did.
struct Solved {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = -1;
  std::vector<PetscReal> history;  ///< Residual norms that KSP recorded.
  double error = -1;               ///< vector_error.
};

/// A grid matrix, vectors, and a KSP that is made by options.
class CgSession : public PetscSession {
 protected:
  void SetUp() override;
  void TearDown() override;
  static void option(const char* name, const char* value = nullptr);
  /// Replaces the KSP by one with these options, such as "-ksp_type gpusupernodalcg -pc_gpusupernodal_kind jacobi".
  void make(const std::string& options);
  Solved solve(Mat a);
  Solved solve() { return solve(a_); }
  std::string view();
  void set(Mat a, PetscInt row, PetscInt column, PetscScalar value);

  static constexpr PetscInt width = 13;
  static constexpr PetscInt order = width * width;
  KSP ksp_ = nullptr;
  Mat a_ = nullptr;
  Vec b_ = nullptr;
  Vec x_ = nullptr;
};

}  // namespace gpusupernodal::test
