/// Tests of -mat_type aijgpusupernodal on one rank.

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
/// Sums of up to 60 products in another order, relative to a result that is not smaller than a few terms.
constexpr PetscReal bound = 200 * std::numeric_limits<PetscReal>::epsilon();

class PetscProduct : public PetscSession {
 protected:
  void TearDown() override {
    PETSC_OK(PetscOptionsClear(nullptr));
    PetscSession::TearDown();
  }
  static void option(const char* name, const char* value) { PETSC_OK(PetscOptionsSetValue(nullptr, name, value)); }
  static void expect_equal(Mat a, Mat aij) {
    PetscReal difference = 1;
    PETSC_OK(compare_products(a, aij, &difference));
    EXPECT_LE(difference, bound);
  }
  static std::string type_of(Mat a) {
    MatType type = nullptr;
    EXPECT_EQ(static_cast<int>(MatGetType(a, &type)), 0);
    return type;
  }
  static std::string view(Mat a) {
    std::vector<char> text(10000);
    EXPECT_EQ(static_cast<int>(view_text(a, text.data(), text.size())), 0);
    return text.data();
  }
};

TEST_F(PetscProduct, EqualsAijForAllShapes) {
  for (const PetscInt rows : {0, 1, 40, 61}) {
    for (const PetscInt columns : {0, 1, 33, 61}) {
      SCOPED_TRACE(testing::Message() << rows << " × " << columns);
      Mat aij = nullptr;
      Mat a = nullptr;
      PETSC_OK(make_scattered(rows, columns, &aij));
      PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
      EXPECT_EQ(type_of(a), seq_type);
      expect_equal(a, aij);
      PETSC_OK(MatDestroy(&a));
      PETSC_OK(MatDestroy(&aij));
    }
  }
}

TEST_F(PetscProduct, EqualsAijInEachFormat) {
  for (const char* format : {"auto", "coo", "csr", "dia", "ell", "hyb", "sell", "block"}) {
    SCOPED_TRACE(format);
    Mat aij = nullptr;
    Mat a = nullptr;
    option("-mat_gpusupernodal_format", format);
    PETSC_OK(make_grid(9, 0.5, &aij));
    PETSC_OK(MatConvert(aij, "aijgpusupernodal", MAT_INITIAL_MATRIX, &a));
    expect_equal(a, aij);
    const std::string line = std::string("products: ") + (std::string(format) == "auto" ? "" : format);
    EXPECT_NE(view(a).find(line), std::string::npos) << view(a);
    EXPECT_NE(view(a).find("on host"), std::string::npos) << view(a);
    PETSC_OK(MatDestroy(&a));
    PETSC_OK(MatDestroy(&aij));
  }
}

TEST_F(PetscProduct, OptionsComeWithThePrefixOfTheMatrix) {
  Mat a = nullptr;
  option("-mine_mat_type", "aijgpusupernodal");
  option("-mine_mat_gpusupernodal_format", "coo");
  PETSC_OK(MatCreate(PETSC_COMM_SELF, &a));
  PETSC_OK(MatSetSizes(a, 6, 6, 6, 6));
  PETSC_OK(MatSetOptionsPrefix(a, "mine_"));
  PETSC_OK(MatSetFromOptions(a));
  PETSC_OK(MatSetUp(a));
  EXPECT_EQ(type_of(a), seq_type);
  for (PetscInt k = 0; k < 6; ++k) PETSC_OK(MatSetValue(a, k, (k * 5 + 1) % 6, 1 + k, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  EXPECT_NE(view(a).find("products: none yet"), std::string::npos) << view(a);
  Mat aij = nullptr;
  Mat copy = nullptr;
  PETSC_OK(MatConvert(a, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij));
  PETSC_OK(MatDuplicate(a, MAT_COPY_VALUES, &copy));
  expect_equal(a, aij);
  expect_equal(copy, aij);
  EXPECT_NE(view(a).find("products: coo"), std::string::npos) << view(a);
  EXPECT_NE(view(copy).find("products: coo"), std::string::npos) << "a copy has the options\n" << view(copy);
  PETSC_OK(MatDestroy(&copy));
  PETSC_OK(MatDestroy(&aij));
  PETSC_OK(MatDestroy(&a));
}

TEST_F(PetscProduct, FollowsValuesAndEntries) {
  Mat aij = nullptr;
  Mat a = nullptr;
  PETSC_OK(make_scattered(61, 61, &aij));
  PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
  PETSC_OK(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  expect_equal(a, aij);
  for (int round = 0; round < 3; ++round) {
    PETSC_OK(change_values(a));
    PETSC_OK(change_values(aij));
    expect_equal(a, aij);
    if (round == 1) {
      PETSC_OK(add_entries(a));
      PETSC_OK(add_entries(aij));
      expect_equal(a, aij);
    }
  }
  PETSC_OK(MatZeroEntries(a));
  PETSC_OK(MatZeroEntries(aij));
  PETSC_OK(MatShift(a, 3));
  PETSC_OK(MatShift(aij, 3));
  expect_equal(a, aij);
  const PetscInt row = 30;
  PETSC_OK(MatZeroRows(a, 1, &row, 5, nullptr, nullptr));
  PETSC_OK(MatZeroRows(aij, 1, &row, 5, nullptr, nullptr));
  expect_equal(a, aij);
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&aij));
}

/// The log counts analyses and copies of values: new values alone need no analysis, and equal ones nothing.
TEST_F(PetscProduct, NewValuesNeedNoAnalysis) {
  Mat a = nullptr;
  Vec x = nullptr;
  Vec y = nullptr;
  PetscLogEvent analyze = 0;
  PetscLogEvent upload = 0;
  PetscEventPerfInfo info;
  PETSC_OK(PetscLogDefaultBegin());
  PETSC_OK(make_grid(9, 0, &a));
  PETSC_OK(MatConvert(a, seq_type, MAT_INPLACE_MATRIX, &a));
  PETSC_OK(MatCreateVecs(a, &x, &y));
  PETSC_OK(VecSet(x, 1));
  PETSC_OK(PetscLogEventGetId("GpuSnAnalyze", &analyze));
  PETSC_OK(PetscLogEventGetId("GpuSnUpload", &upload));
  for (int round = 0; round < 4; ++round) {
    PETSC_OK(MatMult(a, x, y));
    PETSC_OK(MatMult(a, x, y));
    PETSC_OK(MatScale(a, 2));
  }
  PETSC_OK(PetscLogEventGetPerfInfo(PETSC_DETERMINE, analyze, &info));
  EXPECT_EQ(info.count, 1);
  PETSC_OK(PetscLogEventGetPerfInfo(PETSC_DETERMINE, upload, &info));
  EXPECT_EQ(info.count, 3);
  PETSC_OK(VecDestroy(&x));
  PETSC_OK(VecDestroy(&y));
  PETSC_OK(MatDestroy(&a));
}

TEST_F(PetscProduct, ConvertsBothWaysInAllManners) {
  Mat aij = nullptr;
  Mat a = nullptr;
  Mat back = nullptr;
  PETSC_OK(make_scattered(40, 61, &aij));
  PETSC_OK(MatDuplicate(aij, MAT_COPY_VALUES, &a));
  PETSC_OK(MatConvert(a, "aijgpusupernodal", MAT_INPLACE_MATRIX, &a));
  EXPECT_EQ(type_of(a), seq_type);
  expect_equal(a, aij);
  PETSC_OK(MatConvert(a, MATAIJ, MAT_INITIAL_MATRIX, &back));
  EXPECT_EQ(type_of(back), MATSEQAIJ);
  expect_equal(back, aij);
  PETSC_OK(MatScale(a, 3));
  PETSC_OK(MatScale(aij, 3));
  PETSC_OK(MatConvert(a, MATAIJ, MAT_REUSE_MATRIX, &back));
  expect_equal(back, aij);
  PETSC_OK(MatScale(aij, 2));
  PETSC_OK(MatConvert(aij, "aijgpusupernodal", MAT_REUSE_MATRIX, &a));
  expect_equal(a, aij);
  PETSC_OK(MatConvert(a, MATSEQAIJ, MAT_INPLACE_MATRIX, &a));
  EXPECT_EQ(type_of(a), MATSEQAIJ);
  expect_equal(a, aij);
  PETSC_OK(MatDestroy(&back));
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&aij));
}

TEST_F(PetscProduct, DuplicatesAreIndependent) {
  Mat aij = nullptr;
  Mat a = nullptr;
  Mat copy = nullptr;
  Mat empty = nullptr;
  PETSC_OK(make_scattered(61, 40, &aij));
  PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
  expect_equal(a, aij);
  PETSC_OK(MatDuplicate(a, MAT_COPY_VALUES, &copy));
  PETSC_OK(MatDuplicate(a, MAT_SHARE_NONZERO_PATTERN, &empty));
  EXPECT_EQ(type_of(copy), seq_type);
  EXPECT_EQ(type_of(empty), seq_type);
  PETSC_OK(MatScale(a, 7));
  expect_equal(copy, aij);
  PETSC_OK(MatCopy(copy, empty, SAME_NONZERO_PATTERN));
  expect_equal(empty, aij);
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&empty));
  PETSC_OK(MatDestroy(&copy));
  PETSC_OK(MatDestroy(&aij));
}

/// C = A B and C = Aᵀ B, at first and again with new values, beside aij.
TEST_F(PetscProduct, MultipliesDenseMatrices) {
  for (const PetscInt columns : {1, 3, 20}) {
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE(testing::Message() << columns << " columns, transposed: " << transposed);
      Mat aij = nullptr;
      Mat a = nullptr;
      Mat b = nullptr;
      Mat c = nullptr;
      Mat expected = nullptr;
      PetscReal difference = 1;
      const auto multiply = transposed ? MatTransposeMatMult : MatMatMult;
      PETSC_OK(make_scattered(40, 61, &aij));
      PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
      PETSC_OK(make_dense(transposed ? 40 : 61, columns, 5, &b));
      PETSC_OK(multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
      PETSC_OK(multiply(aij, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
      PETSC_OK(compare_entries(c, expected, &difference));
      EXPECT_LE(difference, bound);
      PETSC_OK(change_values(a));
      PETSC_OK(change_values(aij));
      PETSC_OK(multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      PETSC_OK(multiply(aij, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &expected));
      PETSC_OK(compare_entries(c, expected, &difference));
      EXPECT_LE(difference, bound);
      PETSC_OK(MatDestroy(&c));
      PETSC_OK(MatDestroy(&expected));
      PETSC_OK(MatDestroy(&b));
      PETSC_OK(MatDestroy(&a));
      PETSC_OK(MatDestroy(&aij));
    }
  }
}

/// Products that are those of aij: with sparse matrices, B A, A Bᵀ, Pᵀ A P.
TEST_F(PetscProduct, OtherProductsAreThoseOfAij) {
  Mat aij = nullptr;
  Mat a = nullptr;
  Mat p = nullptr;
  Mat dense = nullptr;
  Mat c = nullptr;
  Mat expected = nullptr;
  PetscReal difference = 1;
  PETSC_OK(make_scattered(61, 61, &aij));
  PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
  PETSC_OK(make_scattered(61, 33, &p));
  PETSC_OK(make_dense(20, 61, 0, &dense));
  const auto compare = [&] {
    PETSC_OK(compare_entries(c, expected, &difference));
    EXPECT_LE(difference, bound);
    PETSC_OK(MatDestroy(&c));
    PETSC_OK(MatDestroy(&expected));
  };
  PETSC_OK(MatMatMult(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  PETSC_OK(MatMatMult(aij, aij, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
  compare();
  PETSC_OK(MatMatMult(a, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  PETSC_OK(MatMatMult(aij, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
  compare();
  PETSC_OK(MatPtAP(a, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  PETSC_OK(MatPtAP(aij, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
  compare();
  PETSC_OK(MatMatMult(dense, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  PETSC_OK(MatMatMult(dense, aij, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
  compare();
  PETSC_OK(MatTranspose(a, MAT_INITIAL_MATRIX, &c));
  PETSC_OK(MatTranspose(aij, MAT_INITIAL_MATRIX, &expected));
  compare();
  PETSC_OK(MatDestroy(&dense));
  PETSC_OK(MatDestroy(&p));
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&aij));
}

TEST_F(PetscProduct, IsFactorizedAsAij) {
  Mat a = nullptr;
  Mat f = nullptr;
  PETSC_OK(make_grid(9, 0, &a));
  PETSC_OK(MatConvert(a, seq_type, MAT_INPLACE_MATRIX, &a));
  PETSC_OK(factorize(a, nullptr, &f));
  Vec b = nullptr;
  Vec x = nullptr;
  PetscReal error = 1;
  PETSC_OK(make_right_hand_side(a, &b));
  PETSC_OK(VecDuplicate(b, &x));
  PETSC_OK(MatSolve(f, b, x));
  PETSC_OK(vector_error(a, x, b, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(VecDestroy(&b));
  PETSC_OK(VecDestroy(&x));
  PETSC_OK(MatDestroy(&a));
}

/// Wrong settings are errors of the first product, which leave the matrix usable.
TEST_F(PetscProduct, WrongSettingsAreErrors) {
  Mat a = nullptr;
  Mat aij = nullptr;
  Vec x = nullptr;
  Vec y = nullptr;
  PETSC_OK(make_grid(9, 0, &aij));
  PETSC_OK(MatCreateVecs(aij, &x, &y));
  PETSC_OK(VecSet(x, 1));
  for (const char* name : {"-mat_gpusupernodal_threads", "-mat_gpusupernodal_device"}) {
    option(name, "-5");
    PETSC_OK(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a));
    EXPECT_EQ(static_cast<int>(MatMult(a, x, y)), PETSC_ERR_ARG_WRONG) << name;
    PETSC_OK(PetscOptionsClearValue(nullptr, name));
    PETSC_OK(MatSetFromOptions(a));
    EXPECT_EQ(static_cast<int>(MatMult(a, x, y)), PETSC_ERR_ARG_WRONG) << "options that are not given stay as they are";
    option(name, "0");
    PETSC_OK(MatSetFromOptions(a));
    expect_equal(a, aij);
    PETSC_OK(PetscOptionsClearValue(nullptr, name));
    PETSC_OK(MatDestroy(&a));
  }
  option("-mat_gpusupernodal_format", "fast");
  EXPECT_NE(static_cast<int>(MatConvert(aij, seq_type, MAT_INITIAL_MATRIX, &a)), 0);
  PETSC_OK(VecDestroy(&x));
  PETSC_OK(VecDestroy(&y));
  PETSC_OK(MatDestroy(&aij));
}

/// Statics and lists of types are made again.
TEST_F(PetscProduct, WorksAfterAnotherInitialization) {
  stop();
  start();
  Mat a = nullptr;
  Mat aij = nullptr;
  PETSC_OK(make_grid(5, 0, &aij));
  PETSC_OK(MatConvert(aij, "aijgpusupernodal", MAT_INITIAL_MATRIX, &a));
  expect_equal(a, aij);
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&aij));
}

}  // namespace
}  // namespace gpusupernodal::test
