#include "plugin/petsc/collected_matrix.hpp"

namespace gpusupernodal::petsc {

void CollectedMatrix::take_offsets(PetscInt rows) {
  const std::vector<PetscInt>& lengths = alone_ ? local_.lengths() : lengths_;
  offsets_.assign(1, 0);
  offsets_.reserve(static_cast<std::size_t>(rows) + 1);
  for (const PetscInt length : lengths) offsets_.push_back(offsets_.back() + length);
}

PetscErrorCode CollectedMatrix::read_pattern(const Ranks& ranks, Mat a, Entries which) {
  PetscFunctionBegin;
  alone_ = ranks.alone();
  entries_ = which;
  PetscCall(
      together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return local_.read_pattern(a, which); }));
  const auto rows = static_cast<std::int64_t>(local_.lengths().size());
  const auto entries = static_cast<std::int64_t>(local_.columns().size());
  if (!alone_) {
    PetscCall(collect_number(ranks, rows, &rows_of_rank_));
    PetscCall(collect_number(ranks, entries, &entries_of_rank_));
    PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
      std::size_t all = 0;
      for (const std::int64_t of_rank : entries_of_rank_) all += static_cast<std::size_t>(of_rank);
      lengths_.resize(ranks.owner() ? static_cast<std::size_t>(a->rmap->N) : 0);
      columns_.resize(all);
      return PETSC_SUCCESS;
    }));
    PetscCall(collect(ranks, sizeof(PetscInt), local_.lengths().data(), rows, rows_of_rank_, lengths_.data()));
    PetscCall(collect(ranks, sizeof(PetscInt), local_.columns().data(), entries, entries_of_rank_, columns_.data()));
  }
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (ranks.owner()) take_offsets(a->rmap->N);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectedMatrix::read_values(const Ranks& ranks, Mat a) {
  PetscFunctionBegin;
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    values_.resize(columns_.size());
    return local_.read_values(a);
  }));
  if (!alone_) {
    PetscCall(collect(ranks, sizeof(PetscScalar), local_.values().data(), static_cast<std::int64_t>(local_.values().size()),
                      entries_of_rank_, values_.data()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

MatrixView<PetscScalar> CollectedMatrix::view() const {
  MatrixView<PetscScalar> view;
  if (offsets_.empty()) return view;
  view.n = static_cast<std::int64_t>(offsets_.size()) - 1;
  view.offsets = IndexArray(offsets_.data());
  view.indices = IndexArray(alone_ ? local_.columns().data() : columns_.data());
  view.values = alone_ ? local_.values().data() : values_.data();
  view.part = entries_ == Entries::all ? StoredPart::full : StoredPart::upper;
  view.compression = Compression::rows;
  return view;
}

}  // namespace gpusupernodal::petsc
