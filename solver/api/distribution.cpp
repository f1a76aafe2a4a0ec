#include "gpusupernodal/distribution.hpp"

#include "gpusupernodal/build_config.hpp"
#include "solver/api/cost_file.hpp"
#include "solver/api/describe_distribution.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
PartMap make_part_map(const FactorPlan& plan, const DistributionOptions& options, ScalarType scalar) {
  if (plan.structure().general) fail<InvalidInput>("the plan is for LU, which one part factorizes; make one for Form::llt");
  return build_part_map(plan.symbolic,
                        {options.parts, options.speeds, options.memory_limits, scalar, cost_figures_for("").host});
}

DistributionReport describe(const PartMap& map, ScalarType scalar) {
  DistributionReport report;
  for (const PartShare& share : map.shares) {
    PartReport part;
    part.subtrees = share.subtrees;
    part.top_columns = share.top_columns;
    part.bytes = share.values * bytes_of(scalar);
    part.contribution_bytes = share.contribution_values * bytes_of(scalar);
    part.buffer_bytes = share.buffer_values * bytes_of(scalar);
    part.bytes_in_all = share.values_in_all() * bytes_of(scalar);
    part.flops = share.flops;
    part.seconds = share.seconds;
    report.parts.push_back(part);
    report.flops += share.flops;
    report.bytes += report.parts.back().bytes;
  }
  report.top_flops = map.top_flops;
  report.seconds = map.seconds;
  report.seconds_of_one = map.seconds_of_one;
  return report;
}

template <class T>
DistributionReport distribution(const FactorPlan& plan, const DistributionOptions& options) {
  return describe(make_part_map(plan, options, scalar_type_of<T>), scalar_type_of<T>);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template DistributionReport distribution<T>(const FactorPlan&, const DistributionOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
