/// \file
/// Products of sparse matrices with dense ones (MatProduct). C = A B and C = Aᵀ B with a dense B on one rank go through the
/// columns of SparseOperator; all others are those of aij.

#include <algorithm>
#include <cstdint>
#include <string>

#include "plugin/petsc/device_memory.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/product_data.hpp"

namespace gpusupernodal::petsc {
namespace {

/// The pairs of types for which MatProduct asks the matrices, and what they are to be with aij.
struct TypePair {
  const char* name;
  const char* aij;
};
constexpr TypePair sequential_pairs[] = {
    {"MatProductSetFromOptions_seqaijgpusupernodal_seqdense_C", "MatProductSetFromOptions_seqaij_seqdense_C"},
    {"MatProductSetFromOptions_seqaijgpusupernodal_seqdensecuda_C", "MatProductSetFromOptions_seqaij_seqdensecuda_C"},
    {"MatProductSetFromOptions_seqdense_seqaijgpusupernodal_C", "MatProductSetFromOptions_seqdense_seqaij_C"},
};
constexpr TypePair parallel_pairs[] = {
    {"MatProductSetFromOptions_mpiaijgpusupernodal_mpidense_C", "MatProductSetFromOptions_mpiaij_mpidense_C"},
    {"MatProductSetFromOptions_mpidense_mpiaijgpusupernodal_C", "MatProductSetFromOptions_mpidense_mpiaij_C"},
};

PetscErrorCode is_dense(Mat a, bool* dense) {
  PetscBool is = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQDENSE, &is));
  *dense = is == PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The largest number of columns that one product of SparseOperator takes.
constexpr std::int64_t max_columns = 65535;

/// Y := op(A) X.
void multiply_in_pieces(SparseOperator<PetscScalar>* product, const DenseView<const PetscScalar>& x,
                        const DenseView<PetscScalar>& y, bool transposed) {
  std::int64_t first = 0;
  do {  // Without columns, one product checks the other extents.
    const std::int64_t count = std::min(x.cols - first, max_columns);
    const DenseView<const PetscScalar> from(x.data + first * x.ld, x.rows, count, x.ld, x.space);
    const DenseView<PetscScalar> to(y.data + first * y.ld, y.rows, count, y.ld, y.space);
    if (transposed) {
      product->multiply_transposed(from, to);
    } else {
      product->multiply(from, to);
    }
    first += count;
  } while (first < x.cols);
}

PetscErrorCode multiply_columns(Mat a, Mat b, Mat c, bool transposed) {
  PlacedArray<const PetscScalar> from;
  PlacedArray<PetscScalar> to;
  PetscInt from_ld = 0;
  PetscInt to_ld = 0;

  PetscFunctionBegin;
  PetscCall(refresh_product(a, transposed));
  ProductData& data = product_data(a);
  const bool in_place = data.takes_device_arrays;
  PetscCall(MatDenseGetLDA(b, &from_ld));
  PetscCall(MatDenseGetLDA(c, &to_ld));
  PetscCall(borrow_read(b, in_place, &from));
  PetscCall(borrow_write(c, in_place, &to));
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    const DenseView<const PetscScalar> x(from.data, b->rmap->n, b->cmap->n, from_ld, from.space);
    const DenseView<PetscScalar> y(to.data, c->rmap->n, c->cmap->n, to_ld, to.space);
    multiply_in_pieces(&data.product, x, y, transposed);
    return log_product(data, x.cols, x.space == MemorySpace::host);
  });
  PetscCall(restore_write(c, in_place, &to));
  PetscCall(restore_read(b, in_place, &from));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode product_numeric(Mat c) {
  const Mat_Product* product = c->product;
  PetscFunctionBegin;
  PetscCall(multiply_columns(product->A, product->B, c, product->type == MATPRODUCT_AtB));
  PetscCall(MatAssemblyBegin(c, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(c, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode product_symbolic(Mat c) {
  const Mat_Product* product = c->product;
  const PetscInt rows = product->type == MATPRODUCT_AtB ? product->A->cmap->n : product->A->rmap->n;
  bool dense = false;
  PetscFunctionBegin;
  PetscCall(MatSetSizes(c, rows, product->B->cmap->n, rows, product->B->cmap->n));
  if (reinterpret_cast<PetscObject>(c)->type_name != nullptr) PetscCall(is_dense(c, &dense));
  if (!dense) PetscCall(MatSetType(c, reinterpret_cast<PetscObject>(product->B)->type_name));
  PetscCall(MatSetUp(c));
  c->ops->productnumeric = product_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The name for which aij has products of these types; nullptr if there is none.
const char* name_with_aij(const Mat_Product& product) {
  const std::string name = std::string("MatProductSetFromOptions_") + reinterpret_cast<PetscObject>(product.A)->type_name +
                           "_" + reinterpret_cast<PetscObject>(product.B)->type_name + "_C";
  for (const TypePair& pair : sequential_pairs) {
    if (name == pair.name) return pair.aij;
  }
  for (const TypePair& pair : parallel_pairs) {
    if (name == pair.name) return pair.aij;
  }
  return nullptr;
}

/// Lets PETSc make the product as with aij.
PetscErrorCode take_product_of_aij(Mat c) {
  const Mat_Product* product = c->product;
  PetscErrorCode (*take)(Mat) = nullptr;
  PetscFunctionBegin;
  const char* const name = name_with_aij(*product);
  if (name != nullptr) {
    PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(product->B), name, &take));
    if (take == nullptr) PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(product->A), name, &take));
  }
  // Without one, PETSc says which product is not supported.
  if (take != nullptr) PetscCall(take(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode product_set_from_options(Mat c) {
  const Mat_Product* product = c->product;
  PetscBool ours = PETSC_FALSE;
  bool dense = false;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(product->A), sequential_product_type, &ours));
  PetscCall(is_dense(product->B, &dense));
  const bool columns = product->type == MATPRODUCT_AB || product->type == MATPRODUCT_AtB;
  if (ours == PETSC_TRUE && dense && columns) {
    c->ops->productsymbolic = product_symbolic;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const PetscErrorCode error =
      guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return take_product_of_aij(c); });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Function>
PetscErrorCode compose(Mat a, Function function) {
  PetscFunctionBegin;
  for (const TypePair& pair : sequential_pairs)
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(a), pair.name, function));
  for (const TypePair& pair : parallel_pairs)
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(a), pair.name, function));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode compose_dense_products(Mat a) { return compose(a, product_set_from_options); }
PetscErrorCode remove_dense_products(Mat a) { return compose(a, nullptr); }

}  // namespace gpusupernodal::petsc
