#include "gpusupernodal/batch.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "cli/available_memory.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/options.hpp"
#include "cli/precision.hpp"
#include "cli/print.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/error.hpp"
#include "io/residual.hpp"

namespace gpusupernodal::cli {
namespace {

struct BatchOptions {
  std::vector<std::string> matrices;
  std::int64_t count = 0;  ///< 0: the number of files.
  double spread = 0.05;
  std::uint64_t seed = 0;
  CommonOptions common;
};

/// One system with its values and results.
struct SystemOutcome {
  SystemOutcome(std::string n, std::vector<double> v) : name(std::move(n)), values(std::move(v)) {}

  std::string name;
  std::vector<double> values;
  BatchStatus status = BatchStatus::not_factorized;  ///< Status of the factorization, or of the solve if that failed.
  FactorReport factor;
  double backward_error = -1.0;  ///< −1: there is no solution.
};

struct BatchOutcome {
  std::vector<SystemOutcome> systems;
  AnalyzeReport analyze;
  double analyze_seconds = 0.0;
  double factorize_seconds = 0.0;
  double solve_seconds = 0.0;
};

/// Refuses numbers of systems whose values alone need more memory than the machine has.
template <class Matrix>
void require_memory(const Matrix& matrix, std::int64_t count) {
  const double needed = static_cast<double>(count) * (2.0 * sizeof(double)) *
                        (static_cast<double>(matrix.values.size()) + static_cast<double>(matrix.n));
  const auto available = static_cast<double>(available_memory());
  if (needed <= available) return;
  throw InvalidInput(fmt::format("the values and vectors of {} systems need {:.1f} GB; this machine has {:.1f} GB to spare.",
                                 count, 1e-9 * needed, 1e-9 * available),
                     __FILE__, __LINE__);
}

/// The systems of the files, or of one file with other values.
template <class Matrix, class Load>
std::vector<SystemOutcome> make_systems(const BatchOptions& options, const Matrix& first, const Load& load) {
  std::vector<SystemOutcome> systems;
  if (options.count == 0) {
    for (std::size_t k = 0; k < options.matrices.size(); ++k) {
      const Matrix matrix = k == 0 ? first : load(options.matrices[k]);
      if (matrix.n != first.n || matrix.offsets != first.offsets || matrix.indices != first.indices)
        throw InvalidInput(fmt::format("'{}' has another pattern than '{}'; the matrices of a batch have one pattern.",
                                       matrix.name, first.name),
                           __FILE__, __LINE__);
      systems.emplace_back(matrix.name, matrix.values);
    }
    return systems;
  }
  require_memory(first, options.count);
  std::mt19937_64 random(options.seed);
  std::uniform_real_distribution<double> change(-options.spread, options.spread);
  for (std::int64_t s = 0; s < options.count; ++s) {
    systems.emplace_back(fmt::format("{} #{}", first.name, s + 1), first.values);
    if (s == 0) continue;  // The first system is that of the file.
    for (double& value : systems.back().values) value *= 1.0 + change(random);
  }
  return systems;
}

/// Factorizes and solves with b = A·ones.
template <class T, class Matrix>
void run_batch(const Options& solver, Matrix a, BatchOutcome& outcome) {
  const auto n = static_cast<std::size_t>(a.n);
  const std::size_t count = outcome.systems.size();
  std::vector<std::vector<T>> values;
  std::vector<const T*> pointers;
  std::vector<double> b;
  for (const SystemOutcome& system : outcome.systems) {
    values.emplace_back(system.values.begin(), system.values.end());
    pointers.push_back(values.back().data());
    a.values = system.values;
    const std::vector<double> product = io::multiply(a, std::vector<double>(n, 1.0));
    b.insert(b.end(), product.begin(), product.end());
  }
  a.values = outcome.systems.front().values;
  const std::vector<T> right(b.begin(), b.end());
  std::vector<T> x(right.size());
  BatchSolver<T> batch(solver);
  const TypedMatrix<T, Matrix> typed(a);
  const auto systems = static_cast<std::int64_t>(count);
  Stopwatch watch;
  batch.analyze(typed.view(), systems);
  outcome.analyze_seconds = watch.lap();
  batch.refactorize(Span<const T* const>(pointers));
  static_cast<void>(batch.statuses());  // Waits for a device.
  outcome.factorize_seconds = watch.lap();
  batch.solve({right.data(), a.n, systems}, {x.data(), a.n, systems});
  outcome.solve_seconds = watch.lap();
  outcome.analyze = batch.analyze_report();
  for (std::size_t s = 0; s < count; ++s) {
    SystemOutcome& system = outcome.systems[s];
    system.factor = batch.report(static_cast<std::int64_t>(s));
    system.status = batch.solve_statuses()[s];
    if (system.status != BatchStatus::success) continue;
    a.values = system.values;
    const std::vector<double> solution(x.begin() + static_cast<std::ptrdiff_t>(s * n),
                                       x.begin() + static_cast<std::ptrdiff_t>((s + 1) * n));
    system.backward_error = io::backward_error(a, solution, Span<const double>(b).subspan(s * n, n));
  }
}

Json system_json(const SystemOutcome& system, Form form) {
  Json json{{"matrix", system.name}};
  json.update(to_json(system.factor));
  json.update(pivots_json(system.factor, form));
  json["status"] = name_of(system.status);
  json["backward_error"] = system.backward_error < 0.0 ? Json(nullptr) : Json(system.backward_error);
  return json;
}

void print_systems(const BatchOutcome& outcome, std::int64_t failed) {
  const auto count = static_cast<std::int64_t>(outcome.systems.size());
  print_line("backend", fmt::format("{} ({})", name_of(outcome.analyze.backend), outcome.analyze.device));
  print_line("analyze", seconds_text(outcome.analyze_seconds));
  const auto per_system = [&](double seconds) {
    return fmt::format("{} ({} a system)", seconds_text(seconds), seconds_text(seconds / static_cast<double>(count)));
  };
  print_line("factorize", per_system(outcome.factorize_seconds));
  print_line("solve", per_system(outcome.solve_seconds));
  for (const SystemOutcome& system : outcome.systems) {
    if (system.status == BatchStatus::success) {
      print_line("system", fmt::format("{}: success, backward error {:.2e}", system.name, system.backward_error));
    } else {
      const std::string what = system.factor.status != Status::success ? failure_sentence(system.factor) : "";
      print_line("system", fmt::format("{}: {}{}{}", system.name, name_of(system.status), what.empty() ? "" : ", ", what));
    }
  }
  print_line("failed", fmt::format("{} of {}", failed, counted(count, "system", "systems")));
}

/// Exit code of the first system that failed.
ExitCode code_of(BatchStatus status) {
  const bool of_status = status <= BatchStatus::unstable;
  return of_status ? exit_code(static_cast<Status>(status)) : ExitCode::failure;
}

template <class Load>
ExitCode run(const BatchOptions& options, const Load& load) {
  ProgressLine progress(options.common.wants_progress());
  const Options solver = solver_options(options.common, progress);
  require_precision<float>(options.common.is_float());
  const auto a = load(options.matrices.front());
  BatchOutcome outcome;
  outcome.systems = make_systems(options, a, load);
  progress.begin("batch");
  in_precision<float, double>(options.common.is_float(),
                              [&](auto scalar) { run_batch<decltype(scalar)>(solver, a, outcome); });
  progress.end();
  ExitCode code = ExitCode::success;
  std::int64_t failed = 0;
  for (const SystemOutcome& system : outcome.systems) {
    if (system.status == BatchStatus::success) continue;
    ++failed;
    if (code == ExitCode::success) code = code_of(system.status);
  }
  if (!options.common.json) {
    print_matrix(a);
    print_systems(outcome, failed);
    return code;
  }
  Json json = matrix_json(a);
  json["precision"] = options.common.precision;
  json["form"] = options.common.form;
  json["backend"] = name_of(outcome.analyze.backend);
  json["device"] = outcome.analyze.device;
  json["analyze_seconds"] = outcome.analyze_seconds;
  json["factorize_seconds"] = outcome.factorize_seconds;
  json["solve_seconds"] = outcome.solve_seconds;
  json["failed"] = failed;
  json["systems"] = Json::array();
  for (const SystemOutcome& system : outcome.systems) json["systems"].push_back(system_json(system, solver.form));
  print_json(json);
  return code;
}

ExitCode run_any(const BatchOptions& options) {
  if (options.count > 0 && options.matrices.size() > 1)
    throw InvalidInput("--count is for one matrix, but several are given.", __FILE__, __LINE__);
  if (!std::isfinite(options.spread)) throw InvalidInput("--spread must be a finite number.", __FILE__, __LINE__);
  return options.common.is_lu() ? run(options, load_general_matrix) : run(options, load_matrix);
}

}  // namespace

Command add_batch(CLI::App& parent) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* app = parent.add_subcommand("batch", "solve many systems of one pattern; print a line for each");
  app->add_option("matrices", options->matrices,
                  "Matrix Market files of real numbers with one pattern,\nplain or gzip; or one generated matrix (lap3d:10)")
      ->required()
      ->option_text("A...");
  app->add_option("--count", options->count,
                  "number of systems; all but the first change each value of\nA at random by up to --spread")
      ->check(refuse_less_than_one)
      ->option_text("N");
  app->add_option("--spread", options->spread, "largest relative change of a value (default 0.05)")
      ->check(CLI::Range(0.0, 1e6))
      ->option_text("X");
  app->add_option("--seed", options->seed, "seed of the random values (default 0)")
      ->check(refuse_negative)
      ->option_text("N");
  add_form(*app, options->common);
  add_analyze_options(*app, options->common);
  return {app, [options] { return run_any(*options); }};
}

}  // namespace gpusupernodal::cli
