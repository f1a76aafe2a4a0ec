#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/plugin/petsc/program.hpp"

namespace gpusupernodal::test {
namespace {

const std::string small_matrix = project_matrix("bcsstk04.mtx.gz");

TEST(PetscLoading, ExportsItsTwoEntryPointsOnly) {
  const Outcome outcome = run(TEST_NM " -D --defined-only --format=posix " TEST_PLUGIN);
  std::vector<std::string> symbols;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);) symbols.push_back(line.substr(0, line.find(' ')));
  std::sort(symbols.begin(), symbols.end());
  EXPECT_EQ(symbols,
            (std::vector<std::string>{"MatSolverTypeRegister_GpuSupernodal", "PetscDLLibraryRegister_gpusupernodal_petsc"}));
}

// If a solver were registered before the matrix package is initialized, it would be the only one.
TEST(PetscLoading, LeavesPetscsOwnSolversInPlace) {
  const Outcome with = solve_matrix(small_matrix, load_plugin() + " -ksp_view");
  const Outcome without = solve_matrix(small_matrix, "-ksp_view");
  EXPECT_EQ(with.exit_code, 0);
  EXPECT_TRUE(with.says("package used to perform factorization: petsc")) << with.output;
  EXPECT_EQ(with.output, without.output);
  EXPECT_EQ(solve_matrix(small_matrix, load_plugin() + " -pc_type lu -pc_factor_mat_solver_type petsc").exit_code, 0);
}

TEST(PetscLoading, DoesNotBecomeTheDefaultOfCholesky) {
  const Outcome outcome = solve_matrix(small_matrix, load_plugin() + " -pc_type cholesky -ksp_view");
  EXPECT_TRUE(outcome.says("package used to perform factorization: petsc")) << outcome.output;
}

TEST(PetscLoading, MayBeLoadedTwice) {
  const Outcome outcome =
      solve_matrix(small_matrix, "-dll_append " TEST_PLUGIN "," TEST_PLUGIN
                                 " -pc_type cholesky -pc_factor_mat_solver_type gpusupernodal -ksp_type preonly");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(outcome.says("CONVERGED_ITS")) << outcome.output;
}

TEST(PetscLoading, WorksFromTheEnvironment) {
  const Outcome outcome = run("PETSC_OPTIONS='" + use_plugin() + " -ksp_view' " TEST_PROGRAM " -f " + small_matrix);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("package used to perform factorization: gpusupernodal")) << outcome.output;
}

TEST(PetscLoading, WithoutThePluginTheNameIsUnknown) {
  const Outcome outcome = solve_matrix(small_matrix, "-pc_type cholesky -pc_factor_mat_solver_type gpusupernodal");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("Could not locate solver type gpusupernodal")) << outcome.output;
}

TEST(PetscLoading, AWrongPathIsAnErrorOfPetsc) {
  const Outcome outcome = solve_matrix(small_matrix, "-dll_append /nowhere/libgpusupernodal_petsc.so");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("/nowhere/libgpusupernodal_petsc.so")) << outcome.output;
}

TEST(PetscLoading, OtherFactorizationsAreRefusedByPetsc) {
  const Outcome incomplete = solve_matrix(small_matrix, use_plugin() + " -pc_type ilu");
  EXPECT_NE(incomplete.exit_code, 0);
  EXPECT_TRUE(incomplete.says("gpusupernodal does not support factorization type ILU")) << incomplete.output;
  const Outcome blocks = solve_matrix(small_matrix, use_plugin() + " -pc_type lu -mat_type baij");
  EXPECT_NE(blocks.exit_code, 0);
  EXPECT_TRUE(blocks.says("gpusupernodal does not support factorization type LU")) << blocks.output;
}

TEST(PetscLoading, RefusesAnotherVersionWithASentence) {
  const Outcome outcome = run("LD_PRELOAD=" TEST_OTHER_VERSION " " TEST_PROGRAM " -f " + small_matrix + use_plugin());
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("but the program uses PETSc 3.999")) << outcome.output;
}

TEST(PetscLoading, RefusesComplexScalarsWithASentence) {
  const Outcome outcome = run("LD_PRELOAD=" TEST_COMPLEX_SCALARS " " TEST_PROGRAM " -f " + small_matrix + use_plugin());
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.says("is for real scalars, but the program uses a PETSc with complex scalars")) << outcome.output;
}

}  // namespace
}  // namespace gpusupernodal::test
