#include "solver/plan/cuda_solve.hpp"

#include <algorithm>
#include <limits>

#include "solver/plan/cuda_sweep.hpp"
#include "solver/plan/cuda_tiling.hpp"

namespace gpusupernodal {
namespace {

void add_widenings(const SymbolicFactor& factor, CudaSolvePlan& plan) {
  for (std::int32_t half = cuda_tile; half < cuda_solve_block; half *= 2) {
    plan.widening_begin.push_back(static_cast<std::int64_t>(plan.widenings.size()));
    for (SupernodeId s : factor.supernode_ids()) {
      const std::int32_t width = factor.width(s);
      for (std::int32_t column = 0; column + half < width; column += 2 * half) {
        plan.widenings.push_back({s.value, column, half, std::min(half, width - column - half)});
      }
    }
  }
  plan.widening_begin.push_back(static_cast<std::int64_t>(plan.widenings.size()));
}

/// The lists source[offset[r]] … source[offset[r + 1] − 1] as rows.
FrontGather in_rows(const std::vector<std::int64_t>& offset, const std::vector<std::int32_t>& source) {
  FrontGather gather;
  gather.rows.resize(offset.size() - 1);
  for (std::size_t r = 0; r < gather.rows.size(); ++r) {
    FrontGather::Row& row = gather.rows[r];
    const auto begin = source.begin() + offset[r];
    const auto end = source.begin() + offset[r + 1];
    const auto few = std::min<std::int64_t>(end - begin, static_cast<std::int64_t>(row.first.size()));
    std::copy(begin, begin + few, row.first.begin());
    if (begin + few == end) continue;
    row.more = static_cast<std::int32_t>(gather.more.size());
    gather.more.push_back(static_cast<std::int32_t>(end - begin - few));
    gather.more.insert(gather.more.end(), begin + few, end);
  }
  return gather;
}

}  // namespace

FrontGather build_front_gather(const SymbolicFactor& factor, const UpdateList& updates) {
  const std::int64_t contributions = factor.row_offset.back();
  std::vector<std::int64_t> offset(static_cast<std::size_t>(factor.order() + contributions) + 1, 0);
  std::vector<std::int32_t> source(static_cast<std::size_t>(contributions));
  /// Calls visit(row of the parent's front, position in the contributions), children ascending.
  const auto for_each_contribution = [&](auto visit) {
    for (SupernodeId s : factor.supernode_ids()) {
      const SupernodeId p = factor.parent[s];
      if (!p.valid()) continue;
      const std::int32_t* relative = updates.relative_rows.data() + updates.updates[updates.from_source(s).front()].relative;
      for (std::int64_t i = factor.row_offset[s]; i < factor.row_offset[s + 1]; ++i) {
        const std::int32_t row = *relative++;
        const bool own = row < factor.width(p);
        visit(own ? std::int64_t{factor.first_column[p].value} + row
                  : factor.order() + factor.row_offset[p] + row - factor.width(p),
              i);
      }
    }
  };
  for_each_contribution([&](std::int64_t row, std::int64_t) { ++offset[static_cast<std::size_t>(row) + 1]; });
  for (std::size_t r = 1; r < offset.size(); ++r) offset[r] += offset[r - 1];
  std::vector<std::int64_t> next(offset.begin(), offset.end() - 1);
  for_each_contribution([&](std::int64_t row, std::int64_t position) {
    source[static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++)] = static_cast<std::int32_t>(position);
  });
  return in_rows(offset, source);
}

CudaSolvePlan build_cuda_solve(const SymbolicFactor& factor, const UpdateList& updates) {
  CudaSolvePlan plan;
  plan.fits = factor.row_offset.back() <= std::numeric_limits<std::int32_t>::max();
  if (!plan.fits) return plan;
  plan.gather = build_front_gather(factor, updates);
  plan.forward = build_forward_sweep(factor);
  plan.backward = build_backward_sweep(factor, plan.partials);
  plan.fits = plan.partials <= std::numeric_limits<std::int32_t>::max();
  add_widenings(factor, plan);
  return plan;
}

}  // namespace gpusupernodal
