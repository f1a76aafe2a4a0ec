#ifndef GPUSUPERNODAL_PRODUCT_H
#define GPUSUPERNODAL_PRODUCT_H

/// \file
/// The C interface of gpusupernodal::SparseProduct, C = A·B for sparse matrices, of gpusupernodal::GalerkinProduct,
/// C = Pᵀ·A·P, and of gpusupernodal::NormalEquations, M = A·D·Aᵀ + δI for a solver. Codes, threads and streams are as in
/// gpusupernodal.h.

#include "gpusupernodal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A product of sparse matrices of real numbers (gpusupernodal::SparseProduct, sparse_product.hpp, or
/// gpusupernodal::GalerkinProduct, galerkin_product.hpp).
typedef struct gpusupernodal_product gpusupernodal_product;

/// Creates a product for GPUSUPERNODAL_FLOAT or GPUSUPERNODAL_DOUBLE, with default options; null on failure.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_create(int scalar, gpusupernodal_product** product);
/// Creates a product C = Pᵀ·A·P. The other functions take P, which has a row for each column of A, as B.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_create_galerkin(int scalar, gpusupernodal_product** product);
/// Destroys the product and frees its memory; null is allowed.
GPUSUPERNODAL_C_API void gpusupernodal_product_destroy(gpusupernodal_product* product);
/// As gpusupernodal_message.
GPUSUPERNODAL_C_API const char* gpusupernodal_product_message(const gpusupernodal_product* product);
/// Sets an option of ProductOptions: "backend", "threads" or "device".
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_set_option(gpusupernodal_product* product, const char* name,
                                                                        const char* value);
/// Sets the cudaStream_t of later calls, which must live until the next set_stream; null is the default stream. The caller
/// makes it wait for calls on the earlier stream, because all calls write the same memory.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_set_stream(gpusupernodal_product* product, void* cuda_stream);
/// Finds the pattern of C; values are not read. For Aᵀ, exchange rows and columns of the view and its compression.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_analyze(gpusupernodal_product* product,
                                                                     const gpusupernodal_sparse* a,
                                                                     const gpusupernodal_sparse* b);
/// Computes C from the values of A and B, both in a gpusupernodal_space, in the order of the analyzed arrays.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_compute(gpusupernodal_product* product, const void* a_values,
                                                                     int64_t a_count, const void* b_values, int64_t b_count,
                                                                     int space);
/// Copies C by rows to host memory: "rows" + 1 offsets, and "entries" ascending column numbers and values, with the numbers
/// of gpusupernodal_product_report_number. A null pointer leaves out an array; offsets and indices go together.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_copy(gpusupernodal_product* product, int64_t* offsets,
                                                                  int32_t* indices, void* values);
/// Writes a number of ProductReport to `*value`: "rows", "columns", "entries", "products", "block", "has_places",
/// "memory_bytes", "peak_bytes", "reference_bytes" or "analyze_seconds".
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_report_number(gpusupernodal_product* product, const char* name,
                                                                           double* value);
/// Writes a text of ProductReport to `*text`: "backend" or "backend_reason"; valid until the next call with the product.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_product_report_text(gpusupernodal_product* product, const char* name,
                                                                         const char** text);

/// Normal equations with a matrix of real numbers (gpusupernodal::NormalEquations, sparse_product.hpp).
typedef struct gpusupernodal_normal gpusupernodal_normal;

/// Creates normal equations for GPUSUPERNODAL_FLOAT or GPUSUPERNODAL_DOUBLE, with default options; null on failure.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_create(int scalar, gpusupernodal_normal** normal);
/// Destroys the object and frees its memory, also that of the values of M; null is allowed.
GPUSUPERNODAL_C_API void gpusupernodal_normal_destroy(gpusupernodal_normal* normal);
/// As gpusupernodal_message.
GPUSUPERNODAL_C_API const char* gpusupernodal_normal_message(const gpusupernodal_normal* normal);
/// Sets an option of ProductOptions: "backend", "threads" or "device".
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_set_option(gpusupernodal_normal* normal, const char* name,
                                                                       const char* value);
/// As gpusupernodal_product_set_stream.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_set_stream(gpusupernodal_normal* normal, void* cuda_stream);
/// Finds the pattern of the lower half of M, whose rows are those of A, and takes the values of A if it has some.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_analyze(gpusupernodal_normal* normal,
                                                                    const gpusupernodal_sparse* a);
/// Takes `count` new values of A in a gpusupernodal_space, in the order of the analyzed arrays.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_update(gpusupernodal_normal* normal, const void* values,
                                                                   int64_t count, int space);
/// Computes the lower half of M for `count` numbers of the diagonal of D, one for each column of A, in a
/// gpusupernodal_space, and δ = `shift`.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_compute(gpusupernodal_normal* normal, const void* d,
                                                                    int64_t count, int space, double shift);
/// Writes a view of the lower half of M by rows to `*matrix`, for gpusupernodal_analyze and gpusupernodal_factorize: its
/// pattern is in host memory, with "entries" of gpusupernodal_normal_report_number; `values` and `value_space`, in the
/// memory of the backend, also suit gpusupernodal_refactorize after each call of gpusupernodal_normal_compute. Nothing is
/// copied; valid until the next analyze.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_matrix(gpusupernodal_normal* normal,
                                                                   gpusupernodal_matrix* matrix);
/// Copies the lower half of M by rows to host memory, as gpusupernodal_product_copy copies C; the values are those of the
/// last gpusupernodal_normal_compute.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_copy(gpusupernodal_normal* normal, int64_t* offsets,
                                                                 int32_t* indices, void* values);
/// As gpusupernodal_product_report_number; "columns" and "rows" are those of M, "entries" those of its lower half.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_report_number(gpusupernodal_normal* normal, const char* name,
                                                                          double* value);
/// As gpusupernodal_product_report_text.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_normal_report_text(gpusupernodal_normal* normal, const char* name,
                                                                        const char** text);

#ifdef __cplusplus
}
#endif

#endif
