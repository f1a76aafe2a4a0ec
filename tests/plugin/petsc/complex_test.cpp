/// \file
/// The plugin for complex scalars: Cholesky of Hermitian matrices, LU, and their solves.

#include <gtest/gtest.h>
#include <petscksp.h>

#include <cmath>
#include <complex>
#include <string>

#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscInt width = 13;
constexpr PetscInt order = width * width;
const double bound = backward_error_bound<PetscReal>(order);

PetscScalar direction(PetscInt i) { return std::polar(PetscReal(1), PetscReal(0.7) * static_cast<PetscReal>(i * i % 17)); }

/// The 5-point operator minus `shift`; with `hermitian`, D* A D for random directions D; otherwise with other values above
/// the diagonal than below it, unless it is `symmetric`. Only Hermitian matrices are declared.
PetscErrorCode make_complex_grid(PetscScalar shift, bool hermitian, MatType type, Mat* a, bool symmetric = false) {
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, a));
  PetscCall(MatSetSizes(*a, order, order, order, order));
  PetscCall(MatSetType(*a, type));
  PetscCall(MatSetUp(*a));
  if (std::string(type) == MATSEQSBAIJ) PetscCall(MatSetOption(*a, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt i = 0; i < order; ++i) {
    PetscCall(MatSetValue(*a, i, i, PetscScalar(5) - shift, INSERT_VALUES));
    for (const PetscInt step : {PetscInt(1), width}) {
      if (step == 1 ? (i + 1) % width == 0 : i + width >= order) continue;
      const PetscScalar value = hermitian ? -std::conj(direction(i)) * direction(i + step) : PetscScalar(-1);
      PetscCall(MatSetValue(*a, i, i + step, value, INSERT_VALUES));
      PetscCall(MatSetValue(*a, i + step, i, hermitian ? std::conj(value) : value * PetscScalar(1, symmetric ? 0 : 0.5),
                            INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  if (hermitian) PetscCall(MatSetOption(*a, MAT_HERMITIAN, PETSC_TRUE));
  return static_cast<PetscErrorCode>(0);
}

PetscErrorCode make_vector(Mat a, Vec* b) {
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, nullptr, b));
  for (PetscInt i = 0; i < order; ++i)
    PetscCall(VecSetValue(*b, i, direction(3 * i + 1) * PetscReal(i % 5 + 1), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  return static_cast<PetscErrorCode>(0);
}

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), or with Aᵀ.
PetscErrorCode error_of(Mat a, Vec x, Vec b, bool transposed, double* error) {
  Vec r = nullptr;
  PetscReal norms[4] = {};
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(transposed ? MatMultTranspose(a, x, r) : MatMult(a, x, r));
  PetscCall(VecAXPY(r, -1, b));
  PetscCall(VecNorm(r, NORM_INFINITY, &norms[0]));
  PetscCall(VecNorm(x, NORM_INFINITY, &norms[1]));
  PetscCall(VecNorm(b, NORM_INFINITY, &norms[2]));
  PetscCall(MatNorm(a, transposed ? NORM_1 : NORM_INFINITY, &norms[3]));
  PetscCall(VecDestroy(&r));
  *error = static_cast<double>(norms[0] / (norms[3] * norms[1] + norms[2]));
  return static_cast<PetscErrorCode>(0);
}

class PetscComplex : public PetscSession {
 protected:
  void expect_solved(Mat a, Mat f) {
    Vec b = nullptr;
    Vec x = nullptr;
    double error = 0.0;
    PETSC_OK(make_vector(a, &b));
    PETSC_OK(VecDuplicate(b, &x));
    PETSC_OK(MatSolve(f, b, x));
    PETSC_OK(error_of(a, x, b, false, &error));
    EXPECT_LE(error, bound);
    PETSC_OK(MatSolveTranspose(f, b, x));
    PETSC_OK(error_of(a, x, b, true, &error));
    EXPECT_LE(error, bound) << "transposed";
    expect_columns(a, f, b, x);
    PETSC_OK(VecDestroy(&b));
    PETSC_OK(VecDestroy(&x));
  }
  /// MatMatSolve agrees with MatSolve.
  void expect_columns(Mat a, Mat f, Vec b, Vec x) {
    Mat right = nullptr;
    Mat answer = nullptr;
    PETSC_OK(MatCreateSeqDense(PETSC_COMM_SELF, order, 3, nullptr, &right));
    PETSC_OK(MatDuplicate(right, MAT_DO_NOT_COPY_VALUES, &answer));
    for (PetscInt c = 0; c < 3; ++c) {
      Vec column = nullptr;
      PETSC_OK(MatDenseGetColumnVecWrite(right, c, &column));
      PETSC_OK(VecCopy(b, column));
      PETSC_OK(VecScale(column, direction(c + 1)));
      PETSC_OK(MatDenseRestoreColumnVecWrite(right, c, &column));
    }
    PETSC_OK(MatMatSolve(f, right, answer));
    for (PetscInt c = 0; c < 3; ++c) {
      Vec column = nullptr;
      double error = 0.0;
      PETSC_OK(MatDenseGetColumnVecRead(answer, c, &column));
      PETSC_OK(VecCopy(column, x));
      PETSC_OK(MatDenseRestoreColumnVecRead(answer, c, &column));
      PETSC_OK(VecScale(x, std::conj(direction(c + 1))));
      PETSC_OK(error_of(a, x, b, false, &error));
      EXPECT_LE(error, bound) << "column " << c;
    }
    PETSC_OK(MatDestroy(&right));
    PETSC_OK(MatDestroy(&answer));
  }
};

TEST_F(PetscComplex, CholeskyOfHermitianMatricesOfEachType) {
  for (const char* type : {MATSEQAIJ, MATSEQSBAIJ, MATSEQBAIJ}) {
    SCOPED_TRACE(type);
    Mat a = nullptr;
    Mat whole = nullptr;
    Mat f = nullptr;
    PETSC_OK(make_complex_grid(0.2, true, type, &a));
    PETSC_OK(make_complex_grid(0.2, true, MATSEQAIJ, &whole));
    PETSC_OK(factorize(a, nullptr, &f));
    expect_solved(whole, f);
    PETSC_OK(MatDestroy(&f));
    PETSC_OK(MatDestroy(&a));
    PETSC_OK(MatDestroy(&whole));
  }
}

TEST_F(PetscComplex, CholeskyNeedsADeclaredHermitianMatrix) {
  Mat a = nullptr;
  Mat f = nullptr;
  PETSC_OK(make_complex_grid(PetscScalar(0.2, 0.1), false, MATSEQAIJ, &a));
  EXPECT_NE(static_cast<int>(factorize(a, nullptr, &f)), 0);
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&a));
}

TEST_F(PetscComplex, TheOptionDeclaresAHermitianMatrix) {
  Mat a = nullptr;
  Mat f = nullptr;
  PETSC_OK(make_complex_grid(0.2, true, MATSEQAIJ, &a));
  PETSC_OK(MatSetOption(a, MAT_HERMITIAN, PETSC_FALSE));
  EXPECT_NE(static_cast<int>(factorize(a, nullptr, &f)), 0);
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_symmetry", "hermitian"));
  PETSC_OK(factorize(a, nullptr, &f));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_symmetry"));
  expect_solved(a, f);
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&a));
}

/// A matrix of type sbaij counts as symmetric unless the program says that it is Hermitian.
TEST_F(PetscComplex, CholeskyOfDeclaredSymmetricMatricesTakesLdlt) {
  for (const char* type : {MATSEQAIJ, MATSEQSBAIJ}) {
    SCOPED_TRACE(type);
    Mat a = nullptr;
    Mat whole = nullptr;
    Mat f = nullptr;
    PETSC_OK(make_complex_grid(PetscScalar(5.3, 0.4), false, type, &a, true));
    PETSC_OK(make_complex_grid(PetscScalar(5.3, 0.4), false, MATSEQAIJ, &whole, true));
    PETSC_OK(MatSetOption(a, MAT_SYMMETRIC, PETSC_TRUE));
    PETSC_OK(factorize(a, nullptr, &f));
    expect_solved(whole, f);
    PETSC_OK(MatDestroy(&f));
    PETSC_OK(MatDestroy(&a));
    PETSC_OK(MatDestroy(&whole));
  }
}

/// Eigenvalues 5 − 2 cos(iπ/14) − 2 cos(jπ/14) − shift; LDLᴴ counts them.
TEST_F(PetscComplex, CholeskyOfIndefiniteHermitianMatricesGivesTheInertia) {
  constexpr double shift = 6.1, pi = 3.14159265358979323846;
  PetscInt below = 0;
  for (PetscInt i = 1; i <= width; ++i) {
    for (PetscInt j = 1; j <= width; ++j)
      below += 5.0 - 2.0 * std::cos(static_cast<double>(i) * pi / (width + 1)) -
                           2.0 * std::cos(static_cast<double>(j) * pi / (width + 1)) <
                       shift
                   ? 1
                   : 0;
  }
  Mat a = nullptr;
  Mat f = nullptr;
  PetscInt negative = 0, zero = 0, positive = 0;
  PETSC_OK(make_complex_grid(shift, true, MATSEQAIJ, &a));
  PETSC_OK(factorize(a, nullptr, &f));
  expect_solved(a, f);
  PETSC_OK(MatGetInertia(f, &negative, &zero, &positive));
  EXPECT_EQ(negative, below);
  EXPECT_EQ(zero, 0);
  EXPECT_EQ(positive, order - below);
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&a));
}

TEST_F(PetscComplex, LuOfGeneralMatrices) {
  for (const PetscScalar shift : {PetscScalar(0.3, -0.4), PetscScalar(6.0, 1.0), PetscScalar(5.0, 0.1)}) {
    Mat a = nullptr;
    Mat f = nullptr;
    PETSC_OK(make_complex_grid(shift, false, MATSEQAIJ, &a));
    PETSC_OK(factorize_lu(a, nullptr, &f));
    expect_solved(a, f);
    PETSC_OK(MatScale(a, PetscScalar(0.5, 2.0)));
    MatFactorInfo info;
    PETSC_OK(MatFactorInfoInitialize(&info));
    PETSC_OK(MatLUFactorNumeric(f, a, &info));
    expect_solved(a, f);
    PETSC_OK(MatDestroy(&f));
    PETSC_OK(MatDestroy(&a));
  }
}

TEST_F(PetscComplex, KspTakesBothFormsByOptions) {
  for (const char* type : {PCCHOLESKY, PCLU}) {
    Mat a = nullptr;
    Vec b = nullptr;
    Vec x = nullptr;
    KSP ksp = nullptr;
    PC pc = nullptr;
    double error = 0.0;
    PETSC_OK(make_complex_grid(0.1, std::string(type) == PCCHOLESKY, MATSEQAIJ, &a));
    PETSC_OK(make_vector(a, &b));
    PETSC_OK(VecDuplicate(b, &x));
    PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp));
    PETSC_OK(KSPSetOperators(ksp, a, a));
    PETSC_OK(KSPSetType(ksp, KSPPREONLY));
    PETSC_OK(KSPGetPC(ksp, &pc));
    PETSC_OK(PCSetType(pc, type));
    PETSC_OK(PCFactorSetMatSolverType(pc, "gpusupernodal"));
    PETSC_OK(KSPSolve(ksp, b, x));
    PETSC_OK(error_of(a, x, b, false, &error));
    EXPECT_LE(error, bound) << type;
    PETSC_OK(KSPDestroy(&ksp));
    PETSC_OK(MatDestroy(&a));
    PETSC_OK(VecDestroy(&b));
    PETSC_OK(VecDestroy(&x));
  }
}

/// The types for real scalars are there, and say so.
TEST_F(PetscComplex, RefusesTheTypesForRealScalars) {
  Mat a = nullptr;
  KSP ksp = nullptr;
  PC pc = nullptr;
  PETSC_OK(MatCreate(PETSC_COMM_SELF, &a));
  PETSC_OK(MatSetSizes(a, 3, 3, 3, 3));
  EXPECT_EQ(static_cast<int>(MatSetType(a, "aijgpusupernodal")), PETSC_ERR_SUP);
  PETSC_OK(KSPCreate(PETSC_COMM_SELF, &ksp));
  EXPECT_EQ(static_cast<int>(KSPSetType(ksp, "gpusupernodalcg")), PETSC_ERR_SUP);
  PETSC_OK(PCCreate(PETSC_COMM_SELF, &pc));
  EXPECT_EQ(static_cast<int>(PCSetType(pc, "gpusupernodal")), PETSC_ERR_SUP);
  PETSC_OK(MatDestroy(&a));
  PETSC_OK(KSPDestroy(&ksp));
  PETSC_OK(PCDestroy(&pc));
}

TEST_F(PetscComplex, TellsIndefiniteAndSingularMatrices) {
  Mat a = nullptr;
  Mat f = nullptr;
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_form", "llt"));
  PETSC_OK(make_complex_grid(7.0, true, MATSEQAIJ, &a));
  PETSC_OK(factorize(a, nullptr, &f));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_form"));
  MatFactorError failure = MAT_FACTOR_NOERROR;
  PETSC_OK(MatFactorGetError(f, &failure));
  EXPECT_EQ(failure, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatZeroEntries(a));
  PETSC_OK(factorize_lu(a, nullptr, &f));
  PETSC_OK(MatFactorGetError(f, &failure));
  EXPECT_EQ(failure, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&a));
}

}  // namespace
}  // namespace gpusupernodal::test
