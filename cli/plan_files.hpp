#pragma once

/// \file
/// Analysis with plans loaded from and saved to files.

#include "cli/options.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::cli {

/// Analyzes `a`, or loads the plan of --load-plan; then saves the plan for --save-plan. Throws what Solver::analyze,
/// load_plan and save_plan throw.
template <class T, class Matrix>
void analyze(Solver<T>& solver, const TypedMatrix<T, Matrix>& a, const CommonOptions& common) {
  if (common.load_plan.empty()) {
    solver.analyze(a.view());
  } else {
    solver.load_plan(a.view(), common.load_plan);
  }
  if (!common.save_plan.empty()) save_plan(*solver.plan(), common.save_plan);
}

}  // namespace gpusupernodal::cli
