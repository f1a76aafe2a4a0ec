#pragma once

/// \file
/// Matrices and comparisons for the tests of aijgpusupernodal.

#include <petscmat.h>

namespace gpusupernodal::test {

/// A rows × columns AIJ matrix with some empty rows, one full row, and small values that differ.
PetscErrorCode make_scattered(PetscInt rows, PetscInt columns, Mat* a);
/// Sets an entry of each fifth row to other places and values.
PetscErrorCode add_entries(Mat a);
/// Doubles the values of A and adds 1 to each.
PetscErrorCode change_values(Mat a);

/// The largest relative difference between the products of two matrices with vectors: A x, A x + y, Aᵀ x, Aᵀ x + y.
PetscErrorCode compare_products(Mat a, Mat b, PetscReal* difference);
/// ‖A − B‖ / ‖B‖ in the Frobenius norm, for matrices of any types.
PetscErrorCode compare_entries(Mat a, Mat b, PetscReal* difference);

/// A matrix with the absolute values of the entries of a sequential AIJ matrix, of type aij.
PetscErrorCode make_absolute(Mat a, Mat* absolute);
/// The largest |c − d| / (eps·m) of all entries c, d, m of sequential AIJ matrices; an infinite one if their patterns
/// differ.
PetscErrorCode compare_each_entry(Mat c, Mat d, Mat magnitudes, PetscReal* largest);

/// A dense matrix with a leading dimension larger than its rows.
PetscErrorCode make_dense(PetscInt rows, PetscInt columns, PetscInt extra, Mat* d);

/// What MatView prints in the format of -ksp_view.
PetscErrorCode view_text(Mat a, char text[], size_t size);

}  // namespace gpusupernodal::test
