#include <algorithm>
#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/batch_group.cuh"
#include "kernels/cuda/batch_kernels.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"

namespace gpusupernodal::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(max_batch_threads)
    check_right_kernel(std::int32_t n, const BatchSystems<T> systems, const BatchSolve<T> solve) {
  const BatchLane lane(systems.lane_bits);
  if (!takes_part(lane, systems)) return;
  const T* const b = column_of(solve.b, lane.system);
  bool finite = true;
  for (std::int32_t i = lane.team; i < n; i += lane.teams) finite = finite && isfinite(b[i]);
  if (!finite) solve.records[lane.system].has_bad_right = 1;
}

/// Replaces solutions that cannot be trusted by NaN.
template <class T>
__global__ void __launch_bounds__(max_batch_threads)
    reject_solutions_kernel(std::int32_t n, const BatchSystems<T> systems, const BatchSolve<T> solve) {
  const BatchLane lane(systems.lane_bits);
  if (!takes_part(lane, systems)) return;
  const BatchSolveRecord record = solve.records[lane.system];
  if (record.has_bad_right != 0) return;
  if (__longlong_as_double(static_cast<long long>(record.error_bits)) <= solve.trusted) return;
  T* const x = column_of(solve.x, lane.system);
  for (std::int32_t i = lane.team; i < n; i += lane.teams) x[i] = std::numeric_limits<T>::quiet_NaN();
}

/// Calls launch(part) for all columns, in parts that fit in a grid.
template <class T, class Launch>
void launch_in_parts(const BatchSolve<T>& solve, const Launch& launch) {
  for (std::int64_t first = 0; first < solve.columns; first += max_grid_columns)
    launch(solve.part(first, std::min(max_grid_columns, solve.columns - first)));
}

}  // namespace

template <class T>
void begin_batch_solve(const BatchSolveLists& lists, const BatchSystems<T>& systems, const BatchSolve<T>& solve, int threads,
                       cudaStream_t stream) {
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemsetAsync(solve.records, 0, sizeof(BatchSolveRecord) * static_cast<std::size_t>(systems.count), stream));
  if (!solve.check_right) return;
  launch_in_parts(solve, [&](const BatchSolve<T>& part) {
    check_right_kernel<T><<<grid_of(systems, part), static_cast<unsigned>(threads), 0, stream>>>(lists.n, systems, part);
    GPUSUPERNODAL_CUDA_CHECK_LAUNCH("begin_batch_solve");
  });
}

template <class T>
void reject_batch_solutions(const BatchSolveLists& lists, const BatchSystems<T>& systems, const BatchSolve<T>& solve,
                            int threads, cudaStream_t stream) {
  launch_in_parts(solve, [&](const BatchSolve<T>& part) {
    reject_solutions_kernel<T>
        <<<grid_of(systems, part), static_cast<unsigned>(threads), 0, stream>>>(lists.n, systems, part);
    GPUSUPERNODAL_CUDA_CHECK_LAUNCH("reject_batch_solutions");
  });
}

template <class T>
void prepare_batch_checks() {
  load_kernels(check_right_kernel<T>, reject_solutions_kernel<T>);
}

#define INSTANTIATE(T)                                                                                               \
  template void begin_batch_solve<T>(const BatchSolveLists&, const BatchSystems<T>&, const BatchSolve<T>&, int,      \
                                     cudaStream_t);                                                                  \
  template void reject_batch_solutions<T>(const BatchSolveLists&, const BatchSystems<T>&, const BatchSolve<T>&, int, \
                                          cudaStream_t);                                                             \
  template void prepare_batch_checks<T>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
