#include "plugin/petsc/cores.hpp"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>

namespace gpusupernodal::petsc {

#if defined(__linux__) && !defined(PETSC_HAVE_MPIUNI)
PetscErrorCode share_cores(const Ranks& ranks, CoreShare* share) {
  std::array<int, CPU_SETSIZE> mine = {};
  std::array<int, CPU_SETSIZE> users = {};
  MPI_Comm machine = MPI_COMM_NULL;
  cpu_set_t set;
  PetscFunctionBegin;
  CPU_ZERO(&set);
  // It fails on machines with more cores than the set has; then `mine` remains empty.
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (std::size_t cpu = 0; cpu < mine.size(); ++cpu) mine[cpu] = CPU_ISSET(cpu, &set) ? 1 : 0;
  }
  PetscCallMPI(MPI_Comm_split_type(ranks.comm, MPI_COMM_TYPE_SHARED, ranks.rank, MPI_INFO_NULL, &machine));
  PetscCallMPI(MPI_Allreduce(mine.data(), users.data(), static_cast<PetscMPIInt>(mine.size()), MPI_INT, MPI_SUM, machine));
  PetscCallMPI(MPI_Comm_free(&machine));
  double cores = 0.0;
  bool exclusive = true;
  for (std::size_t cpu = 0; cpu < mine.size(); ++cpu) {
    if (mine[cpu] == 0) continue;
    cores += 1.0 / users[cpu];
    if (users[cpu] > 1) exclusive = false;
  }
  constexpr double rounding = 1e-6;
  share->cores = std::max(static_cast<int>(cores + rounding), 1);
  share->exclusive = exclusive && cores > 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode share_cores(const Ranks&, CoreShare* share) {
  PetscFunctionBegin;
  *share = CoreShare();
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

}  // namespace gpusupernodal::petsc
