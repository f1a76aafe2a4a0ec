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
#include "gpusupernodal/variable_batch.hpp"
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

/// A system with its values and results. Its pattern is that of `matrix`.
template <class Matrix>
struct ListedSystem {
  ListedSystem(std::string n, std::shared_ptr<const Matrix> m, std::vector<double> v)
      : name(std::move(n)), matrix(std::move(m)), values(std::move(v)) {}

  Matrix with_values() const {
    Matrix a = *matrix;
    a.values = values;
    return a;
  }

  std::string name;
  std::shared_ptr<const Matrix> matrix;
  std::vector<double> values;
  std::int64_t pattern = 0;
  BatchStatus status = BatchStatus::not_factorized;  ///< Status of the factorization, or of the solve if that failed.
  FactorReport factor;
  double backward_error = -1.0;  ///< −1: there is no solution.
};

template <class Matrix>
struct BatchOutcome {
  std::vector<ListedSystem<Matrix>> systems;
  std::vector<AnalyzeReport> analyze;  ///< By pattern.
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
std::vector<ListedSystem<Matrix>> make_systems(const BatchOptions& options, const std::shared_ptr<const Matrix>& first,
                                               const Load& load) {
  std::vector<ListedSystem<Matrix>> systems;
  if (options.count == 0) {
    for (std::size_t k = 0; k < options.matrices.size(); ++k) {
      const auto matrix = k == 0 ? first : std::make_shared<const Matrix>(load(options.matrices[k]));
      systems.emplace_back(matrix->name, matrix, matrix->values);
    }
    return systems;
  }
  require_memory(*first, options.count);
  std::mt19937_64 random(options.seed);
  std::uniform_real_distribution<double> change(-options.spread, options.spread);
  for (std::int64_t s = 0; s < options.count; ++s) {
    systems.emplace_back(fmt::format("{} #{}", first->name, s + 1), first, first->values);
    if (s == 0) continue;  // The first system is that of the file.
    for (double& value : systems.back().values) value *= 1.0 + change(random);
  }
  return systems;
}

/// Values, right-hand sides A·ones and solutions of all systems, in the type of the solver.
template <class T, class Matrix>
struct BatchData {
  std::vector<TypedMatrix<T, Matrix>> matrices;  ///< One for successive systems that share a matrix.
  std::vector<std::vector<T>> values, b, x;
  std::vector<MatrixView<T>> views;
  std::vector<const T*> addresses;
  std::vector<DenseView<const T>> right;
  std::vector<DenseView<T>> solutions;

  explicit BatchData(const std::vector<ListedSystem<Matrix>>& systems) {
    matrices.reserve(systems.size());
    const Matrix* before = nullptr;
    for (const ListedSystem<Matrix>& system : systems) {
      const std::int64_t n = system.matrix->n;
      if (system.matrix.get() != before) matrices.emplace_back(*system.matrix);
      before = system.matrix.get();
      views.push_back(matrices.back().view());
      values.emplace_back(system.values.begin(), system.values.end());
      const std::vector<double> product =
          io::multiply(system.with_values(), std::vector<double>(static_cast<std::size_t>(n), 1.0));
      b.emplace_back(product.begin(), product.end());
      x.emplace_back(product.size());
      addresses.push_back(values.back().data());
      right.emplace_back(b.back().data(), n);
      solutions.emplace_back(x.back().data(), n);
    }
  }
};

/// Factorizes and solves with b = A·ones.
template <class T, class Matrix>
void run_batch(const Options& solver, BatchOutcome<Matrix>& outcome) {
  BatchData<T, Matrix> data(outcome.systems);
  VariableBatchSolver<T> batch(solver);
  Stopwatch watch;
  batch.analyze(data.views);
  outcome.analyze_seconds = watch.lap();
  batch.refactorize(data.addresses);
  static_cast<void>(batch.statuses());  // Waits for a device.
  outcome.factorize_seconds = watch.lap();
  batch.solve(data.right, data.solutions);
  outcome.solve_seconds = watch.lap();
  for (std::int64_t pattern = 0; pattern < batch.patterns(); ++pattern)
    outcome.analyze.push_back(batch.analyze_report(pattern));
  for (std::size_t s = 0; s < outcome.systems.size(); ++s) {
    ListedSystem<Matrix>& system = outcome.systems[s];
    system.pattern = batch.pattern_of(static_cast<std::int64_t>(s));
    system.factor = batch.report(static_cast<std::int64_t>(s));
    system.status = batch.solve_statuses()[s];
    if (system.status != BatchStatus::success) continue;
    const Matrix a = system.with_values();
    const std::vector<double> solution(data.x[s].begin(), data.x[s].end());
    const std::vector<double> right(data.b[s].begin(), data.b[s].end());
    system.backward_error = io::backward_error(a, solution, right);
  }
}

template <class Matrix>
Json system_json(const ListedSystem<Matrix>& system, Form form) {
  Json json{{"matrix", system.name}, {"n", system.matrix->n}, {"pattern", system.pattern}};
  json.update(to_json(system.factor));
  json.update(pivots_json(system.factor, form));
  json["status"] = name_of(system.status);
  json["backward_error"] = system.backward_error < 0.0 ? Json(nullptr) : Json(system.backward_error);
  return json;
}

/// A line for each place where patterns are computed.
void print_backends(const std::vector<AnalyzeReport>& patterns) {
  std::vector<std::string> places;
  for (const AnalyzeReport& report : patterns) {
    std::string place = fmt::format("{} ({})", name_of(report.backend), report.device);
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(std::move(place));
  }
  for (const std::string& place : places) print_line("backend", place);
}

template <class Matrix>
void print_systems(const BatchOutcome<Matrix>& outcome, std::int64_t failed) {
  const auto count = static_cast<std::int64_t>(outcome.systems.size());
  const auto patterns = static_cast<std::int64_t>(outcome.analyze.size());
  print_line("systems", fmt::format("{} with {}", count, counted(patterns, "pattern", "patterns")));
  print_backends(outcome.analyze);
  print_line("analyze", seconds_text(outcome.analyze_seconds));
  const auto per_system = [&](double seconds) {
    return fmt::format("{} ({} a system)", seconds_text(seconds), seconds_text(seconds / static_cast<double>(count)));
  };
  print_line("factorize", per_system(outcome.factorize_seconds));
  print_line("solve", per_system(outcome.solve_seconds));
  for (const ListedSystem<Matrix>& system : outcome.systems) {
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

template <class Matrix>
void print_outcome(const BatchOptions& options, const BatchOutcome<Matrix>& outcome, Form form, std::int64_t failed) {
  const Matrix& first = *outcome.systems.front().matrix;
  if (!options.common.json) {
    print_matrix(first);
    return print_systems(outcome, failed);
  }
  Json json = matrix_json(first);
  json["precision"] = options.common.precision;
  json["form"] = options.common.form;
  json["backend"] = name_of(outcome.analyze.front().backend);
  json["device"] = outcome.analyze.front().device;
  json["patterns"] = outcome.analyze.size();
  json["analyze_seconds"] = outcome.analyze_seconds;
  json["factorize_seconds"] = outcome.factorize_seconds;
  json["solve_seconds"] = outcome.solve_seconds;
  json["failed"] = failed;
  json["systems"] = Json::array();
  for (const ListedSystem<Matrix>& system : outcome.systems) json["systems"].push_back(system_json(system, form));
  print_json(json);
}

template <class Load>
ExitCode run(const BatchOptions& options, const Load& load) {
  using Matrix = decltype(load(std::string()));
  ProgressLine progress(options.common.wants_progress());
  const Options solver = solver_options(options.common, progress);
  require_precision<float>(options.common.is_float());
  const auto first = std::make_shared<const Matrix>(load(options.matrices.front()));
  BatchOutcome<Matrix> outcome;
  outcome.systems = make_systems(options, first, load);
  progress.begin("batch");
  in_precision<float, double>(options.common.is_float(), [&](auto scalar) { run_batch<decltype(scalar)>(solver, outcome); });
  progress.end();
  ExitCode code = ExitCode::success;
  std::int64_t failed = 0;
  for (const ListedSystem<Matrix>& system : outcome.systems) {
    if (system.status == BatchStatus::success) continue;
    ++failed;
    if (code == ExitCode::success) code = code_of(system.status);
  }
  print_outcome(options, outcome, solver.form, failed);
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
  CLI::App* app = parent.add_subcommand("batch", "solve many systems; print a line for each");
  app->add_option("matrices", options->matrices,
                  "Matrix Market files of real numbers, plain or gzip, or\ngenerated matrices (lap3d:10); those with equal "
                  "patterns\nare analyzed once")
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
