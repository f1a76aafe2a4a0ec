#include "tests/plugin/petsc/program.hpp"

#include <gtest/gtest.h>
#include <petscsys.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

/// Expects that each solve printed convergence and a backward error below the bound for order n.
void expect_accurate(const Outcome& outcome, std::size_t solves, std::int64_t n) {
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const std::vector<double> errors = numbers_after(outcome.output, ", backward error ");
  ASSERT_EQ(errors.size(), solves) << outcome.output;
  for (const double error : errors) EXPECT_LE(error, backward_error_bound<PetscReal>(n)) << outcome.output;
}

/// Option with the tolerance for iterative methods: 1e-12 in double precision.
std::string tight_tolerance() {
  constexpr double roundings = 4500;
  char text[64];
  std::snprintf(text, sizeof text, "-ksp_rtol %.3g", roundings * std::numeric_limits<PetscReal>::epsilon());
  return text;
}

double norm2(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// Bound of the 2-norm condition number of A + s I for positive semidefinite A and s = 1/8 of A's largest diagonal
/// entry.
double shifted_condition(const io::SymmetricMatrix& a) {
  std::vector<double> row_sums(static_cast<std::size_t>(a.n), 0.0);
  double diagonal = 0.0;
  for (std::int64_t column = 0; column < a.n; ++column) {
    for (std::int64_t k = a.offsets[column]; k < a.offsets[column + 1]; ++k) {
      const double value = a.values[k];
      row_sums[a.indices[k]] += std::abs(value);
      if (a.indices[k] != column) row_sums[column] += std::abs(value);
      if (a.indices[k] == column) diagonal = std::max(diagonal, value);
    }
  }
  const double shift = diagonal / 8;
  return (*std::max_element(row_sums.begin(), row_sums.end()) + shift) / shift;
}

std::vector<double> solution(const std::string& matrix, const std::string& options) {
  const std::string path = temporary_path("x.mtx");
  const Outcome outcome = solve_matrix(matrix, options + " -ksp_type preonly -repeat 2 -o " + path);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  const std::vector<double> x = io::read_dense(path).values;
  std::remove(path.c_str());
  return x;
}

// Compares the second of two solves, whose matrix has its diagonal raised by 1/8 of the largest entry, so that it is
// well conditioned.
TEST(PetscProgram, AgreesWithPetscsCholesky) {
  for (const char* file : {"bcsstk04.mtx.gz", "gr_30_30.mtx.gz", "1138_bus.mtx.gz", "bcsstk14.mtx.gz", "msc01440.mtx.gz"}) {
    const std::string path = project_matrix(file);
    const io::SymmetricMatrix a = io::read_matrix_market(path);
    const std::vector<double> theirs = solution(path, "-pc_type cholesky -pc_factor_mat_ordering_type nd");
    const std::vector<double> ours = solution(path, use_plugin());
    ASSERT_EQ(ours.size(), theirs.size());
    std::vector<double> difference(ours.size());
    for (std::size_t k = 0; k < ours.size(); ++k) difference[k] = ours[k] - theirs[k];
    // Both are solutions within the backward error bound; the norms differ by at most a factor √n.
    const auto n = static_cast<double>(a.n);
    const double bound = 2.0 * std::sqrt(n) * shifted_condition(a) * backward_error_bound<PetscReal>(a.n);
    EXPECT_LE(norm2(difference), bound * norm2(theirs)) << file;
  }
}

TEST(PetscProgram, SolvesProjectMatrices) {
  for (const char* file : {"lund_b.mtx.gz", "Chem97ZtZ.mtx.gz", "mhd3200b.mtx.gz", "plbuckle.mtx.gz"}) {
    const std::string path = project_matrix(file);
    expect_accurate(solve_matrix(path, use_plugin() + " -ksp_type preonly"), 1, io::read_matrix_market(path).n);
  }
}

TEST(PetscProgram, ReadsSymmetricAndBlockFormats) {
  for (const char* type : {"aij", "sbaij", "baij"}) {
    for (const int block : {1, 3, 7}) {
      const std::string options =
          " -mat_type " + std::string(type) + " -mat_block_size " + std::to_string(block) + " -ksp_type preonly -repeat 2";
      expect_accurate(solve_matrix(project_matrix("lund_b.mtx.gz"), use_plugin() + options), 2, 147);
    }
  }
}

// A refactorization with the first matrix's analysis, as the counts of our events show.
TEST(PetscProgram, RefactorizesForNewValues) {
  const Outcome outcome =
      solve_matrix(project_matrix("bcsstk04.mtx.gz"), use_plugin() + " -ksp_type preonly -repeat 4 -log_view");
  expect_accurate(outcome, 4, 132);
  EXPECT_EQ(numbers_after(outcome.output, "GpuSnAnalyze "), (std::vector<double>{1})) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "GpuSnFactor "), (std::vector<double>{4})) << outcome.output;
  EXPECT_EQ(numbers_after(outcome.output, "GpuSnSolve "), (std::vector<double>{4})) << outcome.output;
}

TEST(PetscProgram, PreconditionsConjugateGradients) {
  const Outcome exact =
      solve_matrix(project_matrix("gr_30_30.mtx.gz"), use_plugin() + " -ksp_type cg " + tight_tolerance() + " -repeat 2");
  expect_accurate(exact, 2, 900);
  EXPECT_EQ(numbers_after(exact.output, "iterations "), (std::vector<double>{1, 1})) << exact.output;
  // The first matrix's factor preconditions the later ones, and one iteration no longer suffices.
  const Outcome lagged =
      solve_matrix(project_matrix("gr_30_30.mtx.gz"),
                   use_plugin() + " -ksp_type cg " + tight_tolerance() + " -repeat 2 -ksp_reuse_preconditioner");
  const std::vector<double> iterations = numbers_after(lagged.output, "iterations ");
  ASSERT_EQ(iterations.size(), 2U) << lagged.output;
  EXPECT_GT(iterations[1], 1);
  EXPECT_FALSE(lagged.says("DIVERGED")) << lagged.output;
}

// L⁻¹ is applied on the left and L⁻ᵀ on the right: separate forward and backward solves.
TEST(PetscProgram, SplitsThePreconditioner) {
  const Outcome outcome = solve_matrix(project_matrix("gr_30_30.mtx.gz"),
                                       use_plugin() + " -ksp_type gmres -ksp_pc_side symmetric " + tight_tolerance());
  expect_accurate(outcome, 1, 900);
  EXPECT_EQ(numbers_after(outcome.output, "iterations "), (std::vector<double>{1})) << outcome.output;
}

TEST(PetscProgram, WorksAsASubdomainSolver) {
  const std::string sub = load_plugin() + " -sub_pc_type cholesky -sub_pc_factor_mat_solver_type gpusupernodal -ksp_type cg";
  for (const char* pc : {"-pc_type bjacobi -pc_bjacobi_blocks 4", "-pc_type asm -pc_asm_blocks 4 -pc_asm_type basic"}) {
    const Outcome outcome =
        solve_matrix(project_matrix("gr_30_30.mtx.gz"), sub + " -ksp_view " + tight_tolerance() + " " + pc);
    expect_accurate(outcome, 1, 900);
    EXPECT_TRUE(outcome.says("package used to perform factorization: gpusupernodal")) << outcome.output;
  }
}

// nnz(L) depends only on the ordering, so PETSc's count for an equal ordering is an oracle.
TEST(PetscProgram, ObeysPetscsOrderings) {
  for (const char* ordering : {"natural", "nd", "rcm", "qmd"}) {
    const std::string options =
        " -mat_no_inode -ksp_type preonly -ksp_view -pc_factor_mat_ordering_type " + std::string(ordering);
    const Outcome ours = solve_matrix(project_matrix("bcsstk04.mtx.gz"), use_plugin() + options);
    const Outcome theirs = solve_matrix(project_matrix("bcsstk04.mtx.gz"), "-pc_type cholesky" + options);
    expect_accurate(ours, 1, 132);
    EXPECT_TRUE(ours.says("ordering: given by PETSc")) << ours.output;
    const std::vector<double> our_nonzeros = numbers_after(ours.output, "total: nonzeros=");
    const std::vector<double> their_nonzeros = numbers_after(theirs.output, "total: nonzeros=");
    ASSERT_FALSE(our_nonzeros.empty() || their_nonzeros.empty()) << theirs.output;
    EXPECT_EQ(our_nonzeros[0], their_nonzeros[0]) << ordering;
  }
}

TEST(PetscProgram, ExpandsOrderingsOfBlocks) {
  const Outcome outcome =
      solve_matrix(project_matrix("lund_b.mtx.gz"), use_plugin() +
                                                        " -mat_type sbaij -mat_block_size 3 -ksp_type preonly -ksp_view"
                                                        " -pc_factor_mat_ordering_type natural");
  expect_accurate(outcome, 1, 147);
  EXPECT_TRUE(outcome.says("ordering: given by PETSc")) << outcome.output;
}

TEST(PetscProgram, ShowsWhatItDid) {
  const Outcome outcome = solve_matrix(project_matrix("bcsstk14.mtx.gz"), use_plugin() + " -ksp_type preonly -ksp_view");
  for (const char* field : {"type: gpusupernodal", "package used to perform factorization: gpusupernodal",
                            "backend: ", "device: ", "ordering: ", "supernodes: ", "merging: bounded",
                            "nonzeros of L: ", "flops of a factorization: ", "memory: "}) {
    EXPECT_TRUE(outcome.says(field)) << field << "\n" << outcome.output;
  }
  const std::vector<double> nonzeros = numbers_after(outcome.output, "nonzeros of L: ");
  ASSERT_EQ(nonzeros.size(), 1U);
  EXPECT_GE(nonzeros[0], 63454 / 2);
}

TEST(PetscProgram, OptionsReachTheSolver) {
  const std::string options = use_plugin() + " -ksp_type preonly -ksp_view -mat_gpusupernodal_backend host";
  const Outcome natural = solve_matrix(project_matrix("bcsstk04.mtx.gz"), options + " -mat_gpusupernodal_ordering natural");
  EXPECT_TRUE(natural.says("ordering: natural (requested)")) << natural.output;
  const Outcome amd = solve_matrix(project_matrix("bcsstk04.mtx.gz"), options + " -mat_gpusupernodal_ordering amd");
  EXPECT_TRUE(amd.says("ordering: amd")) << amd.output;
  EXPECT_TRUE(amd.says("backend: host")) << amd.output;
  const Outcome refined =
      solve_matrix(project_matrix("bcsstk04.mtx.gz"), options + " -mat_gpusupernodal_refinement_steps 2");
  EXPECT_TRUE(refined.says("refinement: at most 2 steps, until a step no longer halves the backward error"))
      << refined.output;
  expect_accurate(refined, 1, 132);
}

TEST(PetscProgram, HelpListsTheOptions) {
  const Outcome outcome = solve_matrix(project_matrix("bcsstk04.mtx.gz"), use_plugin() + " -help");
  constexpr const char* options =
      "backend ordering merging merge_width block_width threads device devices memory device_memory_limit cuda_schedule "
      "streams refinement_steps refinement_backward_error check_finite plan_cache deterministic expected_factorizations "
      "monitor last_rows";
  std::istringstream names(options);
  for (std::string option; names >> option;) {
    EXPECT_TRUE(outcome.says("-mat_gpusupernodal_" + option + ": ") || outcome.says("-mat_gpusupernodal_" + option + " "))
        << option << "\n"
        << outcome.output;
  }
  for (const char* choices : {"auto host cuda", "auto nested_dissection metis amd natural", "none narrow bounded",
                              "levels streams", "auto device hybrid"}) {
    EXPECT_TRUE(outcome.says("(choose one of) " + std::string(choices))) << choices << "\n" << outcome.output;
  }
}

/// One device is taken for two; without a device there is nothing to see.
TEST(PetscProgram, ViewListsEachOfSeveralDevices) {
  const std::string options = use_plugin() + " -ksp_type preonly -ksp_view -mat_gpusupernodal_backend cuda";
  if (solve_matrix(project_matrix("msc01440.mtx.gz"), options).exit_code != 0) GTEST_SKIP() << "no CUDA device";
  const Outcome outcome = solve_matrix(project_matrix("msc01440.mtx.gz"), options + " -mat_gpusupernodal_devices 0,0");
  expect_accurate(outcome, 1, 1440);
  EXPECT_TRUE(outcome.says("device: 2 CUDA devices: 0 (")) << outcome.output;
  const std::vector<double> gigabytes = numbers_after(outcome.output, "device 0: ");
  ASSERT_EQ(gigabytes.size(), 2U) << outcome.output;
  for (const double gigabyte : gigabytes) EXPECT_GT(gigabyte, 0.0) << outcome.output;
  EXPECT_TRUE(outcome.says(" % of the work")) << outcome.output;
}

/// Without a device there is nothing to see.
TEST(PetscProgram, ViewSaysWhatIsOnTheDeviceAndInHostMemory) {
  const std::string options = use_plugin() + " -ksp_type preonly -ksp_view -mat_gpusupernodal_backend cuda";
  const Outcome whole = solve_matrix(project_matrix("msc01440.mtx.gz"), options);
  if (whole.exit_code != 0) GTEST_SKIP() << "no CUDA device";
  EXPECT_FALSE(whole.says("page-locked host memory: ")) << whole.output;
  const std::vector<double> mebibytes = numbers_after(whole.output, "memory: ");
  ASSERT_EQ(mebibytes.size(), 1U) << whole.output;
  const std::string limit = std::to_string(static_cast<long>(0.8 * mebibytes[0] * 1048576.0));
  const Outcome hybrid =
      solve_matrix(project_matrix("msc01440.mtx.gz"), options + " -mat_gpusupernodal_device_memory_limit " + limit);
  expect_accurate(hybrid, 1, 1440);
  EXPECT_TRUE(hybrid.says("of the factor are in host memory, in ")) << hybrid.output;
  const std::vector<double> gigabytes = numbers_after(hybrid.output, "page-locked host memory: ");
  ASSERT_EQ(gigabytes.size(), 1U) << hybrid.output;
  EXPECT_GT(gigabytes[0], 0.0) << hybrid.output;
  const Outcome device =
      solve_matrix(project_matrix("msc01440.mtx.gz"),
                   options + " -mat_gpusupernodal_memory device" + " -mat_gpusupernodal_device_memory_limit " + limit);
  EXPECT_NE(device.exit_code, 0);
  EXPECT_TRUE(device.says("are allowed (device_memory_limit)")) << device.output;
}

TEST(PetscProgram, RowsAreEliminatedLast) {
  const std::string options = use_plugin() + " -ksp_type preonly -ksp_view -mat_gpusupernodal_last_rows ";
  const Outcome outcome = solve_matrix(project_matrix("bcsstk04.mtx.gz"), options + "5,7,90");
  EXPECT_TRUE(outcome.says("3 rows are eliminated last (groups: 1)")) << outcome.output;
  expect_accurate(outcome, 1, 132);
  const Outcome wrong = solve_matrix(project_matrix("bcsstk04.mtx.gz"), options + "5,132");
  EXPECT_TRUE(wrong.says("last_rows[0][1] is 132, but the rows of the matrix are 0 to 131")) << wrong.output;
}

TEST(PetscProgram, MonitorTellsOfEachStep) {
  const Outcome outcome =
      solve_matrix(project_matrix("bcsstk04.mtx.gz"), use_plugin() + " -repeat 2 -mat_gpusupernodal_monitor");
  for (const char* line : {"gpusupernodal analyze: ordering, after ", "gpusupernodal analyze: schedule, after ",
                           "gpusupernodal analyze: done after ", "gpusupernodal factorize: done after "}) {
    EXPECT_TRUE(outcome.says(line)) << line << "\n" << outcome.output;
  }
  EXPECT_EQ(numbers_after(outcome.output, "factorize: done after ").size(), 2U) << outcome.output;
  EXPECT_FALSE(solve_matrix(project_matrix("bcsstk04.mtx.gz"), use_plugin()).says("gpusupernodal analyze: "));
}

TEST(PetscProgram, OptionsTakeThePrefixOfTheirSolver) {
  const Outcome outcome =
      solve_matrix(project_matrix("gr_30_30.mtx.gz"), load_plugin() +
                                                          " -pc_type bjacobi -sub_pc_type cholesky -ksp_view"
                                                          " -sub_pc_factor_mat_solver_type gpusupernodal"
                                                          " -sub_mat_gpusupernodal_ordering natural");
  EXPECT_TRUE(outcome.says("ordering: natural")) << outcome.output;
}

}  // namespace
}  // namespace gpusupernodal::test
