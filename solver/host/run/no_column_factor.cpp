/// \file
/// LU by columns in builds that leave it out: no plan leads here.

#include <complex>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/host/run/system_factor.hpp"

namespace gpusupernodal {

template <class T>
std::unique_ptr<SystemFactor<T>> make_column_factor(std::shared_ptr<const HostPlan>, const ExecutorOptions&, HostContext&,
                                                    HostOperator<T>*) {
  fail<InvalidInput>(
      "lu_schedule is columns, but this build has no LU by columns (GPUSUPERNODAL_LU_COLUMNS is OFF); set it to supernodes");
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                                    \
  template std::unique_ptr<SystemFactor<T>> make_column_factor(std::shared_ptr<const HostPlan>, const ExecutorOptions&, \
                                                               HostContext&, HostOperator<T>*);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
