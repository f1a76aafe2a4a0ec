#include "solver/cuda/plan/level_run.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "solver/factor/task_flops.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Narrow fronts at the same distance from the root get a CTA each up to this number; more of them share CTAs.
constexpr std::int64_t narrow_apart = 32;

class RunLister {
 public:
  RunLister(const CudaFronts& fronts, const SymbolicFactor& factor)
      : fronts_(fronts), factor_(factor), steps_(fronts.kind.size(), 0), children_(fronts.kind.size(), 0) {}

  RunLists list() {
    std::vector<SupernodeId> order;
    for (auto i = static_cast<std::int64_t>(steps_.size()); i-- > 0;) {
      const SupernodeId s(i);
      if (!is_in_run(s)) continue;
      steps_[s] = steps_of(s);
      const SupernodeId parent = factor_.parent[s];
      if (parent.valid() && is_in_run(parent)) {
        steps_[s] += steps_[parent];
        ++children_[parent];
      }
      order.push_back(s);
    }
    const auto key = [&](SupernodeId s) { return std::tuple(-steps_[s], is_narrow(s), s); };
    std::sort(order.begin(), order.end(), [&](SupernodeId a, SupernodeId b) { return key(a) < key(b); });
    for (auto at = order.cbegin(); at != order.cend();) at = add_equals(at, order.cend());
    lists_.first_level = fronts_.run_level;
    return std::move(lists_);
  }

 private:
  using Position = std::vector<SupernodeId>::const_iterator;

  bool is_in_run(SupernodeId s) const { return fronts_.in_run[static_cast<std::size_t>(s.value)]; }
  bool is_narrow(SupernodeId s) const { return cuda::is_narrow(factor_.width(s), factor_.front(s)); }
  /// Steps that a front takes, about as long as half a strip each: its strips, its update, and waiting for it.
  std::int32_t steps_of(SupernodeId s) const { return is_narrow(s) ? 2 : 2 + 2 * strip_count(factor_.width(s)); }

  /// Adds the fronts from `at` on that are equally far from the root and of one kind. None of them waits for another.
  Position add_equals(Position at, Position end) {
    const Position last = std::find_if(
        at, end, [&, first = *at](SupernodeId s) { return steps_[s] != steps_[first] || is_narrow(s) != is_narrow(first); });
    const auto apart = static_cast<std::int64_t>(last - at);
    const std::int64_t together =
        is_narrow(*at) ? std::clamp<std::int64_t>((apart + narrow_apart - 1) / narrow_apart, 1, run_warps) : 1;
    for (; at != last; at += std::min<std::int64_t>(together, last - at))
      add_group(at, std::min<std::int64_t>(together, last - at));
    return last;
  }

  void add_group(Position at, std::int64_t count) {
    lists_.groups.push_back(
        {static_cast<std::int32_t>(lists_.fronts.size()), is_narrow(*at) ? static_cast<std::int32_t>(count) : 0});
    for (const Position end = at + count; at != end; ++at) {
      const SupernodeId s = *at;
      const SupernodeId parent = factor_.parent[s];
      const std::int32_t width = factor_.width(s), front = factor_.front(s);
      lists_.fronts.push_back(
          {{s.value, small_stride(width, front)}, children_[s], parent.valid() && is_in_run(parent) ? parent.value : -1});
      if (!is_narrow(s)) lists_.entries = std::max(lists_.entries, static_cast<std::int32_t>(small_size(width, front)));
    }
  }

  const CudaFronts& fronts_;
  const SymbolicFactor& factor_;
  IdVector<SupernodeId, std::int32_t> steps_;     ///< From the front to the root of its tree in the run.
  IdVector<SupernodeId, std::int32_t> children_;  ///< In the run.
  RunLists lists_;
};

}  // namespace

RunLists list_level_run(const CudaFronts& fronts, const SymbolicFactor& factor) {
  if (fronts.run_level < 0) return {};
  return RunLister(fronts, factor).list();
}

double path_flops(const RunLists& run, const SymbolicFactor& factor) {
  std::vector<double> below(static_cast<std::size_t>(factor.supernodes()), 0.0);
  double longest = 0.0;
  for (const RunFront& front : run.fronts) {
    const double flops =
        below[static_cast<std::size_t>(front.task.panel)] + supernode_flops(factor, SupernodeId(front.task.panel));
    longest = std::max(longest, flops);
    if (front.parent < 0) continue;
    double& of_parent = below[static_cast<std::size_t>(front.parent)];
    of_parent = std::max(of_parent, flops);
  }
  return longest;
}

}  // namespace gpusupernodal::cuda
