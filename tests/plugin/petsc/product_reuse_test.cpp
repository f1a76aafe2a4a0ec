/// Tests of what a program may do to the factors, the result and the options of a product of sparse matrices of type
/// aijgpusupernodal between its phases.

#include <gtest/gtest.h>

#include <utility>

#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/plugin/petsc/product_matrices.hpp"
#include "tests/plugin/petsc/sparse_product_session.hpp"

namespace gpusupernodal::test {
namespace {

class PetscProductReuse : public SparseProductSession {};

/// A program may change the result, convert it, add entries, or take entries away.
TEST_F(PetscProductReuse, RestoresAChangedResult) {
  for (const Product& product : products) {
    SCOPED_TRACE(product.name);
    Mat a = scattered(40, 40, seq_type);
    Mat b = scattered(40, 40, seq_type);
    Mat c = nullptr;
    const PetscInt rows[] = {2, 20};
    PETSC_OK(product.multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    PETSC_OK(MatScale(c, 7));
    PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, a, b, c);
    PETSC_OK(MatZeroRows(c, 2, rows, 1, nullptr, nullptr));
    PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, a, b, c);
    PETSC_OK(add_entries(c));
    PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, a, b, c);
    PETSC_OK(MatConvert(c, MATSEQAIJ, MAT_INPLACE_MATRIX, &c));
    PETSC_OK(change_values(a));
    PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_values(product, a, b, c);
    for (Mat* m : {&a, &b, &c}) PETSC_OK(MatDestroy(m));
  }
}

/// Options of C that leave out zeros or new entries do not change the pattern of the product.
TEST_F(PetscProductReuse, IgnoresOptionsOfTheResultThatDropEntries) {
  for (const auto& [name, value] :
       {std::pair(MAT_IGNORE_ZERO_ENTRIES, PETSC_TRUE), std::pair(MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE)}) {
    for (const Product& product : products) {
      SCOPED_TRACE(testing::Message() << product.name << ", " << MatOptions[name]);
      Mat a = scattered(40, 40, seq_type);
      Mat b = scattered(40, 40, seq_type);
      Mat c = nullptr;
      const PetscInt row = 20;
      PETSC_OK(product.multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
      PETSC_OK(MatSetOption(c, name, value));
      PETSC_OK(MatZeroRows(c, 1, &row, 1, nullptr, nullptr));
      PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      expect_product(product, a, b, c);
      PETSC_OK(add_entries(a));
      PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      expect_product(product, a, b, c);
      for (Mat* m : {&a, &b, &c}) PETSC_OK(MatDestroy(m));
    }
  }
}

/// PETSc lets a program destroy its factors: the product keeps them.
TEST_F(PetscProductReuse, KeepsFactorsThatTheProgramDestroys) {
  for (const auto& [kind, product] :
       {std::pair(MATPRODUCT_AB, 0), std::pair(MATPRODUCT_AtB, 1), std::pair(MATPRODUCT_PtAP, 2)}) {
    Mat factors[] = {scattered(40, 40, seq_type), scattered(40, 17, seq_type)};
    Mat copies[] = {nullptr, nullptr};
    Mat c = nullptr;
    for (int k = 0; k < 2; ++k) PETSC_OK(MatDuplicate(factors[k], MAT_COPY_VALUES, &copies[k]));
    PETSC_OK(MatProductCreate(factors[0], factors[1], nullptr, &c));
    PETSC_OK(MatProductSetType(c, kind));
    PETSC_OK(MatProductSetFromOptions(c));
    PETSC_OK(MatProductSymbolic(c));
    for (Mat& m : factors) PETSC_OK(MatDestroy(&m));
    PETSC_OK(MatProductNumeric(c));
    expect_product(products[product], copies[0], copies[1], c);
    for (Mat* m : {&copies[0], &copies[1], &c}) PETSC_OK(MatDestroy(m));
  }
}

/// A copy of a product is a matrix of its own, and may be a factor.
TEST_F(PetscProductReuse, MayBeCopied) {
  for (const Product& product : products) {
    SCOPED_TRACE(product.name);
    Mat a = scattered(40, 40, seq_type);
    Mat b = scattered(40, 40, seq_type);
    Mat c = nullptr;
    Mat copy = nullptr;
    Mat d = nullptr;
    PETSC_OK(product.multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    PETSC_OK(MatDuplicate(c, MAT_COPY_VALUES, &copy));
    PETSC_OK(MatZeroEntries(c));
    expect_product(product, a, b, copy);
    PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, a, b, c);
    PETSC_OK(MatDestroy(&c));
    PETSC_OK(product.multiply(copy, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &d));
    expect_product(product, copy, b, d);
    for (Mat* m : {&a, &b, &copy, &d}) PETSC_OK(MatDestroy(m));
  }
}

/// Options that change later act on the next numeric phase.
TEST_F(PetscProductReuse, FollowsChangedOptions) {
  PETSC_OK(PetscLogDefaultBegin());
  for (const Product& product : products) {
    SCOPED_TRACE(product.name);
    Mat a = scattered(40, 40, seq_type);
    Mat b = scattered(40, 17, seq_type);
    Mat c = nullptr;
    const int before = analyses();
    PETSC_OK(product.multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c));
    option("-mat_gpusupernodal_threads", "1");
    PETSC_OK(MatSetFromOptions(a));
    for (int round = 0; round < 2; ++round) {
      PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
      expect_product(product, a, b, c);
      EXPECT_EQ(analyses() - before, 2);
    }
    option("-mat_gpusupernodal_threads", "-5");
    PETSC_OK(MatSetFromOptions(a));
    EXPECT_EQ(static_cast<int>(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c)), PETSC_ERR_ARG_WRONG);
    option("-mat_gpusupernodal_threads", "2");
    PETSC_OK(MatSetFromOptions(a));
    PETSC_OK(product.multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c));
    expect_product(product, a, b, c);
    PETSC_OK(PetscOptionsClear(nullptr));
    for (Mat* m : {&a, &b, &c}) PETSC_OK(MatDestroy(m));
  }
}

}  // namespace
}  // namespace gpusupernodal::test
