#include "cli/load_matrix.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/nearest_name.hpp"
#include "gpusupernodal/error.hpp"
#include "io/generators.hpp"

namespace gpusupernodal::cli {

io::SymmetricMatrix load_matrix(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  std::error_code ignored;  // A path that cannot be examined is a file's name; io::load reports its error.
  const bool missing = std::filesystem::status(spec, ignored).type() == std::filesystem::file_type::not_found;
  if (colon != std::string::npos && missing && !io::is_generator(spec)) {
    const std::string meant = nearest_name(spec.substr(0, colon), io::generator_names());
    if (!meant.empty()) {
      throw InvalidInput(
          fmt::format("there is no file or generator '{}'; did you mean '{}{}'?", spec, meant, spec.substr(colon)), __FILE__,
          __LINE__);
    }
  }
  return io::load(spec);
}

}  // namespace gpusupernodal::cli
