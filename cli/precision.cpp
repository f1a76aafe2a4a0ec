#include "cli/precision.hpp"

#include "base/fmt.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/info.hpp"

namespace gpusupernodal::cli {

void refuse_scalar(const char* what, const detail::ScalarChoice& scalar) {
  const BuildInfo build = build_info();
  throw InvalidInput(
      fmt::format("{} needs the scalar type {}, but this library was built without it; it has {}; build it with "
                  "-DGPUSUPERNODAL_SCALARS='{};{}'",
                  what, scalar.name, fmt::join(build.scalars, ", "), fmt::join(build.scalars, ";"), scalar.name),
      __FILE__, __LINE__);
}

}  // namespace gpusupernodal::cli
