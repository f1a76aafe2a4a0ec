#include "solver/exec/cuda/factor_runner.hpp"

#include <algorithm>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/factor_kernels.hpp"

namespace gpusupernodal::cuda {

StreamSet::StreamSet(int count) {
  int lowest = 0;
  int highest = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  for (int i = 0; i < count; ++i) streams_.emplace_back(std::min(highest + i, lowest));
}

template <class T>
FactorRunner<T>::FactorRunner(const DevicePlan& plan, const StreamSet& streams)
    : plan_(plan), streams_(streams), waits_(plan.levels().size()), scaled_event_(plan.levels().size(), -1) {
  for (std::size_t level = 0; level < plan.levels().size(); ++level) {
    const std::int32_t begin = plan.levels()[level].first_group;
    const std::int32_t end = plan.groups_end(level);
    if (begin == end) continue;
    scaled_event_[level] = static_cast<std::int32_t>(level_scaled_.size());
    level_scaled_.emplace_back();
    for (std::int32_t g = begin; g < end; ++g) {
      group_done_.emplace_back();
      waits_[static_cast<std::size_t>(plan.groups()[static_cast<std::size_t>(g)].deadline)].push_back(g);
    }
  }
  prepare_factor_kernels<T>();
}

template <class T>
void FactorRunner<T>::subtract(const TaskRange& tiles, T* values, cudaStream_t stream) const {
  subtract_products<T>(values, plan_.panels, plan_.updates, plan_.update_of_row, plan_.relative_rows,
                       plan_.product + tiles.begin, tiles.count, stream);
}

template <class T>
void FactorRunner<T>::run_level(std::size_t level, T* values) const {
  const Level& launches = plan_.levels()[level];
  const cudaStream_t main = streams_.main();
  for (const std::int32_t g : waits_[level]) group_done_[static_cast<std::size_t>(g)].make_wait(main);
  factor_narrow<T>(values, plan_.panels, plan_.narrow + launches.narrow.begin, launches.narrow.count, main);
  factor_wide<T>(values, plan_.panels, plan_.wide + launches.wide.begin, launches.wide.count, main);
  scale_rows<T>(values, plan_.panels, plan_.scale + launches.scale.begin, launches.scale.count, main);
  if (scaled_event_[level] >= 0) {
    const Event& scaled = level_scaled_[static_cast<std::size_t>(scaled_event_[level])];
    scaled.record(main);
    for (std::int32_t g = launches.first_group; g < plan_.groups_end(level); ++g) {
      const ProductGroup& group = plan_.groups()[static_cast<std::size_t>(g)];
      const cudaStream_t side = streams_.side(group.stream);
      scaled.make_wait(side);
      subtract(group.tiles, values, side);
      group_done_[static_cast<std::size_t>(g)].record(side);
    }
  }
  subtract(launches.urgent, values, main);
}

template <class T>
void FactorRunner<T>::run(T* values) const {
  for (std::size_t level = 0; level < plan_.levels().size(); ++level) run_level(level, values);
}

template class FactorRunner<float>;
template class FactorRunner<double>;

}  // namespace gpusupernodal::cuda
