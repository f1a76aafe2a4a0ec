#include "cli/precision.hpp"

#include "base/fmt.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/info.hpp"

namespace gpusupernodal::cli {

void refuse_scalar(const char* name) {
  throw InvalidInput(
      fmt::format("this needs the scalar type {}, but the library was built with {} only; build it with {} in "
                  "-DGPUSUPERNODAL_SCALARS.",
                  name, fmt::join(build_info().scalars, ", "), name),
      __FILE__, __LINE__);
}

}  // namespace gpusupernodal::cli
