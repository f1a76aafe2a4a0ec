#include "cli/pcg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/fmt.hpp"
#include "base/stopwatch.hpp"
#include "cli/command_line_error.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/precision.hpp"
#include "cli/print.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/error.hpp"
#include "io/complex_matrix.hpp"
#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

/// An option and the methods that use it, as the error message lists them.
struct MethodOption {
  const char* name;
  std::string_view methods;
};
constexpr MethodOption method_options[] = {{"--tolerance", "pcg, automatic or mixed"},
                                           {"--max-iterations", "pcg, automatic or mixed"},
                                           {"--preconditioner", "pcg or automatic"},
                                           {"--expected-solves", "automatic"},
                                           {"--block-size", "pcg"},
                                           {"--factor-precision", "pcg"}};
/// Options of all methods; all others of `solve` are for the direct one.
constexpr const char* common_options[] = {"-b",     "-o",         "--backend", "--threads", "--device", "--precision",
                                          "--json", "--progress", "--color",   "--help",    "--method", "matrix"};

template <std::size_t Count>
CLI::Option* add_names(CLI::App& app, const char* flag, std::string& value, const std::array<const char*, Count>& names,
                       const char* help) {
  return app.add_option(flag, value, help)
      ->check([known = std::vector<std::string>(names.begin(), names.end())](const std::string& typed) {
        return refuse_unknown_value(typed, known);
      })
      ->option_text(fmt::format("{}", fmt::join(names, "|")))
      ->group("Conjugate gradients");
}

/// What a run yields, for both output formats.
struct PcgOutcome {
  double read_seconds = 0.0;
  double analyze_seconds = 0.0;  ///< analyze and the set-up of M.
  double solve_seconds = 0.0;
  double backward_error = 0.0;   ///< Maximum over the right-hand sides.
  double solution_error = -1.0;  ///< ‖x − 1‖∞ if the solution is known; −1 otherwise.
  PcgReport worst;
  std::vector<PcgReport> columns;
};

template <class T, class Matrix>
DenseOf<Matrix> run(const PcgOptions& options, const Matrix& a, const DenseOf<Matrix>& b, PcgOutcome& outcome) {
  const TypedMatrix<T, Matrix> typed(a);
  Pcg<T> pcg(options);
  Stopwatch watch;
  pcg.compute(typed.view());
  outcome.analyze_seconds = watch.lap();
  std::vector<T> right;
  right.reserve(b.values.size());
  for (const auto& value : b.values) right.push_back(static_cast<T>(value));
  std::vector<T> x(right.size());
  const std::int64_t ld = std::max<std::int64_t>(b.rows, 1);
  outcome.worst =
      pcg.solve(DenseView<const T>(right.data(), b.rows, b.cols, ld), DenseView<T>(x.data(), b.rows, b.cols, ld));
  outcome.solve_seconds = watch.lap();
  outcome.columns = pcg.reports();
  return {b.rows, b.cols, {x.begin(), x.end()}};
}

template <class Matrix>
void measure_errors(const Matrix& a, const DenseOf<Matrix>& b, const DenseOf<Matrix>& x, bool is_known,
                    PcgOutcome& outcome) {
  using Values = Span<const typename decltype(x.values)::value_type>;
  const auto n = static_cast<std::size_t>(a.n);
  for (std::size_t c = 0; c < static_cast<std::size_t>(b.cols); ++c) {
    outcome.backward_error =
        io::larger_error(outcome.backward_error,
                         io::backward_error(a, Values(x.values).subspan(c * n, n), Values(b.values).subspan(c * n, n)));
  }
  if (!is_known) return;
  outcome.solution_error = 0.0;
  for (const auto value : x.values) outcome.solution_error = io::larger_error(outcome.solution_error, std::abs(value - 1.0));
}

double relative_residual(const PcgReport& report) {
  return report.right_hand_side > 0.0 ? report.residual / report.right_hand_side : report.residual;
}

ExitCode code_of(PcgStatus status) {
  switch (status) {
    case PcgStatus::converged:
      return ExitCode::success;
    case PcgStatus::breakdown:
      return ExitCode::not_positive_definite;
    case PcgStatus::not_finite:
      return ExitCode::bad_input;
    case PcgStatus::max_iterations:
    case PcgStatus::stagnated:
      break;
  }
  return ExitCode::not_converged;
}

/// The error for a solve that did not converge.
Failure failure_of(const std::string& name, const PcgReport& r) {
  const ExitCode code = code_of(r.status);
  if (r.status == PcgStatus::not_finite)
    return {code, fmt::format("{}: the matrix or the right-hand side has NaN or Inf, or the iteration overflowed.", name)};
  if (r.status == PcgStatus::stagnated)
    return {code, fmt::format("{}: rounding keeps the residual at {:.2e} of the right-hand side; raise --tolerance.", name,
                              relative_residual(r))};
  if (r.status == PcgStatus::max_iterations)
    return {code, fmt::format("{}: not converged after {}; the residual is {:.2e} of the right-hand side.", name,
                              counted(r.iterations, "iteration", "iterations"), relative_residual(r))};
  if (r.bad_row >= 0)
    return {code, fmt::format("{}: the preconditioner {} does not exist: the pivot in row {} is not positive.", name,
                              name_of(r.preconditioner), r.bad_row + 1)};
  return {code, fmt::format("{}: the matrix is not positive definite: conjugate gradients broke down after {}.", name,
                            counted(r.iterations, "iteration", "iterations"))};
}

template <class Matrix>
void print_text(const PcgOutcome& o, const Matrix& a, const DenseOf<Matrix>& b, const CommonOptions& common,
                const std::string& output) {
  print_matrix(a);
  print_line("backend", name_of(o.worst.backend));
  print_line("preconditioner", name_of(o.worst.preconditioner));
  print_line("read", seconds_text(o.read_seconds));
  print_line("set-up", seconds_text(o.analyze_seconds));
  print_line("status", name_of(o.worst.status));
  print_line("iterations", grouped(o.worst.iterations));
  print_line("residual", fmt::format("{:.2e} of the right-hand side", relative_residual(o.worst)));
  print_line("solve", fmt::format("{} ({}, {})", seconds_text(o.solve_seconds),
                                  counted(b.cols, "right-hand side", "right-hand sides"), common.precision));
  print_line("backward error", fmt::format("{:.2e}", o.backward_error));
  if (o.solution_error >= 0.0) print_line("largest |x − 1|", fmt::format("{:.2e} (b = A·ones)", o.solution_error));
  print_line("written", output);
}

template <class Matrix>
void print_as_json(const PcgOutcome& o, const Matrix& a, const DenseOf<Matrix>& b, const CommonOptions& common) {
  Json json = matrix_json(a);
  json["precision"] = common.precision;
  json["method"] = "pcg";
  json["backend"] = name_of(o.worst.backend);
  json["preconditioner"] = name_of(o.worst.preconditioner);
  json["status"] = name_of(o.worst.status);
  json["iterations"] = o.worst.iterations;
  json["restarts"] = o.worst.restarts;
  json["relative_residual"] = relative_residual(o.worst);
  json["plain_rows"] = o.worst.plain_rows;
  json["read_seconds"] = o.read_seconds;
  json["setup_seconds"] = o.analyze_seconds;
  json["solve_seconds"] = o.solve_seconds;
  json["right_hand_sides"] = b.cols;
  Json iterations = Json::array();
  for (const PcgReport& column : o.columns) iterations.push_back(column.iterations);
  json["iterations_of_columns"] = iterations;
  json["backward_error"] = o.backward_error;
  if (o.solution_error >= 0.0) json["solution_error"] = o.solution_error;
  if (!o.worst.converged()) json.update(to_json(failure_of(a.name, o.worst)));
  print_json(json);
}

}  // namespace

void add_pcg(CLI::App& app, PcgCommand& command) {
  add_names(app, "--method", command.method, method_names,
            "direct: by a factorization; for symmetric positive\ndefinite matrices also pcg: conjugate gradients, mixed:\n"
            "pcg with a factor in single precision, automatic:\nwhat is forecast to end first (default direct)");
  app.add_option("--expected-solves", command.expected_solves,
                 "right-hand sides over which --method automatic spreads a\nfactorization (default: those of -b)")
      ->option_text("N")
      ->group("Conjugate gradients");
  add_names(app, "--preconditioner", command.preconditioner, preconditioner_names,
            "preconditioner (default auto: with --method pcg fsai,\nwith automatic jacobi)");
  const std::string group = "Conjugate gradients";
  app.add_option("--tolerance", command.options.tolerance,
                 "norm of the residual relative to that of b (default\n1e-10, with --precision float 1e-5)")
      ->option_text("X")
      ->group(group);
  app.add_option("--max-iterations", command.options.max_iterations, "limit on the iterations (default 10·n)")
      ->option_text("N")
      ->group(group);
  app.add_option("--block-size", command.options.block_size,
                 "order of block_jacobi's blocks, 1 to 8 (default: by the\npattern)")
      ->option_text("N")
      ->group(group);
  add_names(app, "--factor-precision", command.factor_precision, factor_precision_names,
            "precision of the preconditioner factor (default same)");
}

void check_method(const CLI::App& app, const PcgCommand& command) {
  const auto is_one_of = [](const std::string& name, const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  for (const CLI::Option* const option : app.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_single_name().size() == 1 ? "-" + option->get_single_name()
                             : option->get_positional()            ? option->get_single_name()
                                                                   : "--" + option->get_single_name();
    const auto* const known = std::find_if(std::begin(method_options), std::end(method_options),
                                           [&](const MethodOption& candidate) { return name == candidate.name; });
    if (known != std::end(method_options)) {
      if (known->methods.find(command.method) != std::string_view::npos) continue;
      throw InvalidInput(fmt::format("{} needs --method {}.", name, known->methods), __FILE__, __LINE__);
    }
    if (command.method != "direct" && !is_one_of(name, common_options))
      throw InvalidInput(fmt::format("{} goes with --method direct, not with {}.", name, command.method), __FILE__,
                         __LINE__);
  }
}

io::DenseMatrix right_hand_sides(const PcgFiles& files, const io::SymmetricMatrix& a) {
  if (files.right_hand_side.empty())
    return {a.n, 1, io::multiply(a, std::vector<double>(static_cast<std::size_t>(a.n), 1.0))};
  io::DenseMatrix b = io::read_dense(files.right_hand_side, a.n);
  if (b.cols == 0) throw InvalidInput(files.right_hand_side + " has no columns: nothing to solve for.", __FILE__, __LINE__);
  return b;
}

namespace {

/// As the overload for real matrices.
io::ComplexDense right_hand_sides(const PcgFiles& files, const io::ComplexMatrix& a) {
  if (files.right_hand_side.empty())
    return {a.n, 1, io::multiply(a, std::vector<std::complex<double>>(static_cast<std::size_t>(a.n), 1.0))};
  io::ComplexDense b = io::read_complex_dense(files.right_hand_side, a.n);
  if (b.cols == 0) throw InvalidInput(files.right_hand_side + " has no columns: nothing to solve for.", __FILE__, __LINE__);
  return b;
}

template <class Matrix>
ExitCode solve_loaded(const PcgOptions& options, const CommonOptions& common, const PcgFiles& files, const Matrix& a,
                      Stopwatch& watch) {
  using Dense = DenseOf<Matrix>;
  using Double = typename decltype(Dense::values)::value_type;
  using Single = std::conditional_t<std::is_same_v<Double, double>, float, std::complex<float>>;
  PcgOutcome outcome;
  const bool is_known = files.right_hand_side.empty();
  const Dense b = right_hand_sides(files, a);
  outcome.read_seconds = watch.lap();
  Dense x;
  in_precision<Single, Double>(common.is_float(), [&](auto scalar) { x = run<decltype(scalar)>(options, a, b, outcome); });
  measure_errors(a, b, x, is_known, outcome);
  const bool converged = outcome.worst.converged();
  if (converged && !files.output.empty()) io::write_dense(files.output, x);
  if (common.json) {
    print_as_json(outcome, a, b, common);
  } else {
    print_text(outcome, a, b, common, converged ? files.output : "");
  }
  return converged ? ExitCode::success : report(failure_of(a.name, outcome.worst));
}

/// The matrix, or nothing if the file holds complex numbers.
std::optional<io::SymmetricMatrix> load_if_real(const std::string& spec) {
  try {
    return load_matrix(spec);
  } catch (const io::HoldsComplexNumbers&) {
    return std::nullopt;
  }
}

}  // namespace

ExitCode solve_by_pcg(const PcgCommand& command, const CommonOptions& common, const PcgFiles& files) {
  PcgOptions options = command.options;
  options.backend = backend_of(common.backend).value();
  options.threads = common.solver.threads;
  options.device = common.solver.device;
  options.preconditioner = preconditioner_of(command.preconditioner).value();
  options.factor_precision = factor_precision_of(command.factor_precision).value();
  require_precision<float, std::complex<float>>(common.is_float());
  Stopwatch watch;
  if (const auto a = load_if_real(files.matrix)) return solve_loaded(options, common, files, *a, watch);
  return solve_loaded(options, common, files, load_complex_matrix(files.matrix, Form::llt), watch);
}

}  // namespace gpusupernodal::cli
