/// \file
/// Which products of sparse matrices on one rank are ours (product_sparse.cpp); all others are those of aij.

#include <array>
#include <string>

#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/product_data.hpp"

namespace gpusupernodal::petsc {
namespace {

/// The value of PETSc's options of algorithms that selects ours; also the default for our type.
constexpr char algorithm_name[] = "gpusupernodal";
/// What PETSc looks for at each factor if their types have no product with each other.
constexpr char any_type_name[] = "MatProductSetFromOptions_anytype_C";

/// The factors of a product; the third is nullptr where the product has two.
std::array<Mat, 3> factors_of(const Mat_Product& product) {
  return {product.A, product.B, product.type == MATPRODUCT_ABC ? product.C : nullptr};
}

/// PETSc's option for the algorithm of a product.
const char* algorithm_option(const Mat_Product& product) {
  if (product.api_user == PETSC_FALSE) return "-mat_product_algorithm";
  if (product.type == MATPRODUCT_AB) return "-matmatmult_via";
  return product.type == MATPRODUCT_AtB ? "-mattransposematmult_via" : "-matptap_via";
}

/// Whether the program and the options leave the algorithm to us or ask for ours.
PetscErrorCode wants_ours(Mat c, bool* wants) {
  const Mat_Product& product = *c->product;
  char name[64] = "";
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  if (product.alg != nullptr) PetscCall(PetscStrncpy(name, product.alg, sizeof name));
  PetscOptionsBegin(PetscObjectComm(reinterpret_cast<PetscObject>(c)), reinterpret_cast<PetscObject>(c)->prefix,
                    "gpusupernodal product of sparse matrices", "Mat");
  PetscCall(PetscOptionsString(algorithm_option(product), "gpusupernodal, or an algorithm of PETSc's",
                               "MatProductSetAlgorithm", algorithm_name, name, sizeof name, &given));
  PetscOptionsEnd();
  const std::string asked = name;
  *wants = asked.empty() || asked == algorithm_name || asked == MATPRODUCTALGORITHMDEFAULT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode are_sequential_aij(const Mat_Product& product, bool* are) {
  PetscFunctionBegin;
  *are = true;
  for (Mat m : factors_of(product)) {
    PetscBool is = PETSC_TRUE;
    if (m != nullptr) PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(m), MATSEQAIJ, &is));
    *are = *are && is == PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode product_set_from_options(Mat c);

/// Lets a factor of another type, such as a matrix that stands for a transpose, make the product.
PetscErrorCode take_product_of_other(Mat c) {
  PetscFunctionBegin;
  for (Mat m : factors_of(*c->product)) {
    PetscErrorCode (*take)(Mat) = nullptr;
    if (m != nullptr) PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(m), any_type_name, &take));
    if (take == nullptr || take == product_set_from_options) continue;
    PetscCall(take(c));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode take_product_of_aij(Mat c) {
  PetscBool is_our_name = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscStrcmp(c->product->alg, algorithm_name, &is_our_name));
  if (is_our_name == PETSC_TRUE) PetscCall(MatProductSetAlgorithm(c, MATPRODUCTALGORITHMDEFAULT));
  for (Mat m : factors_of(*c->product)) {
    PetscBool ours = PETSC_FALSE;
    if (m != nullptr) PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(m), sequential_product_type, &ours));
    if (ours == PETSC_FALSE) continue;
    PetscCall(product_data(m).aij.productsetfromoptions(c));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode product_set_from_options(Mat c) {
  const MatProductType type = c->product->type;
  bool sparse = false;
  bool wanted = false;
  PetscFunctionBegin;
  PetscCall(are_sequential_aij(*c->product, &sparse));
  if (!sparse) {
    PetscCall(take_product_of_other(c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (type == MATPRODUCT_AB || type == MATPRODUCT_AtB || type == MATPRODUCT_PtAP) {
    const PetscErrorCode error =
        guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return wants_ours(c, &wanted); });
    PetscCall(error);
  }
  // PETSc's algorithms also add the diagonal that MAT_FORCE_DIAGONAL_ENTRIES asks for.
  if (wanted && c->force_diagonals == PETSC_FALSE) {
    // Factors of type aij alone may replace these; PETSc does not know the name of our algorithm.
    PetscCall(MatProductSetAlgorithm(c, MATPRODUCTALGORITHMDEFAULT));
    c->ops->productsymbolic = sparse_product_symbolic;
  } else {
    PetscCall(take_product_of_aij(c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode compose_sparse_products(Mat a) {
  PetscFunctionBegin;
  a->ops->productsetfromoptions = product_set_from_options;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(a), any_type_name, product_set_from_options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode remove_sparse_products(Mat a) {
  PetscFunctionBegin;
  a->ops->productsetfromoptions = product_data(a).aij.productsetfromoptions;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(a), any_type_name, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
