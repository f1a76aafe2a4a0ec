#include "solver/cuda/run/factor_runner.hpp"

#include <algorithm>

#include "gpusupernodal/built_with.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/solve_kernels.hpp"
#include "solver/cuda/run/level_progress.hpp"
#include "solver/cuda/run/ranges.hpp"

namespace gpusupernodal::cuda {

StreamSet::StreamSet(int count) {
  int lowest = 0;
  int highest = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  for (int i = 0; i < count; ++i) streams_.emplace_back(std::min(highest + i, lowest));
  streams_.emplace_back(highest);
}

template <class T>
FactorRunner<T>::FactorRunner(const DevicePlan& plan, const StreamSet& streams, bool early)
    : plan_(plan), streams_(streams), waits_(plan.levels().size()), solved_event_(plan.levels().size(), -1) {
  for (std::size_t level = 0; level < plan.levels().size(); ++level) {
    const std::int32_t begin = plan.levels()[level].first_group;
    const std::int32_t end = plan.groups_end(level);
    if (begin == end) continue;
    solved_event_[level] = static_cast<std::int32_t>(level_solved_.size());
    level_solved_.emplace_back();
    for (std::int32_t g = begin; g < end; ++g) {
      group_done_.emplace_back();
      waits_[static_cast<std::size_t>(plan.groups()[static_cast<std::size_t>(g)].deadline)].push_back(g);
    }
  }
  data_.panels = plan.panels;
  data_.updates = plan.updates;
  data_.update_of_row = plan.update_of_row;
  data_.tasks_before_row = plan.tasks_before_row;
  data_.rows = plan.rows;
  data_.relative_rows = plan.relative_rows;
  data_.early = early;
  data_.readers = plan.panel_counters;
  prepare_factor_kernels<T>();
  fused_columns_fit_ = prepare_block_columns<T>();
}

template <class T>
void FactorRunner<T>::take_lu(const LuData<T>& lu) {
  lu_ = lu;
  if constexpr (built_with(Form::lu)) prepare_lu_kernels<T>();
  fused_columns_fit_ = false;
}

template <class T>
void FactorRunner<T>::take_ldlt(const LdltData<T>& ldlt) {
  ldlt_ = ldlt;
  if constexpr (ScalarTraits<T>::is_complex) is_symmetric_ = ldlt.is_symmetric;
  if constexpr (built_with(Form::ldlt)) {
    prepare_ldlt_kernels<T>(is_symmetric_);
    fused_columns_fit_ = prepare_ldlt_block_columns<T>(is_symmetric_);
  }
}

template <class T>
LdltData<T> FactorRunner<T>::ldlt_with(const FactorData<T>& data) const {
  LdltData<T> ldlt = *ldlt_;
  static_cast<FactorData<T>&>(ldlt) = data;
  return ldlt;
}

template <class T>
LuData<T> FactorRunner<T>::lu_with(const FactorData<T>& data) const {
  LuData<T> lu = *lu_;
  lu.data = data;
  return lu;
}

template <class T>
void FactorRunner<T>::subtract(const TaskRange& tiles, const FactorData<T>& data, cudaStream_t stream) const {
  const LaunchMark mark(trace_, "product", stream, tiles.count);
  if constexpr (built_with(Form::lu)) {
    if (lu_) return apply_lu_updates<T>(lu_with(data), plan_.product + tiles.begin, tiles.count, stream);
  }
  if constexpr (built_with(Form::ldlt)) {
    if (ldlt_) return apply_ldlt_updates<T>(ldlt_with(data), plan_.product + tiles.begin, tiles.count, stream);
  }
  apply_updates<T>(data, plan_.product + tiles.begin, tiles.count, stream);
}

template <class T>
void FactorRunner<T>::factor_blocks(const DiagonalTask* blocks, std::int32_t count, const FactorData<T>& data,
                                    cudaStream_t stream) const {
  if constexpr (built_with(Form::lu)) {
    if (lu_) return factor_lu_diagonal<T>(lu_with(data), blocks, count, stream);
  }
  if constexpr (built_with(Form::ldlt)) {
    if (ldlt_) return factor_ldlt_diagonal<T>(ldlt_with(data), blocks, count, stream);
  }
  factor_diagonal<T>(data, blocks, count, stream);
}

/// Launches urgent products, together with the next level's blocks that are independent of them: in one launch, or, for LU
/// and for 16-byte scalars, whose blocks need more registers, beside them.
template <class T>
void FactorRunner<T>::finish_level(const Level& launches, const FactorData<T>& data) const {
  const cudaStream_t main = streams_.main();
  const DiagonalTask* const blocks = plan_.diagonal_blocks + launches.ahead.begin;
  const bool is_beside = lu_.has_value() || !blocks_join_products<T>;
  if (is_beside && launches.ahead.count > 0) {
    blocks_ready_.record(main);
    blocks_ready_.make_wait(streams_.blocks());
    {
      const LaunchMark mark(trace_, "diagonal", streams_.blocks(), launches.ahead.count);
      factor_blocks(blocks, launches.ahead.count, data, streams_.blocks());
    }
    blocks_done_.record(streams_.blocks());
    subtract(launches.urgent, data, main);
    blocks_done_.make_wait(main);
    return;
  }
  if constexpr (blocks_join_products<T>) {
    if (launches.ahead.count > 0) {  // With ordered accumulation no block is factorized ahead (fixed_order.cpp).
      const LaunchMark mark(trace_, "product", main, std::int64_t{launches.urgent.count} + launches.ahead.count);
      const ProductTask* const tiles = plan_.product + launches.urgent.begin;
      if constexpr (built_with(Form::ldlt)) {
        if (ldlt_)
          return factor_ldlt_diagonal_and_apply_updates<T>(ldlt_with(data), blocks, launches.ahead.count, tiles,
                                                           launches.urgent.count, main);
      }
      return factor_diagonal_and_apply_updates<T>(data, blocks, launches.ahead.count, tiles, launches.urgent.count, main);
    }
  }
  subtract(launches.urgent, data, main);
}

template <class T>
void FactorRunner<T>::run_groups(std::size_t level, const FactorData<T>& data) const {
  if (solved_event_[level] < 0) return;
  const Event& scaled = level_solved_[static_cast<std::size_t>(solved_event_[level])];
  scaled.record(streams_.main());
  for (std::int32_t g = plan_.levels()[level].first_group; g < plan_.groups_end(level); ++g) {
    const ProductGroup& group = plan_.groups()[static_cast<std::size_t>(g)];
    const cudaStream_t side = streams_.side(group.stream);
    scaled.make_wait(side);
    subtract(group.tiles, data, side);
    group_done_[static_cast<std::size_t>(g)].record(side);
  }
}

/// Launches diagonal blocks and the rows below them.
template <class T>
void FactorRunner<T>::eliminate(const Level& launches, const FactorData<T>& data) const {
  const cudaStream_t main = streams_.main();
  const DiagonalTask* const blocks = plan_.diagonal_blocks + launches.diagonal.begin;
  const TrsmTask* const rows = plan_.scale + launches.scale.begin;
  if (fused_columns_fit_ && launches.factorized == 0 && is_one_launch(launches.diagonal.count, launches.scale.count)) {
    const LaunchMark column(trace_, "column", main, std::int64_t{launches.diagonal.count} + launches.scale.count);
    if constexpr (built_with(Form::ldlt)) {
      if (ldlt_)
        return factor_ldlt_block_columns<T>(ldlt_with(data), blocks, launches.diagonal.count, rows, launches.scale.count,
                                            main);
    }
    factor_block_columns<T>(data, blocks, launches.diagonal.count, rows, launches.scale.count, main);
    return;
  }
  if (launches.diagonal.count > 0) {
    const LaunchMark diagonal(trace_, "diagonal", main, launches.diagonal.count);
    factor_blocks(blocks, launches.diagonal.count, data, main);
  }
  const LaunchMark scaled(trace_, "scale", main, launches.scale.count);
  if constexpr (built_with(Form::lu)) {
    if (lu_) return lu_trsm_below<T>(lu_with(data), rows, launches.scale.count, launches.diagonal.count > 0, main);
  }
  if constexpr (built_with(Form::ldlt)) {
    if (ldlt_) return ldlt_trsm_below<T>(ldlt_with(data), rows, launches.scale.count, launches.diagonal.count > 0, main);
  }
  trsm_below<T>(data, rows, launches.scale.count, launches.diagonal.count > 0, main);
}

template <class T>
void FactorRunner<T>::merge_inverses(T* values, std::size_t first, std::size_t last) const {
  for (std::size_t g = first; g < last; ++g) {
    const MergeInversesGroup& group = plan_.inverse_merge_groups()[g];
    merge_block_inverses<T>(values, {lu_ ? lu_->partner : 0, !lu_ && !is_symmetric_}, plan_.panels,
                            plan_.inverse_merges + group.begin, group.count, group.half, streams_.main());
  }
}

/// Claims that factor_whole_fronts uses.
constexpr std::int32_t claims_of_whole_fronts = 2;
static_assert(claims_of_whole_fronts < claims_per_level);

/// With ordered accumulation, each launch counts its tasks in another of data.claims.
template <class T>
void FactorRunner<T>::factor_whole_fronts(const Level& launches, FactorData<T>& data) const {
  const cudaStream_t main = streams_.main();
  const FrontTask* const narrow = plan_.tiny + launches.tiny.begin;
  const FrontTask* const tiny = narrow + launches.narrow;
  const FrontTask* const small = plan_.small + launches.small.begin;
  const std::int32_t tiny_count = launches.tiny.count - launches.narrow;
  if constexpr (built_with(Form::lu)) {
    if (lu_) {
      const LuData<T> lu = lu_with(data);
      factor_narrow_lu_fronts<T>(lu, narrow, launches.narrow, main);
      factor_tiny_lu_fronts<T>(lu, tiny, tiny_count, main);
      return factor_small_lu_fronts<T>(lu, small, launches.small.count, launches.small_entries, main);
    }
  }
  if constexpr (built_with(Form::ldlt)) {
    if (ldlt_) {
      const LdltData<T> ldlt = ldlt_with(data);
      factor_narrow_ldlt_fronts<T>(ldlt, narrow, launches.narrow, main);
      factor_tiny_ldlt_fronts<T>(ldlt, tiny, tiny_count, main);
      return factor_small_ldlt_fronts<T>(ldlt, small, launches.small.count, launches.small_entries, main);
    }
  }
  const std::int32_t step = data.tasks_added != nullptr ? 1 : 0;
  factor_narrow_fronts<T>(data, narrow, launches.narrow, main);
  factor_tiny_fronts<T>(data, tiny, tiny_count, main);
  data.claims += step;
  factor_small_fronts<T>(data, small, launches.small.count, launches.small_entries, main);
  data.claims += step;
}

/// Launches the whole fronts of the run of levels.
template <class T>
void FactorRunner<T>::factor_run(const FactorData<T>& data) const {
  const LaunchMark mark(trace_, "front", streams_.main(), plan_.run.count);
  if constexpr (built_with(Form::lu)) {
    if (lu_) return factor_lu_level_run<T>(lu_with(data), plan_.run, streams_.main());
  }
  if constexpr (built_with(Form::ldlt)) {
    if (ldlt_) return factor_ldlt_level_run<T>(ldlt_with(data), plan_.run, streams_.main());
  }
  factor_level_run<T>(data, plan_.run, streams_.main());
}

/// The data of a level's launches.
template <class T>
FactorData<T> FactorRunner<T>::data_of(std::size_t level, T* values) const {
  FactorData<T> data = data_;
  data.values = values;
  data.trace = trace_ != nullptr ? trace_->buffer() : nullptr;
  if (data.trace != nullptr) data.early = false;  // A launch that begins early would begin before its mark.
  const Level& launches = plan_.levels()[level];
  const bool is_ordered = launches.ordered_index >= 0;
  data.tasks_added = is_ordered ? plan_.tasks_added : nullptr;
  data.claims = is_ordered ? plan_.claims + claims_per_level * launches.ordered_index : nullptr;
  return data;
}

template <class T>
void FactorRunner<T>::begin_level(std::size_t level, T* values) const {
  const Range range("level", static_cast<std::int64_t>(level));
  const Level& launches = plan_.levels()[level];
  const cudaStream_t main = streams_.main();
  FactorData<T> data = data_of(level, values);
  for (const std::int32_t g : waits_[level]) group_done_[static_cast<std::size_t>(g)].make_wait(main);
  if (plan_.run_begins(level)) factor_run(data);
  LaunchMark fronts(trace_, "front", main, std::int64_t{launches.tiny.count} + launches.small.count);
  factor_whole_fronts(launches, data);
  fronts.end();
  eliminate(launches, data);
}

template <class T>
void FactorRunner<T>::end_level(std::size_t level, T* values) const {
  FactorData<T> data = data_of(level, values);
  const Level& launches = plan_.levels()[level];
  if (data.tasks_added != nullptr) data.claims += claims_of_whole_fronts;
  run_groups(level, data);
  finish_level(launches, data);
}

template <class T>
void FactorRunner<T>::finish_products_before(std::size_t level) const {
  for (std::int32_t g = 0; g < plan_.levels()[level].first_group; ++g) {
    if (plan_.groups()[static_cast<std::size_t>(g)].deadline >= static_cast<std::int32_t>(level))
      group_done_[static_cast<std::size_t>(g)].make_wait(streams_.main());
  }
}

template <class T>
void FactorRunner<T>::run(T* values, const ProgressCallback* levels_done) const {
  if (plan_.tasks_added != nullptr) {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemsetAsync(plan_.tasks_added, 0, static_cast<std::size_t>(plan_.order_bytes), streams_.main()));
  }
  double flops = 0.0;
  for (const Level& level : plan_.levels()) flops += level.flops;
  LevelProgress progress(flops, levels_done);
  for (std::size_t level = 0; level < plan_.levels().size(); ++level) {
    begin_level(level, values);
    end_level(level, values);
    if (level + 1 == plan_.levels().size()) return;  // The caller reports the end.
    progress.level_launched(plan_.levels()[level].flops,
                            [&] { GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(streams_.main())); });
  }
}

#define INSTANTIATE(T) template class FactorRunner<DeviceScalar<T>>;
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
