#include "solver/host/run/host_solve.hpp"

#include <algorithm>

#include "gpusupernodal/build_config.hpp"
#include "solver/host/run/ldlt_pivots.hpp"

namespace gpusupernodal {
namespace {

/// x / d for a d of a factor's diagonal, which is real except in LU of complex matrices.
template <class T>
T divided(T x, T d) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (d.imag() != 0) return x / d;
  }
  return x / ScalarTraits<T>::real(d);
}

}  // namespace

template <class T>
HostSolve<T>::HostSolve(const HostPlan& plan, const T* forward, const T* backward, const std::int32_t* exchange,
                        const SolveVectors<T>& vectors)
    : plan_(plan),
      kernels_(host_kernels<T>()),
      forward_(forward),
      backward_(backward),
      exchange_(exchange),
      vectors_(vectors),
      n_(plan.structure->symbolic.order()),
      boundary_ld_(plan.solve.boundary_entries) {}

template <class T>
T* HostSolve<T>::scratch(int worker) const {
  return vectors_.scratch + worker * plan_.solve.largest_rows_in_subtrees * vectors_.nrhs;
}

template <class T>
typename HostSolve<T>::Columns HostSolve<T>::columns_of(const SolveTask& task, const T* panels) const {
  const BlockColumn& block = plan_.schedule.block_columns[task.block];
  const PanelBlock stored = plan_.structure->panels.block(block.supernode, block.first);
  T* const y = vectors_.y + plan_.structure->symbolic.first_column[block.supernode].value + block.first;
  return {panels + stored.index(0, block.first), stored.ld, block.first, block.width, y};
}

template <class T>
typename HostSolve<T>::Rows HostSolve<T>::rows_of(const SolveTask& task) const {
  const SupernodeId s = plan_.schedule.block_columns[task.block].supernode;
  const std::int32_t width = plan_.structure->symbolic.width(s);
  if (task.row_begin < width) return {vectors_.y + plan_.structure->symbolic.first_column[s].value + task.row_begin, n_};
  return {vectors_.boundary + plan_.solve.supernode_boundary[s] + (task.row_begin - width), boundary_ld_};
}

/// With the exchanges of an LDLᵀ factorization, the block is Pᵀ·L_CC.
template <class T>
void HostSolve<T>::forward_block(T* y, std::int32_t width, const T* l, std::int64_t ld) const {
  if (exchange_ != nullptr) exchange_rows(width, vectors_.nrhs, y, n_, exchange_ + (y - vectors_.y));
  kernels_.forward_block(width, vectors_.nrhs, l, ld, y, n_);
}

template <class T>
void HostSolve<T>::backward_block(T* y, std::int32_t width, const T* l, std::int64_t ld) const {
  kernels_.backward_block(width, vectors_.nrhs, l, ld, y, n_);
  if (exchange_ != nullptr) exchange_rows_back(width, vectors_.nrhs, y, n_, exchange_ + (y - vectors_.y));
}

/// y_C := L_CC⁻¹ y_C; rows below of the supernode's columns in y, others in the boundary vector, receive −L y_C.
template <class T>
void HostSolve<T>::forward(const SolveTask& task, int worker) const {
  if (task.kind == SolveTaskKind::subtree) return forward_subtree(task.subtree, worker);
  if (task.kind == SolveTaskKind::gather) return add_gathered(task.supernode);
  if (task.kind == SolveTaskKind::complete) return;
  const Columns c = columns_of(task, forward_);
  if (task.kind == SolveTaskKind::diagonal) {
    forward_block(c.y, c.width, c.panel + c.first, c.ld);
    return;
  }
  const Rows target = rows_of(task);
  kernels_.subtract_times(task.row_end - task.row_begin, c.width, vectors_.nrhs, c.panel + task.row_begin, c.ld, c.y, n_,
                          target.data, target.ld);
}

template <class T>
void HostSolve<T>::backward(const SolveTask& task, int worker) const {
  if (task.kind == SolveTaskKind::subtree) return backward_subtree(task.subtree, worker);
  if (task.kind == SolveTaskKind::gather) return collect_rows(task.supernode);
  if (task.kind == SolveTaskKind::complete) return;
  const Columns c = columns_of(task, backward_);
  if (task.kind == SolveTaskKind::diagonal) {
    backward_block(c.y, c.width, c.panel + c.first, c.ld);
    return;
  }
  const Rows source = rows_of(task);
  kernels_.subtract_transpose_times(task.row_end - task.row_begin, c.width, vectors_.nrhs, c.panel + task.row_begin, c.ld,
                                    source.data, source.ld, c.y, n_);
}

template <class T>
void HostSolve<T>::forward_subtree(SubtreeId t, int worker) const {
  const SolveSchedule& solve = plan_.solve;
  for (std::int32_t c = 0; c < vectors_.nrhs; ++c) {
    T* const boundary = vectors_.boundary + c * boundary_ld_;
    std::fill(boundary + solve.subtree_boundary[t], boundary + solve.subtree_boundary[t + 1], T(0));
  }
  const LeafSubtree& subtree = plan_.schedule.subtrees[t];
  if (subtree.is_chain) add(solve.gathers_of(subtree.first, subtree.last));
  for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) forward_supernode(t, s, scratch(worker));
}

/// A supernode of one column, one right-hand side: common in small matrices, and too small to justify a kernel call.
template <class T>
void HostSolve<T>::forward_column(SubtreeId t, SupernodeId s) const {
  const SolveSchedule& solve = plan_.solve;
  const T* const l = panel(forward_, s);
  T& own = vectors_.y[plan_.structure->symbolic.first_column[s].value];
  own = divided(own, l[0]);
  const auto rows = plan_.structure->symbolic.rows_of(s);
  const auto inside = static_cast<std::size_t>(solve.rows_inside[s]);
  const std::int32_t* const outside = solve.outside_position.data() + solve.outside_offset[s];
  T* const boundary = vectors_.boundary + solve.subtree_boundary[t];
  for (std::size_t i = 0; i < inside; ++i) vectors_.y[rows[i].value] -= l[i + 1] * own;
  for (std::size_t i = inside; i < rows.size(); ++i) boundary[outside[i - inside]] -= l[i + 1] * own;
}

template <class T>
void HostSolve<T>::backward_column(SupernodeId s) const {
  const T* const l = panel(backward_, s);
  T& own = vectors_.y[plan_.structure->symbolic.first_column[s].value];
  const auto rows = plan_.structure->symbolic.rows_of(s);
  T sum = own;
  for (std::size_t i = 0; i < rows.size(); ++i) sum -= ScalarTraits<T>::conjugate(l[i + 1]) * vectors_.y[rows[i].value];
  own = divided(sum, ScalarTraits<T>::conjugate(l[0]));
}

/// The products for the rows below go through a dense buffer and are then added where the rows lie.
template <class T>
void HostSolve<T>::forward_supernode(SubtreeId t, SupernodeId s, T* below) const {
  if (vectors_.nrhs == 1 && plan_.structure->symbolic.width(s) == 1) return forward_column(t, s);
  const SolveSchedule& solve = plan_.solve;
  const std::int32_t width = plan_.structure->symbolic.width(s);
  const std::int32_t count = plan_.structure->symbolic.rows_below(s);
  T* const own = vectors_.y + plan_.structure->symbolic.first_column[s].value;
  if (width > panel_block) {
    forward_wide(s, own, below);
  } else {
    const std::int64_t ld = plan_.structure->panels.ld[s];
    forward_block(own, width, panel(forward_, s), ld);
    if (count == 0) return;
    std::fill(below, below + std::int64_t{count} * vectors_.nrhs, T(0));
    kernels_.subtract_times(count, width, vectors_.nrhs, panel(forward_, s) + width, ld, own, n_, below, count);
  }
  if (count == 0) return;
  const NewIndex* const rows = plan_.structure->symbolic.rows_of(s).data();
  const std::int32_t inside = solve.rows_inside[s];
  const std::int32_t* const outside = solve.outside_position.data() + solve.outside_offset[s];
  for (std::int32_t c = 0; c < vectors_.nrhs; ++c) {
    const T* const column = below + std::int64_t{c} * count;
    T* const y = vectors_.y + c * n_;
    T* const boundary = vectors_.boundary + c * boundary_ld_ + solve.subtree_boundary[t];
    for (std::int32_t i = 0; i < inside; ++i) y[rows[i].value] += column[i];
    for (std::int32_t i = inside; i < count; ++i) boundary[outside[i - inside]] += column[i];
  }
}

template <class T>
void HostSolve<T>::backward_subtree(SubtreeId t, int worker) const {
  const LeafSubtree& subtree = plan_.schedule.subtrees[t];
  for (std::int32_t s = subtree.last.value; s >= subtree.first.value; --s)
    backward_supernode(SupernodeId(s), scratch(worker));
}

/// y_J := L_JJ⁻ᴴ (y_J − L_21ᴴ y_below).
template <class T>
void HostSolve<T>::backward_supernode(SupernodeId s, T* below) const {
  if (vectors_.nrhs == 1 && plan_.structure->symbolic.width(s) == 1) return backward_column(s);
  const std::int32_t width = plan_.structure->symbolic.width(s);
  const std::int32_t count = plan_.structure->symbolic.rows_below(s);
  T* const own = vectors_.y + plan_.structure->symbolic.first_column[s].value;
  const NewIndex* const rows = plan_.structure->symbolic.rows_of(s).data();
  for (std::int32_t c = 0; c < vectors_.nrhs; ++c) {
    const T* const y = vectors_.y + c * n_;
    for (std::int32_t i = 0; i < count; ++i) below[i + std::int64_t{c} * count] = y[rows[i].value];
  }
  if (width > panel_block) return backward_wide(s, own, below);
  const std::int64_t ld = plan_.structure->panels.ld[s];
  if (count > 0)
    kernels_.subtract_transpose_times(count, width, vectors_.nrhs, panel(backward_, s) + width, ld, below, count, own, n_);
  backward_block(own, width, panel(backward_, s), ld);
}

/// own := L_JJ⁻¹ own, and below := −L_21 own, for a panel of several block columns.
template <class T>
void HostSolve<T>::forward_wide(SupernodeId s, T* own, T* below) const {
  const std::int32_t width = plan_.structure->symbolic.width(s);
  const std::int32_t count = plan_.structure->symbolic.rows_below(s);
  std::fill(below, below + std::int64_t{count} * vectors_.nrhs, T(0));
  for_each_panel_block(0, width, [&](std::int32_t first, std::int32_t end) {
    const PanelBlock block = plan_.structure->panels.block(s, first);
    const std::int32_t columns = end - first;
    forward_block(own + first, columns, entry(forward_, block, first, first), block.ld);
    kernels_.subtract_times(width - end, columns, vectors_.nrhs, entry(forward_, block, end, first), block.ld, own + first,
                            n_, own + end, n_);
    kernels_.subtract_times(count, columns, vectors_.nrhs, entry(forward_, block, width, first), block.ld, own + first, n_,
                            below, count);
  });
}

/// own := L_JJ⁻ᵀ (own − L_21ᵀ below) for a panel of several block columns.
template <class T>
void HostSolve<T>::backward_wide(SupernodeId s, T* own, const T* below) const {
  const std::int32_t width = plan_.structure->symbolic.width(s);
  const std::int32_t count = plan_.structure->symbolic.rows_below(s);
  for (std::int32_t first = first_of_block(width - 1), end = width; first >= 0; end = first, first -= panel_block) {
    const PanelBlock block = plan_.structure->panels.block(s, first);
    const std::int32_t columns = end - first;
    kernels_.subtract_transpose_times(count, columns, vectors_.nrhs, entry(backward_, block, width, first), block.ld, below,
                                      count, own + first, n_);
    kernels_.subtract_transpose_times(width - end, columns, vectors_.nrhs, entry(backward_, block, end, first), block.ld,
                                      own + end, n_, own + first, n_);
    backward_block(own + first, columns, entry(backward_, block, first, first), block.ld);
  }
}

/// Adds what descendants left in their boundaries.
template <class T>
void HostSolve<T>::add(std::span<const SolveSchedule::Gather> gathers) const {
  for (std::int32_t c = 0; c < vectors_.nrhs; ++c) {
    T* const y = vectors_.y + c * n_;
    const T* const boundary = vectors_.boundary + c * boundary_ld_;
    for (const SolveSchedule::Gather& gather : gathers) {
      for (std::int32_t i = 0; i < gather.count; ++i) y[gather.rows[i].value] += boundary[gather.boundary + i];
    }
  }
}

/// Adds what descendants left for the columns of s, and empties the boundary of s for its own.
template <class T>
void HostSolve<T>::add_gathered(SupernodeId s) const {
  const SolveSchedule& solve = plan_.solve;
  add(solve.gathers_of(s));
  for (std::int32_t c = 0; c < vectors_.nrhs; ++c) {
    T* const own = vectors_.boundary + c * boundary_ld_ + solve.supernode_boundary[s];
    std::fill(own, own + plan_.structure->symbolic.rows_below(s), T(0));
  }
}

/// Collects the solved entries of the rows below s in its boundary.
template <class T>
void HostSolve<T>::collect_rows(SupernodeId s) const {
  const auto rows = plan_.structure->symbolic.rows_of(s);
  for (std::int32_t c = 0; c < vectors_.nrhs; ++c) {
    T* boundary = vectors_.boundary + c * boundary_ld_ + plan_.solve.supernode_boundary[s];
    for (NewIndex row : rows) *boundary++ = vectors_.y[row.value + c * n_];
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class HostSolve<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
