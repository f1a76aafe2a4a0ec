#include "plugin/petsc/known_pattern.hpp"

#include "plugin/petsc/structure.hpp"

namespace gpusupernodal::petsc {
namespace {

/// A hash of A's pattern where PETSc's counter does not count every change; 0 where it does.
PetscErrorCode structure_of(const Ranks& ranks, Mat a, std::uint64_t* structure) {
  bool counts = false;
  PetscFunctionBegin;
  *structure = 0;
  PetscCall(counts_changes(a, &counts));
  if (counts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
      together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return hash_structure(a, structure); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode state_of_values(Mat a, MatrixState* state) {
  PetscFunctionBegin;
  state->matrix = reinterpret_cast<PetscObject>(a)->id;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(a), &state->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MatrixState state_of_pattern(Mat a) { return {reinterpret_cast<PetscObject>(a)->id, a->nonzerostate}; }

PetscErrorCode KnownPattern::recognizes(const Ranks& ranks, Mat a, bool* same) const {
  std::uint64_t structure = 0;
  PetscFunctionBegin;
  *same = state_ == state_of_pattern(a);
  int changed = *same ? 0 : 1;
  if (!ranks.alone()) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, ranks.comm));
  if (changed == 0) {
    PetscCall(structure_of(ranks, a, &structure));
    changed = structure != structure_ ? 1 : 0;
    if (!ranks.alone()) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, ranks.comm));
  }
  *same = changed == 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KnownPattern::remember(const Ranks& ranks, Mat a) {
  PetscFunctionBegin;
  PetscCall(structure_of(ranks, a, &structure_));
  state_ = state_of_pattern(a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
