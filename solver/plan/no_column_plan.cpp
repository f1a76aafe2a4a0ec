/// \file
/// LU by columns in builds that leave it out.

#include <complex>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/plan/column_plan.hpp"

namespace gpusupernodal {
namespace {

[[noreturn]] void refuse() {
  fail<InvalidInput>(
      "lu_schedule is columns, but this build has no LU by columns (GPUSUPERNODAL_LU_COLUMNS is OFF); set it to supernodes");
}

}  // namespace

bool has_lu_by_columns() noexcept { return false; }

template <class S>
std::shared_ptr<const FactorPlan> make_column_plan(const PatternView&, const S*, MatchingRule, const PlanOptions&,
                                                   const std::function<bool(const Progress&)>&, double) {
  refuse();
}

template <class S>
std::shared_ptr<const FactorPlan> make_repivoted_column_plan(const FactorPlan&, const S*, const PlanOptions&) {
  refuse();
}

#define GPUSUPERNODAL_INSTANTIATE(S)                                                                                        \
  template std::shared_ptr<const FactorPlan> make_column_plan(                                                              \
      const PatternView&, const S*, MatchingRule, const PlanOptions&, const std::function<bool(const Progress&)>&, double); \
  template std::shared_ptr<const FactorPlan> make_repivoted_column_plan(const FactorPlan&, const S*, const PlanOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
