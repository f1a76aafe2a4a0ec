/// \file
/// Products of sparse matrices on one rank (MatProduct): C = A B, C = Aᵀ B and C = Pᵀ A P go through SparseProduct and
/// GalerkinProduct if one of the matrices has our type.

#include <cstdint>
#include <vector>

#include "gpusupernodal/galerkin_product.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/logging.hpp"
#include "plugin/petsc/product_data.hpp"
#include "plugin/petsc/sequential_arrays.hpp"
#include "plugin/petsc/structure.hpp"

namespace gpusupernodal::petsc {
namespace {

/// An analyzed pattern, which other matrices may have too: PETSc may replace the factors of a product.
struct AnalyzedPattern {
  MatrixState state;
  PetscInt rows = -1;
  PetscInt columns = -1;
  std::uint64_t hash = 0;
};

PetscErrorCode remember(Mat a, AnalyzedPattern* pattern) {
  PetscFunctionBegin;
  pattern->state = state_of_pattern(a);
  pattern->rows = a->rmap->n;
  pattern->columns = a->cmap->n;
  PetscCall(hash_structure(a, &pattern->hash));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode recognize(Mat a, AnalyzedPattern* pattern, bool* same) {
  AnalyzedPattern other;
  PetscFunctionBegin;
  *same = pattern->state == state_of_pattern(a);
  if (*same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(remember(a, &other));
  *same = other.rows == pattern->rows && other.columns == pattern->columns && other.hash == pattern->hash;
  if (*same) pattern->state = other.state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What a product keeps from its symbolic phase on.
struct SparseProductData {
  SparseProduct<PetscScalar> product;     ///< A B or Aᵀ B.
  GalerkinProduct<PetscScalar> galerkin;  ///< Pᵀ A P.
  AnalyzedPattern a;
  AnalyzedPattern b;
  MatrixState c;             ///< The pattern that C got.
  std::int64_t entries = 0;  ///< Entries of that pattern.
};

PetscErrorCode destroy_data(void* context) {
  PetscFunctionBegin;
  delete static_cast<SparseProductData*>(product_context(context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The data of a product; nullptr if it was cleared or is one of PETSc's.
SparseProductData* data_of(Mat c) {
  const Mat_Product* const product = c->product;
  const bool ours = product != nullptr && product->data != nullptr && product->destroy == destroy_data;
  return ours ? static_cast<SparseProductData*>(product->data) : nullptr;
}

/// Calls f(product) for the object that computes products of this type.
template <class Function>
auto with_product(SparseProductData& data, MatProductType type, const Function& f) {
  return type == MATPRODUCT_PtAP ? f(data.galerkin) : f(data.product);
}

/// The options of the first factor of our type. `auto` is the host: matrices in PETSc's host memory are copied to a device
/// and back only if the options say so.
PetscErrorCode options_of(Mat a, Mat b, ProductOptions* options) {
  PetscFunctionBegin;
  for (Mat m : {b, a}) {
    PetscBool ours = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(m), sequential_product_type, &ours));
    if (ours == PETSC_FALSE) continue;
    PetscCall(complete_product_options(m));
    const OperatorOptions& with = product_data(m).options;
    options->backend = with.backend == Backend::automatic ? Backend::host : with.backend;
    options->threads = with.threads;
    options->device = with.device;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the factors have the options of the last analysis.
PetscErrorCode has_options_of(Mat a, Mat b, const SparseProductData& data, bool* same) {
  ProductOptions options;
  const ProductOptions& last = data.product.options();
  PetscFunctionBegin;
  PetscCall(options_of(a, b, &options));
  *same = options.backend == last.backend && options.threads == last.threads && options.device == last.device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode analyze(Mat a, Mat b, MatProductType type, SparseProductData* data) {
  SequentialArrays of_a;
  SequentialArrays of_b;
  ProductOptions options;
  PetscFunctionBegin;
  data->a = data->b = AnalyzedPattern();
  data->c = MatrixState();
  PetscCall(options_of(a, b, &options));
  data->product.set_options(options);
  data->galerkin.set_options(options);
  PetscCall(of_a.open(a, Wanted::pattern));
  PetscCall(of_b.open(b, Wanted::pattern));
  const SparseView<PetscScalar> left = sparse_view(a, of_a);
  const SparseView<PetscScalar> right = sparse_view(b, of_b);
  {
    const LogScope scope(log_events().analyze, a);
    with_product(*data, type,
                 [&](auto& product) { product.analyze(type == MATPRODUCT_AtB ? transposed(left) : left, right); });
  }
  PetscCall(of_a.close());
  PetscCall(of_b.close());
  PetscCall(remember(a, &data->a));
  PetscCall(remember(b, &data->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives C the pattern of the product, with zeros.
PetscErrorCode set_pattern(Mat c, SparseProductData* data) {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> columns;
  PetscFunctionBegin;
  with_product(*data, c->product->type, [&](const auto& product) {
    offsets.resize(static_cast<std::size_t>(product.rows()) + 1);
    columns.resize(static_cast<std::size_t>(product.report().entries));
    product.copy_pattern(offsets, columns);
  });
  PetscCall(set_product_pattern(c, offsets, columns));
  data->entries = offsets.back();
  data->c = state_of_pattern(c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Span<const PetscScalar> values_of(Mat a, const SequentialArrays& arrays) {
  return {arrays.values(), static_cast<std::size_t>(a->rmap->n == 0 ? 0 : arrays.offsets()[a->rmap->n])};
}

PetscErrorCode compute(Mat a, Mat b, MatProductType type, SparseProductData* data) {
  SequentialArrays of_a;
  SequentialArrays of_b;
  PetscFunctionBegin;
  PetscCall(of_a.open(a, Wanted::host_values));
  PetscCall(of_b.open(b, Wanted::host_values));
  const Span<const PetscScalar> left = values_of(a, of_a);
  const Span<const PetscScalar> right = values_of(b, of_b);
  const ProductReport report = with_product(*data, type, [&](auto& product) {
    product.compute(left, right);
    return product.report();
  });
  PetscCall(log_flops(report.backend, 2.0 * static_cast<double>(report.products)));
  if (report.backend == Backend::cuda) {
    PetscCall(log_to_device(static_cast<double>(sizeof(PetscScalar) * (left.size() + right.size()))));
    PetscCall(log_from_device(static_cast<double>(sizeof(PetscScalar)) * static_cast<double>(report.entries)));
  }
  PetscCall(of_a.close());
  PetscCall(of_b.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode copy_values(Mat c, SparseProductData* data) {
  PetscScalar* values = nullptr;
  PetscFunctionBegin;
  PetscCall(check_product_entries(c, data->entries));
  PetscCall(MatSeqAIJGetArray(c, &values));
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    with_product(*data, c->product->type, [&](const auto& product) {
      product.copy_values({values, static_cast<std::size_t>(data->entries)});
    });
    return PETSC_SUCCESS;
  });
  PetscCall(MatSeqAIJRestoreArray(c, &values));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C := product of A and B, which may be others than those of the symbolic phase. Patterns that have changed since, or
/// whose factors have other options, are analyzed again, and C gets its pattern again if a program has changed it.
PetscErrorCode multiply(Mat a, Mat b, Mat c) {
  SparseProductData* const data = data_of(c);
  PetscFunctionBegin;
  PetscCheck(data != nullptr, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "The product has no symbolic phase or was cleared; call MatProductSymbolic() first");
  const MatProductType type = c->product->type;
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    bool same_a = false;
    bool same_b = false;
    bool same_options = false;
    PetscFunctionBegin;
    PetscCall(recognize(a, &data->a, &same_a));
    PetscCall(recognize(b, &data->b, &same_b));
    PetscCall(has_options_of(a, b, *data, &same_options));
    if (!same_a || !same_b || !same_options) PetscCall(analyze(a, b, type, data));
    if (!(data->c == state_of_pattern(c))) PetscCall(set_pattern(c, data));
    PetscCall(compute(a, b, type, data));
    PetscCall(copy_values(c, data));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode product_numeric(Mat c) {
  PetscFunctionBegin;
  PetscCall(multiply(c->product->A, c->product->B, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode product_view(Mat c, PetscViewer viewer) {
  SparseProductData* const data = data_of(c);
  PetscBool is_ascii = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_ascii));
  if (is_ascii == PETSC_FALSE || data == nullptr) PetscFunctionReturn(PETSC_SUCCESS);
  const ProductReport r = with_product(*data, c->product->type, [](const auto& product) { return product.report(); });
  PetscCall(PetscViewerASCIIPrintf(viewer, "gpusupernodal sparse product %s: on %s, %.3g flops, %.3g KiB\n",
                                   MatProductTypes[c->product->type], name_of(r.backend),
                                   2.0 * static_cast<double>(r.products), static_cast<double>(r.memory_bytes) / 1024.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sizes and block sizes of C, as of aij.
PetscErrorCode set_layout(Mat c) {
  const Mat_Product& product = *c->product;
  Mat left = product.type == MATPRODUCT_PtAP ? product.B : product.A;
  const bool transposed_left = product.type != MATPRODUCT_AB;
  PetscLayout rows = transposed_left ? left->cmap : left->rmap;
  PetscLayout columns = product.B->cmap;
  PetscFunctionBegin;
  PetscCall(MatSetSizes(c, rows->n, columns->n, rows->n, columns->n));
  PetscCall(MatSetType(c, sequential_product_type));
  PetscCall(MatSetBlockSizes(c, rows->bs > 0 ? rows->bs : 1, columns->bs > 0 ? columns->bs : 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode sparse_product_symbolic(Mat c) {
  PetscFunctionBegin;
  PetscCall(set_layout(c));
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    c->product->data = new SparseProductData;
    c->product->destroy = destroy_data;
    c->product->view = product_view;
    PetscCall(analyze(c->product->A, c->product->B, c->product->type, data_of(c)));
    PetscCall(set_pattern(c, data_of(c)));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(error);
  c->ops->productsymbolic = sparse_product_symbolic;
  c->ops->productnumeric = product_numeric;
  // PETSc's products of three matrices and of several ranks call these for the products that they consist of.
  if (c->product->type == MATPRODUCT_AB) c->ops->matmultnumeric = multiply;
  if (c->product->type == MATPRODUCT_AtB) c->ops->transposematmultnumeric = multiply;
  if (c->product->type == MATPRODUCT_PtAP) c->ops->ptapnumeric = multiply;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
