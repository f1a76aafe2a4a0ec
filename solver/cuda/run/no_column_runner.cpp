/// \file
/// LU by columns in builds that leave it out: no plan leads here.

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/cuda/run/column_runner.hpp"

namespace gpusupernodal::cuda {

template <class T>
std::unique_ptr<ColumnRunner<T>> make_column_runner(const CudaPlan&, const DevicePlan&, DeviceStatus*, double) {
  fail<InvalidInput>(
      "lu_schedule is columns, but this build has no LU by columns (GPUSUPERNODAL_LU_COLUMNS is OFF); set it to supernodes");
}

#define INSTANTIATE(T) \
  template std::unique_ptr<ColumnRunner<T>> make_column_runner(const CudaPlan&, const DevicePlan&, DeviceStatus*, double);
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
