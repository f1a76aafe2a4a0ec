/// Tests of products of sparse matrices of type aijgpusupernodal on one rank, beside those of aij.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/plugin/petsc/product_matrices.hpp"
#include "tests/plugin/petsc/sparse_product_session.hpp"

namespace gpusupernodal::test {
namespace {

class PetscSparseProduct : public SparseProductSession {};

TEST_F(PetscSparseProduct, EqualsThatOfAijForAllShapesAndTypes) {
  const std::pair<const char*, const char*> types[] = {
      {seq_type, seq_type}, {seq_type, MATSEQAIJ}, {MATSEQAIJ, seq_type}, {seq_type, MATSEQAIJPERM}};
  for (const Product& product : products) {
    for (const auto& [type_a, type_b] : types) {
      for (const PetscInt rows : {0, 1, 40}) {
        for (const PetscInt columns : {0, 1, 33}) {
          SCOPED_TRACE(testing::Message() << product.name << ": " << type_a << ' ' << rows << " × " << columns << ", "
                                          << type_b);
          const PetscInt a_columns = product.multiply == MatPtAP ? rows : columns;
          const PetscInt b_rows = product.rows_of_b(rows, a_columns);
          Mat a = scattered(rows, a_columns, type_a);
          Mat b = scattered(b_rows, columns / 2, type_b);
          Mat c = nullptr;
          PETSC_OK(product.multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
          expect_product(product, a, b, c);
          PETSC_OK(MatDestroy(&c));
          PETSC_OK(MatDestroy(&b));
          PETSC_OK(MatDestroy(&a));
        }
      }
    }
  }
}

/// The log counts analyses: there is one for each product, and one more after new entries.
TEST_F(PetscSparseProduct, RepeatsTheNumbersOnly) {
  PETSC_OK(PetscLogDefaultBegin());
  for (const Product& product : products) {
    SCOPED_TRACE(product.name);
    Mat a = scattered(40, 40, seq_type);
    Mat b = scattered(40, 17, MATSEQAIJ);
    Mat c = nullptr;
    const int before = analyses();
    PETSC_OK(product.multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    for (int round = 0; round < 3; ++round) {
      PETSC_OK(change_values(a));
      PETSC_OK(change_values(b));
      PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      expect_product(product, a, b, c);
    }
    EXPECT_EQ(analyses() - before, 1);
    Mat others[] = {nullptr, nullptr};  // Other matrices with these patterns.
    PETSC_OK(MatDuplicate(a, MAT_COPY_VALUES, &others[0]));
    PETSC_OK(MatDuplicate(b, MAT_COPY_VALUES, &others[1]));
    PETSC_OK(MatScale(others[0], 3));
    PETSC_OK(product.multiply(others[0], others[1], MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, others[0], others[1], c);
    EXPECT_EQ(analyses() - before, 1);
    for (Mat m : {a, b}) {
      PETSC_OK(add_entries(m));
      PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      expect_product(product, a, b, c);
    }
    EXPECT_EQ(analyses() - before, 3);
    for (Mat* m : {&others[0], &others[1], &a, &b, &c}) PETSC_OK(MatDestroy(m));
  }
}

/// Stored zeros belong to the pattern, and rows need not be sorted: MatCreateSeqAIJWithArrays does not sort them. Compares
/// with products of sorted rows, because PETSc's MatPtAP needs them.
TEST_F(PetscSparseProduct, TakesStoredZerosAndUnsortedRows) {
  PetscInt offsets[] = {0, 3, 4, 7, 7};
  PetscInt columns[] = {3, 0, 2, 1, 2, 3, 1};
  PetscScalar values[] = {2, 0, -1, 0, 3, 0, 5};
  PetscInt sorted_columns[] = {0, 2, 3, 1, 1, 2, 3};
  PetscScalar sorted_values[] = {0, -1, 2, 0, 5, 3, 0};
  for (const Product& product : products) {
    SCOPED_TRACE(product.name);
    Mat a = nullptr;
    Mat sorted = nullptr;
    Mat b = scattered(4, 4, seq_type);
    PETSC_OK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 4, 4, offsets, columns, values, &a));
    PETSC_OK(MatConvert(a, seq_type, MAT_INPLACE_MATRIX, &a));
    PETSC_OK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 4, 4, offsets, sorted_columns, sorted_values, &sorted));
    const Mat pairs[][2] = {{a, b}, {b, a}, {a, a}};
    const Mat sorted_pairs[][2] = {{sorted, b}, {b, sorted}, {sorted, sorted}};
    for (int k = 0; k < 3; ++k) {
      SCOPED_TRACE(k);
      Mat c = nullptr;
      PETSC_OK(product.multiply(pairs[k][0], pairs[k][1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
      expect_product(product, sorted_pairs[k][0], sorted_pairs[k][1], c);
      PETSC_OK(product.multiply(pairs[k][0], pairs[k][1], MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      expect_product(product, sorted_pairs[k][0], sorted_pairs[k][1], c);
      PETSC_OK(MatDestroy(&c));
    }
    for (Mat* m : {&a, &b, &sorted}) PETSC_OK(MatDestroy(m));
  }
}

TEST_F(PetscSparseProduct, RefusesWrongSizes) {
  for (const Product& product : products) {
    SCOPED_TRACE(product.name);
    Mat a = scattered(40, 40, seq_type);
    Mat b = scattered(39, 5, seq_type);
    Mat c = nullptr;
    EXPECT_EQ(static_cast<int>(product.multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c)), PETSC_ERR_ARG_SIZ);
    PETSC_OK(MatDestroy(&c));
    PETSC_OK(product.multiply(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, a, a, c);
    for (Mat* m : {&a, &b, &c}) PETSC_OK(MatDestroy(m));
  }
}

/// A matrix that exists becomes the result, and a product may get another type.
TEST_F(PetscSparseProduct, FillsAMatrixThatExists) {
  for (const char* type : {MATSEQAIJ, seq_type}) {
    SCOPED_TRACE(type);
    Mat a = scattered(40, 40, seq_type);
    Mat b = scattered(40, 40, MATSEQAIJ);
    Mat c = scattered(40, 40, type);
    PETSC_OK(MatProductCreateWithMat(a, b, nullptr, c));
    for (const auto& [kind, product] : {std::pair(MATPRODUCT_AB, 0), std::pair(MATPRODUCT_PtAP, 2)}) {
      PETSC_OK(MatProductSetType(c, kind));
      PETSC_OK(MatProductSetFromOptions(c));
      PETSC_OK(MatProductSymbolic(c));
      PETSC_OK(MatProductNumeric(c));
      expect_product(products[product], a, b, c);
      PETSC_OK(MatProductView(c, PETSC_VIEWER_STDOUT_SELF));
    }
    PETSC_OK(MatProductClear(c));
    expect_product(products[2], a, b, c);
    for (Mat* m : {&a, &b, &c}) PETSC_OK(MatDestroy(m));
  }
}

/// Coarse matrices have the block size of P's columns, and GAMG takes its near null space from it.
TEST_F(PetscSparseProduct, HasTheBlockSizesOfItsFactors) {
  Mat a = scattered(36, 36, seq_type);
  Mat p = scattered(36, 12, seq_type);
  Mat c = nullptr;
  PetscInt rows = 0;
  PetscInt columns = 0;
  PETSC_OK(MatDestroy(&p));
  PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 36, 12, 1, nullptr, &p));
  PETSC_OK(MatSetBlockSizes(p, 3, 6));
  PETSC_OK(MatSetUp(p));
  for (PetscInt row = 0; row < 36; ++row) PETSC_OK(MatSetValue(p, row, row / 3, 1, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(p, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(p, MAT_FINAL_ASSEMBLY));
  const std::pair<PetscInt, PetscInt> expected[] = {{1, 6}, {1, 6}, {6, 6}};
  for (int k = 0; k < 3; ++k) {
    PETSC_OK(products[k].multiply(a, p, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    PETSC_OK(MatGetBlockSizes(c, &rows, &columns));
    EXPECT_EQ(std::pair(rows, columns), expected[k]) << products[k].name;
    PETSC_OK(MatDestroy(&c));
  }
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(MatDestroy(&p));
}

TEST_F(PetscSparseProduct, WrongSettingsAreErrors) {
  Mat a = scattered(40, 40, seq_type);
  Mat c = nullptr;
  option("-mat_gpusupernodal_threads", "-5");
  PETSC_OK(MatSetFromOptions(a));
  EXPECT_EQ(static_cast<int>(MatMatMult(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c)), PETSC_ERR_ARG_WRONG);
  PETSC_OK(MatDestroy(&c));
  option("-mat_gpusupernodal_threads", "1");
  PETSC_OK(MatSetFromOptions(a));
  PETSC_OK(MatMatMult(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
  expect_product(products[0], a, a, c);
  PETSC_OK(MatDestroy(&c));
  PETSC_OK(MatDestroy(&a));
}

}  // namespace
}  // namespace gpusupernodal::test
