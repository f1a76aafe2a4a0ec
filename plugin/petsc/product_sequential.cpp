/// \file
/// The matrix type seqaijgpusupernodal: products with vectors.

#include "plugin/petsc/device_memory.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/logging.hpp"
#include "plugin/petsc/product_data.hpp"
#include "plugin/petsc/sequential_arrays.hpp"

namespace gpusupernodal::petsc {
namespace {

constexpr ProductConversions conversions{"MatConvert_seqaijgpusupernodal_seqaij_C",
                                         "MatConvert_seqaij_seqaijgpusupernodal_C"};

enum class Direction { plain, transposed };

/// The backend auto takes a device only where PETSc's own vectors may be: copying a vector takes longer than a product with
/// it on the host.
PetscErrorCode choose_place(ProductData* data, OperatorOptions* options) {
  DeviceStream current;
  PetscFunctionBegin;
  PetscCall(current_stream(&current));
  const bool petsc_on_device = current.device >= 0;
  if (options->backend == Backend::automatic && !petsc_on_device) options->backend = Backend::host;
  data->takes_device_arrays = petsc_on_device && (options->device < 0 || options->device == current.device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode analyze(Mat a, const SequentialArrays& arrays, bool transposed) {
  ProductData& data = product_data(a);
  OperatorOptions options = data.options;
  PetscFunctionBegin;
  const LogScope scope(log_events().analyze, a);
  options.transposed = transposed;
  PetscCall(choose_place(&data, &options));
  data.product.set_options(options);
  data.product.analyze(sparse_view(a, arrays));
  data.takes_device_arrays = data.takes_device_arrays && data.product.report().backend == Backend::cuda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode update(Mat a, const SequentialArrays& arrays) {
  ProductData& data = product_data(a);
  const std::int64_t count = a->rmap->n == 0 ? 0 : arrays.offsets()[a->rmap->n];
  PetscFunctionBegin;
  const LogScope scope(log_events().upload, a);
  data.product.update(Span<const PetscScalar>(arrays.values(), static_cast<std::size_t>(count)), arrays.value_space());
  if (data.product.report().backend == Backend::cuda && arrays.value_space() == MemorySpace::host)
    PetscCall(log_to_device(static_cast<double>(sizeof(PetscScalar)) * static_cast<double>(count)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode multiply_arrays(Mat a, const PlacedArray<const PetscScalar>& x, const PlacedArray<PetscScalar>& y,
                               Direction direction, PetscScalar beta) {
  ProductData& data = product_data(a);
  const bool plain = direction == Direction::plain;
  const DenseView<const PetscScalar> from(x.data, plain ? a->cmap->n : a->rmap->n, x.space);
  const DenseView<PetscScalar> to(y.data, plain ? a->rmap->n : a->cmap->n, y.space);
  const bool on_device = x.space == MemorySpace::device || y.space == MemorySpace::device;
  PetscFunctionBegin;
  if (plain) {
    data.product.multiply(from, to, PetscScalar(1), beta);
  } else {
    data.product.multiply_transposed(from, to, PetscScalar(1), beta);
  }
  PetscCall(log_product(data, 1, !on_device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Orders the work on PETSc's device arrays after what PETSc has enqueued. Other arrays need no stream of PETSc, which may
/// be one of another device.
PetscErrorCode follow_stream(ProductData* data) {
  DeviceStream current;
  PetscFunctionBegin;
  if (data->takes_device_arrays) PetscCall(current_stream(&current));
  data->product.set_stream(current.stream);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode update_or_analyze(Mat a, bool transposed) {
  ProductData& data = product_data(a);
  const MatrixState pattern = state_of_pattern(a);
  MatrixState values;

  PetscFunctionBegin;
  PetscCall(state_of_values(a, &values));
  const bool same_pattern = data.pattern == pattern && (!transposed || data.product.options().transposed);
  if (same_pattern && data.values == values) PetscFunctionReturn(PETSC_SUCCESS);
  if (!same_pattern) PetscCall(complete_product_options(a));
  const bool with_transpose = transposed || (data.product.is_analyzed() && data.product.options().transposed);
  SequentialArrays arrays;
  data.values = MatrixState();
  PetscCall(arrays.open(a, data.takes_device_arrays ? Wanted::values_in_place : Wanted::host_values));
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (same_pattern) return update(a, arrays);
    data.pattern = MatrixState();
    return analyze(a, arrays, with_transpose);
  });
  PetscCall(arrays.close());
  PetscCall(error);
  if (!same_pattern) PetscCall(follow_stream(&data));  // The analysis decides where the product is.
  data.pattern = pattern;
  data.values = values;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y := op(A) x + beta·y.
PetscErrorCode multiply(Mat a, Vec x, Vec y, Direction direction, PetscScalar beta) {
  PlacedArray<const PetscScalar> from;
  PlacedArray<PetscScalar> to;

  PetscFunctionBegin;
  PetscCall(refresh_product(a, direction == Direction::transposed));
  const bool in_place = product_data(a).takes_device_arrays;
  PetscCall(borrow_read(x, in_place, &from));
  PetscCall(beta == PetscScalar(0) ? borrow_write(y, in_place, &to) : borrow_both(y, in_place, &to));
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__,
                                       [&]() -> PetscErrorCode { return multiply_arrays(a, from, to, direction, beta); });
  PetscCall(beta == PetscScalar(0) ? restore_write(y, in_place, &to) : restore_both(y, in_place, &to));
  PetscCall(restore_read(x, in_place, &from));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z := y + op(A) x; y and z may be one vector.
PetscErrorCode multiply_add(Mat a, Vec x, Vec y, Vec z, Direction direction) {
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(multiply(a, x, z, direction, PetscScalar(1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult(Mat a, Vec x, Vec y) { return multiply(a, x, y, Direction::plain, PetscScalar(0)); }
PetscErrorCode mult_add(Mat a, Vec x, Vec y, Vec z) { return multiply_add(a, x, y, z, Direction::plain); }
PetscErrorCode mult_transpose(Mat a, Vec x, Vec y) { return multiply(a, x, y, Direction::transposed, PetscScalar(0)); }
PetscErrorCode mult_transpose_add(Mat a, Vec x, Vec y, Vec z) { return multiply_add(a, x, y, z, Direction::transposed); }

PetscErrorCode set_from_options(Mat a, OptionItems PetscOptionsObject) {
  ProductData& data = product_data(a);
  OperatorOptions options = data.options;
  PetscFunctionBegin;
  if (data.aij.setfromoptions != nullptr) PetscCall(data.aij.setfromoptions(a, PetscOptionsObject));
  PetscOptionsHeadBegin(PetscOptionsObject, "gpusupernodal sparse products");
  PetscCall(read_product_items(PetscOptionsObject, &options));
  PetscOptionsHeadEnd();
  set_product_options(a, options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode duplicate(Mat a, MatDuplicateOption option, Mat* b) {
  PetscFunctionBegin;
  PetscCall(complete_product_options(a));
  PetscCall(product_data(a).aij.duplicate(a, option, b));
  set_product_options(*b, product_data(a).options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view(Mat a, PetscViewer viewer) {
  PetscFunctionBegin;
  PetscCall(product_data(a).aij.view(a, viewer));
  PetscCall(view_product(product_data(a), "products", viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc makes the result without the prefix of A.
PetscErrorCode transpose(Mat a, MatReuse reuse, Mat* b) {
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(complete_product_options(a));
  const OperatorOptions options = product_data(a).options;
  PetscCall(product_data(a).aij.transpose(a, reuse, b));
  Mat result = reuse == MAT_INPLACE_MATRIX ? a : *b;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(result), sequential_product_type, &ours));
  if (ours == PETSC_TRUE) set_product_options(result, options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// LU in place puts a factor of type seqaij into A, which keeps its operations: they must be those of aij before.
PetscErrorCode lu_factor(Mat a, IS rows, IS columns, const MatFactorInfo* info) {
  PetscFunctionBegin;
  PetscCall(become_sequential_aij(a));
  PetscCall((*a->ops->lufactor)(a, rows, columns, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives A the operations of aij again. Its type is not looked at: PETSc destroys headers that it has emptied before
/// (MatHeaderMerge).
PetscErrorCode detach(Mat a) {
  const _MatOps& aij = product_data(a).aij;
  PetscFunctionBegin;
  a->ops->mult = aij.mult;
  a->ops->multadd = aij.multadd;
  a->ops->multtranspose = aij.multtranspose;
  a->ops->multtransposeadd = aij.multtransposeadd;
  a->ops->lufactor = aij.lufactor;
  PetscCall(remove_sparse_products(a));
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

SparseView<PetscScalar> sparse_view(Mat a, const SequentialArrays& arrays) {
  static constexpr PetscInt no_offsets[] = {0};
  SparseView<PetscScalar> view;
  view.rows = a->rmap->n;
  view.columns = a->cmap->n;
  view.offsets = IndexArray(view.rows == 0 ? no_offsets : arrays.offsets());
  view.indices = IndexArray(arrays.columns());
  view.values = arrays.values();
  view.value_space = arrays.value_space();
  return view;
}

PetscErrorCode log_product(const ProductData& data, std::int64_t columns, bool host_arrays) {
  const OperatorReport& report = data.product.report();
  const auto times = static_cast<double>(columns);
  PetscFunctionBegin;
  PetscCall(log_flops(report.backend, 2.0 * times * static_cast<double>(report.entries)));
  if (report.backend == Backend::cuda && host_arrays) {
    PetscCall(log_to_device(times * static_cast<double>(sizeof(PetscScalar)) * static_cast<double>(report.columns)));
    PetscCall(log_from_device(times * static_cast<double>(sizeof(PetscScalar)) * static_cast<double>(report.rows)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode refresh_product(Mat a, bool transposed) {
  PetscFunctionBegin;
  PetscCall(follow_stream(&product_data(a)));
  PetscCall(update_or_analyze(a, transposed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode become_sequential_product(Mat a, const OperatorOptions& options) {
  PetscFunctionBegin;
  PetscCall(attach_product(a, options));
  a->ops->mult = mult;
  a->ops->multadd = mult_add;
  a->ops->multtranspose = mult_transpose;
  a->ops->multtransposeadd = mult_transpose_add;
  a->ops->setfromoptions = set_from_options;
  a->ops->duplicate = duplicate;
  a->ops->transpose = transpose;
  if (a->ops->lufactor != nullptr) a->ops->lufactor = lu_factor;
  a->ops->view = view;
  a->ops->destroy = destroy;
  PetscCall(compose_sparse_products(a));
  PetscCall(compose_product(a, conversions));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(a), sequential_product_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode become_sequential_aij(Mat a) {
  PetscFunctionBegin;
  PetscCall(detach(a));
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(a), MATSEQAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_sequential_product(Mat a) {
  PetscFunctionBegin;
  PetscCall(MatSetType(a, MATSEQAIJ));
  PetscCall(become_sequential_product(a, OperatorOptions()));
  product_data(a).options_known = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
