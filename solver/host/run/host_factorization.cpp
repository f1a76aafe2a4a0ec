#include "solver/host/run/host_factorization.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "gpusupernodal/build_config.hpp"
#include "solver/factor/touched_tiles.hpp"
#include "solver/host/run/assembled_entry.hpp"
#include "solver/host/run/ldlt_panel.hpp"
#include "solver/host/run/lu_scales.hpp"
#include "solver/host/run/small_panels.hpp"

namespace gpusupernodal {

template <class T, Form form>
HostFactorization<T, form>::HostFactorization(const HostPlan& plan, const FactorInput<T>& input, bool check_finite,
                                              T* values, PivotMonitor& monitor, const LuRules<T>& rules,
                                              const LdltRules<T>& ldlt)
    : plan_(plan),
      input_(input),
      map_(map_of(plan, input)),
      kernels_(host_kernels<T>()),
      products_{kernels_, plan.structure->panels.values(), ldlt.pivots.symmetric},
      check_finite_(check_finite),
      values_(values),
      monitor_(monitor),
      rules_(rules),
      ldlt_(ldlt) {}

template <class T, Form form>
void HostFactorization<T, form>::run(const Task& task, int worker) const {
  const Schedule& schedule = plan_.schedule;
  switch (task.kind) {
    case TaskKind::factor_subtree:
      return factor_subtree(schedule.subtrees[task.subtree], worker);
    case TaskKind::assemble:
      return assemble(schedule.block_columns[task.target], worker);
    case TaskKind::update_between:
      return update_between(task);
    case TaskKind::update_internal:
      return update_internal(task);
    case TaskKind::scale_diagonal:
      return scale_diagonal(schedule.block_columns[task.target], worker);
    case TaskKind::scale_below:
      return scale_below(task);
    case TaskKind::complete:
      return;
  }
}

/// Factorizes the supernodes of a subtree or chain, left-looking. Sources outside a chain are factorized before it.
template <class T, Form form>
void HostFactorization<T, form>::factor_subtree(const LeafSubtree& subtree, int worker) const {
  constexpr std::int64_t few_values = 4096;  // Panels of this size stay in the cache until they are factorized.
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
    const std::int32_t rows = factor.front(s);
    if constexpr (form != Form::llt) {
      factor_columns(s, 0, width, rows, worker);
      continue;
    }
    Real pivot = Real(0);
    const std::int32_t failed =
        width == 1 ? factor_column(rows, panel(s), &pivot) : kernels_.factor_panel(rows, width, panel(s), ld, &pivot);
    range.add(panel(s), failed < 0 ? width : failed, ld + 1);
    if (failed >= 0) monitor_.pivot_failed(worker, factor.first_column[s] + failed, static_cast<double>(pivot));
  }
  monitor_.pivots_done(worker, range);
}

/// Factorizes a panel of several block columns: each updates the later ones when it is done.
template <class T, Form form>
void HostFactorization<T, form>::factor_wide_panel(SupernodeId s, int worker) const {
  const std::int32_t width = plan_.structure->symbolic.width(s);
  const std::int32_t front = plan_.structure->symbolic.front(s);
  for (std::int32_t first = 0; first < width; first += panel_block) {
    const std::int32_t columns = std::min(panel_block, width - first);
    const StoredBlock own = block(s, first);
    if constexpr (form != Form::llt) {
      factor_columns(s, first, columns, front - first, worker);
    } else {
      Real pivot = Real(0);
      const std::int32_t failed = kernels_.factor_panel(front - first, columns, own.at(first, first), own.ld, &pivot);
      note_pivots(s, first, columns, failed, pivot, worker);
      if (failed >= 0) return;
    }
    for_each_panel_block(first + columns, width, [&](std::int32_t begin, std::int32_t end) {
      const StoredBlock later = block(s, begin);
      products_.subtract_lower(front - begin, end - begin, columns, own.at(begin, first), own.ld, later.at(begin, begin),
                               later.ld, pivots(s, first));
    });
  }
}

template <class T, Form form>
void HostFactorization<T, form>::put_entry(std::size_t i, int worker) const {
  const T value =
      form == Form::lu ? input_.values[map_.source[i]] : entry_of_l(plan_, map_, input_.values, i, ldlt_.pivots.symmetric);
  if (check_finite_ && !ScalarTraits<T>::is_finite(value)) {
    monitor_.entry_not_finite(worker, map_.source[i], static_cast<double>(ScalarTraits<T>::non_finite_part(value)));
  }
  if constexpr (form == Form::lu) {
    const T scaled = scaled_entry<T>(rules_.row_scale[map_.row[i].value], input_.scale * value,
                                     rules_.column_scale[map_.column[i].value]);
    const bool in_partner = map_.row[i] <= map_.column[i];
    values_[map_.target[i]] = in_partner ? ScalarTraits<T>::conjugate(scaled) : scaled;
  } else if constexpr (form == Form::ldlt) {
    values_[map_.target[i]] =
        scaled_entry<T>(ldlt_.scale[map_.row[i].value], input_.scale * value, ldlt_.scale[map_.column[i].value]);
  } else {
    values_[map_.target[i]] = input_.scale * value;
  }
}

template <class T, Form form>
void HostFactorization<T, form>::add_shift(SupernodeId s, std::int32_t first, std::int32_t width) const {
  if (input_.shift == Real(0)) return;
  for_each_panel_block(first, first + width, [&](std::int32_t begin, std::int32_t end) {
    const StoredBlock stored = block(s, begin);
    for (std::int32_t c = begin; c < end; ++c) {
      if constexpr (form == Form::ldlt) {
        const Real scale = ldlt_.scale[first_column(s) + c];
        *stored.at(c, c) += scaled_entry<T>(scale, input_.shift, scale);
      } else {
        *stored.at(c, c) += input_.shift;
      }
    }
  });
}

/// Panels of supernodes first … last := scale·A + shift·I. They lie side by side, and so do their entries.
template <class T, Form form>
void HostFactorization<T, form>::assemble_all(SupernodeId first, SupernodeId last, int worker) const {
  std::fill(panel(first), panel(last + 1), T(0));
  if constexpr (form == Form::lu) std::fill(partner(panel(first)), partner(panel(last + 1)), T(0));
  const auto end = static_cast<std::size_t>(map_.offset[last + 1]);
  for (auto i = static_cast<std::size_t>(map_.offset[first]); i < end; ++i) put_entry(i, worker);
  if (input_.shift == Real(0)) return;
  for (SupernodeId s : IdRange<SupernodeId>(first, last + 1)) add_shift(s, 0, plan_.structure->symbolic.width(s));
}

/// Columns first … first+width−1 of the panel := scale·A + shift·I. They lie in one block column.
template <class T, Form form>
void HostFactorization<T, form>::assemble(const BlockColumn& columns, int worker) const {
  const auto [s, first, width] = columns;
  if (width == plan_.structure->symbolic.width(s)) return assemble_all(s, s, worker);
  const PanelBlock stored = plan_.structure->panels.block(s, first);
  const std::int64_t lowest = stored.index(first_of_block(first), first);
  const std::int64_t highest = lowest + width * stored.ld;
  std::fill(values_ + lowest, values_ + highest, T(0));
  if constexpr (form == Form::lu) std::fill(partner(values_ + lowest), partner(values_ + highest), T(0));
  const auto in_columns = [&](std::int64_t target) {
    if (form == Form::lu && target >= products_.partner) target -= products_.partner;
    return target >= lowest && target < highest;
  };
  for (auto i = static_cast<std::size_t>(map_.offset[s]); i < static_cast<std::size_t>(map_.offset[s + 1]); ++i) {
    if (in_columns(map_.target[i])) put_entry(i, worker);
  }
  add_shift(s, first, width);
}

/// Calls visit(first, last, block) for columns first … last−1 of an update in each block column of its target.
template <class T, Form form>
template <class Visit>
void HostFactorization<T, form>::for_each_target_block(const Update& update, const Visit& visit) const {
  const std::int32_t* const relative = plan_.structure->updates.relative_rows.data() + update.relative;
  const std::int32_t columns = update.columns();
  for (std::int32_t first = 0, last = 0; first < columns; first = last) {
    const std::int32_t border = first_of_block(relative[first]) + panel_block;
    last = static_cast<std::int32_t>(std::lower_bound(relative + first, relative + columns, border) - relative);
    visit(first, last, block(update.target, relative[first]));
  }
}

template <class T, Form form>
void HostFactorization<T, form>::update_whole_panel(const Update& update) const {
  constexpr std::int64_t few_products = 32;
  const SupernodeId j = update.source;
  const std::int32_t width = plan_.structure->symbolic.width(j);
  const std::int32_t rows = plan_.structure->symbolic.rows_below(j) - update.row_begin;
  const T* const below = panel(j) + width + update.row_begin;
  const std::int32_t* const relative = plan_.structure->updates.relative_rows.data() + update.relative;
  if (width > panel_block || relative[update.columns() - 1] >= panel_block) return update_blocks(update);
  if (std::int64_t{rows} * update.columns() * width <= few_products)
    return products_.subtract_by_columns(rows, update.columns(), width, below, plan_.structure->panels.ld[j],
                                         panel(update.target), plan_.structure->panels.ld[update.target], relative,
                                         pivots(j));
  products_.subtract_lower_indexed(rows, update.columns(), width, below, plan_.structure->panels.ld[j], panel(update.target),
                                   plan_.structure->panels.ld[update.target], relative, relative, pivots(j));
}

/// Does the work of update_whole_panel for any block columns of the source and of the target.
template <class T, Form form>
void HostFactorization<T, form>::update_blocks(const Update& update) const {
  const SupernodeId j = update.source;
  const std::int32_t width = plan_.structure->symbolic.width(j);
  const std::int32_t rows = plan_.structure->symbolic.rows_below(j) - update.row_begin;
  const std::int32_t* const relative = plan_.structure->updates.relative_rows.data() + update.relative;
  for_each_panel_block(0, width, [&](std::int32_t k, std::int32_t end) {
    const StoredBlock source = block(j, k);
    const T* const below = source.at(width + update.row_begin, k);
    for_each_target_block(update, [&](std::int32_t first, std::int32_t last, const StoredBlock& target) {
      products_.subtract_lower_indexed(rows - first, last - first, end - k, below + first, source.ld, target.origin,
                                       target.ld, relative + first, relative + first, pivots(j, k));
    });
  });
}

template <class T, Form form>
void HostFactorization<T, form>::update_between(const Task& task) const {
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
        products_.subtract_lower_indexed(m, n, end - k, below + part.row_first, source.ld, target.origin, target.ld,
                                         relative + part.row_first, relative + part.column_first, pivots(j, k));
      } else {
        products_.subtract_indexed(m, n, end - k, below + part.row_first, below + part.column_first, source.ld,
                                   target.origin, target.ld, relative + part.row_first, relative + part.column_first,
                                   pivots(j, k));
      }
    });
  }
}

template <class T, Form form>
void HostFactorization<T, form>::update_internal(const Task& task) const {
  const BlockColumn& source = plan_.schedule.block_columns[task.source_block];
  const BlockColumn& columns = plan_.schedule.block_columns[task.target];
  const StoredBlock from = block(columns.supernode, source.first);
  const StoredBlock to = block(columns.supernode, columns.first);
  T* const target = to.at(task.row_begin, columns.first);
  const std::int32_t rows = task.row_end - task.row_begin;
  if (task.row_begin == columns.first) {
    products_.subtract_lower(rows, columns.width, source.width, from.at(task.row_begin, source.first), from.ld, target,
                             to.ld, pivots(source.supernode, source.first));
  } else {
    products_.subtract(rows, columns.width, source.width, from.at(task.row_begin, source.first), from.ld,
                       from.at(columns.first, source.first), from.ld, target, to.ld, pivots(source.supernode, source.first));
  }
}

template <class T, Form form>
void HostFactorization<T, form>::scale_diagonal(const BlockColumn& columns, int worker) const {
  const auto [s, first, width] = columns;
  if constexpr (form != Form::llt) return factor_columns(s, first, width, width, worker);
  const StoredBlock stored = block(s, first);
  Real pivot = Real(0);
  const std::int32_t failed = kernels_.factor_diagonal(width, stored.at(first, first), stored.ld, &pivot);
  note_pivots(s, first, width, failed, pivot, worker);
}

/// LU and LDLᵀ: columns first … first+width−1 and rows first … first+rows−1 of the panels become final, if no update is
/// missing. Later tasks for the rows below only raise the largest magnitudes.
template <class T, Form form>
void HostFactorization<T, form>::factor_columns(SupernodeId s, std::int32_t first, std::int32_t width, std::int32_t rows,
                                                int worker) const {
  const StoredBlock stored = block(s, first);
  T* const l = stored.at(first, first);
  const std::int32_t column = first_column(s) + first;
  if constexpr (form == Form::lu) {
    LuPivots<T> pivots;
    pivots.smallest_allowed = rules_.smallest_pivot;
    kernels_.factor_lu(rows, width, l, stored.ld, partner(l), stored.ld, &pivots);
    monitor_.lu_columns_done(worker, NewIndex(column), pivots);
    for (std::int32_t c = 0; c < width; ++c) {
      const std::int64_t diagonal = c * (stored.ld + 1);
      rules_.largest_in_l[column + c] = largest_magnitude(rows - c, l + diagonal);
      rules_.largest_in_u[column + c] = largest_magnitude(rows - c, partner(l) + diagonal);
    }
  } else if constexpr (form == Form::ldlt) {
    const std::int32_t failed = factor_ldlt_panel(kernels_, rows, width, l, stored.ld, ldlt_.pivots_from(column));
    if (failed >= 0) monitor_.pivot_failed(worker, NewIndex(column + failed), std::numeric_limits<double>::quiet_NaN());
    for (std::int32_t c = 0; c < width; ++c)
      ldlt_.largest_in_l[column + c] = largest_magnitude(rows - c, l + c * (stored.ld + 1));
  }
}

/// Tells the monitor of the diagonal's columns that are done, and of the one whose pivot failed (or −1).
template <class T, Form form>
void HostFactorization<T, form>::note_pivots(SupernodeId s, std::int32_t first, std::int32_t width, std::int32_t failed,
                                             Real pivot, int worker) const {
  const StoredBlock stored = block(s, first);
  monitor_.pivots_done(worker, stored.at(first, first), failed < 0 ? width : failed, stored.ld + 1);
  if (failed >= 0) {
    monitor_.pivot_failed(worker, plan_.structure->symbolic.first_column[s] + (first + failed), static_cast<double>(pivot));
  }
}

template <class T, Form form>
void HostFactorization<T, form>::scale_below(const Task& task) const {
  const BlockColumn& columns = plan_.schedule.block_columns[task.target];
  const StoredBlock stored = block(columns.supernode, columns.first);
  products_.solve_below(task.row_end - task.row_begin, columns.width, stored.at(columns.first, columns.first), stored.ld,
                        stored.at(task.row_begin, columns.first), stored.ld,
                        ldlt_.pivots_from(first_column(columns.supernode) + columns.first));
  if constexpr (form == Form::lu) {
    const std::int32_t column = plan_.structure->symbolic.first_column[columns.supernode].value + columns.first;
    for (std::int32_t c = 0; c < columns.width; ++c) {
      T* const l = stored.at(task.row_begin, columns.first + c);
      raise(rules_.largest_in_l[column + c], largest_magnitude(task.row_end - task.row_begin, l));
      raise(rules_.largest_in_u[column + c], largest_magnitude(task.row_end - task.row_begin, partner(l)));
    }
  }
  if constexpr (form == Form::ldlt) {
    const std::int32_t column = first_column(columns.supernode) + columns.first;
    for (std::int32_t c = 0; c < columns.width; ++c)
      raise(ldlt_.largest_in_l[column + c],
            largest_magnitude(task.row_end - task.row_begin, stored.at(task.row_begin, columns.first + c)));
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T, form) template class HostFactorization<T, form>;
GPUSUPERNODAL_FOR_EACH_SCALAR_AND_FORM(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
