/// \file
/// The pattern of the result of a product of sparse matrices (product_sparse.cpp).

#include <type_traits>

#include "plugin/petsc/product_data.hpp"
#include "plugin/petsc/sequential_arrays.hpp"

namespace gpusupernodal::petsc {
namespace {

/// The values must not be zeros, which PETSc leaves out if C has MAT_IGNORE_ZERO_ENTRIES. New entries of C are allowed
/// afterwards, as in products of aij.
PetscErrorCode preallocate(Mat c, const std::vector<PetscInt>& offsets, const std::vector<PetscInt>& columns) {
  const std::vector<PetscScalar> ones(columns.size(), PetscScalar(1));
  PetscFunctionBegin;
  PetscCall(MatSeqAIJSetPreallocationCSR(c, offsets.data(), columns.data(), ones.data()));
  PetscCall(MatSetOption(c, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(MatZeroEntries(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode set_product_pattern(Mat c, const std::vector<std::int64_t>& offsets,
                                   const std::vector<std::int32_t>& columns) {
  PetscInt entries = 0;
  PetscFunctionBegin;
  PetscCall(PetscIntCast(offsets.back(), &entries));  // An error if PETSc has 32-bit indices and C has too many entries.
  if constexpr (std::is_same_v<PetscInt, std::int32_t>) {
    PetscCall(preallocate(c, {offsets.begin(), offsets.end()}, columns));
  } else {
    PetscCall(preallocate(c, {offsets.begin(), offsets.end()}, {columns.begin(), columns.end()}));
  }
  PetscCall(check_product_entries(c, offsets.back()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode check_product_entries(Mat c, std::int64_t entries) {
  SequentialArrays of_c;
  PetscFunctionBegin;
  PetscCall(of_c.open(c, Wanted::pattern));
  const std::int64_t stored = c->rmap->n == 0 ? 0 : of_c.offsets()[c->rmap->n];
  PetscCall(of_c.close());
  PetscCheck(stored == entries, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The result has %lld entries, but the product has %lld; make the product with another matrix",
             static_cast<long long>(stored), static_cast<long long>(entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
