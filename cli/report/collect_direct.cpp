#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "cli/available_memory.hpp"
#include "cli/plot/tree_plot.hpp"
#include "cli/print.hpp"
#include "cli/report/collect.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {
namespace {

/// Parts of the limit that repeated calls may take together, and that the condition estimate may take.
constexpr double share_of_calls = 0.05;
constexpr int most_calls = 7;
constexpr int solves_of_estimate = 11;

void make_plan(Collection& c) {
  AnalysisFigures& f = c.figures.analysis;
  f = {};
  attempt(c, "analyze", f, [&] {
    Preview preview = Solver<double>::preview(c.problem.view(), c.solver_options());
    c.plan = preview.plan;
    f.report = preview.report;
    f.tree = tree_levels(assembly_tree(*c.plan));
    return true;
  });
}

/// Why the factor cannot be made; empty if it can.
std::string refusal_of(const Collection& c) {
  if (!c.figures.analysis.is_complete) return "There is no analysis to factorize by.";
  const AnalyzeReport& report = c.figures.analysis.report;
  const std::int64_t available = available_memory();
  if (report.backend != Backend::host || report.memory.total() <= available) return "";
  return fmt::format("The factorization needs {}; this machine has {} to spare.", bytes_text(report.memory.total()),
                     bytes_text(available));
}

void draw_order(Collection& c, const Solver<double>& solver) {
  PatternFigures& f = c.figures.pattern;
  if (!f.is_complete) return;
  const CellCounts given = count_cells(c.problem.view(), {}, f.cells);
  const CellCounts eliminated = count_cells(c.problem.view(), inverse_permutation(solver.old_of_new()), f.cells);
  f.largest = std::max(given.largest(), eliminated.largest());
  f.given = shades_of(given, f.largest);
  f.eliminated = shades_of(eliminated, f.largest);
}

/// Times refactorizations and solves; false if a factorization with the same values fails. Precondition: the factor exists.
bool time_calls(Collection& c, Solver<double>& solver, DirectFigures& f) {
  const double share = share_of_calls * c.limit.seconds();
  f.refactorize_seconds = f.factorize_seconds;
  if (c.limit.left() > f.factorize_seconds) {
    bool succeeded = true;
    f.refactorize_seconds = median_seconds(most_calls, share, [&] {
      solver.refactorize(c.problem.values());
      succeeded = solver.status() == Status::success && succeeded;
    });
    if (!succeeded) {
      f.note = "A repeated factorization failed: " + failure_sentence(solver.factor_report());
      return false;
    }
  }
  std::vector<double> x(c.b.size());
  const std::int64_t n = c.problem.order();
  f.solve_seconds = median_seconds(
      most_calls, share, [&] { solver.solve(DenseView<const double>(c.b.data(), n), DenseView<double>(x.data(), n)); });
  f.bytes_of_l = solver.solve_report().bytes_of_l;
  f.backward_error = c.problem.backward_error(x, c.b);
  if (c.figures.matrix.form == Form::llt && solves_of_estimate * f.solve_seconds < std::min(share, c.limit.left()))
    f.reciprocal_condition = solver.reciprocal_condition(c.problem.view());
  return true;
}

bool factorize(Collection& c, DirectFigures& f) {
  f.note = refusal_of(c);
  if (!f.note.empty()) return false;
  Options options = c.solver_options();
  if (c.figures.analysis.report.backend == Backend::host)  // On a device it would spoil the time.
    options.factor_progress = options.progress;
  Solver<double> solver(options);
  Stopwatch watch;
  solver.analyze(c.problem.view(), c.plan);
  f.analyze_seconds = c.figures.analysis.report.seconds_total + watch.lap();
  draw_order(c, solver);
  watch.lap();
  solver.factorize(c.problem.view());
  f.factor = solver.factor_report();
  f.factorize_seconds = watch.lap();
  if (f.factor.status != Status::success) {
    f.note = fmt::format("The {} factorization failed: {}", name_of(c.figures.matrix.form), failure_sentence(f.factor));
    return false;
  }
  options.factor_progress = nullptr;
  solver.set_options(options);
  return time_calls(c, solver, f);
}

/// Times the parts of the tree in a factorization with a trace.
void trace_regimes(Collection& c, DirectFigures& f) {
  if (c.limit.left() < 4.0 * f.factorize_seconds) return;
  Options options = c.solver_options();
  options.trace = true;
  Solver<double> solver(options);
  solver.analyze(c.problem.view(), c.plan);
  solver.factorize(c.problem.view());
  if (solver.status() == Status::success) f.factor.regimes = solver.factor_report().regimes;
}

}  // namespace

void collect_direct(Collection& c) {
  DirectFigures& f = c.figures.direct;
  make_plan(c);
  attempt(c, "factorize", f, [&] { return factorize(c, f); });
  const bool takes_ldlt = f.factor.status == Status::not_positive_definite && c.options.any_form;
  if (takes_ldlt && !built_with(Form::ldlt)) {
    f.note += fmt::format(
        " LDLᵀ, which would take its place, was left out of this library; build it with -DGPUSUPERNODAL_FORMS='{};ldlt'.",
        fmt::join(build_info().forms, ";"));
  } else if (takes_ldlt) {
    const std::string first = f.note;
    c.figures.matrix.form = Form::ldlt;
    make_plan(c);
    f = {};
    attempt(c, "factorize", f, [&] { return factorize(c, f); });
    f.note = f.is_complete ? first + " LDLᵀ takes its place." : f.note;
  }
  if (!f.is_complete) return;
  Part traced;  // Without a trace the rest of the part stands.
  attempt(c, "trace", traced, [&] {
    trace_regimes(c, f);
    return true;
  });
}

void collect_orderings(Collection& c) {
  OrderingsFigures& f = c.figures.orderings;
  const AnalyzeReport& chosen = c.figures.analysis.report;
  if (!c.figures.analysis.is_complete) {
    f.note = "There is no analysis to compare with.";
    return;
  }
  f.candidates.push_back(
      {chosen.ordering, true, chosen.nonzeros_l, chosen.flops, chosen.memory.total(), chosen.seconds_total});
  for (const Ordering ordering : {Ordering::nested_dissection, Ordering::metis, Ordering::amd}) {
    if (ordering == chosen.ordering) continue;
    attempt(c, name_of(ordering), f, [&] {
      if (c.limit.left() < 2.0 * chosen.seconds_total) {
        f.note = c.over();
        return false;
      }
      Options options = c.solver_options();
      options.ordering = ordering;
      const AnalyzeReport report = Solver<double>::preview(c.problem.view(), options).report;
      f.candidates.push_back(
          {ordering, false, report.nonzeros_l, report.flops, report.memory.total(), report.seconds_total});
      return true;
    });
  }
  f.is_complete = f.candidates.size() > 1;
}

}  // namespace gpusupernodal::cli
