#include "cli/report/collect.hpp"

#include <utility>

#include "cli/report/paste.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr int max_cells = 200;

std::string kind_of(const Collection& c) {
  const ReportFigures& f = c.figures;
  if (!c.problem.is_symmetric()) return "general";
  if (f.matrix.form == Form::ldlt && f.direct.is_complete) {
    const Inertia& inertia = f.direct.factor.inertia;
    if (inertia.negative > 0)
      return fmt::format("symmetric indefinite: {} positive, {} negative, {} zero eigenvalues", inertia.positive,
                         inertia.negative, inertia.zero);
    return inertia.zero > 0 ? "symmetric semidefinite" : "symmetric positive definite";
  }
  if (f.matrix.form == Form::llt && f.direct.is_complete) return "symmetric positive definite";
  const bool refuted = f.direct.factor.status == Status::not_positive_definite;
  return refuted ? "symmetric, not positive definite" : "symmetric; whether it is positive definite is not known";
}

}  // namespace

Options Collection::solver_options() const {
  Options solver;
  solver.form = figures.matrix.form;
  solver.backend = options.backend;
  solver.threads = options.threads;
  solver.device = options.device;
  solver.plan_cache = false;
  solver.progress = [this](const Progress& p) {
    progress.update(p);
    return !limit.is_over();
  };
  return solver;
}

void collect_pattern(Collection& c) {
  PatternFigures& f = c.figures.pattern;
  attempt(c, "pattern", f, [&] {
    const CellCounts given = count_cells(c.problem.view(), {}, max_cells);
    f.cells = given.cells;
    f.largest = given.largest();
    f.given = shades_of(given, f.largest);
    f.rows = row_lengths(c.problem.view());
    return true;
  });
}

void collect_memory(Collection& c) {
  const MatrixView<double>& a = c.problem.view();
  const std::int64_t stored = a.n > 0 ? a.offsets[a.n] : 0;
  constexpr std::int64_t value = sizeof(double), index = sizeof(std::int32_t), offset = sizeof(std::int64_t);
  std::vector<MemoryFigure>& memory = c.figures.memory;
  memory.push_back({c.problem.is_symmetric() ? "A, lower triangle" : "A", stored * (value + index) + (a.n + 1) * offset});
  if (c.figures.formats.is_complete) memory.push_back({"A, prepared for products", c.figures.formats.report.memory_bytes});
  if (c.figures.convergence.is_complete) {
    constexpr std::int64_t vectors = 7;
    memory.push_back({"vectors of conjugate gradients", vectors * value * a.n});
  }
  if (!c.figures.analysis.is_complete) return;
  const MemoryEstimate& direct = c.figures.analysis.report.memory;
  if (c.figures.convergence.is_complete)
    memory.push_back({"factor in single precision", direct.factor / 2 + direct.index + direct.workspace / 2});
  memory.push_back({"factor: values", direct.factor});
  memory.push_back({"factor: indices", direct.index});
  memory.push_back({"factor: workspace", direct.workspace});
}

void collect_methods(Collection& c) {
  const ReportFigures& f = c.figures;
  if (f.matrix.n == 0) return;  // There is nothing to solve.
  std::vector<MethodFigures>& methods = c.figures.methods;
  if (f.direct.is_complete) {
    const DirectFigures& d = f.direct;
    methods.push_back({"direct",
                       "",
                       d.analyze_seconds,
                       d.factorize_seconds,
                       d.refactorize_seconds,
                       d.solve_seconds,
                       d.backward_error,
                       {}});
  }
  for (const PcgFigures& run : f.convergence.runs) {
    if (!run.is_complete) continue;
    const bool mixed = run.report.preconditioner == Preconditioner::factor;
    methods.push_back({mixed ? "mixed" : "pcg",
                       mixed ? "" : run.preconditioner,
                       run.analyze_seconds,
                       run.setup_seconds,
                       run.again_seconds,
                       run.solve_seconds,
                       run.backward_error,
                       {}});
  }
  for (MethodFigures& method : methods) method.paste = paste_of(method, f.matrix.form, c.options.spec, c.options.tolerance);
}

ReportFigures collect(const CollectOptions& options, const Problem& problem, const std::vector<double>& b,
                      ProgressLine& progress) {
  Collection c{options, problem, b, progress, TimeLimit(options.seconds), {}, {}};
  const Stopwatch all;
  MatrixFigures& matrix = c.figures.matrix;
  matrix.name = problem.name();
  matrix.n = problem.order();
  matrix.entries = problem.entries();
  matrix.is_symmetric = problem.is_symmetric();
  matrix.form = problem.is_symmetric() ? options.form : Form::lu;
  c.figures.limit_seconds = options.seconds;
  collect_machine(c);
  collect_pattern(c);
  // First what ends in time: the ordering of a large matrix does not stop at the limit.
  collect_products(c);
  collect_convergence(c);
  collect_direct(c);
  collect_mixed(c);
  collect_orderings(c);
  collect_roofline(c);
  collect_memory(c);
  collect_methods(c);
  matrix.kind = matrix.n == 0 ? "empty" : kind_of(c);
  progress.end();
  c.figures.total_seconds = all.seconds();
  return std::move(c.figures);
}

}  // namespace gpusupernodal::cli
