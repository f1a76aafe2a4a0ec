#include "solver/cuda/run/block_runner.hpp"

#include <algorithm>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "kernels/cuda/block_kernels.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/factor/touched_tiles.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Returns the 64-column pieces of the supernodes above the leaf subtrees; solves need their inverses.
std::vector<DiagonalTask> pieces_above(const CudaPlan& plan) {
  std::vector<DiagonalTask> pieces;
  for (SupernodeId s : plan.structure->symbolic.supernode_ids()) {
    if (plan.schedule.in_subtree(s)) continue;
    const std::int32_t width = plan.structure->symbolic.width(s);
    for (std::int32_t p = 0; p < piece_count(width); ++p) {
      pieces.push_back({s.value, p * tile_size, piece_width(width, p), 0});
    }
  }
  return pieces;
}

bool is_launched(const Task& task) {
  return task.kind != TaskKind::factor_subtree && task.kind != TaskKind::assemble && task.kind != TaskKind::complete;
}

}  // namespace

template <class T>
BlockRunner<T>::BlockRunner(const CudaPlan& plan, const DevicePlan& device, const StreamSet& streams,
                            const std::shared_ptr<Allocator>& allocator)
    : plan_(plan),
      device_(device),
      streams_(streams),
      steps_(plan.streams),
      events_(static_cast<std::size_t>(steps_.events)),
      stream_done_(static_cast<std::size_t>(streams.count())) {
  prepare_block_kernels<T>();
  for (std::int32_t s = 0; s < streams.count(); ++s) libraries_.emplace_back(streams.side(s));
  const CudaBlockSizes sizes = cuda_block_sizes(plan);
  const std::int64_t factor_work = libraries_.front().factor_workspace(sizes.widest);
  const std::vector<DiagonalTask> pieces = pieces_above(plan);
  slab_ =
      Slab(allocator, cuda_block_workspace(plan, scalar_type_of<T>, factor_work), "the workspaces of the block schedule");
  for (std::int32_t s = 0; s < streams.count(); ++s) {
    products_.push_back(slab_.template take<T>(sizes.largest_product));
    factor_work_.push_back(slab_.template take<T>(factor_work));
    info_.push_back(slab_.template take<int>(1));
  }
  pieces_ = slab_.upload(std::span<const DiagonalTask>(pieces));
  piece_count_ = static_cast<int>(pieces.size());
}

template <class T>
void BlockRunner<T>::run(T* values, DeviceTrace* trace) const {
  const TaskGraph& graph = plan_.schedule.graph;
  ready_.record(streams_.main());
  for (std::int32_t s = 1; s < streams_.count(); ++s) ready_.make_wait(streams_.side(s));
  for (const StreamStep& step : steps_.steps) {
    const cudaStream_t stream = streams_.side(step.stream);
    for (std::int64_t w = step.wait_begin; w < step.wait_end; ++w) {
      events_[static_cast<std::size_t>(steps_.waits[static_cast<std::size_t>(w)])].make_wait(stream);
    }
    {
      const Task& task = graph.tasks[step.task];
      const LaunchMark mark(trace, name_of(task.kind), stream, is_launched(task) ? 1 : 0);
      work(task, step.stream, values);
    }
    if (step.event >= 0) events_[static_cast<std::size_t>(step.event)].record(stream);
  }
  for (std::int32_t s = 1; s < streams_.count(); ++s) {
    stream_done_[static_cast<std::size_t>(s)].record(streams_.side(s));
    stream_done_[static_cast<std::size_t>(s)].make_wait(streams_.main());
  }
  invert_pieces<T>(values, device_.panels, pieces_, piece_count_, streams_.main());
}

template <class T>
void BlockRunner<T>::work(const Task& task, std::int32_t stream, T* values) const {
  switch (task.kind) {
    case TaskKind::update_between:
      return update_between(task, stream, values);
    case TaskKind::update_internal:
      return update_internal(task, stream, values);
    case TaskKind::scale_diagonal:
      return scale_diagonal(task, stream, values);
    case TaskKind::scale_below:
      return scale_below(task, stream, values);
    case TaskKind::factor_subtree:
    case TaskKind::assemble:
    case TaskKind::complete:
      return;
  }
}

template <class T>
void BlockRunner<T>::update_between(const Task& task, std::int32_t stream, T* values) const {
  const BlockColumn& block = plan_.schedule.block_columns[task.target];
  const bool diagonal = task.row_begin == block.first;
  const auto index = static_cast<std::size_t>(stream);
  for (UpdateId u : IdRange<UpdateId>(task.update_begin, task.update_end)) {
    const Update& update = plan_.structure->updates.updates[u];
    const std::int32_t rows = plan_.structure->symbolic.rows_below(update.source) - update.row_begin;
    const std::span<const std::int32_t> relative{plan_.structure->updates.relative_rows.data() + update.relative,
                                                 static_cast<std::size_t>(rows)};
    const UpdatePart part =
        part_of_update(relative, update.columns(), task.row_begin, task.row_end, block.first, block.first + block.width);
    if (part.empty()) continue;
    const std::int32_t m = part.row_last - part.row_first;
    const std::int32_t n = part.column_last - part.column_first;
    const std::int32_t width = plan_.structure->symbolic.width(update.source);
    T* const product = products_[index];
    for_each_panel_block(0, width, [&](std::int32_t first, std::int32_t last) {
      const PanelBlock source = plan_.structure->panels.block(update.source, first);
      const T* const below = values + source.index(width + update.row_begin, first);
      const T keep = first == 0 ? T(0) : T(1);
      if (diagonal) {
        libraries_[index].product_lower(n, last - first, T(1), below + part.column_first, source.ld, keep, product, m);
      } else {
        libraries_[index].product(m, n, last - first, T(1), below + part.row_first, source.ld, below + part.column_first,
                                  source.ld, keep, product, m);
      }
    });
    subtract_product({relative, part, block.supernode, diagonal}, product, device_.relative_rows + update.relative,
                     streams_.side(stream), values);
  }
}

/// Subtracts a product from its places in the target, whose columns may lie in several block columns of the storage.
template <class T>
void BlockRunner<T>::subtract_product(const ProductPlaces& at, const T* product, const std::int32_t* places,
                                      cudaStream_t stream, T* values) const {
  const std::int32_t rows = at.part.row_last - at.part.row_first;
  for (std::int32_t first = at.part.column_first, last = first; first < at.part.column_last; first = last) {
    const std::int32_t column = at.relative[static_cast<std::size_t>(first)];
    const auto end = at.relative.begin() + at.part.column_last;
    last = static_cast<std::int32_t>(
        std::lower_bound(at.relative.begin() + first, end, first_of_block(column) + panel_block) - at.relative.begin());
    const PanelBlock target = plan_.structure->panels.block(at.supernode, column);
    const std::int32_t before = first - at.part.column_first;
    const std::int32_t above = at.is_diagonal ? before : 0;  // Rows above the diagonal of these columns.
    subtract_indexed<T>(product + above + std::int64_t{before} * rows, rows, rows - above, last - first,
                        places + at.part.row_first + above, places + first, at.is_diagonal, values + target.origin,
                        target.ld, stream);
  }
}

/// Subtracts the products of columns `from` with themselves from rows row_begin … row_end−1 of columns `to` of the same
/// supernode; on the diagonal, from the lower half alone. Columns `from` lie in one block column of the storage.
template <class T>
void BlockRunner<T>::subtract_from_later(const DenseLibrary<T>& library, SupernodeId s, ColumnRange from, ColumnRange to,
                                         std::int32_t row_begin, std::int32_t row_end, T* values) const {
  const bool diagonal = row_begin == to.first;
  const PanelBlock source = plan_.structure->panels.block(s, from.first);
  const auto left = [&](std::int32_t row) { return values + source.index(row, from.first); };
  const std::int32_t depth = from.last - from.first;
  for_each_panel_block(to.first, to.last, [&](std::int32_t first, std::int32_t last) {
    const PanelBlock target = plan_.structure->panels.block(s, first);
    std::int32_t row = row_begin;
    if (diagonal) {
      library.product_lower(last - first, depth, T(-1), left(first), source.ld, T(1), values + target.index(first, first),
                            target.ld);
      row = last;
    }
    if (row == row_end) return;
    library.product(row_end - row, last - first, depth, T(-1), left(row), source.ld, left(first), source.ld, T(1),
                    values + target.index(row, first), target.ld);
  });
}

template <class T>
void BlockRunner<T>::update_internal(const Task& task, std::int32_t stream, T* values) const {
  const BlockColumn& source = plan_.schedule.block_columns[task.source_block];
  const BlockColumn& block = plan_.schedule.block_columns[task.target];
  for_each_panel_block(source.first, source.first + source.width, [&](std::int32_t first, std::int32_t last) {
    subtract_from_later(libraries_[static_cast<std::size_t>(stream)], block.supernode, {first, last},
                        {block.first, block.first + block.width}, task.row_begin, task.row_end, values);
  });
}

template <class T>
void BlockRunner<T>::scale_diagonal(const Task& task, std::int32_t stream, T* values) const {
  const BlockColumn& block = plan_.schedule.block_columns[task.target];
  const auto index = static_cast<std::size_t>(stream);
  const std::int32_t end = block.first + block.width;
  for_each_panel_block(block.first, end, [&](std::int32_t first, std::int32_t last) {
    const PanelBlock stored = plan_.structure->panels.block(block.supernode, first);
    T* const diagonal = values + stored.index(first, first);
    libraries_[index].factor(last - first, diagonal, stored.ld, factor_work_[index], info_[index]);
    mark_failed_pivot<T>(diagonal, stored.ld, info_[index], streams_.side(stream));
    if (last < end) trsm_rows(block, {first, last}, last, end, stream, values);
  });
}

template <class T>
void BlockRunner<T>::scale_below(const Task& task, std::int32_t stream, T* values) const {
  const BlockColumn& block = plan_.schedule.block_columns[task.target];
  for_each_panel_block(block.first, block.first + block.width, [&](std::int32_t first, std::int32_t last) {
    trsm_rows(block, {first, last}, task.row_begin, task.row_end, stream, values);
  });
}

/// Solves with the triangle of `columns`, which lie in one block column of the storage, for rows row_begin … row_end−1, and
/// subtracts their products from the later columns of the block.
template <class T>
void BlockRunner<T>::trsm_rows(const BlockColumn& block, ColumnRange columns, std::int32_t row_begin, std::int32_t row_end,
                               std::int32_t stream, T* values) const {
  const DenseLibrary<T>& library = libraries_[static_cast<std::size_t>(stream)];
  const PanelBlock stored = plan_.structure->panels.block(block.supernode, columns.first);
  library.solve_below(row_end - row_begin, columns.last - columns.first, values + stored.index(columns.first, columns.first),
                      stored.ld, values + stored.index(row_begin, columns.first), stored.ld);
  subtract_from_later(library, block.supernode, columns, {columns.last, block.first + block.width}, row_begin, row_end,
                      values);
}

#define INSTANTIATE(T) template class BlockRunner<T>;
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
