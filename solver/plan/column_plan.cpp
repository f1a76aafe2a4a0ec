#include "solver/plan/column_plan.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/general/block_triangular.hpp"
#include "solver/general/limited_lu_pattern.hpp"
#include "solver/general/threshold_pivots.hpp"
#include "solver/plan/column_order.hpp"
#include "solver/plan/general_input.hpp"
#include "solver/symbolic/grouped_ordering.hpp"
#include "solver/symbolic/ordering.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

void report_step(const std::function<bool(const Progress&)>& progress, const char* step, double done = 0.0) {
  if (progress && !progress(Progress{step, done})) fail<Cancelled>("analyze was cancelled in the step '{}'", step);
}

/// An order of rows and columns, and the pattern that it leads to.
struct Elimination {
  std::vector<std::int32_t> column;
  std::vector<std::int32_t> row_of_column;
  std::vector<std::int32_t> block_ends;
  LuPattern pattern;

  double flops() const;
};

double Elimination::flops() const {
  std::vector<std::int32_t> right(column.size(), 0);
  std::vector<std::int32_t> below(column.size(), 0);
  std::int32_t begin = 0;
  for (const std::int32_t end : block_ends) {
    for (std::int32_t k = begin; k < end; ++k) {
      for (std::int64_t e = pattern.offsets[at(k)]; e < pattern.offsets[at(k) + 1]; ++e) {
        const std::int32_t row = pattern.rows[at(e)];
        if (row > k) ++below[at(k)];
        if (row < k && row >= begin) ++right[at(row)];
      }
    }
    begin = end;
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < right.size(); ++k) sum += static_cast<double>(below[k]) * (1.0 + 2.0 * right[k]);
  return sum;
}

/// Makes a plan of one matrix step by step.
template <class S>
class ColumnPlanMaker {
 public:
  ColumnPlanMaker(std::shared_ptr<GeneralInput> input, const S* values, const PlanOptions& options,
                  const std::function<bool(const Progress&)>& progress, double max_flops)
      : input_(std::move(input)),
        general_(input_->structure),
        values_(values),
        options_(options),
        symbolic_(options.symbolic),
        progress_(progress),
        max_flops_(max_flops),
        team_(options.symbolic.threads) {
    symbolic_.for_device = false;  // The cost model prices trees of fronts, of which there are none.
  }

  std::shared_ptr<const FactorPlan> make() {
    std::shared_ptr<const FactorPlan> plan;
    team_.execute([&] {
      const Stopwatch watch;
      std::optional<Elimination> elimination;
      log_.time("ordering", [&] {
        elimination = choose();
        return elimination ? bytes_in(elimination->column) : 0;
      });
      report_.seconds_ordering = watch.seconds();
      if (elimination) plan = finish(std::move(*elimination));
    });
    return plan;
  }

  /// With the columns in the order of an earlier plan, and its diagonal blocks unless the matching has others. Returns null
  /// if the rows stay where they are.
  std::shared_ptr<const FactorPlan> make_in_order_of(const FactorStructure& before) {
    Elimination elimination;
    for (const OldIndex j : before.symbolic.permutation.old_of_new) elimination.column.push_back(j.value);
    elimination.row_of_column = general_.matching.row_of_column;
    elimination.block_ends = before.columns->block_ends;
    if (!same_blocks(elimination, before.general->matching.row_of_column)) elimination.block_ends = {general_.entries.n};
    report_.ordering = before.symbolic_report.ordering;
    report_.reason = "order of the earlier plan";
    std::shared_ptr<const FactorPlan> plan;
    team_.execute([&] {
      exchange_rows(elimination, inside_blocks(general_.entries, general_.matching.row_of_column, form_of(elimination)),
                    limit(max_flops_, 0.0));
      if (elimination.row_of_column == before.general->matching.row_of_column) return;
      add_pattern(elimination, limit(max_flops_, 0.5));
      plan = finish(std::move(elimination));
    });
    return plan;
  }

 private:
  bool is_free() const {
    const Ordering ordering = options_.symbolic.ordering;
    return options_.symbolic.last_rows.empty() && ordering != Ordering::user && ordering != Ordering::natural;
  }

  /// The progress callback cancels searches. Each of the two, for pivots and for the pattern, is half of an ordering.
  WorkLimit limit(double max_flops, double done_before) const {
    return {max_flops, [this, done_before](double done) { report_step(progress_, "ordering", done_before + 0.5 * done); }};
  }

  /// Returns nothing if all orders that are tried take more than max_flops_.
  std::optional<Elimination> choose() {
    const std::vector<std::int32_t>& rows = general_.matching.row_of_column;
    BlockTriangularForm form{std::vector<std::int32_t>(at(general_.entries.n), 0), 1};
    if (is_free()) form = block_triangular_form(general_.entries, rows);
    const ColumnEntries inside = inside_blocks(general_.entries, rows, form);
    report_step(progress_, "ordering");
    const SymmetrizedPattern sum = symmetrized_pattern(inside, rows);
    std::optional<Elimination> first = in_blocks(inside, ordered_graph(sum), form, max_flops_);
    const bool tries_another = is_free() && options_.symbolic.ordering == Ordering::automatic;
    if (!tries_another || !is_far_from_symmetric(inside, sum)) return first;
    const std::optional<SymmetrizedPattern> product = product_pattern(inside);
    if (!product) return first;
    report_step(progress_, "ordering");
    // A search that takes more operations than the first order is abandoned.
    const double most = first ? first->flops() : max_flops_;
    std::optional<Elimination> second = in_blocks(inside, amd_order(build_adjacency(product->view(), team_)), form, most);
    report_.reason = fmt::format("{}{:.3g} flops by B + B', {} by B'B and minimum degree", first ? "" : "more than ", most,
                                 second ? fmt::format("{:.3g}", second->flops()) : "more");
    const bool better = second && (!first || second->flops() < first->flops());
    if (better) report_.ordering = Ordering::amd;
    return better ? std::move(second) : std::move(first);
  }

  EliminationOrder ordered_graph(const SymmetrizedPattern& pattern) {
    const AdjacencyGraph graph = build_adjacency(pattern.view(), team_);
    const RowGroups groups(graph.order, options_.symbolic.last_rows);
    ChosenOrder chosen = grouped_order(graph, groups, symbolic_, team_);
    report_.ordering = chosen.method;
    report_.reason = std::move(chosen.reason);
    return chosen.tree ? std::move(chosen.tree->permutation.old_of_new) : std::move(chosen.order);
  }

  /// Eliminates one block after another, each in the given order. Returns nothing if this takes more than max_flops.
  std::optional<Elimination> in_blocks(const ColumnEntries& inside, const EliminationOrder& order,
                                       const BlockTriangularForm& form, double max_flops) {
    std::vector<std::int32_t> column;
    column.reserve(at(general_.entries.n));
    for (const OldIndex j : order) column.push_back(j.value);
    std::stable_sort(column.begin(), column.end(),
                     [&](std::int32_t a, std::int32_t b) { return form.block[at(a)] < form.block[at(b)]; });
    std::vector<std::int32_t> ends(at(form.blocks), 0);
    for (const std::int32_t block : form.block) ++ends[at(block)];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    Elimination result{std::move(column), general_.matching.row_of_column, std::move(ends), {}};
    if (!exchange_rows(result, inside, limit(max_flops, 0.0)) || !add_pattern(result, limit(max_flops, 0.5)))
      return std::nullopt;
    return result;
  }

  /// Searches pivots with the entries inside the diagonal blocks: no others reach a row of their block that is no pivot yet.
  /// Returns whether the search stayed within the limit.
  bool exchange_rows(Elimination& result, const ColumnEntries& inside, const WorkLimit& within) const {
    if (values_ == nullptr) return true;
    PivotSearch search;
    search.column_order = result.column;
    search.preferred_row = general_.matching.row_of_column;
    search.row_exponent = general_.row_exponent;
    search.column_exponent = general_.column_exponent;
    ThresholdPivots pivots = threshold_pivots(inside, values_, search, within);
    if (pivots.abandoned) return false;
    result.row_of_column = std::move(pivots.row_of_column);
    // Columns without a pivot may get a row that another singular block has left over; there are then no blocks.
    if (!same_blocks(result, general_.matching.row_of_column)) result.block_ends = {general_.entries.n};
    return true;
  }

  static BlockTriangularForm form_of(const Elimination& elimination) {
    BlockTriangularForm form;
    form.blocks = static_cast<std::int32_t>(elimination.block_ends.size());
    form.block.resize(elimination.column.size());
    std::int32_t k = 0;
    for (std::int32_t b = 0; b < form.blocks; ++b) {
      for (; k < elimination.block_ends[at(b)]; ++k) form.block[at(elimination.column[at(k)])] = b;
    }
    return form;
  }

  /// Whether another assignment of rows to columns has the same rows in each diagonal block.
  static bool same_blocks(const Elimination& elimination, const std::vector<std::int32_t>& other_row_of_column) {
    const std::vector<std::int32_t> block = form_of(elimination).block;
    std::vector<std::int32_t> block_of_row(block.size());
    for (std::size_t j = 0; j < block.size(); ++j) block_of_row[at(other_row_of_column[j])] = block[j];
    for (std::size_t j = 0; j < block.size(); ++j) {
      if (block_of_row[at(elimination.row_of_column[j])] != block[j]) return false;
    }
    return true;
  }

  /// Returns whether the factorization stays within the limit.
  bool add_pattern(Elimination& result, const WorkLimit& within) const {
    std::vector<std::int32_t> row;
    row.reserve(result.column.size());
    for (const std::int32_t j : result.column) row.push_back(result.row_of_column[at(j)]);
    std::optional<LuPattern> pattern = limited_lu_pattern(general_.entries, {result.column, row, result.block_ends}, within);
    if (!pattern) return false;
    result.pattern = std::move(*pattern);
    return true;
  }

  std::shared_ptr<const FactorPlan> finish(Elimination elimination) {
    report_step(progress_, "layout");
    const Stopwatch watch;
    const auto structure = std::make_shared<FactorStructure>();
    structure->pattern_hash = hash_of(input_->pattern, input_.get());
    general_.matching.row_of_column = std::move(elimination.row_of_column);
    EliminationOrder order(elimination.column.size());
    for (NewIndex k : order.ids()) order[k] = OldIndex(elimination.column[at(k.value)]);
    SymbolicFactor& symbolic = structure->symbolic;
    symbolic.permutation = permutation_from(std::move(order));
    symbolic.first_column.push_back(NewIndex(general_.entries.n));
    symbolic.row_offset.push_back(0);
    structure->general = ordered(*input_, symbolic.permutation);
    std::shared_ptr<ColumnStructure> columns;
    log_.time("panel layout", [&] {
      columns = std::make_shared<ColumnStructure>(
          build_column_structure(elimination.pattern, std::move(elimination.block_ends), options_.column_rules));
      return columns->bytes();
    });
    log_.time("assembly map", [&] {
      structure->assembly = build_column_assembly_map(*structure->general, symbolic.permutation, *columns);
      return bytes_of(structure->assembly);
    });
    structure->columns = std::move(columns);
    describe(*structure);
    report_.seconds_symbolic = watch.seconds();
    structure->symbolic_report = std::move(report_);
    return with_backends(structure);
  }

  static void describe(FactorStructure& structure) {
    const ColumnStructure& columns = *structure.columns;
    structure.symbolic.nonzeros = (columns.nonzeros_l + columns.nonzeros_u) / 2;
    structure.symbolic.flops = columns.flops / 2.0;  // Reports count both halves of LU.
    structure.stored_flops = columns.flops / 2.0;
    structure.shape.largest_width = structure.shape.largest_front = columns.tail();
    structure.shape.height = static_cast<std::int64_t>(columns.level_offset.size()) - 1;
  }

  std::shared_ptr<const FactorPlan> with_backends(const std::shared_ptr<FactorStructure>& structure) {
    const auto host = std::make_shared<HostPlan>();
    host->structure = structure;
    std::shared_ptr<const CudaPlan> cuda;
    if (options_.cuda) {
      log_.time("cuda launches", [&] {
        StepLog unread;
        cuda = build_cuda_plan(structure, *options_.cuda, team_, unread);
        return cuda->bytes();
      });
    }
    structure->symbolic_report.steps = log_.take();
    return std::make_shared<FactorPlan>(host, std::move(cuda));
  }

  std::shared_ptr<GeneralInput> input_;
  GeneralStructure& general_;
  const S* values_;
  const PlanOptions& options_;
  SymbolicOptions symbolic_;
  const std::function<bool(const Progress&)>& progress_;
  double max_flops_;
  ThreadTeam team_;
  StepLog log_;
  SymbolicReport report_;
};

template <class S>
bool all_finite(const S* values, std::size_t count) {
  return std::all_of(values, values + count, [](S value) { return ScalarTraits<S>::is_finite(value); });
}

}  // namespace

bool has_lu_by_columns() noexcept { return true; }

template <class S>
std::shared_ptr<const FactorPlan> make_column_plan(const PatternView& pattern, const S* values, MatchingRule rule,
                                                   const PlanOptions& options,
                                                   const std::function<bool(const Progress&)>& progress, double max_flops) {
  validate_general_pattern(pattern);
  const bool reads = values != nullptr && rule != MatchingRule::none;
  const auto count = at(pattern.entries());
  const std::vector<double> magnitudes = reads ? magnitudes_of(values, count) : std::vector<double>();
  auto input = general_input(pattern, magnitudes.empty() ? nullptr : magnitudes.data(), rule);
  const bool pivoted = !magnitudes.empty() && all_finite(values, count);
  return ColumnPlanMaker<S>(std::move(input), pivoted ? values : nullptr, options, progress, max_flops).make();
}

template <class S>
std::shared_ptr<const FactorPlan> make_repivoted_column_plan(const FactorPlan& earlier, const S* values,
                                                             const PlanOptions& options) {
  const FactorStructure& before = earlier.structure();
  const std::vector<double> magnitudes = magnitudes_of(values, before.general->entries.rows.size());
  auto input = rematched_input(earlier, magnitudes.data());
  constexpr double no_limit = std::numeric_limits<double>::infinity();
  return ColumnPlanMaker<S>(std::move(input), values, options, {}, no_limit).make_in_order_of(before);
}

#define GPUSUPERNODAL_INSTANTIATE(S)                                                                                        \
  template std::shared_ptr<const FactorPlan> make_column_plan(                                                              \
      const PatternView&, const S*, MatchingRule, const PlanOptions&, const std::function<bool(const Progress&)>&, double); \
  template std::shared_ptr<const FactorPlan> make_repivoted_column_plan(const FactorPlan&, const S*, const PlanOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
