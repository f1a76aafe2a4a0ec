#pragma once

/// \file
/// PETSc with the plugin for tests of products of sparse matrices, and a comparison with the products of aij.

#include <gtest/gtest.h>

#include <string>

#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/plugin/petsc/product_matrices.hpp"

namespace gpusupernodal::test {

inline constexpr char seq_type[] = "seqaijgpusupernodal";
/// c·n with c = 4: both results sum at most n products twice, in any order. Relative to eps and to the product of the
/// absolute values.
constexpr PetscReal bound_of(PetscInt n) { return static_cast<PetscReal>(4 * n); }

/// Computes a product of PETSc's old interface, whose third argument says whether C exists.
using Multiply = PetscErrorCode (*)(Mat, Mat, MatReuse, PetscReal, Mat*);
struct Product {
  const char* name;
  Multiply multiply;
  PetscInt (*rows_of_b)(PetscInt rows, PetscInt columns);
};
inline PetscInt rows_of_a(PetscInt rows, PetscInt) { return rows; }
inline PetscInt columns_of_a(PetscInt, PetscInt columns) { return columns; }
inline const Product products[] = {
    {"A B", MatMatMult, columns_of_a}, {"A' B", MatTransposeMatMult, rows_of_a}, {"P' A P", MatPtAP, columns_of_a}};

/// PETSc with the plugin, and what a product must be.
class SparseProductSession : public PetscSession {
 protected:
  void TearDown() override {
    PETSC_OK(PetscOptionsClear(nullptr));
    PetscSession::TearDown();
  }
  static void option(const char* name, const char* value) { PETSC_OK(PetscOptionsSetValue(nullptr, name, value)); }
  static std::string type_of(Mat a) {
    MatType type = nullptr;
    EXPECT_EQ(static_cast<int>(MatGetType(a, &type)), 0);
    return type;
  }
  static Mat scattered(PetscInt rows, PetscInt columns, MatType type) {
    Mat a = nullptr;
    EXPECT_EQ(static_cast<int>(make_scattered(rows, columns, &a)), 0);
    EXPECT_EQ(static_cast<int>(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)), 0);
    EXPECT_EQ(static_cast<int>(MatConvert(a, type, MAT_INPLACE_MATRIX, &a)), 0);
    return a;
  }
  /// C has our type and is the product of A and B.
  static void expect_product(const Product& product, Mat a, Mat b, Mat c) {
    EXPECT_EQ(type_of(c), seq_type);
    expect_values(product, a, b, c);
  }
  /// C is the product of A and B, entry by entry, as aij computes it.
  static void expect_values(const Product& product, Mat a, Mat b, Mat c) {
    Mat aij[2] = {};
    Mat absolute[2] = {};
    Mat expected = nullptr;
    Mat magnitudes = nullptr;
    PetscInt rows = 0;
    PetscInt columns = 0;
    PetscReal largest = -1;
    PETSC_OK(MatConvert(a, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij[0]));
    PETSC_OK(MatConvert(b, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij[1]));
    PETSC_OK(make_absolute(a, &absolute[0]));
    PETSC_OK(make_absolute(b, &absolute[1]));
    PETSC_OK(product.multiply(aij[0], aij[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    PETSC_OK(product.multiply(absolute[0], absolute[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &magnitudes));
    EXPECT_EQ(type_of(expected), MATSEQAIJ);
    PETSC_OK(MatGetSize(a, &rows, &columns));
    PETSC_OK(compare_each_entry(c, expected, magnitudes, &largest));
    EXPECT_LE(largest, bound_of(rows + columns));
    for (Mat* m : {&aij[0], &aij[1], &absolute[0], &absolute[1], &expected, &magnitudes}) PETSC_OK(MatDestroy(m));
  }
  static int analyses() {
    PetscLogEvent analyze = 0;
    PetscEventPerfInfo info;
    EXPECT_EQ(static_cast<int>(PetscLogEventGetId("GpuSnAnalyze", &analyze)), 0);
    EXPECT_EQ(static_cast<int>(PetscLogEventGetPerfInfo(PETSC_DETERMINE, analyze, &info)), 0);
    return info.count;
  }
};

}  // namespace gpusupernodal::test
