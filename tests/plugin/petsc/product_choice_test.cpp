/// Tests of which products of sparse matrices go through the library, and of GAMG, which makes such products.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/plugin/petsc/product_matrices.hpp"
#include "tests/plugin/petsc/sparse_product_session.hpp"

namespace gpusupernodal::test {
namespace {

class PetscProductChoice : public SparseProductSession {};

/// PETSc's options and MatProductSetAlgorithm select an algorithm of PETSc's, or ours by its name.
TEST_F(PetscProductChoice, LeavesOtherAlgorithmsToPetsc) {
  PETSC_OK(PetscLogDefaultBegin());
  Mat a = scattered(40, 40, seq_type);
  Mat p = scattered(40, 17, seq_type);
  Mat c = nullptr;
  const int before = analyses();
  for (const char* algorithm : {"scalable", "rap"}) {
    option("-matptap_via", algorithm);
    PETSC_OK(MatPtAP(a, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    expect_product(products[2], a, p, c);
    PETSC_OK(MatDestroy(&c));
  }
  option("-matmatmult_via", "sorted");
  PETSC_OK(MatMatMult(a, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  expect_product(products[0], a, p, c);
  PETSC_OK(MatDestroy(&c));
  EXPECT_EQ(analyses(), before);
  option("-matptap_via", "gpusupernodal");
  PETSC_OK(MatPtAP(a, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  EXPECT_EQ(analyses(), before + 1);
  PETSC_OK(MatDestroy(&c));
  PETSC_OK(PetscOptionsClear(nullptr));
  for (const char* algorithm : {"scalable", "gpusupernodal"}) {
    const int at = analyses();
    PETSC_OK(MatProductCreate(a, p, nullptr, &c));
    PETSC_OK(MatProductSetType(c, MATPRODUCT_AB));
    PETSC_OK(MatProductSetAlgorithm(c, algorithm));
    PETSC_OK(MatProductSetFromOptions(c));
    PETSC_OK(MatProductSymbolic(c));
    PETSC_OK(MatProductNumeric(c));
    expect_product(products[0], a, p, c);
    EXPECT_EQ(analyses() - at, std::strcmp(algorithm, "scalable") == 0 ? 0 : 1);
    PETSC_OK(MatDestroy(&c));
  }
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&p));
}

/// Factors of type aij may replace those of a product. PETSc then makes it, also with later factors of our type, because
/// aij has replaced the algorithm "default" by the name of one of its own, until a new product is made.
TEST_F(PetscProductChoice, FollowsTheTypesOfReplacedFactors) {
  PETSC_OK(PetscLogDefaultBegin());
  for (const Product& product : products) {
    SCOPED_TRACE(product.name);
    Mat ours[] = {scattered(40, 40, seq_type), scattered(40, 17, seq_type)};
    Mat others[] = {scattered(40, 40, MATSEQAIJ), scattered(40, 17, MATSEQAIJ)};
    Mat c = nullptr;
    PETSC_OK(product.multiply(ours[0], ours[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    const int before = analyses();
    PETSC_OK(product.multiply(others[0], others[1], MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    EXPECT_EQ(analyses(), before);
    PETSC_OK(MatScale(ours[0], 3));
    PETSC_OK(product.multiply(ours[0], others[1], MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, ours[0], others[1], c);
    EXPECT_EQ(analyses(), before);
    PETSC_OK(MatDestroy(&c));
    PETSC_OK(product.multiply(ours[0], others[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, ours[0], others[1], c);
    EXPECT_EQ(analyses(), before + 1);
    for (Mat* m : {&ours[0], &ours[1], &others[0], &others[1], &c}) PETSC_OK(MatDestroy(m));
  }
}

/// Products that the library does not have, with factors of our type and others.
TEST_F(PetscProductChoice, OtherProductsAreThoseOfAij) {
  const std::pair<const char*, const char*> types[] = {{seq_type, seq_type}, {seq_type, MATSEQAIJ}, {MATSEQAIJ, seq_type}};
  for (const auto& [type_a, type_b] : types) {
    SCOPED_TRACE(testing::Message() << type_a << ", " << type_b);
    // PETSc 3.18 crashes in A Bᵀ if A is seqaij and B is of a derived type, also one of its own, such as seqaijperm.
    const bool crashes_in_petsc = type_a != seq_type;
    Mat a = scattered(40, 40, type_a);
    Mat b = scattered(17, 40, type_b);
    Mat d = scattered(40, 9, MATSEQAIJ);
    Mat aij[] = {scattered(40, 40, MATSEQAIJ), scattered(17, 40, MATSEQAIJ)};
    Mat c = nullptr;
    Mat expected = nullptr;
    PetscReal difference = 1;
    const auto compare = [&] {
      PETSC_OK(compare_entries(c, expected, &difference));
      EXPECT_LE(difference, bound_of(57) * PETSC_MACHINE_EPSILON);
      PETSC_OK(MatDestroy(&c));
      PETSC_OK(MatDestroy(&expected));
    };
    for (const auto multiply : {MatMatTransposeMult, MatRARt}) {
      if (crashes_in_petsc) break;
      PETSC_OK(multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
      PETSC_OK(multiply(aij[0], aij[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
      compare();
    }
    for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
      PETSC_OK(MatMatMatMult(b, a, d, reuse, PETSC_DEFAULT, &c));
      PETSC_OK(MatMatMatMult(aij[1], aij[0], d, reuse, PETSC_DEFAULT, &expected));
      PETSC_OK(MatScale(a, 2));
      PETSC_OK(MatScale(aij[0], 2));
    }
    compare();
    for (Mat* m : {&a, &b, &d, &aij[0], &aij[1]}) PETSC_OK(MatDestroy(m));
  }
}

/// A matrix that stands for a transpose multiplies with ours as before.
TEST_F(PetscProductChoice, MultipliesVirtualTransposes) {
  Mat a = scattered(40, 33, seq_type);
  Mat b = scattered(40, 9, MATSEQAIJ);
  Mat virtual_transpose = nullptr;
  Mat c = nullptr;
  PETSC_OK(MatCreateTranspose(a, &virtual_transpose));
  for (Mat right : {a, b}) {
    PETSC_OK(MatMatMult(virtual_transpose, right, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    expect_product(products[1], a, right, c);
    PETSC_OK(MatDestroy(&c));
  }
  for (Mat* m : {&a, &b, &virtual_transpose}) PETSC_OK(MatDestroy(m));
}

class PetscGamg : public SparseProductSession, public testing::WithParamInterface<const char*> {};

/// GAMG sets up with our products: a second set-up with new values repeats their numbers only, unless it is to make the
/// interpolation again.
TEST_P(PetscGamg, SetsUpWithOurProducts) {
  const char* const reuse_interpolation = GetParam();
  Mat a = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
  KSP ksp = nullptr;
  PC pc = nullptr;
  PetscInt levels = 0;
  PetscReal error = 1;
  PETSC_OK(PetscLogDefaultBegin());
  option("-ksp_type", "cg");
  option("-ksp_rtol", "1e-10");
  constexpr PetscReal bound = 100 * 1e-10;  // KSP looks at preconditioned residuals.
  option("-pc_type", "gamg");
  if (reuse_interpolation != nullptr) option("-pc_gamg_reuse_interpolation", reuse_interpolation);
  option("-pc_gamg_coarse_eq_limit", "20");
  PETSC_OK(make_grid(20, 0.5, &a));
  PETSC_OK(MatConvert(a, seq_type, MAT_INPLACE_MATRIX, &a));
  PETSC_OK(make_right_hand_side(a, &b));
  PETSC_OK(VecDuplicate(b, &x));
  PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp));
  PETSC_OK(KSPSetOperators(ksp, a, a));
  PETSC_OK(KSPSetFromOptions(ksp));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(vector_error(a, x, b, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCMGGetLevels(pc, &levels));
  EXPECT_GE(levels, 2);
  for (PetscInt level = 0; level < levels; ++level) {
    KSP smoother = nullptr;
    Mat operators = nullptr;
    PETSC_OK(PCMGGetSmoother(pc, level, &smoother));
    PETSC_OK(KSPGetOperators(smoother, nullptr, &operators));
    EXPECT_EQ(type_of(operators), seq_type) << level;
  }
  const int before = analyses();
  PETSC_OK(MatScale(a, 3));
  PETSC_OK(KSPSetOperators(ksp, a, a));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(vector_error(a, x, b, &error));
  EXPECT_LE(error, bound);
  if (reuse_interpolation != nullptr && std::strcmp(reuse_interpolation, "false") == 0) {
    EXPECT_GT(analyses(), before);
  } else {
    EXPECT_EQ(analyses(), before);
  }
  PETSC_OK(KSPDestroy(&ksp));
  for (Vec* v : {&b, &x}) PETSC_OK(VecDestroy(v));
  PETSC_OK(MatDestroy(&a));
}

INSTANTIATE_TEST_SUITE_P(ReuseOfInterpolation, PetscGamg, testing::Values(nullptr, "true", "false"),
                         [](const testing::TestParamInfo<const char*>& p) {
                           return std::string(p.param == nullptr ? "default" : p.param);
                         });

}  // namespace
}  // namespace gpusupernodal::test
