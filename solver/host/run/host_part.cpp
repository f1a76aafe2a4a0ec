/// \file
/// One part of a factorization on several hosts: its subtrees by HostFactor, its block columns of the top by TopFactor.

#include <algorithm>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "solver/backend/merge_parts.hpp"
#include "solver/backend/part_factorization.hpp"
#include "solver/host/plan/part_entries.hpp"
#include "solver/host/run/float_mode.hpp"
#include "solver/host/run/host_factor.hpp"
#include "solver/host/run/subnormals.hpp"
#include "solver/host/run/top_factor.hpp"
#include "solver/host/run/top_solve.hpp"

namespace gpusupernodal {
namespace {

template <class S>
class HostPart final : public PartFactorization<S> {
 public:
  HostPart(std::shared_ptr<const PartPlan> plan, Fabric& fabric, const ExecutorOptions& options)
      : plan_(std::move(plan)),
        fabric_(fabric),
        check_finite_(options.check_finite),
        context_(options, host_kernels<S>().name),
        system_(*plan_->subtrees, options, context_.allocator()),
        subtrees_(plan_->subtrees, options, context_, nullptr),
        top_(*plan_, fabric, context_.allocator(), context_.team()),
        top_solve_(*plan_, fabric, context_.allocator()) {
    subtrees_.attach(system_);
    vectors_ = vectors(1);
  }

  void set_entries(PartEntries entries) noexcept override { entries_ = std::move(entries); }
  PartOutcome factorize(const S* values) override;
  void solve(const DenseView<const S>& b, const DenseView<S>& x) override;
  void reserve_right_hand_sides(std::int64_t columns) override;

 private:
  Buffer<S> vectors(std::int64_t columns) const {
    return Buffer<S>(context_.allocator(), local_order() * columns, "vectors of the subtrees");
  }
  std::int64_t local_order() const { return plan_->subtrees->structure->symbolic.order(); }
  std::int64_t subtree_rows() const { return static_cast<std::int64_t>(plan_->subtree_columns.size()); }
  void solve_columns(const DenseView<const S>& b, const DenseView<S>& x);
  PartOutcome own_outcome();
  bool may_flush_subnormals(const S* values) const;

  std::shared_ptr<const PartPlan> plan_;
  Fabric& fabric_;
  bool check_finite_;
  HostContext context_;
  HostSystem<S> system_;
  HostFactor<S> subtrees_;
  TopFactor<S> top_;
  TopSolve<S> top_solve_;
  PartEntries entries_;
  std::int64_t reserved_ = 1;
  Buffer<S> vectors_;  ///< Right-hand sides of the subtrees and their contribution block: local_order() × reserved_.
};

/// Whether `a` is reported rather than `b`: values that are not finite before failed pivots, then the smaller column.
bool precedes(const PartOutcome& a, const PartOutcome& b) {
  if (a.status == Status::success || b.status == Status::success) return b.status == Status::success && a.status != b.status;
  if (a.status != b.status) return a.status == Status::non_finite_input;
  return a.failed_column != b.failed_column ? a.failed_column < b.failed_column : a.failed_row < b.failed_row;
}

/// Takes the failure of `b` if it precedes that of `a`, and the extremes of both. Parts without columns have no pivots.
PartOutcome merged(const PartOutcome& a, const PartOutcome& b) {
  PartOutcome all = precedes(b, a) ? b : a;
  all.largest_pivot = std::max(a.largest_pivot, b.largest_pivot);
  const bool both = a.largest_pivot > 0.0 && b.largest_pivot > 0.0;
  all.smallest_pivot = both ? std::min(a.smallest_pivot, b.smallest_pivot) : a.smallest_pivot + b.smallest_pivot;
  return all;
}

PartOutcome part_of(const FactorOutcome& outcome) {
  PartOutcome part;
  part.status = outcome.status;
  part.failed_column = outcome.failed_column;
  part.failed_value = outcome.failed_value;
  part.smallest_pivot = outcome.smallest_pivot;
  part.largest_pivot = outcome.largest_pivot;
  return part;
}

template <class S>
PartOutcome HostPart<S>::own_outcome() {
  const FactorOutcome of_subtrees = subtrees_.outcome();
  PartOutcome below = part_of(of_subtrees);
  if (below.status == Status::non_finite_input) {
    const AssemblyMap& map = entries_.subtrees;
    const auto found = static_cast<std::size_t>(std::find(map.source.begin(), map.source.end(), of_subtrees.failed_entry) -
                                                map.source.begin());
    below.failed_column = plan_->subtree_columns[static_cast<std::size_t>(map.column[found].value)];
    const NewIndex row = map.row[found];
    const auto outside = static_cast<std::size_t>(std::max<std::int64_t>(row.value - subtree_rows(), 0));
    below.failed_row = row.value < subtree_rows() ? plan_->subtree_columns[static_cast<std::size_t>(row.value)]
                                                  : plan_->top.column[plan_->boundary(plan_->part)[outside]];
  } else if (below.status != Status::success) {
    below.failed_column = plan_->subtree_columns[static_cast<std::size_t>(below.failed_column.value)];
  }
  const FactorOutcome of_top = top_.outcome();
  PartOutcome above = part_of(of_top);
  if (above.status == Status::non_finite_input) {
    const PartEntries::OfTop& entry = entries_.top[static_cast<std::size_t>(of_top.failed_entry)];
    above.failed_column = entry.column;
    above.failed_row = entry.row;
  }
  return merged(below, above);
}

/// Whether all diagonal entries of this part's columns are so large that small numbers may be flushed to zero.
template <class S>
bool HostPart<S>::may_flush_subnormals(const S* values) const {
  const auto least = least_diagonal_to_flush<S>(plan_->whole->order());
  const auto is_large = [&](std::int64_t source) { return ScalarTraits<S>::real(values[source]) >= least; };
  std::int64_t large = 0;
  for (std::size_t e = 0; e < entries_.subtrees.source.size(); ++e) {
    if (entries_.subtrees.row[e] == entries_.subtrees.column[e] && is_large(entries_.subtrees.source[e])) ++large;
  }
  for (const PartEntries::OfTop& entry : entries_.top) {
    if (entry.row == entry.column && is_large(entry.source)) ++large;
  }
  return large == plan_->own_rows();
}

template <class S>
PartOutcome HostPart<S>::factorize(const S* values) {
  FloatMode mode = FloatMode::of_this_thread();
  if constexpr (ScalarTraits<S>::is_single) {
    // An entry of one part sums products of entries of others, so all diagonal entries count.
    const auto both = [](std::int32_t a, std::int32_t b) { return std::int32_t{a != 0 && b != 0}; };
    const std::int32_t own = may_flush_subnormals(values) ? 1 : 0;
    if (merge_parts(fabric_, own, both) != 0) mode = mode.flushing();
  }
  const WithFloatMode with(mode);  // Workers take the mode of this thread.
  FactorInput<S> input;
  input.values = values;
  input.map = &entries_.subtrees;
  subtrees_.factorize(input);
  top_.assemble(entries_.top, input, check_finite_);
  const bool contributes = plan_->contribution.valid();
  top_.add_contributions(
      contributes ? system_.factor.data() + plan_->subtrees->structure->panels.value_offset[plan_->contribution] : nullptr);
  top_.factorize();
  return merge_parts(fabric_, own_outcome(), merged);
}

template <class S>
void HostPart<S>::reserve_right_hand_sides(std::int64_t columns) {
  if (columns <= reserved_) return;
  subtrees_.reserve_right_hand_sides(columns);
  top_solve_.reserve(columns);
  vectors_ = vectors(columns);
  reserved_ = columns;
}

template <class S>
void HostPart<S>::solve(const DenseView<const S>& b, const DenseView<S>& x) {
  for (std::int64_t first = 0; first < b.cols; first += reserved_) {
    DenseView<const S> in = b;
    DenseView<S> out = x;
    in.data += first * b.ld;
    out.data += first * x.ld;
    in.cols = out.cols = std::min(reserved_, b.cols - first);
    solve_columns(in, out);
  }
}

template <class S>
void HostPart<S>::solve_columns(const DenseView<const S>& b, const DenseView<S>& x) {
  const std::int64_t n = local_order();
  const std::int64_t rows = subtree_rows();
  const auto nrhs = static_cast<std::int32_t>(b.cols);
  const auto& boundary = plan_->boundary(plan_->part);
  const DenseView<S> y(vectors_.data(), n, nrhs, n);
  S* const top = top_solve_.vectors();
  for (std::int32_t c = 0; c < nrhs; ++c) {
    std::copy_n(b.data + c * b.ld, rows, y.data + c * n);
    std::fill_n(y.data + c * n + rows, n - rows, S(0));
    std::fill_n(top + c * top_solve_.ld(), top_solve_.ld(), S(0));
  }
  subtrees_.solve({false, true, false, false}, y, y);
  for (std::int32_t c = 0; c < nrhs; ++c) {
    for (std::size_t i = 0; i < boundary.size(); ++i)
      top[c * top_solve_.ld() + boundary[i].value] = y.data[c * n + rows + static_cast<std::int64_t>(i)];
  }
  const S* const values = top_.values();
  top_solve_.forward(values, b.data + rows, b.ld, nrhs);
  top_solve_.backward(values, nrhs);
  for (std::int32_t c = 0; c < nrhs; ++c) {
    for (std::size_t i = 0; i < boundary.size(); ++i)
      y.data[c * n + rows + static_cast<std::int64_t>(i)] = top[c * top_solve_.ld() + boundary[i].value];
  }
  subtrees_.solve({false, false, true, false}, y, y);
  for (std::int32_t c = 0; c < nrhs; ++c) {
    S* to = std::copy_n(y.data + c * n, rows, x.data + c * x.ld);
    for (const std::int32_t number : plan_->own_blocks) {
      const TopBlock& block = plan_->blocks[static_cast<std::size_t>(number)];
      to = std::copy_n(top + c * top_solve_.ld() + block.begin.value, block.width, to);
    }
  }
}

}  // namespace

template <class S>
std::unique_ptr<PartFactorization<S>> make_host_part(std::shared_ptr<const PartPlan> plan, Fabric& fabric,
                                                     const ExecutorOptions& options) {
  return std::make_unique<HostPart<S>>(std::move(plan), fabric, options);
}

#define GPUSUPERNODAL_INSTANTIATE(S)                                                                      \
  template std::unique_ptr<PartFactorization<S>> make_host_part(std::shared_ptr<const PartPlan>, Fabric&, \
                                                                const ExecutorOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
