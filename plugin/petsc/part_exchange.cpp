#include "plugin/petsc/part_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace gpusupernodal::petsc {

PetscErrorCode StarForest::create(MPI_Comm comm) {
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&sf_));
  PetscCall(PetscSFCreate(comm, &sf_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntryExchange::set_up(const Ranks& ranks, const std::vector<PetscMPIInt>& part_of_entry) {
  std::vector<std::int64_t> to_part;      // entries of this rank for each part
  std::vector<std::int64_t> from_rank;    // entries of each rank for this part
  std::vector<std::int64_t> first_here;   // place of the first entry of each rank on this part
  std::vector<std::int64_t> first_there;  // place of the first entry of this rank on each part
  std::vector<PetscSFNode> places;
  PetscFunctionBegin;
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    for (std::vector<std::int64_t>* list : {&to_part, &from_rank, &first_here, &first_there})
      list->assign(static_cast<std::size_t>(ranks.size), 0);
    places.resize(part_of_entry.size());
    for (const PetscMPIInt part : part_of_entry) ++to_part[static_cast<std::size_t>(part)];
    return PETSC_SUCCESS;
  }));
  PetscCallMPI(MPI_Alltoall(to_part.data(), 1, MPI_INT64_T, from_rank.data(), 1, MPI_INT64_T, ranks.comm));
  received_ = 0;
  for (std::size_t rank = 0; rank < from_rank.size(); ++rank) {
    first_here[rank] = received_;
    received_ += from_rank[rank];
  }
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    const std::int64_t count = std::max(received_, static_cast<std::int64_t>(places.size()));
    PetscCheck(
        count <= std::numeric_limits<PetscInt>::max(), PETSC_COMM_SELF, PETSC_ERR_SUP,
        "gpusupernodal: %lld entries of A belong to one rank, more than PetscInt can count: use more ranks, or a PETSc "
        "with 64-bit indices",
        static_cast<long long>(count));
    return PETSC_SUCCESS;
  }));
  PetscCallMPI(MPI_Alltoall(first_here.data(), 1, MPI_INT64_T, first_there.data(), 1, MPI_INT64_T, ranks.comm));
  for (std::size_t k = 0; k < places.size(); ++k) {
    places[k].rank = part_of_entry[k];
    places[k].index = static_cast<PetscInt>(first_there[static_cast<std::size_t>(part_of_entry[k])]++);
  }
  PetscCall(forest_.create(ranks.comm));
  PetscCall(PetscSFSetGraph(forest_.get(), static_cast<PetscInt>(received_), static_cast<PetscInt>(places.size()), nullptr,
                            PETSC_COPY_VALUES, places.data(), PETSC_COPY_VALUES));
  PetscCall(PetscSFSetUp(forest_.get()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntryExchange::send(MPI_Datatype type, const void* mine, void* there) const {
  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(forest_.get(), type, mine, there, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(forest_.get(), type, mine, there, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowExchange::set_up(const Ranks& ranks, PetscLayout layout, const std::vector<std::int64_t>& rows) {
  std::vector<PetscInt> names;
  PetscFunctionBegin;
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    names.reserve(rows.size());
    for (const std::int64_t row : rows) names.push_back(static_cast<PetscInt>(row));
    return PETSC_SUCCESS;
  }));
  PetscCall(forest_.create(ranks.comm));
  PetscCall(PetscSFSetGraphLayout(forest_.get(), layout, static_cast<PetscInt>(names.size()), nullptr, PETSC_COPY_VALUES,
                                  names.data()));
  PetscCall(PetscSFSetUp(forest_.get()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowExchange::to_parts(const PetscScalar* mine, PetscScalar* of_part) const {
  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(forest_.get(), MPIU_SCALAR, mine, of_part, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(forest_.get(), MPIU_SCALAR, mine, of_part, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowExchange::to_ranks(const PetscScalar* of_part, PetscScalar* mine) const {
  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(forest_.get(), MPIU_SCALAR, of_part, mine, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(forest_.get(), MPIU_SCALAR, of_part, mine, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
