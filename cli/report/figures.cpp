#include "cli/report/figures.hpp"

#include <algorithm>

namespace gpusupernodal::cli {

std::size_t fastest(const std::vector<MethodFigures>& methods, double solves, bool new_values) {
  const auto best = std::min_element(methods.begin(), methods.end(), [&](const MethodFigures& a, const MethodFigures& b) {
    return a.total(solves, new_values) < b.total(solves, new_values);
  });
  return static_cast<std::size_t>(best - methods.begin());
}

}  // namespace gpusupernodal::cli
