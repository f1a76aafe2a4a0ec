#include "plugin/petsc/collected_rows.hpp"

namespace gpusupernodal::petsc {

PetscErrorCode collect_rows(const Ranks& ranks, Vec v, std::vector<std::int64_t>* counts, std::vector<PetscScalar>* all) {
  const PetscScalar* mine = nullptr;
  const PetscInt* range = nullptr;
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetOwnershipRanges(v, &range));
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (!ranks.owner()) return PETSC_SUCCESS;
    counts->resize(static_cast<std::size_t>(ranks.size));
    for (PetscMPIInt rank = 0; rank < ranks.size; ++rank)
      (*counts)[static_cast<std::size_t>(rank)] = range[rank + 1] - range[rank];
    all->resize(static_cast<std::size_t>(range[ranks.size]));
    return PETSC_SUCCESS;
  }));
  PetscCall(VecGetArrayRead(v, &mine));
  PetscCall(collect(ranks, sizeof(PetscScalar), mine, n, *counts, all->data()));
  PetscCall(VecRestoreArrayRead(v, &mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode distribute_rows(const Ranks& ranks, const std::vector<PetscScalar>& all,
                               const std::vector<std::int64_t>& counts, Vec v) {
  PetscScalar* mine = nullptr;
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &mine));
  PetscCall(distribute(ranks, sizeof(PetscScalar), all.data(), counts, mine, n));
  PetscCall(VecRestoreArrayWrite(v, &mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
