#include "solver/cuda/plan/solve_plan.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>

#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/sweep.hpp"
#include "solver/symbolic/forest.hpp"

namespace gpusupernodal {
namespace {

void add_inverse_merges(const SymbolicFactor& factor, CudaSolvePlan& plan) {
  for (std::int32_t half = cuda::tile_size; half < cuda::solve_block; half *= 2) {
    const std::size_t begin = plan.inverse_merges.size();
    for (SupernodeId s : factor.supernode_ids()) {
      const std::int32_t width = factor.width(s);
      for (std::int32_t column = 0; column + half < width; column += 2 * half) {
        plan.inverse_merges.push_back({s.value, column, half, std::min(half, width - column - half)});
      }
    }
    const auto count = static_cast<std::int32_t>(plan.inverse_merges.size() - begin);
    if (count > 0) plan.inverse_merge_groups.push_back({static_cast<std::int64_t>(begin), count, half});
  }
}

/// Computes the sources of one front's rows after another.
class FrontSources {
 public:
  FrontSources(const SymbolicFactor& factor, const UpdateList& updates, const ChildLists<SupernodeId>& children)
      : factor_(factor), updates_(updates), children_(children) {}

  /// Counts the contributions to each row of front p.
  void count(SupernodeId p) {
    const auto front = static_cast<std::size_t>(factor_.front(p));
    offset_.assign(front + 1, 0);
    each(p, [&](std::int32_t row, std::int64_t) { ++offset_[static_cast<std::size_t>(row) + 1]; });
    for (std::size_t r = 1; r <= front; ++r) offset_[r] += offset_[r - 1];
  }
  std::size_t count_of(std::size_t r) const { return static_cast<std::size_t>(offset_[r + 1] - offset_[r]); }

  /// Lists the positions of the contributions, by ascending child.
  void list(SupernodeId p) {
    count(p);
    sources_.resize(static_cast<std::size_t>(offset_.back()));
    next_.assign(offset_.begin(), offset_.end() - 1);
    each(p, [&](std::int32_t row, std::int64_t position) {
      sources_[static_cast<std::size_t>(next_[static_cast<std::size_t>(row)]++)] = static_cast<std::int32_t>(position);
    });
  }

  /// Returns the sources of row r of the front that was listed last.
  std::span<const std::int32_t> of(std::size_t r) const { return {sources_.data() + offset_[r], count_of(r)}; }

 private:
  /// Calls visit(row of the front, position in the contributions), by ascending child.
  template <class Visit>
  void each(SupernodeId p, Visit visit) const {
    for (SupernodeId s = children_.first[p]; s.valid(); s = children_.next[s]) {
      const std::span<const UpdateId> from = updates_.from_source(s);
      if (from.empty()) continue;
      const std::int32_t* relative = updates_.relative_rows.data() + updates_.updates[from.front()].relative;
      for (std::int64_t i = factor_.row_offset[s]; i < factor_.row_offset[s + 1]; ++i) visit(*relative++, i);
    }
  }

  const SymbolicFactor& factor_;
  const UpdateList& updates_;
  const ChildLists<SupernodeId>& children_;
  std::vector<std::int32_t> offset_;
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> sources_;
};

constexpr std::size_t few_sources = std::extent_v<decltype(cuda::RowSources::first)>;

/// Returns the number of entries in FrontGather::more for a row with `sources` sources.
std::size_t more_entries(std::size_t sources) { return sources > few_sources ? sources - few_sources + 1 : 0; }

/// Writes the records of front p's rows; sources that do not fit go to gather.more from index `next` on.
void set_rows(const SymbolicFactor& factor, SupernodeId p, const FrontSources& sources, FrontGather& gather,
              std::size_t next) {
  const std::int32_t width = factor.width(p);
  for (std::int32_t r = 0; r < factor.front(p); ++r) {
    const std::span<const std::int32_t> list = sources.of(static_cast<std::size_t>(r));
    const std::int64_t place =
        r < width ? std::int64_t{factor.first_column[p].value} + r : factor.order() + factor.row_offset[p] + r - width;
    cuda::RowSources row{{-1, -1, -1}, -1};
    std::copy_n(list.begin(), std::min(list.size(), few_sources), row.first);
    if (more_entries(list.size()) > 0) {
      row.more = static_cast<std::int32_t>(next);
      gather.more[next++] = static_cast<std::int32_t>(list.size() - few_sources);
      for (std::size_t k = few_sources; k < list.size(); ++k) gather.more[next++] = list[k];
    }
    gather.rows[static_cast<std::size_t>(place)] = row;
  }
}

}  // namespace

void set_group(cuda::SolveWork& task, const cuda::SolveGroup& group) {
  const auto set = [&]<cuda::SolveKind kind>(cuda::SolveKinds<kind>) {
    cuda::SolveDetails<kind> details = task.get<kind>();
    static_cast<cuda::SolveGroup&>(details) = group;
    task.set<kind>(details);
  };
  if (task.kind == cuda::SolveKind::teams_of_two) return set(cuda::SolveKinds<cuda::SolveKind::teams_of_two>());
  if (task.kind == cuda::SolveKind::teams_of_four) return set(cuda::SolveKinds<cuda::SolveKind::teams_of_four>());
  set(cuda::SolveKinds<cuda::SolveKind::warps>());
}

FrontGather build_front_gather(const SymbolicFactor& factor, const UpdateList& updates, ThreadTeam& team) {
  const ChildLists<SupernodeId> children(factor.parent);
  IdVector<SupernodeId, std::size_t> more_begin(static_cast<std::size_t>(factor.supernodes()) + 1, 0);
  const auto each_front = [&](const auto& work) {
    team.for_intervals(factor.supernodes(), 256, [&](std::int64_t begin, std::int64_t end) {
      FrontSources sources(factor, updates, children);
      for (SupernodeId p : IdRange<SupernodeId>(SupernodeId(begin), SupernodeId(end))) {
        work(p, sources);
      }
    });
  };
  each_front([&](SupernodeId p, FrontSources& sources) {
    sources.count(p);
    for (std::int32_t r = 0; r < factor.front(p); ++r)
      more_begin[p + 1] += more_entries(sources.count_of(static_cast<std::size_t>(r)));
  });
  for (SupernodeId p : factor.supernode_ids()) more_begin[p + 1] += more_begin[p];
  FrontGather gather;
  gather.rows.resize(static_cast<std::size_t>(factor.order() + factor.row_offset.back()));
  gather.more.resize(more_begin.back());
  each_front([&](SupernodeId p, FrontSources& sources) {
    sources.list(p);
    set_rows(factor, p, sources, gather, more_begin[p]);
  });
  return gather;
}

bool is_made_step_by_step(const SymbolicFactor& factor) {
  constexpr std::int64_t min_columns_per_front = 4;
  return min_columns_per_front * factor.supernodes() > factor.order();
}

namespace {

/// Whether there are so many entries that the critical path of a solve hardly matters; floats then have separate task
/// lists.
bool has_bulk(const SymbolicFactor& factor) {
  std::int64_t entries = 0;
  for (SupernodeId s : factor.supernode_ids()) entries += std::int64_t{factor.width(s)} * factor.front(s);
  return entries >= cuda::one_rhs_bulk;
}

}  // namespace

CudaSolvePlan build_cuda_sweeps(const SymbolicFactor& factor, ThreadTeam& team) {
  CudaSolvePlan plan;
  plan.fits = factor.row_offset.back() <= std::numeric_limits<std::int32_t>::max();
  if (!plan.fits) return plan;
  const bool at_once = !is_made_step_by_step(factor);
  const bool bulk = has_bulk(factor);
  const OneRhsShape single{cuda::one_rhs_entries<double>, bulk ? cuda::one_rhs_max_outputs : cuda::one_rhs_outputs};
  const OneRhsShape of_floats{cuda::one_rhs_entries<float>, cuda::one_rhs_max_outputs};
  std::int64_t float_sums = 0;
  std::int64_t float_partials = 0;
  TaskGroup sweep_tasks(team);  // Declared last: if an exception is thrown, its tasks end before the objects that they use.
  const auto run = [&](const auto& build) {
    if (at_once) {
      sweep_tasks.run(build);
    } else {
      build();
    }
  };
  run([&] { plan.forward = build_forward_sweep(factor); });
  run([&] { plan.forward_one_rhs = build_one_rhs_forward_sweep(factor, single, plan.one_rhs_sums); });
  run([&] { plan.backward = build_backward_sweep(factor, plan.partials); });
  if (bulk) {
    run([&] { plan.forward_float = build_one_rhs_forward_sweep(factor, of_floats, float_sums); });
    run([&] { plan.backward_float = build_one_rhs_backward_sweep(factor, of_floats, float_partials); });
  }
  plan.backward_one_rhs = build_one_rhs_backward_sweep(factor, single, plan.one_rhs_partials);
  add_inverse_merges(factor, plan);
  sweep_tasks.wait();
  plan.one_rhs_sums = std::max(plan.one_rhs_sums, float_sums);
  plan.one_rhs_partials = std::max(plan.one_rhs_partials, float_partials);
  plan.fits =
      std::max({plan.partials, plan.one_rhs_sums, plan.one_rhs_partials}) <= std::numeric_limits<std::int32_t>::max();
  return plan;
}

CudaSolvePlan build_cuda_solve(const SymbolicFactor& factor, const UpdateList& updates, ThreadTeam& team) {
  CudaSolvePlan plan = build_cuda_sweeps(factor, team);
  if (plan.fits) plan.gather = build_front_gather(factor, updates, team);
  return plan;
}

}  // namespace gpusupernodal
