/// \file
/// The matrix type mpiaijgpusupernodal: an mpiaij matrix whose two sequential blocks are of type seqaijgpusupernodal.

#include "plugin/petsc/product_data.hpp"

namespace gpusupernodal::petsc {
namespace {

constexpr ProductConversions conversions{"MatConvert_mpiaijgpusupernodal_mpiaij_C",
                                         "MatConvert_mpiaij_mpiaijgpusupernodal_C"};
constexpr const char* preallocate_coo_name = "MatSetPreallocationCOO_C";

/// Calls f(block) for the blocks that the matrix has; there are none before its preallocation.
template <class Function>
PetscErrorCode for_each_block(Mat a, Function&& f) {
  Mat blocks[] = {nullptr, nullptr};
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(a, &blocks[0], &blocks[1], nullptr));
  for (Mat block : blocks) {
    if (block != nullptr) PetscCall(f(block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode is_of_type(Mat a, const char* type, bool* is) {
  PetscBool same = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(a), type, &same));
  *is = same == PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// aij makes blocks of its own type, and blocks of our type without options of A: also when an assembly brings new columns.
PetscErrorCode adopt_blocks(Mat a) {
  const OperatorOptions& options = product_data(a).options;
  return for_each_block(a, [&](Mat block) -> PetscErrorCode {
    bool is_aij = false;
    bool is_ours = false;
    PetscFunctionBegin;
    PetscCall(is_of_type(block, MATSEQAIJ, &is_aij));
    PetscCall(is_of_type(block, sequential_product_type, &is_ours));
    if (is_aij) PetscCall(become_sequential_product(block, options));
    if (is_ours) set_product_options(block, options);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

PetscErrorCode assembly_end(Mat a, MatAssemblyType type) {
  PetscFunctionBegin;
  PetscCall(product_data(a).aij.assemblyend(a, type));
  if (type == MAT_FINAL_ASSEMBLY) PetscCall(complete_product_options(a));
  PetscCall(adopt_blocks(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_from_options(Mat a, OptionItems PetscOptionsObject) {
  ProductData& data = product_data(a);
  OperatorOptions options = data.options;
  PetscFunctionBegin;
  if (data.aij.setfromoptions != nullptr) PetscCall(data.aij.setfromoptions(a, PetscOptionsObject));
  PetscOptionsHeadBegin(PetscOptionsObject, "gpusupernodal sparse products");
  PetscCall(read_product_items(PetscOptionsObject, &options));
  PetscOptionsHeadEnd();
  set_product_options(a, options);
  PetscCall(for_each_block(a, [&](Mat block) -> PetscErrorCode {
    bool is_ours = false;
    PetscFunctionBegin;
    PetscCall(is_of_type(block, sequential_product_type, &is_ours));
    if (is_ours) set_product_options(block, options);
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode duplicate(Mat a, MatDuplicateOption option, Mat* b) {
  PetscFunctionBegin;
  PetscCall(complete_product_options(a));
  PetscCall(product_data(a).aij.duplicate(a, option, b));
  set_product_options(*b, product_data(a).options);
  // A matrix that is being filled for the first time has blocks that PETSc exchanges; its assembly adopts them.
  if ((*b)->assembled) PetscCall(adopt_blocks(*b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc makes the result without the prefix of A.
PetscErrorCode transpose(Mat a, MatReuse reuse, Mat* b) {
  bool is_ours = false;
  PetscFunctionBegin;
  PetscCall(complete_product_options(a));
  const OperatorOptions options = product_data(a).options;
  PetscCall(product_data(a).aij.transpose(a, reuse, b));
  Mat result = reuse == MAT_INPLACE_MATRIX ? a : *b;
  PetscCall(is_of_type(result, parallel_product_type, &is_ours));
  if (is_ours) {
    set_product_options(result, options);
    PetscCall(adopt_blocks(result));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatSetPreallocationCOO, after which no assembly may follow.
PetscErrorCode preallocate_coo(Mat a, PetscCount count, PetscInt rows[], PetscInt columns[]) {
  PetscFunctionBegin;
  PetscCall(product_data(a).preallocate_coo(a, count, rows, columns));
  PetscCall(complete_product_options(a));
  PetscCall(adopt_blocks(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view(Mat a, PetscViewer viewer) {
  Mat own = nullptr;
  bool is_ours = false;
  PetscFunctionBegin;
  PetscCall(product_data(a).aij.view(a, viewer));
  PetscCall(MatMPIAIJGetSeqAIJ(a, &own, nullptr, nullptr));
  if (own != nullptr) PetscCall(is_of_type(own, sequential_product_type, &is_ours));
  if (is_ours) PetscCall(view_product(product_data(own), "products with the first rank's own columns", viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives A the operations of aij again. Neither its blocks nor its type are looked at: PETSc destroys headers that it has
/// emptied before (MatHeaderMerge).
PetscErrorCode detach(Mat a) {
  PetscFunctionBegin;
  a->ops->assemblyend = product_data(a).aij.assemblyend;
  PetscCall(remove_product(a, conversions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode destroy(Mat a) {
  PetscFunctionBegin;
  PetscCall(detach(a));
  PetscCall(a->ops->destroy(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode become_parallel_product(Mat a, const OperatorOptions& options) {
  PetscObject object = reinterpret_cast<PetscObject>(a);
  PetscFunctionBegin;
  PetscCall(attach_product(a, options));
  a->ops->assemblyend = assembly_end;
  a->ops->setfromoptions = set_from_options;
  a->ops->duplicate = duplicate;
  a->ops->transpose = transpose;
  a->ops->view = view;
  a->ops->destroy = destroy;
  PetscCall(compose_product(a, conversions));
  PetscCall(PetscObjectQueryFunction(object, preallocate_coo_name, &product_data(a).preallocate_coo));
  if (product_data(a).preallocate_coo != nullptr)
    PetscCall(PetscObjectComposeFunction(object, preallocate_coo_name, preallocate_coo));
  PetscCall(PetscObjectChangeTypeName(object, parallel_product_type));
  PetscCall(adopt_blocks(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode become_parallel_aij(Mat a) {
  const auto preallocate_coo_of_aij = product_data(a).preallocate_coo;
  PetscFunctionBegin;
  PetscCall(detach(a));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(a), preallocate_coo_name, preallocate_coo_of_aij));
  PetscCall(for_each_block(a, [](Mat block) -> PetscErrorCode {
    bool is_ours = false;
    PetscFunctionBegin;
    PetscCall(is_of_type(block, sequential_product_type, &is_ours));
    if (is_ours) PetscCall(become_sequential_aij(block));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(a), MATMPIAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_parallel_product(Mat a) {
  PetscFunctionBegin;
  PetscCall(MatSetType(a, MATMPIAIJ));
  PetscCall(become_parallel_product(a, OperatorOptions()));
  product_data(a).options_known = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
