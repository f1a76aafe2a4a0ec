#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/check_enumerator.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/pcg_state.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

void check_pcg_options(const PcgOptions& options) {
  check_enumerator(options.preconditioner, preconditioner_names, "preconditioner");
  check_enumerator(options.factor_precision, factor_precision_names, "factor_precision");
  check_enumerator(options.renewal, renewal_names, "renewal");
  check_enumerator(options.backend, backend_names, "backend");
  if (!(options.tolerance >= 0.0 && options.tolerance < 1.0))
    fail<InvalidInput>("tolerance is {}; it must be 0 to 1, and less than 1", options.tolerance);
  if (!(options.absolute_tolerance >= 0.0))
    fail<InvalidInput>("absolute_tolerance is {}; it must not be negative", options.absolute_tolerance);
  if (options.max_iterations < 0)
    fail<InvalidInput>("max_iterations is {}; it must not be negative", options.max_iterations);
  if (options.block_size < 0 || options.block_size > max_jacobi_block)
    fail<InvalidInput>("block_size is {}; it must be 0 (by the pattern) or 1 to {}", options.block_size, max_jacobi_block);
  if (options.renewal_iterations < 0)
    fail<InvalidInput>("renewal_iterations is {}; it must not be negative", options.renewal_iterations);
  if (options.threads < 0 || options.threads > max_threads)
    fail<InvalidInput>("threads is {}; it must be 0 (all) or 1 to {}", options.threads, max_threads);
  if (options.device < -1)
    fail<InvalidInput>("device is {}; it must be -1 (the current one) or a device's number", options.device);
}

}  // namespace gpusupernodal
