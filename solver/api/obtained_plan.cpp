#include "solver/api/obtained_plan.hpp"

#include <cstdlib>
#include <new>
#include <string_view>

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/solver.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/cached_plans.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/kept_plan.hpp"
#include "solver/api/staging.hpp"
#include "solver/common/fail.hpp"
#include "solver/plan/column_plan.hpp"
#include "solver/plan/dense_plan.hpp"
#include "solver/plan/general_input.hpp"
#include "solver/plan/plan_file.hpp"
#include "solver/symbolic/row_groups.hpp"

namespace gpusupernodal {
namespace {

PlanOptions plan_options(const Options& options) {
  PlanOptions result;
  result.symbolic.ordering = options.ordering;
  result.symbolic.user_permutation = options.permutation;
  result.symbolic.last_rows = options.last_rows;
  result.symbolic.seed = options.ordering_seed;
  result.symbolic.expected_factorizations = options.expected_factorizations;
  result.symbolic.for_device = allows_device(options);
  if (result.symbolic.for_device) {
    result.figures = figures_of_device(options);
    result.symbolic.allow_host = allows_host(options);
    result.cuda = cuda_plan_options(options);
  }
  result.symbolic.threads = worker_count(options.threads);
  result.symbolic.merging = options.merging;
  result.symbolic.merge_width = options.merge_width;
  result.block_width = options.block_width;
  return result;
}

/// Returns the option, unless the environment disables the cache, as it can for programs whose options are fixed.
bool uses_cache(const Options& options) {
  const char* const variable = std::getenv("GPUSUPERNODAL_PLAN_CACHE");
  const std::string_view value = variable == nullptr ? "" : variable;
  if (value == "0") return false;
  if (value.empty() || value == "1") return options.plan_cache;
  fail<InvalidInput>(
      "the environment variable GPUSUPERNODAL_PLAN_CACHE is '{}'; it may be 0 (off) or 1 (as the options say)", value);
}

}  // namespace

bool has_kept_plan(const PatternView& pattern, const Options& options) {
  return uses_cache(options) && process_plan_cache().contains(pattern, plan_options(options));
}

ObtainedPlan obtain_plan(const PatternView& pattern, const Options& options) {
  const PlanOptions wanted = plan_options(options);
  if (uses_cache(options)) {
    if (auto plan = process_plan_cache().find(pattern, wanted)) {
      if (options.progress && !options.progress(Progress{"kept plan", 0.0}))
        fail<Cancelled>("analyze was cancelled in the step '{}'", "kept plan");
      return {std::move(plan), PlanSource::cache};
    }
  }
  return {make_plan(pattern, wanted, options.progress), PlanSource::analyzed};
}

namespace {

template <class T>
ObtainedPlan obtain_lu_plan(const MatrixView<T>& a, const Options& options, void* stream) {
  const PatternView pattern = pattern_of(a);
  validate_general_pattern(pattern);
  const bool reads = options.matching != MatchingRule::none && a.values != nullptr && pattern.entries() > 0;
  const HostCopy<T> values(reads ? a.values : nullptr, reads ? a.value_space : MemorySpace::host,
                           reads ? pattern.entries() : 0, stream);
  const PlanOptions wanted = plan_options(options);
  const T* const known = reads ? values.data() : nullptr;
  switch (options.lu_schedule) {
    case LuSchedule::columns:
      return {make_column_plan(pattern, known, options.matching, wanted, options.progress), PlanSource::analyzed};
    case LuSchedule::automatic:
      return {make_cheaper_lu_plan(pattern, known, options.matching, wanted, options.progress), PlanSource::analyzed};
    case LuSchedule::supernodes:
    case LuSchedule::dense:
      break;
  }
  std::vector<double> magnitudes;
  if (reads) magnitudes = magnitudes_of(known, static_cast<std::size_t>(pattern.entries()));
  if (options.lu_schedule == LuSchedule::dense)
    return {make_dense_plan(pattern, reads ? magnitudes.data() : nullptr, wanted, options.progress), PlanSource::analyzed};
  return {make_general_plan(pattern, reads ? magnitudes.data() : nullptr, options.matching, wanted, options.progress),
          PlanSource::analyzed};
}

}  // namespace

template <class T>
ObtainedPlan obtain_plan_of(const MatrixView<T>& a, const Options& options, void* stream) {
  if constexpr (built_with(Form::lu)) {
    if (options.form == Form::lu) return obtain_lu_plan(a, options, stream);
  }
  return obtain_plan(pattern_of(a), options);
}

#if GPUSUPERNODAL_HAVE_LU
template <class T>
std::shared_ptr<const FactorPlan> obtain_repivoted_plan(const FactorPlan& earlier, const T* values, RowExchange exchange,
                                                        const Options& options) {
  if (earlier.structure().columns) return make_repivoted_column_plan(earlier, values, plan_options(options));
  return make_repivoted_plan(earlier, values, exchange, plan_options(options));
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::shared_ptr<const FactorPlan> obtain_repivoted_plan(const FactorPlan&, const T*, RowExchange, const Options&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
#endif

#define GPUSUPERNODAL_INSTANTIATE(T) template ObtainedPlan obtain_plan_of(const MatrixView<T>&, const Options&, void*);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

void keep_plan(const PatternView& pattern, const Options& options, std::shared_ptr<const FactorPlan> plan) noexcept {
  if (options.form == Form::lu) return;
  try {
    if (uses_cache(options)) process_plan_cache().keep(pattern, plan_options(options), std::move(plan));
  } catch (const std::exception&) {  // The analysis succeeded; only a later one would have gained.
  }
}

ObtainedPlan read_plan(const PatternView& pattern, const Options& options, const std::string& path) {
  if (options.form == Form::lu)
    fail<InvalidInput>("plan files hold plans for the forms llt and ldlt only, but the form is lu");
  RestoreOptions wanted;
  wanted.threads = worker_count(options.threads);
  if (allows_device(options) && !allows_host(options)) wanted.cuda = cuda_plan_options(options);
  auto plan = restore_plan(pattern, read_plan_file(path), wanted, options.progress);
  require_last_rows(*plan, options, fmt::format("the plan file {}", path));
  return {std::move(plan), PlanSource::file};
}

void require_last_rows(const FactorPlan& plan, const Options& options, const std::string& plan_name) {
  const RowGroups groups(plan.symbolic.order(), options.last_rows);
  const auto& old_of_new = plan.symbolic.permutation.old_of_new;
  if (const NewIndex k = groups.first_misplaced(old_of_new); k.valid()) {
    fail<InvalidInput>("{} eliminates row {} after row {}, and last_rows wants it before", plan_name, old_of_new[k].value,
                       old_of_new[k - 1].value);
  }
}

void save_plan(const FactorPlan& plan, const std::string& path) {
  if (plan.structure().general)
    fail<InvalidInput>("plan files hold plans for the forms llt and ldlt only, but the form is lu");
  write_plan_file(plan, path);
}

}  // namespace gpusupernodal
