#include "cli/load_matrix.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/fmt.hpp"
#include "cli/nearest_name.hpp"
#include "gpusupernodal/error.hpp"
#include "io/generators.hpp"

namespace gpusupernodal::cli {

void refuse_misspelt_generator(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  std::error_code ignored;  // A path that cannot be examined is a file's name; reading it reports its error.
  const bool missing = std::filesystem::status(spec, ignored).type() == std::filesystem::file_type::not_found;
  if (colon == std::string::npos || !missing || io::is_generator(spec) || io::is_general_generator(spec)) return;
  std::vector<std::string> names = io::generator_names();
  for (const std::string& name : io::general_generator_names()) names.push_back(name);
  const std::string meant = nearest_name(spec.substr(0, colon), names);
  if (meant.empty()) return;
  throw InvalidInput(
      fmt::format("there is no file or generator '{}'; did you mean '{}{}'?", spec, meant, spec.substr(colon)), __FILE__,
      __LINE__);
}

io::SymmetricMatrix load_matrix(const std::string& spec) {
  refuse_misspelt_generator(spec);
  if (io::is_general_generator(spec)) {
    throw InvalidInput(
        fmt::format("the generated matrix '{}' is not symmetric; add --form lu to solve or analyze it.", spec), __FILE__,
        __LINE__);
  }
  try {
    return io::load(spec);
  } catch (const io::NotSymmetric& e) {
    throw io::FileError(fmt::format("{} Add --form lu to solve or analyze it.", e.what()), __FILE__, __LINE__);
  }
}

io::GeneralMatrix load_general_matrix(const std::string& spec) {
  refuse_misspelt_generator(spec);
  return io::load_general(spec);
}

io::RectangularMatrix load_rectangular_matrix(const std::string& spec) {
  refuse_misspelt_generator(spec);
  return io::load_rectangular(spec);
}

io::ComplexMatrix load_complex_matrix(const std::string& path, Form form) {
  try {
    if (form == Form::lu) return io::read_complex_matrix_market(path);
    return form == Form::ldlt ? io::read_complex_half_matrix_market(path) : io::read_hermitian_matrix_market(path);
  } catch (const io::NotSymmetric& e) {
    const char* const forms = form == Form::ldlt ? "lu" : "lu, or --form ldlt if it is complex symmetric,";
    throw io::FileError(fmt::format("{} Add --form {} to solve or analyze it.", e.what(), forms), __FILE__, __LINE__);
  }
}

}  // namespace gpusupernodal::cli
