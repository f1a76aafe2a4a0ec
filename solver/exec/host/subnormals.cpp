#include "solver/exec/host/subnormals.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

template <class T>
bool subnormals_are_negligible(const FactorPlan& plan, const FactorInput<T>& input) {
  if constexpr (!std::is_same_v<T, float>) return false;
  constexpr T margin = 16;
  const auto n = static_cast<T>(plan.symbolic.order());
  const T least = margin * n * (std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon());
  const AssemblyMap& map = plan.assembly;
  std::int64_t large = 0;
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    if (map.row[e] == map.column[e] && input.scale * input.values[map.source[e]] + input.shift >= least) ++large;
  }
  return large == plan.symbolic.order();
}

template bool subnormals_are_negligible(const FactorPlan&, const FactorInput<float>&);
template bool subnormals_are_negligible(const FactorPlan&, const FactorInput<double>&);

}  // namespace gpusupernodal
