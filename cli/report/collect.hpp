#pragma once

/// \file
/// Collects the figures of a report: analyzes, factorizes, solves, multiplies and iterates, within a limit of time.

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/report/figures.hpp"
#include "cli/report/problem.hpp"
#include "cli/report/time_limit.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::cli {

/// What a report is about, and how its figures are measured.
struct CollectOptions {
  Form form = Form::llt;
  bool any_form = true;  ///< LDLᵀ if the matrix is symmetric and not positive definite.
  Backend backend = Backend::automatic;
  int threads = 0;
  int device = -1;
  double seconds = 30.0;     ///< Limit of the measured parts.
  double tolerance = 1e-10;  ///< Relative tolerance of conjugate gradients.
  std::string spec;          ///< The matrix as typed, for commands to paste.
};

/// What the collecting functions share.
struct Collection {
  const CollectOptions& options;
  const Problem& problem;
  const std::vector<double>& b;
  ProgressLine& progress;
  TimeLimit limit;
  ReportFigures figures;
  std::shared_ptr<const FactorPlan> plan;

  std::string over() const {
    return fmt::format("The limit of {:g} s (--seconds) was reached before or in this part.", limit.seconds());
  }
  /// Options of a solver that stops when the limit is reached.
  Options solver_options() const;
};

/// Runs `measure`, which returns whether the part has its figures. If it throws, or if the time is over, the note says so.
template <class Measure>
void attempt(Collection& c, const char* phase, Part& part, const Measure& measure) {
  if (c.limit.is_over()) {
    part.note = c.over();
    return;
  }
  c.progress.begin(phase);
  try {
    part.is_complete = measure();
  } catch (const Cancelled&) {
    part.note = c.over();
  } catch (const std::exception&) {
    part.note = current_failure().sentence;
  }
}

void collect_machine(Collection& c);
void collect_pattern(Collection& c);
/// The plan, the tree, the factorization and its solves.
void collect_direct(Collection& c);
void collect_orderings(Collection& c);
/// The operator and the spectrum.
void collect_products(Collection& c);
/// Conjugate gradients with the preconditioners that need no factor, within half of the limit. Precondition:
/// collect_products was called.
void collect_convergence(Collection& c);
/// Conjugate gradients with a factor in single precision; drops all runs if the matrix turned out not to be positive
/// definite. Precondition: collect_direct and collect_convergence were called.
void collect_mixed(Collection& c);
/// Precondition: all of the above were called.
void collect_roofline(Collection& c);
void collect_memory(Collection& c);
void collect_methods(Collection& c);

/// Collects all. Parts that fail say so in their notes; throws only what the first look at the matrix throws.
ReportFigures collect(const CollectOptions& options, const Problem& problem, const std::vector<double>& b,
                      ProgressLine& progress);

}  // namespace gpusupernodal::cli
