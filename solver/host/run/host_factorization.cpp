#include "solver/host/run/host_factorization.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "solver/factor/touched_tiles.hpp"
#include "solver/host/run/assembled_entry.hpp"

namespace gpusupernodal {
namespace {

/// HostKernels::factor_panel of a supernode of one column, of which small matrices have many: nothing for a kernel to do.
template <class T>
std::int32_t factor_column(std::int32_t rows, T* column, typename ScalarTraits<T>::Real* pivot) {
  using Real = typename ScalarTraits<T>::Real;
  *pivot = ScalarTraits<T>::real(column[0]);
  if (!(*pivot > Real(0)) || !std::isfinite(*pivot)) return 0;
  const Real root = std::sqrt(*pivot);
  column[0] = root;
  const Real inverse = Real(1) / root;
  for (std::int32_t r = 1; r < rows; ++r) column[r] *= inverse;
  return -1;
}

}  // namespace

template <class T>
HostFactorization<T>::HostFactorization(const HostPlan& plan, const FactorInput<T>& input, bool check_finite, T* values,
                                        PivotMonitor& monitor)
    : plan_(plan),
      input_(input),
      kernels_(host_kernels<T>()),
      check_finite_(check_finite),
      values_(values),
      monitor_(monitor) {}

template <class T>
void HostFactorization<T>::run(const Task& task, int worker) const {
  const Schedule& schedule = plan_.schedule;
  switch (task.kind) {
    case TaskKind::factor_subtree:
      return factor_subtree(schedule.subtrees[task.subtree], worker);
    case TaskKind::assemble: {
      const BlockColumn& block = schedule.block_columns[task.target];
      return assemble(block.supernode, block.first, block.width, worker);
    }
    case TaskKind::update_between:
      return update_between(task);
    case TaskKind::update_internal:
      return update_internal(task);
    case TaskKind::scale_diagonal: {
      const BlockColumn& block = schedule.block_columns[task.target];
      return scale_diagonal(block.supernode, block.first, block.width, worker);
    }
    case TaskKind::scale_below:
      return scale_below(task);
    case TaskKind::complete:
      return;
  }
}

/// Left-looking over the supernodes of the subtree or chain. Sources outside a chain were done before it.
template <class T>
void HostFactorization<T>::factor_subtree(const LeafSubtree& subtree, int worker) const {
  constexpr std::int64_t few_values = 4096;  // That stay in the cache until their turn comes.
  const SymbolicFactor& factor = plan_.structure->symbolic;
  const auto& value_offset = plan_.structure->panels.value_offset;
  const bool at_once = value_offset[subtree.last + 1] - value_offset[subtree.first] <= few_values;
  if (at_once) assemble_all(subtree.first, subtree.last, worker);
  PivotRange<T> range;
  for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
    const std::int32_t width = factor.width(s);
    if (!at_once) assemble_all(s, s, worker);
    for (UpdateId u : plan_.structure->updates.into(s)) update_whole_panel(plan_.structure->updates.updates[u]);
    if (width > panel_block) {
      factor_wide_panel(s, worker);
      continue;
    }
    const std::int64_t ld = plan_.structure->panels.ld[s];
    Real pivot = Real(0);
    const std::int32_t rows = factor.front(s);
    const std::int32_t failed =
        width == 1 ? factor_column(rows, panel(s), &pivot) : kernels_.factor_panel(rows, width, panel(s), ld, &pivot);
    range.add(panel(s), failed < 0 ? width : failed, ld + 1);
    if (failed >= 0) monitor_.pivot_failed(worker, factor.first_column[s] + failed, static_cast<double>(pivot));
  }
  monitor_.pivots_done(worker, range);
}

/// Factorizes a panel of several block columns: each updates the later ones when it is done.
template <class T>
void HostFactorization<T>::factor_wide_panel(SupernodeId s, int worker) const {
  const std::int32_t width = plan_.structure->symbolic.width(s);
  const std::int32_t front = plan_.structure->symbolic.front(s);
  for (std::int32_t first = 0; first < width; first += panel_block) {
    const std::int32_t columns = std::min(panel_block, width - first);
    const StoredBlock own = block(s, first);
    Real pivot = Real(0);
    const std::int32_t failed = kernels_.factor_panel(front - first, columns, own.at(first, first), own.ld, &pivot);
    note_pivots(s, first, columns, failed, pivot, worker);
    if (failed >= 0) return;
    for_each_panel_block(first + columns, width, [&](std::int32_t begin, std::int32_t end) {
      const StoredBlock later = block(s, begin);
      kernels_.subtract_product_lower(front - begin, end - begin, columns, own.at(begin, first), own.ld,
                                      later.at(begin, begin), later.ld);
    });
  }
}

template <class T>
void HostFactorization<T>::put_entry(std::size_t i, int worker) const {
  const AssemblyMap& map = plan_.structure->assembly;
  const T value = entry_of_l(plan_, input_.values, i);
  if (check_finite_ && !ScalarTraits<T>::is_finite(value)) {
    monitor_.entry_not_finite(worker, map.source[i], static_cast<double>(ScalarTraits<T>::non_finite_part(value)));
  }
  values_[map.target[i]] = input_.scale * value;
}

template <class T>
void HostFactorization<T>::add_shift(SupernodeId s, std::int32_t first, std::int32_t width) const {
  if (input_.shift == Real(0)) return;
  for_each_panel_block(first, first + width, [&](std::int32_t begin, std::int32_t end) {
    const StoredBlock stored = block(s, begin);
    for (std::int32_t c = begin; c < end; ++c) *stored.at(c, c) += input_.shift;
  });
}

/// Panels of supernodes first … last := scale·A + shift·I. They lie side by side, and so do their entries.
template <class T>
void HostFactorization<T>::assemble_all(SupernodeId first, SupernodeId last, int worker) const {
  std::fill(panel(first), panel(last + 1), T(0));
  const auto end = static_cast<std::size_t>(plan_.structure->assembly.offset[last + 1]);
  for (auto i = static_cast<std::size_t>(plan_.structure->assembly.offset[first]); i < end; ++i) put_entry(i, worker);
  if (input_.shift == Real(0)) return;
  for (SupernodeId s : IdRange<SupernodeId>(first, last + 1)) add_shift(s, 0, plan_.structure->symbolic.width(s));
}

/// Columns first … first+width−1 of the panel := scale·A + shift·I. They lie in one block column.
template <class T>
void HostFactorization<T>::assemble(SupernodeId s, std::int32_t first, std::int32_t width, int worker) const {
  if (width == plan_.structure->symbolic.width(s)) return assemble_all(s, s, worker);
  const PanelBlock stored = plan_.structure->panels.block(s, first);
  const std::int64_t lowest = stored.index(first_of_block(first), first);
  const std::int64_t highest = lowest + width * stored.ld;
  std::fill(values_ + lowest, values_ + highest, T(0));
  const AssemblyMap& map = plan_.structure->assembly;
  for (auto i = static_cast<std::size_t>(map.offset[s]); i < static_cast<std::size_t>(map.offset[s + 1]); ++i) {
    if (map.target[i] >= lowest && map.target[i] < highest) put_entry(i, worker);
  }
  add_shift(s, first, width);
}

/// Calls visit(first, last, block) for columns first … last−1 of an update in each block column of its target.
template <class T>
template <class Visit>
void HostFactorization<T>::for_each_target_block(const Update& update, const Visit& visit) const {
  const std::int32_t* const relative = plan_.structure->updates.relative_rows.data() + update.relative;
  const std::int32_t columns = update.columns();
  for (std::int32_t first = 0, last = 0; first < columns; first = last) {
    const std::int32_t border = first_of_block(relative[first]) + panel_block;
    last = static_cast<std::int32_t>(std::lower_bound(relative + first, relative + columns, border) - relative);
    visit(first, last, block(update.target, relative[first]));
  }
}

/// Target(relative, relative) −= l lᴴ, its lower half, for so few products that calling a kernel would take longer.
/// Precondition: the columns lie in the target's first block column.
template <class T>
void HostFactorization<T>::update_by_columns(const Update& update, std::int32_t rows, const T* l, std::int32_t width,
                                             const std::int32_t* relative) const {
  const std::int64_t ld = plan_.structure->panels.ld[update.target];
  const std::int64_t ldl = plan_.structure->panels.ld[update.source];
  T* const target = panel(update.target);
  const std::int32_t columns = update.columns();
  for (std::int32_t c = 0; c < columns; ++c) {
    T* const column = target + relative[c] * ld;
    for (std::int32_t r = c; r < rows; ++r) {
      const T* of_row = l + r;
      const T* of_column = l + c;
      T sum = ScalarTraits<T>::times_conjugate(*of_row, *of_column);
      for (std::int32_t k = 1; k < width; ++k)
        sum += ScalarTraits<T>::times_conjugate(*(of_row += ldl), *(of_column += ldl));
      column[relative[r]] -= sum;
    }
  }
}

template <class T>
void HostFactorization<T>::update_whole_panel(const Update& update) const {
  constexpr std::int64_t few_products = 32;
  const SupernodeId j = update.source;
  const std::int32_t width = plan_.structure->symbolic.width(j);
  const std::int32_t rows = plan_.structure->symbolic.rows_below(j) - update.row_begin;
  const T* const below = panel(j) + width + update.row_begin;
  const std::int32_t* const relative = plan_.structure->updates.relative_rows.data() + update.relative;
  if (width > panel_block || relative[update.columns() - 1] >= panel_block) return update_blocks(update);
  if (std::int64_t{rows} * update.columns() * width <= few_products)
    return update_by_columns(update, rows, below, width, relative);
  kernels_.subtract_product_lower_indexed(rows, update.columns(), width, below, plan_.structure->panels.ld[j],
                                          panel(update.target), plan_.structure->panels.ld[update.target], relative,
                                          relative);
}

/// Does the work of update_whole_panel for any block columns of the source and of the target.
template <class T>
void HostFactorization<T>::update_blocks(const Update& update) const {
  const SupernodeId j = update.source;
  const std::int32_t width = plan_.structure->symbolic.width(j);
  const std::int32_t rows = plan_.structure->symbolic.rows_below(j) - update.row_begin;
  const std::int32_t* const relative = plan_.structure->updates.relative_rows.data() + update.relative;
  for_each_panel_block(0, width, [&](std::int32_t k, std::int32_t end) {
    const StoredBlock source = block(j, k);
    const T* const below = source.at(width + update.row_begin, k);
    for_each_target_block(update, [&](std::int32_t first, std::int32_t last, const StoredBlock& target) {
      kernels_.subtract_product_lower_indexed(rows - first, last - first, end - k, below + first, source.ld, target.origin,
                                              target.ld, relative + first, relative + first);
    });
  });
}

template <class T>
void HostFactorization<T>::update_between(const Task& task) const {
  const BlockColumn& columns = plan_.schedule.block_columns[task.target];
  const bool diagonal = task.row_begin == columns.first;
  const StoredBlock target = block(columns.supernode, columns.first);
  for (UpdateId u : IdRange<UpdateId>(task.update_begin, task.update_end)) {
    const Update& update = plan_.structure->updates.updates[u];
    const SupernodeId j = update.source;
    const std::int32_t width = plan_.structure->symbolic.width(j);
    const auto rows = static_cast<std::size_t>(plan_.structure->symbolic.rows_below(j) - update.row_begin);
    const std::int32_t* const relative = plan_.structure->updates.relative_rows.data() + update.relative;
    const UpdatePart part = part_of_update({relative, rows}, update.columns(), task.row_begin, task.row_end, columns.first,
                                           columns.first + columns.width);
    if (part.empty()) continue;
    const std::int32_t m = part.row_last - part.row_first;
    const std::int32_t n = part.column_last - part.column_first;
    for_each_panel_block(0, width, [&](std::int32_t k, std::int32_t end) {
      const StoredBlock source = block(j, k);
      const T* const below = source.at(width + update.row_begin, k);
      if (diagonal) {
        kernels_.subtract_product_lower_indexed(m, n, end - k, below + part.row_first, source.ld, target.origin, target.ld,
                                                relative + part.row_first, relative + part.column_first);
      } else {
        kernels_.subtract_product_indexed(m, n, end - k, below + part.row_first, source.ld, below + part.column_first,
                                          source.ld, target.origin, target.ld, relative + part.row_first,
                                          relative + part.column_first);
      }
    });
  }
}

template <class T>
void HostFactorization<T>::update_internal(const Task& task) const {
  const BlockColumn& source = plan_.schedule.block_columns[task.source_block];
  const BlockColumn& columns = plan_.schedule.block_columns[task.target];
  const StoredBlock from = block(columns.supernode, source.first);
  const StoredBlock to = block(columns.supernode, columns.first);
  T* const target = to.at(task.row_begin, columns.first);
  const std::int32_t rows = task.row_end - task.row_begin;
  if (task.row_begin == columns.first) {
    kernels_.subtract_product_lower(rows, columns.width, source.width, from.at(task.row_begin, source.first), from.ld,
                                    target, to.ld);
  } else {
    kernels_.subtract_product(rows, columns.width, source.width, from.at(task.row_begin, source.first), from.ld,
                              from.at(columns.first, source.first), from.ld, target, to.ld);
  }
}

template <class T>
void HostFactorization<T>::scale_diagonal(SupernodeId s, std::int32_t first, std::int32_t width, int worker) const {
  const StoredBlock stored = block(s, first);
  Real pivot = Real(0);
  const std::int32_t failed = kernels_.factor_diagonal(width, stored.at(first, first), stored.ld, &pivot);
  note_pivots(s, first, width, failed, pivot, worker);
}

/// Tells the monitor of the diagonal's columns that are done, and of the one whose pivot failed (or −1).
template <class T>
void HostFactorization<T>::note_pivots(SupernodeId s, std::int32_t first, std::int32_t width, std::int32_t failed,
                                       Real pivot, int worker) const {
  const StoredBlock stored = block(s, first);
  monitor_.pivots_done(worker, stored.at(first, first), failed < 0 ? width : failed, stored.ld + 1);
  if (failed >= 0) {
    monitor_.pivot_failed(worker, plan_.structure->symbolic.first_column[s] + (first + failed), static_cast<double>(pivot));
  }
}

template <class T>
void HostFactorization<T>::scale_below(const Task& task) const {
  const BlockColumn& columns = plan_.schedule.block_columns[task.target];
  const StoredBlock stored = block(columns.supernode, columns.first);
  kernels_.solve_below(task.row_end - task.row_begin, columns.width, stored.at(columns.first, columns.first), stored.ld,
                       stored.at(task.row_begin, columns.first), stored.ld);
}

template class HostFactorization<float>;
template class HostFactorization<double>;
template class HostFactorization<std::complex<double>>;

}  // namespace gpusupernodal
