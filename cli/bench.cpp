#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "base/stopwatch.hpp"
#include "cli/command_line_error.hpp"
#include "cli/commands.hpp"
#include "cli/device_memory.hpp"
#include "cli/devices.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/options.hpp"
#include "cli/precision.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

struct BenchOptions {
  CommonOptions common;
  std::vector<std::string> matrices;
  std::vector<int> right_hand_sides{1};
  int repeat = 5;
};

struct Times {
  double median = 0.0;
  double min = 0.0;
  double max = 0.0;
};

struct SolveTimes {
  int right_hand_sides = 1;
  Times seconds;
  double bytes_of_l = 0.0;  ///< Bytes of L read by one call.
  double backward_error = 0.0;

  double gigabytes_per_second() const { return seconds.median > 0.0 ? bytes_of_l / seconds.median * 1e-9 : 0.0; }
};

/// Measurements of one matrix.
struct Measurement {
  AnalyzeReport analyze;
  FactorReport factor;
  double factorize_seconds = 0.0;  ///< First factorization, including the allocations.
  Times refactorize;
  std::vector<SolveTimes> solves;

  double gigaflops() const { return refactorize.median > 0.0 ? analyze.flops / refactorize.median * 1e-9 : 0.0; }
};

/// Returns the times of `repeat` calls after one untimed call. Progress is shown between the calls only.
template <class F>
Times measure(int repeat, ProgressLine& progress, const F& call) {
  call();
  std::vector<double> seconds;
  Stopwatch watch;
  for (int k = 0; k < repeat; ++k) {
    progress.update(k, repeat);
    watch.lap();
    call();
    seconds.push_back(watch.lap());
  }
  std::sort(seconds.begin(), seconds.end());
  const std::size_t half = seconds.size() / 2;
  const double median = seconds.size() % 2 == 1 ? seconds[half] : 0.5 * (seconds[half - 1] + seconds[half]);
  return {median, seconds.front(), seconds.back()};
}

template <class T>
SolveTimes measure_solve(Solver<T>& solver, const io::SymmetricMatrix& a, int columns, int repeat, ProgressLine& progress) {
  const auto n = static_cast<std::size_t>(a.n);
  const std::vector<double> b = io::multiply(a, std::vector<double>(n, 1.0));
  std::vector<T> right_hand_sides;
  for (int c = 0; c < columns; ++c) right_hand_sides.insert(right_hand_sides.end(), b.begin(), b.end());
  std::vector<T> x(right_hand_sides.size());
  const std::int64_t ld = std::max<std::int64_t>(1, a.n);
  SolveTimes times;
  times.right_hand_sides = columns;
  times.seconds = measure(repeat, progress, [&] {
    solver.solve(DenseView<const T>(right_hand_sides.data(), a.n, columns, ld), DenseView<T>(x.data(), a.n, columns, ld));
  });
  times.bytes_of_l = solver.solve_report().bytes_of_l;
  for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(c * n);
    const std::vector<double> column(begin, begin + static_cast<std::ptrdiff_t>(n));
    times.backward_error = io::larger_error(times.backward_error, io::backward_error(a, column, b));
  }
  return times;
}

template <class T>
Measurement measure_matrix(const BenchOptions& options, const Options& choice, const io::SymmetricMatrix& a,
                           ProgressLine& progress) {
  const TypedMatrix<T> typed(a);
  Solver<T> solver(choice);
  Measurement m;
  progress.begin(a.name + ": analyze");
  solver.analyze(typed.view());
  m.analyze = solver.analyze_report();
  progress.begin(a.name + ": factorize");
  Stopwatch watch;
  solver.factorize(typed.view());
  m.factor = solver.factor_report();
  m.factorize_seconds = watch.lap();
  if (m.factor.status != Status::success) return m;
  progress.begin(a.name + ": refactorize");
  m.refactorize = measure(options.repeat, progress, [&] {
    solver.refactorize(typed.values());
    solver.status();
  });
  for (const int columns : options.right_hand_sides) {
    progress.begin(fmt::format("{}: solve for {}", a.name, counted(columns, "right-hand side", "right-hand sides")));
    solver.reserve_right_hand_sides(columns);
    m.solves.push_back(measure_solve(solver, a, columns, options.repeat, progress));
  }
  return m;
}

Json times_json(const Times& t) { return {{"median", t.median}, {"min", t.min}, {"max", t.max}}; }

Json to_json(const io::SymmetricMatrix& a, const Measurement& m) {
  Json json = matrix_json(a);
  json.update(cli::to_json(m.analyze));
  json.update(cli::to_json(m.factor));
  json["factorize_seconds"] = m.factorize_seconds;
  if (m.factor.status != Status::success) {
    json.update(cli::to_json(factor_failure(a.name, m.factor)));
    return json;
  }
  json["refactorize_seconds"] = times_json(m.refactorize);
  json["gflops"] = m.gigaflops();
  json["solves"] = Json::array();
  for (const SolveTimes& s : m.solves) {
    json["solves"].push_back({{"right_hand_sides", s.right_hand_sides},
                              {"solve_seconds", times_json(s.seconds)},
                              {"gbytes_per_second", s.gigabytes_per_second()},
                              {"backward_error", s.backward_error}});
  }
  return json;
}

/// The entry of a matrix that raised an exception.
Json failed_json(const std::string& spec, const Failure& failure) {
  Json json{{"matrix", spec}};
  json.update(cli::to_json(failure));
  return json;
}

std::string range(const Times& t) { return fmt::format("{} to {}", seconds_text(t.min), seconds_text(t.max)); }

void print_text(const io::SymmetricMatrix& a, const Measurement& m, const std::string& precision) {
  print_matrix(a);
  print_analysis(m.analyze);
  print_analyze_time(m.analyze);
  if (m.factor.status == Status::success) {
    const double rate = m.factorize_seconds > 0.0 ? m.analyze.flops / m.factorize_seconds * 1e-9 : 0.0;
    print_line("factorize", fmt::format("{} ({:.3g} Gflop/s, {})", seconds_text(m.factorize_seconds), rate, precision));
    print_line("refactorize", fmt::format("{} ({}, {:.3g} Gflop/s)", seconds_text(m.refactorize.median),
                                          range(m.refactorize), m.gigaflops()));
    for (const SolveTimes& s : m.solves) {
      print_line("solve", fmt::format("{} ({}, {}, {:.3g} GB/s of L, backward error {:.2e})", seconds_text(s.seconds.median),
                                      range(s.seconds), counted(s.right_hand_sides, "right-hand side", "right-hand sides"),
                                      s.gigabytes_per_second(), s.backward_error));
    }
  }
  print_to(stdout, "\n");
}

/// Row of one matrix in the table that follows the details.
struct TableRow {
  std::string name;
  Measurement m;
};

void print_table(const std::vector<TableRow>& rows) {
  std::size_t name_width = 12;
  for (const TableRow& row : rows) name_width = std::max(name_width, row.name.size());
  const std::string head =
      fmt::format("{:<{}} {:>11} {:>14} {:>9} {:>8} {:>10} {:>10} {:>11} {:>10} {:>8}", "matrix", name_width, "n", "nnz(L)",
                  "flops", "backend", "analyze", "factorize", "refactorize", "solve", "Gflop/s");
  print_to(stdout, "{}\n", styled(stdout, Style::label, head));
  for (const auto& [name, m] : rows) {
    const double solve = m.solves.empty() ? 0.0 : m.solves.front().seconds.median;
    print_to(stdout, "{:<{}} {:>11} {:>14} {:>9.2e} {:>8} {:>10} {:>10} {:>11} {:>10} {:>8.3g}\n", name, name_width,
             grouped(m.analyze.n), grouped(m.analyze.nonzeros_l), m.analyze.flops, name_of(m.analyze.backend),
             seconds_text(m.analyze.seconds_total), seconds_text(m.factorize_seconds), seconds_text(m.refactorize.median),
             seconds_text(solve), m.gigaflops());
  }
}

ExitCode run(const BenchOptions& options) {
  ProgressLine progress(options.common.wants_progress());
  const Options choice = solver_options(options.common, progress);
  require_precision<float>(options.common.is_float());
  Json json{{"version", version()}, {"repeat", options.repeat}, {"precision", options.common.precision}};
  json["matrices"] = Json::array();
  json["errors"] = Json::array();
  std::vector<TableRow> rows;
  ExitCode code = ExitCode::success;
  for (const std::string& spec : options.matrices) {
    ExitCode outcome = ExitCode::success;
    try {
      progress.begin(spec + ": read");
      const io::SymmetricMatrix a = load_matrix(spec);
      Measurement m;
      in_precision<float, double>(options.common.is_float(),
                                  [&](auto scalar) { m = measure_matrix<decltype(scalar)>(options, choice, a, progress); });
      progress.end();
      outcome = exit_code(m.factor.status);
      if (outcome != ExitCode::success) report(factor_failure(a.name, m.factor));
      if (options.common.json) {
        json["matrices"].push_back(to_json(a, m));
      } else {
        print_text(a, m, options.common.precision);
        if (outcome == ExitCode::success) rows.push_back({a.name, m});
      }
    } catch (const std::exception&) {
      progress.end();
      const Failure failure = current_failure(spec.c_str());
      outcome = report(failure);
      if (options.common.json) json["errors"].push_back(failed_json(spec, failure));
    }
    // Continue with the other matrices; the exit code is that of the first failure.
    if (code == ExitCode::success) code = outcome;
  }
  if (options.common.json) print_json(json);
  if (rows.size() > 1) print_table(rows);
  return code;
}

}  // namespace

Command add_bench(CLI::App& parent) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* app = parent.add_subcommand("bench", "time the phases over files and generated matrices");
  app->add_option("matrices", options->matrices, "Matrix Market files or generated matrices (lap3d:40 elas:20)")
      ->required()
      ->option_text("A...");
  app->add_option("--repeat", options->repeat,
                  "timed calls of refactorize and of solve, each after\none that is not timed (default 5)")
      ->check(refuse_less_than_one)
      ->option_text("N");
  app->add_option("--rhs", options->right_hand_sides, "numbers of right-hand sides to solve for (default 1)")
      ->delimiter(',')
      ->check(refuse_less_than_one)
      ->option_text("K,...");
  add_analyze_options(*app, options->common);
  add_devices(*app, options->common);
  add_device_memory(*app, options->common);
  add_numeric_options(*app, options->common);
  return {app, [options] { return run(*options); }};
}

}  // namespace gpusupernodal::cli
