/// \file
/// Registration, conversion and view of the matrix types aijgpusupernodal.

#include <memory>

#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/logging.hpp"
#include "plugin/petsc/product_data.hpp"

namespace gpusupernodal::petsc {
namespace {

PetscErrorCode is_parallel(Mat a, bool* parallel) {
  PetscBool begins = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscStrbeginswith(reinterpret_cast<PetscObject>(a)->type_name, MATMPIAIJ, &begins));
  *parallel = begins == PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// B := A in the type that `become` makes: A itself, a copy, or an existing B.
template <class Become>
PetscErrorCode convert(Mat a, MatReuse reuse, Mat* b, Become&& become) {
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(a, *b, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Mat converted = a;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &converted));
  PetscCall(become(converted));
  *b = converted;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_lines(const ProductData& data, const char* of, PetscViewer viewer) {
  PetscFunctionBegin;
  if (!data.product.is_analyzed()) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "gpusupernodal %s: none yet\n", of));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const OperatorReport& r = data.product.report();
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "gpusupernodal %s: %s on %s (%s)%s, %.3g KiB\n", of, r.kernel.c_str(), name_of(r.backend), r.device.c_str(),
      data.product.options().transposed ? ", and transposed" : "", static_cast<double>(r.memory_bytes) / 1024.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode attach_product(Mat a, const OperatorOptions& options) {
  PetscFunctionBegin;
  PetscCall(register_log_events());
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    auto data = std::make_unique<ProductData>();
    data->aij = *a->ops;
    data->options = options;
    data->options_known = true;
    a->spptr = data.release();
    return PETSC_SUCCESS;
  });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode compose_product(Mat a, const ProductConversions& conversions) {
  PetscObject object = reinterpret_cast<PetscObject>(a);
  PetscFunctionBegin;
  PetscCall(compose_dense_products(a));
  PetscCall(PetscObjectComposeFunction(object, conversions.to_aij, convert_product_to_aij));
  PetscCall(PetscObjectComposeFunction(object, conversions.from_aij, convert_aij_to_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode remove_product(Mat a, const ProductConversions& conversions) {
  PetscObject object = reinterpret_cast<PetscObject>(a);
  const std::unique_ptr<ProductData> data(&product_data(a));
  PetscFunctionBegin;
  a->ops->setfromoptions = data->aij.setfromoptions;
  a->ops->duplicate = data->aij.duplicate;
  a->ops->transpose = data->aij.transpose;
  a->ops->view = data->aij.view;
  a->ops->destroy = data->aij.destroy;
  a->spptr = nullptr;
  PetscCall(remove_dense_products(a));
  PetscCall(PetscObjectComposeFunction(object, conversions.to_aij, nullptr));
  PetscCall(PetscObjectComposeFunction(object, conversions.from_aij, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_aij_to_product(Mat a, MatType, MatReuse reuse, Mat* b) {
  bool parallel = false;
  PetscFunctionBegin;
  PetscCall(is_parallel(a, &parallel));
  PetscCall(convert(a, reuse, b, [&](Mat converted) -> PetscErrorCode {
    OperatorOptions options;
    PetscFunctionBegin;
    PetscCall(read_product_options(a, &options));
    PetscCall(parallel ? become_parallel_product(converted, options) : become_sequential_product(converted, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_product_to_aij(Mat a, MatType, MatReuse reuse, Mat* b) {
  bool parallel = false;
  PetscFunctionBegin;
  PetscCall(is_parallel(a, &parallel));
  PetscCall(convert(a, reuse, b, parallel ? become_parallel_aij : become_sequential_aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_product(const ProductData& data, const char* of, PetscViewer viewer) {
  PetscBool is_ascii = PETSC_FALSE;
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_ascii));
  if (is_ascii == PETSC_FALSE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL) PetscCall(view_lines(data, of, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode register_product_types() {
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(MatRegisterRootName(product_type, sequential_product_type, parallel_product_type));
  PetscCall(MatRegister(sequential_product_type, create_sequential_product));
  PetscCall(MatRegister(parallel_product_type, create_parallel_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
