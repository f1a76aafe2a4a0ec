#include "tests/plugin/petsc/cg_session.hpp"

#include <cstdio>

namespace gpusupernodal::test {

void CgSession::SetUp() {
  PetscSession::SetUp();
  PETSC_OK(make_grid(width, 0.1, &a_));
  PETSC_OK(MatSetOption(a_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PETSC_OK(make_right_hand_side(a_, &b_));
  PETSC_OK(VecDuplicate(b_, &x_));
}

void CgSession::TearDown() {
  PETSC_OK(KSPDestroy(&ksp_));
  PETSC_OK(MatDestroy(&a_));
  PETSC_OK(VecDestroy(&b_));
  PETSC_OK(VecDestroy(&x_));
  PETSC_OK(PetscOptionsClear(nullptr));
  PetscSession::TearDown();
}

void CgSession::option(const char* name, const char* value) { PETSC_OK(PetscOptionsSetValue(nullptr, name, value)); }

void CgSession::make(const std::string& options) {
  PETSC_OK(KSPDestroy(&ksp_));
  PETSC_OK(PetscOptionsClear(nullptr));
  PETSC_OK(PetscOptionsInsertString(nullptr, options.c_str()));
  PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp_));
  PETSC_OK(KSPSetOperators(ksp_, a_, a_));
  PETSC_OK(KSPSetResidualHistory(ksp_, nullptr, 10000, PETSC_TRUE));
  PETSC_OK(KSPSetFromOptions(ksp_));
}

Solved CgSession::solve(Mat a) {
  Solved solved;
  const PetscReal* history = nullptr;
  PetscInt count = 0;
  PetscReal error = -1;
  EXPECT_EQ(static_cast<int>(KSPSetOperators(ksp_, a, a)), 0);
  EXPECT_EQ(static_cast<int>(KSPSolve(ksp_, b_, x_)), 0);
  EXPECT_EQ(static_cast<int>(KSPGetConvergedReason(ksp_, &solved.reason)), 0);
  EXPECT_EQ(static_cast<int>(KSPGetIterationNumber(ksp_, &solved.iterations)), 0);
  EXPECT_EQ(static_cast<int>(KSPGetResidualHistory(ksp_, &history, &count)), 0);
  solved.history.assign(history, history + count);
  EXPECT_EQ(static_cast<int>(vector_error(a, x_, b_, &error)), 0);
  solved.error = static_cast<double>(error);
  return solved;
}

std::string CgSession::view() {
  PetscViewer viewer = nullptr;
  FILE* file = std::tmpfile();
  std::vector<char> text(20000);
  EXPECT_EQ(static_cast<int>(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer)), 0);
  EXPECT_EQ(static_cast<int>(KSPView(ksp_, viewer)), 0);
  EXPECT_EQ(static_cast<int>(PetscViewerDestroy(&viewer)), 0);
  std::rewind(file);
  text[std::fread(text.data(), 1, text.size() - 1, file)] = '\0';
  std::fclose(file);
  return text.data();
}

void CgSession::set(Mat a, PetscInt row, PetscInt column, PetscScalar value) {
  PETSC_OK(MatSetValue(a, row, column, value, INSERT_VALUES));
  PETSC_OK(MatSetValue(a, column, row, value, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

}  // namespace gpusupernodal::test
