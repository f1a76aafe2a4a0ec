#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/fmt.hpp"
#include "base/stopwatch.hpp"
#include "cli/commands.hpp"
#include "cli/device_memory.hpp"
#include "cli/devices.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/options.hpp"
#include "cli/pcg.hpp"
#include "cli/plan_files.hpp"
#include "cli/plot/trace_plot.hpp"
#include "cli/plots.hpp"
#include "cli/precision.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

struct SolveOptions {
  CommonOptions common;
  PcgCommand pcg;
  std::string matrix;
  std::string right_hand_side;
  std::string output;
  std::string trace;
  PlotFiles plots;
};

/// Reports, times and errors, for both output formats.
struct Outcome {
  AnalyzeReport analyze;
  FactorReport factor;
  SolveReport solve;
  double read_seconds = 0.0;
  double factorize_seconds = 0.0;
  double solve_seconds = 0.0;
  double backward_error = 0.0;   ///< Maximum over the right-hand sides.
  double solution_error = -1.0;  ///< ‖x − 1‖∞ if the solution is known; −1 otherwise.
  std::string refusal;           ///< Why a solution of LU was refused; empty if it was not.
};

template <class Matrix>
DenseOf<Matrix> read_right_hand_side(const SolveOptions& options, const Matrix& a) {
  if constexpr (std::is_same_v<Matrix, io::ComplexMatrix>) {
    return io::read_complex_dense(options.right_hand_side, a.n);
  } else {
    try {
      return io::read_dense(options.right_hand_side, a.n);
    } catch (const io::HoldsComplexNumbers& refused) {  // run_any() handles it for a complex A only.
      throw io::FileError(refused.what(), __FILE__, __LINE__);
    }
  }
}

template <class Matrix>
DenseOf<Matrix> make_right_hand_side(const SolveOptions& options, const Matrix& a) {
  if (options.right_hand_side.empty()) {
    const decltype(DenseOf<Matrix>::values) ones(static_cast<std::size_t>(a.n), 1.0);
    return {a.n, 1, io::multiply(a, ones)};
  }
  DenseOf<Matrix> b = read_right_hand_side(options, a);
  if (b.cols == 0)
    throw InvalidInput(options.right_hand_side + " has no columns: nothing to solve for.", __FILE__, __LINE__);
  return b;
}

/// `value` in the precision of T.
template <class T>
T rounded(double value) {
  return static_cast<T>(value);
}
template <class T>
T rounded(std::complex<double> value) {
  return static_cast<T>(value);
}

std::string text_of(double value) { return fmt::format("{}", value); }
[[maybe_unused]] std::string text_of(std::complex<double> value) {
  return fmt::format("{} + {}i", value.real(), value.imag());
}

/// Throws InvalidInput if a finite number in the file overflowed in T; the message counts rows and columns from 1.
template <class T, class Dense>
void check_range(const std::vector<T>& values, const Dense& b) {
  const auto bad = std::find_if_not(values.begin(), values.end(), [](T value) { return std::isfinite(std::abs(value)); });
  if (bad == values.end()) return;
  const auto i = static_cast<std::size_t>(bad - values.begin());
  const auto rows = static_cast<std::size_t>(b.rows);
  throw InvalidInput(
      fmt::format("the right-hand side {} has {} in row {} (counted from 1), too large for --precision float.", i / rows + 1,
                  text_of(b.values[i]), i % rows + 1),
      __FILE__, __LINE__);
}

/// Makes the progress line show the factorization's progress.
template <class T>
void report_factor_progress(Solver<T>& solver) {
  Options options = solver.options();
  options.factor_progress = options.progress;
  solver.set_options(options);
}

template <class T, class Dense>
void run_solve(Solver<T>& solver, const Dense& b, ProgressLine& progress, Outcome& outcome, Dense& x) {
  std::vector<T> values;
  values.reserve(b.values.size());
  for (const auto& value : b.values) values.push_back(rounded<T>(value));
  check_range(values, b);
  const DenseView<T> view(values.data(), b.rows, b.cols, std::max<std::int64_t>(1, b.rows));
  progress.begin("solve");
  Stopwatch watch;
  try {
    solver.solve(view, view);
  } catch (const NumericalFailure& refused) {  // LU or LDLᵀ verified it and found it inaccurate.
    outcome.factor.status = Status::unstable;
    outcome.refusal = refused.what();
    return;
  }
  outcome.solve_seconds = watch.lap();
  outcome.solve = solver.solve_report();
  x = {b.rows, b.cols, {values.begin(), values.end()}};
}

/// Writes the trace and the pictures that the options name.
template <class T, class Matrix>
void write_drawings(const SolveOptions& command, const Matrix& a, Solver<T>& solver) {
  if (!command.trace.empty()) write_text(command.trace, solver.trace_json());
  if (!command.plots.trace.empty()) write_text(command.plots.trace, trace_plot(solver.trace_json(), a.name));
  const bool pattern = !command.plots.pattern.empty();
  write_plots(command.plots, a, *solver.plan(), pattern ? solver.old_of_new() : std::vector<std::int64_t>());
}

/// Runs the phases; on a numerical failure `x` stays empty.
template <class T, class Matrix>
void run_phases(const Options& options, const SolveOptions& command, const Matrix& a, const DenseOf<Matrix>& b,
                ProgressLine& progress, Outcome& outcome, DenseOf<Matrix>& x) {
  const TypedMatrix<T, Matrix> typed(a);
  Solver<T> solver(options);
  progress.begin("analyze");
  analyze(solver, typed, command.common);
  outcome.analyze = solver.analyze_report();
  progress.begin("factorize");
  // On CUDA a callback makes factorize wait about twenty times, which would spoil the printed time.
  if (progress.is_shown() && solver.backend() == Backend::host) report_factor_progress(solver);
  Stopwatch watch;
  solver.factorize(typed.view());
  outcome.factor = solver.factor_report();
  outcome.factorize_seconds = watch.lap();
  if (outcome.factor.status == Status::success) run_solve(solver, b, progress, outcome, x);
  progress.end();
  write_drawings(command, a, solver);
}

template <class Matrix>
void measure_errors(const SolveOptions& options, const Matrix& a, const DenseOf<Matrix>& b, const DenseOf<Matrix>& x,
                    Outcome& outcome) {
  using Value = typename decltype(DenseOf<Matrix>::values)::value_type;
  const auto n = static_cast<std::size_t>(a.n);
  for (std::size_t column = 0; column < static_cast<std::size_t>(b.cols); ++column) {
    const double error = io::backward_error(a, Span<const Value>(x.values).subspan(column * n, n),
                                            Span<const Value>(b.values).subspan(column * n, n));
    outcome.backward_error = io::larger_error(outcome.backward_error, error);
  }
  if (!options.right_hand_side.empty()) return;
  outcome.solution_error = 0.0;
  for (const Value& value : x.values)
    outcome.solution_error = io::larger_error(outcome.solution_error, std::abs(value - 1.0));
}

/// Rate at which the triangular solves read L, in 10⁹ bytes per second.
double gigabytes_per_second(const Outcome& outcome) {
  return outcome.solve_seconds > 0.0 ? outcome.solve.bytes_of_l / outcome.solve_seconds * 1e-9 : 0.0;
}

double gigaflops(const Outcome& outcome) {
  return outcome.factorize_seconds > 0.0 ? outcome.analyze.flops / outcome.factorize_seconds * 1e-9 : 0.0;
}

template <class Matrix>
void print_text(const Outcome& o, const SolveOptions& options, const Matrix& a, const DenseOf<Matrix>& b) {
  print_matrix(a);
  print_analysis(o.analyze);
  print_line("read", seconds_text(o.read_seconds));
  print_analyze_time(o.analyze);
  print_pivots(o.factor, form_of(options.common.form).value());
  if (o.factor.status != Status::success) return;
  print_line("factorize", fmt::format("{} ({:.3g} Gflop/s, {})", seconds_text(o.factorize_seconds), gigaflops(o),
                                      options.common.precision));
  print_regimes(o.factor);
  print_line("solve", fmt::format("{} ({}, {:.3g} GB/s of L)", seconds_text(o.solve_seconds),
                                  counted(b.cols, "right-hand side", "right-hand sides"), gigabytes_per_second(o)));
  if (o.solve.refinement_steps > 0) print_line("refinement", counted(o.solve.refinement_steps, "step", "steps"));
  if (o.solve.fgmres_iterations > 0) print_line("FGMRES", counted(o.solve.fgmres_iterations, "iteration", "iterations"));
  print_line("backward error", fmt::format("{:.2e}", o.backward_error));
  if (o.solution_error >= 0.0) print_line("largest |x − 1|", fmt::format("{:.2e} (b = A·ones)", o.solution_error));
  print_line("written", options.output);
  print_line("trace", options.trace);
  print_plots(options.plots);
}

template <class Matrix>
void print_as_json(const Outcome& o, const SolveOptions& options, const Matrix& a, const DenseOf<Matrix>& b) {
  Json json = matrix_json(a);
  json["precision"] = options.common.precision;
  json.update(to_json(o.analyze));
  json.update(to_json(o.factor));
  json.update(pivots_json(o.factor, form_of(options.common.form).value()));
  json["read_seconds"] = o.read_seconds;
  json["factorize_seconds"] = o.factorize_seconds;
  json["gflops"] = gigaflops(o);
  if (o.factor.status == Status::success) {
    json["right_hand_sides"] = b.cols;
    json["solve_seconds"] = o.solve_seconds;
    json["solve_gbytes_per_second"] = gigabytes_per_second(o);
    json["refinement_steps"] = o.solve.refinement_steps;
    json["fgmres_iterations"] = o.solve.fgmres_iterations;
    json["backward_error"] = o.backward_error;
    if (o.solution_error >= 0.0) json["solution_error"] = o.solution_error;
  }
  if (o.factor.status != Status::success) json.update(to_json(factor_failure(a.name, o.factor)));
  print_json(json);
}

template <class Load>
ExitCode run(const SolveOptions& options, const Load& load) {
  ProgressLine progress(options.common.wants_progress());
  Options solver = solver_options(options.common, progress);
  require_precision<float, std::complex<float>>(options.common.is_float());
  check_plots(options.plots, solver.form);
  solver.trace = !options.trace.empty() || !options.plots.trace.empty();
  Outcome outcome;
  progress.begin("read");
  Stopwatch watch;
  const auto a = load(options.matrix);
  using Dense = DenseOf<std::remove_const_t<decltype(a)>>;
  using Single = std::conditional_t<std::is_same_v<Dense, io::ComplexDense>, std::complex<float>, float>;
  using Double = typename decltype(Dense::values)::value_type;
  if constexpr (std::is_same_v<Dense, io::ComplexDense>) solver.symmetry = a.symmetry;
  const Dense b = make_right_hand_side(options, a);
  outcome.read_seconds = watch.lap();
  Dense x;
  in_precision<Single, Double>(options.common.is_float(), [&](auto scalar) {
    run_phases<decltype(scalar)>(solver, options, a, b, progress, outcome, x);
  });
  progress.end();
  const bool solved = outcome.factor.status == Status::success;
  if (solved) {
    measure_errors(options, a, b, x, outcome);
    if (!options.output.empty()) io::write_dense(options.output, x);
  }
  if (!options.plots.to_stdout()) {
    options.common.json ? print_as_json(outcome, options, a, b) : print_text(outcome, options, a, b);
  }
  if (solved) return ExitCode::success;
  if (!outcome.refusal.empty()) return report({ExitCode::unstable, fmt::format("{}: {}.", a.name, outcome.refusal)});
  return report(factor_failure(a.name, outcome.factor));
}

/// Reads the matrix as one of real numbers, and as one of complex numbers if the file says that it holds such.
ExitCode run_any(const CLI::App& app, const SolveOptions& options) {
  check_method(app, options.pcg);
  if (options.pcg.is_chosen())
    return solve_by_pcg(options.pcg, options.common, {options.matrix, options.right_hand_side, options.output});
  if (options.pcg.is_system())
    return solve_by_system(options.pcg, options.common, {options.matrix, options.right_hand_side, options.output});
  const Form form = form_of(options.common.form).value();
  try {
    return form == Form::lu ? run(options, load_general_matrix) : run(options, load_matrix);
  } catch (const io::HoldsComplexNumbers&) {
    return run(options, [form](const std::string& path) { return load_complex_matrix(path, form); });
  }
}

}  // namespace

Command add_solve(CLI::App& parent) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App* app = parent.add_subcommand("solve", "solve A x = b; print times and the backward error");
  app->add_option("matrix", options->matrix, "Matrix Market file, plain or gzip, or a generated\nmatrix (lap3d:40)")
      ->required()
      ->option_text("A");
  app->add_option("-b", options->right_hand_side,
                  "right-hand sides, Matrix Market 'array real general'\nor 'array complex general' (default: A·ones)")
      ->check(is_named)
      ->option_text("FILE");
  app->add_option("-o", options->output, "write x there, Matrix Market with 17 digits")
      ->check(is_named)
      ->option_text("FILE");
  app->add_option("--trace", options->trace, "write what ran where and when as Chrome trace events,\nfor ui.perfetto.dev")
      ->check(is_named)
      ->option_text("FILE");
  add_plots(*app, options->plots);
  add_trace_plot(*app, options->plots);
  add_pcg(*app, options->pcg);
  add_form(*app, options->common);
  add_analyze_options(*app, options->common);
  add_devices(*app, options->common);
  add_device_memory(*app, options->common);
  add_plan_files(*app, options->common);
  add_numeric_options(*app, options->common);
  return {app, [app, options] { return run_any(*app, *options); }};
}

}  // namespace gpusupernodal::cli
