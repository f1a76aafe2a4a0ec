#include "tests/plugin/petsc/on_ranks.hpp"

namespace gpusupernodal::test {

bool can_run_on_ranks() { return !std::string(TEST_MPIEXEC).empty(); }

Outcome run_on_ranks(int ranks, const std::string& command) {
  // Resets the settings that make a single process start fast but would prevent communication. Allows more ranks than
  // cores, for Open MPI 4 and 5.
  return run(
      "env -u OMPI_MCA_btl -u OMPI_MCA_ess_singleton_isolated OMPI_MCA_rmaps_base_oversubscribe=1 "
      "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe " TEST_MPIEXEC " -n " +
      std::to_string(ranks) + " " + command);
}

}  // namespace gpusupernodal::test
