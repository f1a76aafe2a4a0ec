/// Tests of matrices that PETSc makes of one of type aijgpusupernodal: their options, and what is left after LU in place.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/plugin/petsc/product_matrices.hpp"

namespace gpusupernodal::test {
namespace {

constexpr char seq_type[] = "seqaijgpusupernodal";
/// As in product_test.cpp.
constexpr PetscReal bound = 200 * std::numeric_limits<PetscReal>::epsilon();

class PetscProductResults : public PetscSession {
 protected:
  void TearDown() override {
    PETSC_OK(PetscOptionsClear(nullptr));
    PetscSession::TearDown();
  }
  static void option(const char* name, const char* value) { PETSC_OK(PetscOptionsSetValue(nullptr, name, value)); }
  /// The type of the matrix is ours, and its products use this format.
  static void expect_format(const std::string& format, Mat a) {
    Vec x = nullptr;
    Vec y = nullptr;
    MatType type = nullptr;
    std::vector<char> text(10000);
    PETSC_OK(MatGetType(a, &type));
    EXPECT_EQ(std::string(type), seq_type);
    PETSC_OK(MatCreateVecs(a, &x, &y));
    PETSC_OK(VecSet(x, 1));
    PETSC_OK(MatMult(a, x, y));
    PETSC_OK(view_text(a, text.data(), text.size()));
    EXPECT_NE(std::string(text.data()).find("products: " + format), std::string::npos) << text.data();
    PETSC_OK(VecDestroy(&x));
    PETSC_OK(VecDestroy(&y));
  }
  /// A square matrix that takes its options with a prefix, or without one.
  static void make(const char* prefix, Mat* a) {
    PETSC_OK(make_scattered(61, 61, a));
    PETSC_OK(MatSetOptionsPrefix(*a, prefix));
    PETSC_OK(MatConvert(*a, seq_type, MAT_INPLACE_MATRIX, a));
    PETSC_OK(MatSetFromOptions(*a));
  }
};

TEST_F(PetscProductResults, TakeTheOptions) {
  Mat a = nullptr;
  Mat c = nullptr;
  IS rows = nullptr;
  option("-mat_gpusupernodal_format", "coo");
  make(nullptr, &a);
  PETSC_OK(MatMatMult(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  expect_format("coo", c);
  PETSC_OK(MatDestroy(&c));
  PETSC_OK(MatPtAP(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  expect_format("coo", c);
  PETSC_OK(MatDestroy(&c));
  PETSC_OK(ISCreateStride(PETSC_COMM_SELF, 30, 3, 1, &rows));
  PETSC_OK(MatCreateSubMatrix(a, rows, rows, MAT_INITIAL_MATRIX, &c));
  expect_format("coo", c);
  PETSC_OK(MatDestroy(&c));
  PETSC_OK(ISDestroy(&rows));
  PETSC_OK(MatDestroy(&a));
}

/// Options without a prefix are not for a matrix with one.
TEST_F(PetscProductResults, KeepTheOptionsOfAPrefix) {
  Mat a = nullptr;
  Mat c = nullptr;
  Mat other = nullptr;
  option("-mat_gpusupernodal_format", "csr");
  option("-mine_mat_gpusupernodal_format", "coo");
  make("mine_", &a);
  PETSC_OK(MatTranspose(a, MAT_INITIAL_MATRIX, &c));
  expect_format("coo", c);
  PETSC_OK(MatDestroy(&c));
  PETSC_OK(MatTranspose(a, MAT_INPLACE_MATRIX, &a));
  expect_format("coo", a);
  PETSC_OK(make_scattered(61, 61, &other));
  PETSC_OK(add_entries(other));
  PETSC_OK(MatAXPY(a, 2, other, DIFFERENT_NONZERO_PATTERN));
  expect_format("coo", a);
  PETSC_OK(MatDestroy(&other));
  PETSC_OK(MatDestroy(&a));
}

TEST_F(PetscProductResults, AxpyAndTransposesEqualThoseOfAij) {
  Mat aij = nullptr;
  Mat a = nullptr;
  Mat other = nullptr;
  PetscReal difference = 1;
  PETSC_OK(make_scattered(61, 61, &aij));
  PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
  PETSC_OK(make_scattered(61, 61, &other));
  PETSC_OK(add_entries(other));
  for (Mat m : {a, aij}) {
    PETSC_OK(MatTranspose(m, MAT_INPLACE_MATRIX, &m));
    PETSC_OK(MatAXPY(m, 2, other, DIFFERENT_NONZERO_PATTERN));
  }
  PETSC_OK(compare_products(a, aij, &difference));
  EXPECT_LE(difference, bound);
  PETSC_OK(MatDestroy(&other));
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&aij));
}

/// PETSc puts the factor into the matrix, which becomes one of aij.
TEST_F(PetscProductResults, LuInPlaceIsThatOfAij) {
  Mat aij = nullptr;
  Mat a = nullptr;
  KSP ksp = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
  MatType type = nullptr;
  PetscReal error = 1;
  std::vector<char> text(10000);
  option("-ksp_type", "preonly");
  option("-pc_type", "lu");
  option("-pc_factor_in_place", nullptr);
  PETSC_OK(make_convection(9, 0.5, &aij));
  PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
  PETSC_OK(make_right_hand_side(aij, &b));
  PETSC_OK(VecDuplicate(b, &x));
  PETSC_OK(MatMult(a, b, x));
  PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp));
  PETSC_OK(KSPSetOperators(ksp, a, a));
  PETSC_OK(KSPSetFromOptions(ksp));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(vector_error(aij, x, b, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(MatGetType(a, &type));
  EXPECT_EQ(std::string(type), MATSEQAIJ);
  PETSC_OK(view_text(a, text.data(), text.size()));
  PETSC_OK(KSPDestroy(&ksp));
  PETSC_OK(VecDestroy(&b));
  PETSC_OK(VecDestroy(&x));
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&aij));
}

/// More columns than the library multiplies at once.
TEST_F(PetscProductResults, DenseProductsOfManyColumns) {
  for (const bool transposed : {false, true}) {
    SCOPED_TRACE(testing::Message() << "transposed: " << transposed);
    Mat aij = nullptr;
    Mat a = nullptr;
    Mat b = nullptr;
    Mat c = nullptr;
    Mat expected = nullptr;
    PetscReal difference = 1;
    const auto multiply = transposed ? MatTransposeMatMult : MatMatMult;
    PETSC_OK(make_scattered(3, 2, &aij));
    PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
    PETSC_OK(make_dense(transposed ? 3 : 2, 65536 + 7, 1, &b));
    PETSC_OK(multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    PETSC_OK(multiply(aij, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    PETSC_OK(compare_entries(c, expected, &difference));
    EXPECT_LE(difference, bound);
    PETSC_OK(MatDestroy(&c));
    PETSC_OK(MatDestroy(&expected));
    PETSC_OK(MatDestroy(&b));
    PETSC_OK(MatDestroy(&a));
    PETSC_OK(MatDestroy(&aij));
  }
}

}  // namespace
}  // namespace gpusupernodal::test
