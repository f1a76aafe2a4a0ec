#include "solver/cuda/run/column_runner.hpp"

#include "gpusupernodal/build_config.hpp"
#include "solver/cuda/plan/column_launches.hpp"

namespace gpusupernodal::cuda {
namespace {

template <class T>
class Runner final : public ColumnRunner<T> {
 public:
  Runner(const CudaPlan& plan, const DevicePlan& lists, DeviceStatus* status, double perturbation)
      : structure_(*plan.structure->columns), launches_(*plan.columns) {
    const DeviceColumns& on_device = lists.column_lists;
    factor_.row_offset = on_device.row_offset;
    factor_.lower = on_device.lower;
    factor_.upper = on_device.upper;
    factor_.columns = on_device.columns;
    factor_.column_offset = on_device.column_offset;
    factor_.rows = on_device.rows;
    factor_.position = on_device.position;
    factor_.before = on_device.before;
    factor_.above = on_device.above;
    factor_.n = structure_.n;
    factor_.tail_begin = structure_.tail_begin;
    factor_.tail_end = structure_.tail_end;
    factor_.tail_values = structure_.sparse_values();
    factor_.status = status;
    factor_.perturbation = perturbation;
    tasks_ = {on_device.tasks, on_device.sources, on_device.level_tasks, plan.options.column_rules.by_rows};
    solve_ = on_device.solve;
    solve_transposed_ = on_device.solve_transposed;
    prepare_columns<T>();
  }

  void factorize(T* values, cudaStream_t stream) override {
    factor_.values = values;
    for (const ColumnLaunch& launch : launches_.launches) run_columns(factor_, tasks_, launch, stream);
    if (structure_.tail() > 0) factorize_tail(factor_, stream);
    inspect_columns(factor_, stream);
  }

  void solve(T* values, bool transposed, const ColumnVectors<T>& vectors, cudaStream_t stream) override {
    factor_.values = values;
    mark_unset(vectors.y, std::int64_t{structure_.n} * vectors.stride, stream);
    mark_unset(vectors.z, std::int64_t{structure_.n} * vectors.stride, stream);
    mark_unset(vectors.tail, std::int64_t{structure_.tail()} * vectors.stride, stream);
    const auto& nodes = transposed ? launches_.solve_transposed : launches_.solve;
    solve_columns(factor_, transposed ? solve_transposed_ : solve_, static_cast<std::int64_t>(nodes.size()), transposed,
                  vectors, stream);
  }

 private:
  const ColumnStructure& structure_;
  const ColumnLaunches& launches_;
  ColumnFactor<T> factor_;
  ColumnTasks tasks_;
  const std::int32_t* solve_ = nullptr;
  const std::int32_t* solve_transposed_ = nullptr;
};

}  // namespace

template <class T>
std::unique_ptr<ColumnRunner<T>> make_column_runner(const CudaPlan& plan, const DevicePlan& lists, DeviceStatus* status,
                                                    double perturbation) {
  return std::make_unique<Runner<T>>(plan, lists, status, perturbation);
}

#define INSTANTIATE(T) \
  template std::unique_ptr<ColumnRunner<T>> make_column_runner(const CudaPlan&, const DevicePlan&, DeviceStatus*, double);
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
