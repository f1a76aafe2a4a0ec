#include "tests/plugin/petsc/on_ranks.hpp"

namespace gpusupernodal::test {

Outcome run_on_ranks(int ranks, const std::string& command) {
  // What makes one process start fast would keep several from talking.
  return run("env -u OMPI_MCA_btl -u OMPI_MCA_ess_singleton_isolated OMPI_MCA_rmaps_base_oversubscribe=1 " TEST_MPIEXEC
             " -n " +
             std::to_string(ranks) + " " + command);
}

}  // namespace gpusupernodal::test
