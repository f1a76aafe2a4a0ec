#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"

namespace gpusupernodal::test {
namespace {

using PetscRegistration = PetscSession;

bool serves(const std::string& matrix_type, MatFactorType factorization = MAT_FACTOR_CHOLESKY) {
  PetscBool found_solver = PETSC_FALSE;
  PetscBool found_matrix = PETSC_FALSE;
  PetscErrorCode (*make)(Mat, MatFactorType, Mat*) = nullptr;
  EXPECT_EQ(static_cast<int>(
                MatSolverTypeGet("gpusupernodal", matrix_type.c_str(), factorization, &found_solver, &found_matrix, &make)),
            0);
  return found_matrix == PETSC_TRUE && make != nullptr;
}

TEST_F(PetscRegistration, ServesTheTypesAndThoseThatBeginWithTheirNames) {
  for (const std::string ranks : {"seq", "mpi"}) {
    for (const char* type : {"aij", "baij", "sbaij", "aijcusparse", "aijkokkos", "aijmkl", "aijperm", "baijmkl"}) {
      EXPECT_TRUE(serves(ranks + type)) << ranks << type;
    }
    EXPECT_FALSE(serves(ranks + "dense"));
    for (const char* type : {"aij", "aijcusparse", "aijkokkos", "aijmkl", "aijperm"}) {
      EXPECT_TRUE(serves(ranks + type, MAT_FACTOR_LU)) << ranks << type;
    }
    for (const char* type : {"baij", "sbaij", "dense"}) EXPECT_FALSE(serves(ranks + type, MAT_FACTOR_LU)) << ranks << type;
    EXPECT_FALSE(serves(ranks + "aij", MAT_FACTOR_ILU));
  }
}

/// PETSc's own types are still there beside ours: the packages were initialized before.
TEST_F(PetscRegistration, KeepsPetscsTypes) {
  for (const char* type : {MATSEQAIJ, MATSEQDENSE, "seqaijgpusupernodal", "mpiaijgpusupernodal"}) {
    PetscErrorCode (*make)(Mat) = nullptr;
    PETSC_OK(PetscFunctionListFind(MatList, type, &make));
    EXPECT_NE(make, nullptr) << type;
  }
  for (const char* type : {PCJACOBI, PCILU, PCGAMG, "gpusupernodal"}) {
    PetscErrorCode (*make)(PC) = nullptr;
    PETSC_OK(PetscFunctionListFind(PCList, type, &make));
    EXPECT_NE(make, nullptr) << type;
  }
  for (const char* type : {KSPCG, KSPGMRES, "gpusupernodalcg"}) {
    PetscErrorCode (*make)(KSP) = nullptr;
    PETSC_OK(PetscFunctionListFind(KSPList, type, &make));
    EXPECT_NE(make, nullptr) << type;
  }
}

// A program that links and registers the plugin is also given -dll_append.
TEST_F(PetscRegistration, MayBeRepeated) {
  void* plugin = dlopen(TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << dlerror();
  using Register = PetscErrorCode (*)();
  const auto again = reinterpret_cast<Register>(dlsym(plugin, "MatSolverTypeRegister_GpuSupernodal"));
  ASSERT_NE(again, nullptr);
  Mat a = nullptr;
  Mat f = nullptr;
  Mat f_before = nullptr;
  PETSC_OK(make_grid(6, 0, &a));
  PETSC_OK(factorize(a, nullptr, &f_before));
  PETSC_OK(again());
  PETSC_OK(factorize(a, nullptr, &f));
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&f_before));
  PETSC_OK(MatGetFactor(a, "petsc", MAT_FACTOR_CHOLESKY, &f));  // PETSc's own solvers still exist.
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&a));
  dlclose(plugin);
}

}  // namespace
}  // namespace gpusupernodal::test
