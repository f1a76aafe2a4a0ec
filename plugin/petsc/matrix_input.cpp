#include "plugin/petsc/matrix_input.hpp"

namespace gpusupernodal::petsc {
namespace {

/// Finds the sequential matrix inside a parallel matrix on one rank; returns a sequential matrix itself.
PetscErrorCode find_sequential(Mat a, Mat* sequential) {
  PetscBool is_parallel = PETSC_FALSE;
  PetscBool is_baij = PETSC_FALSE;
  PetscBool is_sbaij = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPIAIJ, &is_parallel));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPIBAIJ, &is_baij));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPISBAIJ, &is_sbaij));
  *sequential = a;
  if (is_parallel || is_baij || is_sbaij) PetscCall(MatGetDiagonalBlock(a, sequential));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr std::int64_t no_offsets[] = {0};

}  // namespace

void MatrixInput::view_in_place(Entries entries) {
  view_.n = arrays_.rows();
  view_.offsets = view_.n == 0 ? IndexArray(no_offsets) : IndexArray(arrays_.offsets());
  view_.indices = IndexArray(arrays_.columns());
  view_.values = arrays_.values();
  view_.value_space = arrays_.value_space();
  if (entries == Entries::all) {
    view_.part = StoredPart::full;
    view_.compression = Compression::rows;
  } else if (arrays_.format() == Format::sbaij) {
    view_.part = StoredPart::upper;
    view_.compression = Compression::rows;
  } else if (complex_scalars) {
    // The transpose of a Hermitian A is its conjugate, so the lower half of A itself is read.
    view_.part = StoredPart::full;
    view_.compression = Compression::rows;
  } else {
    // The rows of A are the columns of Aᵀ. The solver reads the lower half of Aᵀ, which is the upper half of A.
    view_.part = StoredPart::full;
    view_.compression = Compression::columns;
  }
}

PetscErrorCode MatrixInput::open(const Ranks& ranks, Mat a, Entries entries, bool same_pattern, Wanted wanted) {
  PetscFunctionBegin;
  PetscCall(close());
  if (ranks.alone()) {
    Mat sequential = nullptr;
    PetscCall(find_sequential(a, &sequential));
    PetscCall(arrays_.open(sequential, wanted));
    if (arrays_.block_size() == 1) {
      view_in_place(entries);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(arrays_.close());
    a = sequential;
  }
  if (!same_pattern) PetscCall(collected_->read_pattern(ranks, a, entries));
  if (wanted != Wanted::pattern) PetscCall(collected_->read_values(ranks, a));
  view_ = collected_->view();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatrixInput::release() {
  PetscFunctionBegin;
  PetscCall(close());
  collected_.emplace();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatrixInput::close() {
  PetscFunctionBegin;
  view_ = MatrixView<PetscScalar>();
  PetscCall(arrays_.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
