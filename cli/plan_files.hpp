#pragma once

/// \file
/// analyze with plans from and to files.

#include "cli/options.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::cli {

/// Analyzes as --load-plan and --save-plan say. Throws as Solver::analyze, load_plan and save_plan.
template <class T>
void analyze(Solver<T>& solver, const TypedMatrix<T>& a, const CommonOptions& common) {
  if (common.load_plan.empty()) {
    solver.analyze(a.view());
  } else {
    solver.load_plan(a.view(), common.load_plan);
  }
  if (!common.save_plan.empty()) save_plan(*solver.plan(), common.save_plan);
}

}  // namespace gpusupernodal::cli
