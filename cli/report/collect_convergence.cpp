#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>

#include "cli/print.hpp"
#include "cli/report/collect.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr double share_of_runs = 0.5;  ///< Part of the limit at whose end no further solve begins before the factorization.
constexpr double share_of_run = 0.2;   ///< Part of the limit that a solve may take.
constexpr double share_of_calls = 0.02;
constexpr int most_calls = 7;
constexpr std::size_t most_points = 240;

/// At most about most_points of the points, the first and the last among them: evenly spaced, and evenly on a logarithmic
/// axis.
void thin_out(std::vector<std::pair<std::int64_t, double>>& points) {
  if (points.size() <= most_points) return;
  const double last = static_cast<double>(points.size() - 1);
  std::set<std::size_t> kept;
  for (std::size_t k = 0; k <= most_points / 2; ++k) {
    const double part = 2.0 * static_cast<double>(k) / most_points;
    kept.insert(static_cast<std::size_t>(part * last));
    kept.insert(static_cast<std::size_t>(std::pow(last + 1.0, part)) - 1);
  }
  std::vector<std::pair<std::int64_t, double>> thin;
  for (const std::size_t k : kept) thin.push_back(points[std::min(k, points.size() - 1)]);
  points = std::move(thin);
}

std::string note_of(const PcgFigures& f, bool stopped, double limit) {
  const PcgReport& r = f.report;
  if (r.bad_row >= 0) return fmt::format("does not exist: the pivot in row {} is not positive", r.bad_row + 1);
  if (stopped) return fmt::format("stopped after {:.3g} s", limit);
  if (r.converged()) return "";
  return fmt::format("{} after {}", name_of(r.status), counted(r.iterations, "iteration", "iterations"));
}

/// Solves, and notes the residual after each iteration that is shown. Returns false if the solve took too long: its report
/// then has the iterations until it was cancelled. Precondition: x is 0, and `options` are those of `pcg`.
bool solve_watched(Pcg<double>& pcg, PcgOptions options, const TimeLimit& run, const std::function<void()>& solve,
                   PcgFigures& f) {
  options.progress = [&](const PcgProgress& p) {
    if (f.residuals.empty()) f.residuals.emplace_back(0, 1.0);
    if (std::isfinite(p.residual)) f.residuals.emplace_back(p.iterations, p.residual);
    return p.residual <= p.target || !run.is_over();
  };
  pcg.set_options(options);
  try {
    solve();
  } catch (const Cancelled&) {
    f.report.iterations = f.residuals.back().first;
    return false;
  }
  f.report = pcg.reports().front();
  return true;
}

/// Appends the end of the iteration where it was not shown, as on CUDA.
void add_end(PcgFigures& f) {
  const PcgReport& r = f.report;
  const bool is_missing = r.iterations > (f.residuals.empty() ? 0 : f.residuals.back().first);
  if (!is_missing || !std::isfinite(r.recursive_residual)) return;
  if (f.residuals.empty()) f.residuals.emplace_back(0, 1.0);
  f.residuals.emplace_back(r.iterations, r.recursive_residual / r.right_hand_side);
}

/// Sets M up, solves once with a look at each iteration, and again without if that is quick. `limit`: seconds.
bool run_pcg(Collection& c, const PcgOptions& options, double limit, PcgFigures& f) {
  const TimeLimit run(limit);
  Pcg<double> pcg(options);
  Stopwatch watch;
  pcg.analyze(c.problem.view());
  f.analyze_seconds = watch.lap();
  pcg.update(c.problem.values());
  f.setup_seconds = watch.lap();
  std::vector<double> x(c.b.size(), 0.0);
  const std::int64_t n = c.problem.order();
  const auto solve = [&] { pcg.solve(DenseView<const double>(c.b.data(), n), DenseView<double>(x.data(), n)); };
  watch.lap();
  const bool ended = solve_watched(pcg, options, run, solve, f);
  f.solve_seconds = watch.lap();
  if (ended) add_end(f);
  f.note = note_of(f, !ended, limit);
  thin_out(f.residuals);
  if (!f.report.converged()) return false;
  f.backward_error = c.problem.backward_error(x, c.b);
  const double share = share_of_calls * c.limit.seconds();
  f.again_seconds = f.setup_seconds;
  if (f.setup_seconds < run.left()) {
    watch.lap();
    pcg.update(c.problem.values());
    f.again_seconds = watch.lap();
  }
  if (f.solve_seconds > share) return true;
  pcg.set_options(options);
  f.solve_seconds = median_seconds(most_calls, share, solve);
  return true;
}

PcgOptions pcg_options(const Collection& c, Preconditioner preconditioner) {
  PcgOptions options;
  options.backend = c.options.backend;
  options.threads = c.options.threads;
  options.device = c.options.device;
  options.tolerance = c.options.tolerance;
  options.preconditioner = preconditioner;
  return options;
}

/// Solves with a preconditioner within `seconds`, or notes why not.
PcgFigures run_of(Collection& c, const PcgOptions& options, const char* name, double seconds) {
  PcgFigures run;
  run.preconditioner = name;
  run.report.preconditioner = options.preconditioner;
  if (seconds > 0.0) {
    attempt(c, name, run, [&] { return run_pcg(c, options, std::min(seconds, share_of_run * c.limit.seconds()), run); });
  } else {
    run.note = c.over();
  }
  return run;
}

/// Why conjugate gradients are left out; empty if nothing is known against them.
std::string objection(const Collection& c) {
  if (c.figures.matrix.form != Form::llt)
    return "Conjugate gradients need a symmetric positive definite matrix, so they are left out.";
  const std::vector<RitzPair>& spectrum = c.figures.spectrum.steps;
  // An estimate lies inside of the spectrum, so a negative one proves a negative eigenvalue, up to rounding.
  constexpr double rounding = 1e-10;
  const bool negative = !spectrum.empty() && spectrum.back().smallest < -rounding * std::abs(spectrum.back().largest);
  if (negative || c.figures.direct.factor.status == Status::not_positive_definite)
    return "The matrix is not positive definite, so conjugate gradients are left out.";
  return "";
}

}  // namespace

void collect_convergence(Collection& c) {
  ConvergenceFigures& f = c.figures.convergence;
  f.tolerance = c.options.tolerance;
  f.note = objection(c);
  if (!f.note.empty()) return;
  for (const Preconditioner preconditioner : {Preconditioner::jacobi, Preconditioner::fsai, Preconditioner::block_jacobi,
                                              Preconditioner::ic0, Preconditioner::ssor_ai, Preconditioner::none}) {
    const double left = c.limit.left() - (1.0 - share_of_runs) * c.limit.seconds();
    f.runs.push_back(run_of(c, pcg_options(c, preconditioner), name_of(preconditioner), left));
  }
}

void collect_mixed(Collection& c) {
  ConvergenceFigures& f = c.figures.convergence;
  if (f.note.empty()) f.note = objection(c);
  if (!f.note.empty()) {
    f.runs.clear();
    return;
  }
  PcgOptions options = pcg_options(c, Preconditioner::factor);
  options.factor_precision = FactorPrecision::single;
  PcgFigures run = run_of(c, options, "factor, single", c.figures.direct.is_complete ? c.limit.left() : 0.0);
  if (!c.figures.direct.is_complete) run.note = "not tried, because there is no factor";
  f.runs.insert(f.runs.begin() + 2, std::move(run));
  f.is_complete = std::any_of(f.runs.begin(), f.runs.end(), [](const PcgFigures& r) { return !r.residuals.empty(); });
  if (!f.is_complete) f.note = f.runs.front().note;
}

}  // namespace gpusupernodal::cli
