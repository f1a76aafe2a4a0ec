#include "tests/plugin/petsc/on_ranks.hpp"

namespace gpusupernodal::test {

bool can_run_on_ranks() { return !std::string(TEST_MPIEXEC).empty(); }

Outcome run_on_ranks(int ranks, const std::string& command) {
  // What makes one process start fast would keep several from talking. Open MPI 4, then 5: more ranks than cores.
  return run(
      "env -u OMPI_MCA_btl -u OMPI_MCA_ess_singleton_isolated OMPI_MCA_rmaps_base_oversubscribe=1 "
      "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe " TEST_MPIEXEC " -n " +
      std::to_string(ranks) + " " + command);
}

}  // namespace gpusupernodal::test
