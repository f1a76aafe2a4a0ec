#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "base/stopwatch.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/pcg.hpp"
#include "cli/precision.hpp"
#include "cli/print.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

/// What a run yields, for both output formats.
struct MethodOutcome {
  double read_seconds = 0.0;
  double solve_seconds = 0.0;    ///< From the analysis to the last solution.
  double backward_error = -1.0;  ///< Maximum over the right-hand sides; −1: not solved.
  double solution_error = -1.0;  ///< ‖x − 1‖∞ if the solution is known; −1 otherwise.
  SystemReport report;
};

template <class T>
io::DenseMatrix run(const SystemOptions& options, const io::SymmetricMatrix& a, const io::DenseMatrix& b,
                    MethodOutcome& outcome) {
  const TypedMatrix<T> typed(a);
  SystemSolver<T> system(options);
  const std::vector<T> right(b.values.begin(), b.values.end());
  std::vector<T> x(right.size());
  const std::int64_t ld = std::max<std::int64_t>(b.rows, 1);
  const Stopwatch watch;
  system.compute(typed.view());
  outcome.report =
      system.solve(DenseView<const T>(right.data(), b.rows, b.cols, ld), DenseView<T>(x.data(), b.rows, b.cols, ld));
  outcome.solve_seconds = watch.seconds();
  return {b.rows, b.cols, {x.begin(), x.end()}};
}

void measure_errors(const io::SymmetricMatrix& a, const io::DenseMatrix& b, const io::DenseMatrix& x, bool is_known,
                    MethodOutcome& outcome) {
  const auto n = static_cast<std::size_t>(a.n);
  outcome.backward_error = 0.0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(b.cols); ++c) {
    outcome.backward_error =
        io::larger_error(outcome.backward_error, io::backward_error(a, Span<const double>(x.values).subspan(c * n, n),
                                                                    Span<const double>(b.values).subspan(c * n, n)));
  }
  if (!is_known) return;
  outcome.solution_error = 0.0;
  for (const double value : x.values)
    outcome.solution_error = io::larger_error(outcome.solution_error, std::abs(value - 1.0));
}

ExitCode code_of(SystemStatus status) {
  switch (status) {
    case SystemStatus::solved:
      return ExitCode::success;
    case SystemStatus::not_positive_definite:
      return ExitCode::not_positive_definite;
    case SystemStatus::not_finite:
      return ExitCode::bad_input;
    case SystemStatus::not_solved:
    case SystemStatus::not_converged:
    case SystemStatus::inaccurate:
      break;
  }
  return ExitCode::not_converged;
}

Failure failure_of(const std::string& name, const SystemReport& r) {
  return {code_of(r.status), fmt::format("{}: not solved ({}): {}.", name, name_of(r.status), r.reason)};
}

std::string forecast_text(double seconds) { return seconds < 0.0 ? std::string("–") : seconds_text(seconds); }

void print_text(const MethodOutcome& o, const io::SymmetricMatrix& a, const io::DenseMatrix& b, const CommonOptions& common,
                const std::string& output) {
  const SystemReport& r = o.report;
  print_matrix(a);
  print_line("method", name_of(r.method));
  print_line("reason", r.reason);
  print_line("backend", name_of(r.backend));
  if (r.forecast_pcg >= 0.0) {
    print_line("forecast", fmt::format("direct {}, mixed {}, pcg {}", forecast_text(r.forecast_direct),
                                       forecast_text(r.forecast_mixed), forecast_text(r.forecast_pcg)));
  }
  if (r.largest_ritz > 0.0) {
    print_line("Ritz values", fmt::format("{:.3g} to {:.3g} after {}", r.smallest_ritz, r.largest_ritz,
                                          counted(r.probe_iterations, "iteration", "iterations")));
  }
  print_line("read", seconds_text(o.read_seconds));
  if (r.seconds_analysis >= 0.0) print_line("analyze", seconds_text(r.seconds_analysis));
  if (r.seconds_factorize >= 0.0) print_line("factorize", seconds_text(r.seconds_factorize));
  print_line("status", name_of(r.status));
  if (r.iterations > 0) print_line("iterations", grouped(r.iterations));
  if (r.residual >= 0.0) print_line("residual", fmt::format("{:.2e} of the right-hand side", r.residual));
  print_line("solve", fmt::format("{} with all phases ({}, {})", seconds_text(o.solve_seconds),
                                  counted(b.cols, "right-hand side", "right-hand sides"), common.precision));
  if (o.backward_error >= 0.0) print_line("backward error", fmt::format("{:.2e}", o.backward_error));
  if (o.solution_error >= 0.0) print_line("largest |x − 1|", fmt::format("{:.2e} (b = A·ones)", o.solution_error));
  print_line("written", output);
}

void print_as_json(const MethodOutcome& o, const io::SymmetricMatrix& a, const io::DenseMatrix& b,
                   const CommonOptions& common) {
  const SystemReport& r = o.report;
  Json json = matrix_json(a);
  json["precision"] = common.precision;
  json["method"] = name_of(r.method);
  json["reason"] = r.reason;
  json["backend"] = name_of(r.backend);
  json["status"] = name_of(r.status);
  json["forecast_direct"] = r.forecast_direct;
  json["forecast_mixed"] = r.forecast_mixed;
  json["forecast_pcg"] = r.forecast_pcg;
  json["forecast_iterations"] = r.forecast_iterations;
  json["probe_iterations"] = r.probe_iterations;
  json["smallest_ritz"] = r.smallest_ritz;
  json["largest_ritz"] = r.largest_ritz;
  json["iterations"] = r.iterations;
  if (r.residual >= 0.0) json["relative_residual"] = r.residual;
  json["memory_bytes"] = r.memory;
  json["read_seconds"] = o.read_seconds;
  json["solve_seconds"] = o.solve_seconds;
  json["right_hand_sides"] = b.cols;
  if (o.backward_error >= 0.0) json["backward_error"] = o.backward_error;
  if (o.solution_error >= 0.0) json["solution_error"] = o.solution_error;
  if (!r.solved()) json.update(to_json(failure_of(a.name, r)));
  print_json(json);
}

}  // namespace

ExitCode solve_by_system(const PcgCommand& command, const CommonOptions& common, const PcgFiles& files) {
  SystemOptions options;
  options.method = method_of(command.method).value();
  options.tolerance = command.options.tolerance;
  options.max_iterations = command.options.max_iterations;
  options.preconditioner = preconditioner_of(command.preconditioner).value();
  options.backend = backend_of(common.backend).value();
  options.threads = common.solver.threads;
  options.device = common.solver.device;
  require_precision<float>(common.is_float());
  MethodOutcome outcome;
  Stopwatch watch;
  const io::SymmetricMatrix a = load_matrix(files.matrix);
  const io::DenseMatrix b = right_hand_sides(files, a);
  outcome.read_seconds = watch.lap();
  options.expected_solves = command.expected_solves == 0 ? b.cols : command.expected_solves;
  io::DenseMatrix x;
  in_precision<float, double>(common.is_float(), [&](auto scalar) { x = run<decltype(scalar)>(options, a, b, outcome); });
  const bool solved = outcome.report.solved();
  if (solved) measure_errors(a, b, x, files.right_hand_side.empty(), outcome);
  if (solved && !files.output.empty()) io::write_dense(files.output, x);
  if (common.json) {
    print_as_json(outcome, a, b, common);
  } else {
    print_text(outcome, a, b, common, solved ? files.output : "");
  }
  return solved ? ExitCode::success : report(failure_of(a.name, outcome.report));
}

}  // namespace gpusupernodal::cli
