/// \file
/// Stands in for product_figures_file.cpp in builds without nlohmann/json.

#include "gpusupernodal/error.hpp"
#include "solver/api/product_figures_file.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

ProductFigures read_product_figures(const std::string& path, Backend, const std::string&) {
  fail<InvalidInput>(
      "the cost model {} cannot be read: this gpusupernodal was built without nlohmann/json; unset "
      "GPUSUPERNODAL_COST_MODEL, or build it with -DGPUSUPERNODAL_COST_FILES=ON",
      path);
}

void check_product_figures_file(const std::string& path) {
  fail<InvalidInput>(
      "the cost model {} cannot be written: this gpusupernodal was built without nlohmann/json; build it with "
      "-DGPUSUPERNODAL_COST_FILES=ON",
      path);
}

void write_product_figures(const std::string& path, Backend, const NamedProductFigures&) {
  check_product_figures_file(path);
}

}  // namespace gpusupernodal
