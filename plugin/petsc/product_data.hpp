#pragma once

/// \file
/// The matrix types aijgpusupernodal: AIJ matrices that SparseOperator multiplies.
///
/// A matrix of type seqaijgpusupernodal is one of type seqaij, with its arrays, whose products go through a SparseOperator
/// that has a copy of them in its own format. One of type mpiaijgpusupernodal is of type mpiaij, whose two sequential blocks
/// are of the first type. All other operations are those of aij.

#include <cstdint>
#include <vector>

#include "gpusupernodal/sparse_operator.hpp"
#include "plugin/petsc/known_pattern.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

class SequentialArrays;

inline constexpr char product_type[] = "aijgpusupernodal";
inline constexpr char sequential_product_type[] = "seqaijgpusupernodal";
inline constexpr char parallel_product_type[] = "mpiaijgpusupernodal";

/// Names under which PETSc looks for the conversions of one of the types to and from aij.
struct ProductConversions {
  const char* to_aij;
  const char* from_aij;
};

/// What a matrix of either type has in `spptr`.
struct ProductData {
  _MatOps aij = {};  ///< The operations of aij, before they were replaced.
  OperatorOptions options;
  bool options_known = false;  ///< Read, or taken from another matrix. Until then, `options` has defaults.

  // Used by parallel matrices only.
  PetscErrorCode (*preallocate_coo)(Mat, PetscCount, PetscInt[], PetscInt[]) = nullptr;  ///< MatSetPreallocationCOO of aij.

  // Used by sequential matrices only.
  SparseOperator<PetscScalar> product;
  MatrixState pattern;  ///< Analyzed.
  MatrixState values;   ///< That `product` has.
  bool takes_device_arrays = false;
};

inline ProductData& product_data(Mat a) { return *static_cast<ProductData*>(a->spptr); }

/// Reads the options of products with the prefix of the matrix. Collective.
PetscErrorCode read_product_options(Mat a, OperatorOptions* options);
/// Reads the options between the head and the end of an object's options.
PetscErrorCode read_product_items(OptionItems items, OperatorOptions* options);
/// Takes other options; if they differ, the next product prepares the matrix again.
void set_product_options(Mat a, const OperatorOptions& options);
/// Reads the options of a matrix whose options are not known yet, such as a result of MatPtAP or MatAXPY. Collective.
PetscErrorCode complete_product_options(Mat a);

/// Create empty matrices. Registered with PETSc.
PetscErrorCode create_sequential_product(Mat a);
PetscErrorCode create_parallel_product(Mat a);

/// Turns a seqaij or mpiaij matrix into the corresponding type, with these options, without a copy.
PetscErrorCode become_sequential_product(Mat a, const OperatorOptions& options);
PetscErrorCode become_parallel_product(Mat a, const OperatorOptions& options);
/// Turn a matrix of either type into one of aij, without a copy.
PetscErrorCode become_sequential_aij(Mat a);
PetscErrorCode become_parallel_aij(Mat a);

/// What is equal for both types: attach_product makes ProductData with the operations that A has and these options,
/// compose_product lets PETSc find the products and conversions of A, and remove_product undoes both and restores the
/// operations that both types replace. The caller sets the operations of its type and restores the others.
PetscErrorCode attach_product(Mat a, const OperatorOptions& options);
PetscErrorCode compose_product(Mat a, const ProductConversions& conversions);
PetscErrorCode remove_product(Mat a, const ProductConversions& conversions);

/// Implement MatConvert.
PetscErrorCode convert_aij_to_product(Mat a, MatType type, MatReuse reuse, Mat* b);
PetscErrorCode convert_product_to_aij(Mat a, MatType type, MatReuse reuse, Mat* b);

/// Brings `product` up to date with a sequential matrix; with `transposed`, for products with its transpose, too. Lets it
/// follow the stream of PETSc.
PetscErrorCode refresh_product(Mat a, bool transposed);
/// Logs the flops of products with `columns` columns, and the copies to and from a device.
PetscErrorCode log_product(const ProductData& data, std::int64_t columns, bool host_arrays);

/// Let MatProduct find the products of a sequential or parallel matrix with dense matrices; undo that.
PetscErrorCode compose_dense_products(Mat a);
PetscErrorCode remove_dense_products(Mat a);

/// Let MatProduct find the products of a sequential matrix with sparse ones; undo that, while the matrix has its data.
PetscErrorCode compose_sparse_products(Mat a);
PetscErrorCode remove_sparse_products(Mat a);
/// The symbolic phase of C = A B, Aᵀ B or Pᵀ A P with sequential matrices of types derived from aij; C gets our type.
PetscErrorCode sparse_product_symbolic(Mat c);
/// Gives a sequential matrix C of our type this pattern, with zeros.
PetscErrorCode set_product_pattern(Mat c, const std::vector<std::int64_t>& offsets,
                                   const std::vector<std::int32_t>& columns);
/// An error unless C has this number of entries.
PetscErrorCode check_product_entries(Mat c, std::int64_t entries);

/// The borrowed arrays of a sequential matrix of a type derived from aij, as the library takes them.
SparseView<PetscScalar> sparse_view(Mat a, const SequentialArrays& arrays);

/// Adds a line about products to MatView. Only the first rank's.
PetscErrorCode view_product(const ProductData& data, const char* of, PetscViewer viewer);

/// Registers the matrix types.
PetscErrorCode register_product_types();

}  // namespace gpusupernodal::petsc
