#include "gpusupernodal/distributed_solver.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/stopwatch.hpp"
#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/describe_distribution.hpp"
#include "solver/api/part_agreement.hpp"
#include "solver/api/portions.hpp"
#include "solver/api/shared_structure.hpp"
#include "solver/backend/part_factorization.hpp"
#include "solver/host/plan/part_entries.hpp"
#include "solver/host/plan/part_plan.hpp"

namespace gpusupernodal {

template <class T>
struct DistributedSolver<T>::Impl {
  explicit Impl(Fabric& f) : fabric(f) {}

  Fabric& fabric;
  bool check_right_hand_sides = true;
  std::shared_ptr<const PartPlan> plan;
  std::unique_ptr<PartFactorization<T>> part;
  DistributionReport report;
  std::vector<std::int64_t> rows;
  std::int64_t entries = -1;  ///< Number of entries of the last set_entries; −1 before.
  /// For complex T: the values on the diagonal, with their rows.
  struct DiagonalEntry {
    std::int64_t value;
    std::int64_t row;
  };
  std::vector<DiagonalEntry> diagonal;
  std::int64_t factorizations = 0;  ///< Since analyze.
  FactorReport factor;
  std::int64_t reserved = 1;

  const PartPlan& analyzed() const {
    if (!plan) fail<InvalidState>("there is no division yet; call analyze first");
    return *plan;
  }
  std::int64_t old_row(NewIndex row) const {
    return row.valid() ? plan->whole->permutation.old_of_new[row].value : std::int64_t{-1};
  }
  std::vector<char> structure_of(const FactorPlan& plan, const DistributionOptions& distribution) const;
  void check_values(Span<const T> values) const;
  void describe(const PartOutcome& outcome, double seconds);
  void check_solve(const DenseView<const T>& b, const DenseView<T>& x, std::int64_t columns) const;
};

template <class T>
DistributedSolver<T>::DistributedSolver(Fabric& fabric) : impl_(std::make_unique<Impl>(fabric)) {}
template <class T>
DistributedSolver<T>::~DistributedSolver() = default;
template <class T>
DistributedSolver<T>::DistributedSolver(DistributedSolver&&) noexcept = default;
template <class T>
DistributedSolver<T>& DistributedSolver<T>::operator=(DistributedSolver&&) noexcept = default;

/// What part 0 sends to all parts.
template <class T>
std::vector<char> DistributedSolver<T>::Impl::structure_of(const FactorPlan& whole,
                                                           const DistributionOptions& distribution) const {
  DistributionOptions wanted = distribution;
  wanted.parts = fabric.parts();
  return bytes_of(whole.symbolic, make_part_map(whole, wanted, scalar_type_of<T>));
}

template <class T>
void DistributedSolver<T>::analyze(const std::shared_ptr<const FactorPlan>& plan, const Options& options,
                                   const DistributionOptions& distribution) {
  analyze_made([&] { return plan; }, options, distribution);
}

template <class T>
void DistributedSolver<T>::analyze_made(const std::function<std::shared_ptr<const FactorPlan>()>& make_plan,
                                        const Options& options, const DistributionOptions& distribution) {
  Fabric& fabric = impl_->fabric;
  std::vector<char> bytes;
  on_all_parts(fabric, [&] {
    check_options(options);
    if (options.form != Form::llt) {
      fail<InvalidInput>("the form {} was requested, but several parts factorize only llt; use Solver for other forms",
                         name_of(options.form));
    }
    if (fabric.part() != 0) return;
    const std::shared_ptr<const FactorPlan> plan = make_plan();
    if (!plan) fail<InvalidInput>("part 0 gave no plan; it must analyze the pattern, for example by Solver::preview");
    bytes = impl_->structure_of(*plan, distribution);
  });
  auto count = static_cast<std::int64_t>(bytes.size());
  fabric.broadcast(0, &count, sizeof(count));
  on_all_parts(fabric, [&] { bytes.resize(static_cast<std::size_t>(count)); });
  fabric.broadcast(0, bytes.data(), count);
  std::unique_ptr<Impl> next;
  on_all_parts(fabric, [&] {
    next = std::make_unique<Impl>(fabric);
    SharedStructure shared = structure_from(bytes);
    bytes = {};
    next->report = describe(shared.map, scalar_type_of<T>);
    ThreadTeam team(worker_count(options.threads));
    team.execute([&] {
      next->plan =
          std::make_shared<PartPlan>(make_part_plan(std::make_shared<const SymbolicFactor>(std::move(shared.symbolic)),
                                                    std::move(shared.map), PartId(fabric.part()), team));
    });
    ExecutorOptions executor;
    executor.threads = options.threads;
    executor.check_finite = options.check_finite;
    executor.allocator = options.host_allocator;
    next->part = make_host_part<T>(next->plan, fabric, executor);
    for (const NewIndex row : next->plan->rows()) next->rows.push_back(next->old_row(row));
    next->check_right_hand_sides = options.check_right_hand_sides;
  });
  impl_ = std::move(next);
}

template <class T>
bool DistributedSolver<T>::is_analyzed() const {
  return impl_->plan != nullptr;
}

template <class T>
std::int64_t DistributedSolver<T>::order() const {
  return impl_->plan ? impl_->plan->whole->order() : 0;
}

template <class T>
const DistributionReport& DistributedSolver<T>::distribution() const {
  impl_->analyzed();
  return impl_->report;
}

template <class T>
std::int64_t DistributedSolver<T>::nonzeros_l() const {
  return impl_->plan ? impl_->plan->whole->nonzeros : 0;
}

template <class T>
int DistributedSolver<T>::part_of_entry(std::int64_t row, std::int64_t column) const {
  const PartPlan& plan = impl_->analyzed();
  const std::int64_t n = plan.whole->order();
  if (row < 0 || row >= n || column < 0 || column >= n)
    fail<InvalidInput>("row {}, column {} is outside of the matrix of order {}", row, column, n);
  const auto& new_of_old = plan.whole->permutation.new_of_old;
  return plan.owner_of(std::min(new_of_old[OldIndex(row)], new_of_old[OldIndex(column)])).value;
}

template <class T>
const std::vector<std::int64_t>& DistributedSolver<T>::rows() const {
  impl_->analyzed();
  return impl_->rows;
}

template <class T>
void DistributedSolver<T>::set_entries(Span<const std::int64_t> rows, Span<const std::int64_t> columns, StoredPart half) {
  PartEntries entries;
  std::vector<typename Impl::DiagonalEntry> diagonal;
  on_all_parts(impl_->fabric, [&] {
    const PartPlan& plan = impl_->analyzed();
    if (half != StoredPart::upper && half != StoredPart::lower)
      fail<InvalidInput>("the entries must be those of one half of A, not of both");
    if (rows.size() != columns.size())
      fail<InvalidInput>("there are {} rows, but {} columns of entries", rows.size(), columns.size());
    if (rows.size() > 0 && (rows.data() == nullptr || columns.data() == nullptr))
      fail<InvalidInput>("the {} entries have no rows or no columns (a null pointer)", rows.size());
    const std::span<const std::int64_t> i(rows.data(), rows.size());
    const std::span<const std::int64_t> j(columns.data(), columns.size());
    if constexpr (ScalarTraits<T>::is_complex) require_half(i, j, half == StoredPart::upper);
    entries = place_entries(plan, i, j, half == StoredPart::upper);
    if constexpr (ScalarTraits<T>::is_complex) {
      for (std::size_t k = 0; k < i.size(); ++k) {
        if (i[k] == j[k]) diagonal.push_back({static_cast<std::int64_t>(k), i[k]});
      }
    }
  });
  // Until here, an exception leaves the entries of before on all parts.
  impl_->part->set_entries(std::move(entries));
  impl_->entries = static_cast<std::int64_t>(rows.size());
  impl_->diagonal = std::move(diagonal);
}

template <class T>
void DistributedSolver<T>::Impl::check_values(Span<const T> values) const {
  analyzed();
  if (entries < 0) fail<InvalidState>("the entries of this part are not known; call set_entries first");
  if (static_cast<std::int64_t>(values.size()) != entries) {
    fail<InvalidInput>("there are {} values, but set_entries named {} entries of this part", values.size(), entries);
  }
  if (entries > 0 && values.data() == nullptr) fail<InvalidInput>("the matrix has no values (a null pointer)");
  for (const DiagonalEntry& entry : diagonal)
    require_real_diagonal_entry(values[static_cast<std::size_t>(entry.value)], entry.row, plan->whole->order());
}

template <class T>
Status DistributedSolver<T>::factorize(Span<const T> values) {
  on_all_parts(impl_->fabric, [&] { impl_->check_values(values); });
  const Stopwatch watch;
  const PartOutcome outcome = impl_->part->factorize(values.data());
  impl_->describe(outcome, watch.seconds());
  return outcome.status;
}

template <class T>
void DistributedSolver<T>::Impl::describe(const PartOutcome& outcome, double seconds) {
  factor = FactorReport();
  factor.status = outcome.status;
  factor.failed_column = old_row(outcome.failed_column);
  factor.failed_row = old_row(outcome.failed_row);
  factor.failed_value = outcome.failed_value;
  factor.smallest_pivot = outcome.smallest_pivot;
  factor.largest_pivot = outcome.largest_pivot;
  factor.seconds = seconds;
  factor.factorizations = ++factorizations;
}

template <class T>
const FactorReport& DistributedSolver<T>::factor_report() const {
  if (impl_->factorizations <= 0) fail<InvalidState>("there is no factorization yet; call factorize first");
  return impl_->factor;
}

template <class T>
void DistributedSolver<T>::Impl::check_solve(const DenseView<const T>& b, const DenseView<T>& x,
                                             std::int64_t columns) const {
  analyzed();
  if (factorizations <= 0) fail<InvalidState>("there is no factorization yet; call factorize first");
  if (factor.status != Status::success) fail<NumericalFailure>("there is no factor, because the last factorization failed");
  const auto own = static_cast<std::int64_t>(rows.size());
  check_dense(b, own, "b");
  check_dense(x, own, "x");
  if (b.space != MemorySpace::host || x.space != MemorySpace::host)
    fail<InvalidInput>("b and x must be in host memory, because the factor is distributed over hosts");
  if (b.cols != x.cols) fail<InvalidInput>("b has {} columns, but x has {}", b.cols, x.cols);
  if (b.cols != columns) fail<InvalidInput>("b has {} columns on this part, but {} on part 0", b.cols, columns);
  if (check_right_hand_sides) gpusupernodal::check_right_hand_sides(b);
}

template <class T>
void DistributedSolver<T>::solve(const DenseView<const T>& b, const DenseView<T>& x) {
  std::int64_t columns = b.cols;
  impl_->fabric.broadcast(0, &columns, sizeof(columns));
  on_all_parts(impl_->fabric, [&] {
    impl_->check_solve(b, x, columns);
    const std::int64_t needed = std::min(columns, max_columns_at_once);
    if (needed <= impl_->reserved) return;
    impl_->part->reserve_right_hand_sides(needed);
    impl_->reserved = needed;
  });
  impl_->part->solve(b, x);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class DistributedSolver<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
