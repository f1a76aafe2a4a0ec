#pragma once

/// \file
/// Plans for analyze: from the cache, or made.

#include <memory>
#include <string>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/plan/general_plan.hpp"

namespace gpusupernodal {

struct ObtainedPlan {
  std::shared_ptr<const FactorPlan> plan;
  PlanSource source = PlanSource::analyzed;
};

/// Returns the plan of a pattern with these options: from the cache if it may be used and has one, otherwise a new one.
/// Throws as make_plan does, and InvalidInput for an unknown value of GPUSUPERNODAL_PLAN_CACHE.
ObtainedPlan obtain_plan(const PatternView& pattern, const Options& options);

/// The plan of a matrix with these options. For Form::lu it may depend on the values too (Options::matching), and the
/// cache is not used; values on a device are copied to the host after the work on `stream`. Throws as obtain_plan and
/// make_general_plan.
template <class T>
ObtainedPlan obtain_plan_of(const MatrixView<T>& a, const Options& options, void* stream);

/// Another plan for the matrix of `earlier`, or null, as make_repivoted_plan says.
template <class T>
std::shared_ptr<const FactorPlan> obtain_repivoted_plan(const FactorPlan& earlier, const T* values, RowExchange exchange,
                                                        const Options& options);

/// Keeps a plan for later analyses if the cache may be used. It replaces a cached plan of the same pattern and options,
/// because a part for a device may have been added to it. If memory runs out, the plan is not kept.
void keep_plan(const PatternView& pattern, const Options& options, std::shared_ptr<const FactorPlan> plan) noexcept;

/// The plan of a file, with as many threads as the options say. Throws as require_last_rows does.
ObtainedPlan read_plan(const PatternView& pattern, const Options& options, const std::string& path);

/// Throws InvalidInput unless the plan's order ends with the groups of Options::last_rows.
void require_last_rows(const FactorPlan& plan, const Options& options, const std::string& plan_name);

}  // namespace gpusupernodal
