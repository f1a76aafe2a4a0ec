#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>

#include "cli/print.hpp"
#include "cli/report/collect.hpp"
#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr double share_of_run = 0.2;  ///< Part of the limit that a solve may take.
constexpr double share_of_calls = 0.02;
constexpr int most_calls = 7;
constexpr int lanczos_steps = 60;
constexpr std::size_t most_points = 240;

/// Lanczos' method for D⁻¹ᐟ² A D⁻¹ᐟ² with the diagonal D of A, or for A if D is not positive.
void estimate_spectrum(Collection& c, SparseOperator<double>& product) {
  SpectrumFigures& f = c.figures.spectrum;
  if (!c.problem.is_symmetric()) {
    f.note = "The method of Lanczos needs a symmetric matrix.";
    return;
  }
  attempt(c, "spectrum", f, [&] {
    std::vector<double> scale = c.problem.diagonal();
    const bool positive = std::all_of(scale.begin(), scale.end(), [](double d) { return d > 0.0 && std::isfinite(d); });
    for (double& entry : scale) entry = positive ? 1.0 / std::sqrt(entry) : 1.0;
    f.of = positive ? "A, scaled to a unit diagonal" : "A, whose diagonal is not positive";
    std::vector<double> scaled(scale.size());
    const std::int64_t n = c.problem.order();
    f.steps = lanczos(
        n, lanczos_steps,
        [&](const std::vector<double>& x, std::vector<double>& y) {
          std::transform(x.begin(), x.end(), scale.begin(), scaled.begin(), std::multiplies<>());
          product.multiply(DenseView<const double>(scaled.data(), n), DenseView<double>(y.data(), n));
          std::transform(y.begin(), y.end(), scale.begin(), y.begin(), std::multiplies<>());
        },
        [&] { return !c.limit.is_over(); });
    if (f.steps.empty()) f.note = "The products are not finite.";
    return !f.steps.empty();
  });
}

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

std::string note_of(const PcgFigures& f, bool stopped, const Collection& c) {
  const PcgReport& r = f.report;
  if (r.bad_row >= 0) return fmt::format("does not exist: the pivot in row {} is not positive", r.bad_row + 1);
  if (stopped) return fmt::format("stopped after {:.3g} s", share_of_run * c.limit.seconds());
  if (r.converged()) return "";
  return fmt::format("{} after {}", name_of(r.status), counted(r.iterations, "iteration", "iterations"));
}

/// Sets M up, solves once with a look at each iteration, and again without if that is quick.
bool run_pcg(Collection& c, const PcgOptions& wanted, PcgFigures& f) {
  PcgOptions options = wanted;
  bool stopped = false;
  const TimeLimit run(std::min(c.limit.left(), share_of_run * c.limit.seconds()));
  options.progress = [&](const PcgProgress& p) {
    f.residuals.emplace_back(p.iterations, p.right_hand_side > 0.0 ? p.residual / p.right_hand_side : 0.0);
    stopped = run.is_over();
    return !stopped;
  };
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
  solve();
  f.solve_seconds = watch.lap();
  f.report = pcg.reports().front();
  f.note = note_of(f, stopped, c);
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
  options.progress = nullptr;
  pcg.set_options(options);
  f.solve_seconds = median_seconds(most_calls, share, solve);
  return true;
}

}  // namespace

void collect_products(Collection& c) {
  FormatFigures& f = c.figures.formats;
  OperatorOptions options;
  options.backend = c.options.backend;
  options.threads = c.options.threads;
  options.device = c.options.device;
  options.tuning = Tuning::measured;
  SparseOperator<double> product(options);
  attempt(c, "products", f, [&] {
    product.analyze(SparseView<double>(c.problem.view()));
    f.report = product.report();
    const std::int64_t n = c.problem.order();
    std::vector<double> y(c.b.size());
    f.product_seconds = median_seconds(3 * most_calls, share_of_calls * c.limit.seconds(), [&] {
      product.multiply(DenseView<const double>(c.b.data(), n), DenseView<double>(y.data(), n));
    });
    return true;
  });
  if (f.is_complete) {
    estimate_spectrum(c, product);
  } else {
    c.figures.spectrum.note = "There are no products for the method of Lanczos.";
  }
}

void collect_convergence(Collection& c) {
  ConvergenceFigures& f = c.figures.convergence;
  f.tolerance = c.options.tolerance;
  if (c.figures.matrix.form != Form::llt) {
    f.note = "Conjugate gradients need a symmetric positive definite matrix, so they are left out.";
    return;
  }
  if (c.figures.direct.factor.status == Status::not_positive_definite) {
    f.note = "The matrix is not positive definite, so conjugate gradients are left out.";
    return;
  }
  PcgOptions options;
  options.backend = c.options.backend;
  options.threads = c.options.threads;
  options.device = c.options.device;
  options.tolerance = c.options.tolerance;
  for (const Preconditioner preconditioner :
       {Preconditioner::jacobi, Preconditioner::fsai, Preconditioner::factor, Preconditioner::block_jacobi,
        Preconditioner::ic0, Preconditioner::ssor_ai, Preconditioner::none}) {
    PcgFigures run;
    const bool factor = preconditioner == Preconditioner::factor;
    options.preconditioner = preconditioner;
    options.factor_precision = factor ? FactorPrecision::single : FactorPrecision::same;
    run.preconditioner = factor ? "factor, single" : name_of(preconditioner);
    run.report.preconditioner = preconditioner;
    if (factor && !c.figures.direct.is_complete) {
      run.note = "not tried, because there is no factor";
    } else {
      attempt(c, run.preconditioner.c_str(), run, [&] { return run_pcg(c, options, run); });
    }
    f.runs.push_back(std::move(run));
  }
  f.is_complete = std::any_of(f.runs.begin(), f.runs.end(), [](const PcgFigures& run) { return !run.residuals.empty(); });
  if (!f.is_complete) f.note = f.runs.front().note;
}

}  // namespace gpusupernodal::cli
