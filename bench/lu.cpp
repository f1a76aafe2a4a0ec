/// \file
/// Times LU, on one thread unless --threads says otherwise, for sequences of matrices of one pattern, beside KLU where it
/// was found: analysis, refactorization and a solve for one right-hand side, interleaved in one process, medians. Prints a
/// Markdown table, or one JSON object per line. Exits 1 if a solution has a large backward error although the status is
/// success.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/klu_peer.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "gpusupernodal/names.hpp"
#include "io/general_matrix.hpp"
#include "io/residual.hpp"

namespace {

using namespace gpusupernodal;
using nlohmann::json;

struct Settings {
  std::string matching = name_of(MatchingRule::automatic);
  std::string lu_schedule = name_of(LuSchedule::automatic);
  int threads = 1;
  double perturbation = 0.0;
  int repeat = 9;
  bool cpu = false;
  bool json = false;
};

/// Wall time, or the process's CPU time for machines shared with other programs.
template <class Call>
double seconds_of(const Settings& settings, const Call& call) {
  if (!settings.cpu) return bench::seconds_of(call);
  const std::clock_t start = std::clock();
  call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Times in seconds and results of one solver for one set of values. Errors below zero: no solution was returned.
struct Measured {
  std::vector<double> analyze;
  std::vector<double> refactorize;
  std::vector<double> solve;
  double backward_error = -1.0;
};

/// random:N:P or random:N:P:D: order N, P percent of the entries beside the diagonal, and D added to the diagonal, which is
/// always there. Numbers are between −1 and 1.
io::GeneralMatrix random_matrix(const std::string& spec) {
  io::GeneralMatrix a;
  double percent = 0.0;
  double diagonal = 0.0;
  if (std::sscanf(spec.c_str(), "random:%" SCNd64 ":%lf:%lf", &a.n, &percent, &diagonal) < 2 || a.n < 1)
    throw InvalidInput(spec + " is not random:N:P or random:N:P:D", __FILE__, __LINE__);
  a.name = spec;
  a.offsets = {0};
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::uniform_real_distribution<double> hundred(0.0, 100.0);
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t i = 0; i < a.n; ++i) {
      if (i != j && hundred(generator) >= percent) continue;
      a.indices.push_back(static_cast<std::int32_t>(i));
      a.values.push_back(value(generator) + (i == j ? diagonal : 0.0));
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  return a;
}

std::vector<io::GeneralMatrix> load_sequence(const std::string& files) {
  if (files.starts_with("random:")) return {random_matrix(files)};
  std::vector<io::GeneralMatrix> sequence;
  std::istringstream names(files);
  for (std::string name; std::getline(names, name, ',');) {
    sequence.push_back(io::load_general(name));
    const io::GeneralMatrix& first = sequence.front();
    if (sequence.back().offsets != first.offsets || sequence.back().indices != first.indices)
      throw InvalidInput(name + " has another pattern than " + first.name, __FILE__, __LINE__);
  }
  return sequence;
}

/// Solves with `solver` into x. Returns false if the status or the verification of the solution refuses it.
bool solve(Solver<double>& solver, const std::vector<double>& b, std::vector<double>& x) {
  const std::int64_t n = solver.order();
  if (solver.status() != Status::success) return false;
  try {
    solver.solve(DenseView<const double>(b.data(), n, 1, n), DenseView<double>(x.data(), n, 1, n));
  } catch (const NumericalFailure&) {
    return false;
  }
  return true;
}

/// Interleaved repetitions of the phases of both solvers for the values of `a`.
void measure(const io::GeneralMatrix& a, const Settings& settings, Solver<double>& ours, bench::KluPeer* klu,
             Measured& our_result, Measured& klu_result) {
  const auto n = static_cast<std::size_t>(a.n);
  const std::vector<double> b = io::multiply(a, std::vector<double>(n, 1.0));
  std::vector<double> x(n);
  std::vector<double> klu_x(n);
  bool solved = true;
  for (int r = 0; r <= settings.repeat; ++r) {
    const double factor = seconds_of(settings, [&] {
      ours.refactorize(a.values);
      ours.status();  // Includes the verification of doubtful pivots.
    });
    const double sweep = seconds_of(settings, [&] { solved = solve(ours, b, x); });
    double klu_factor = 0.0;
    double klu_sweep = 0.0;
    if (klu != nullptr) {
      klu_factor = seconds_of(settings, [&] { klu->refactorize(a.values); });
      klu_x = b;
      klu_sweep = seconds_of(settings, [&] { klu->solve(klu_x); });
    }
    if (r == 0) continue;  // The first calls warm up.
    our_result.refactorize.push_back(factor);
    our_result.solve.push_back(sweep);
    klu_result.refactorize.push_back(klu_factor);
    klu_result.solve.push_back(klu_sweep);
  }
  if (solved) our_result.backward_error = io::backward_error(a, x, b);
  if (klu != nullptr) klu_result.backward_error = io::backward_error(a, klu_x, b);
}

void measure_analyses(const io::GeneralMatrix& a, const Options& options, const Settings& settings, Measured& ours,
                      Measured& peer) {
  for (int r = 0; r < settings.repeat; ++r) {
    ours.analyze.push_back(seconds_of(settings, [&] { Solver<double>(options).analyze(a.view()); }));
    if (bench::KluPeer::is_available) peer.analyze.push_back(seconds_of(settings, [&] { bench::KluPeer(a).analyze(); }));
  }
}

json times(const Measured& m) {
  json result{{"refactorize_ms", bench::median(m.refactorize) * 1e3},
              {"solve_ms", bench::median(m.solve) * 1e3},
              {"backward_error", m.backward_error < 0.0 ? json(nullptr) : json(m.backward_error)}};
  if (!m.analyze.empty()) result["analyze_ms"] = bench::median(m.analyze) * 1e3;
  return result;
}

std::string cell(const json& value, const char* format) {
  return value.is_number() ? fmt::format(fmt::runtime(format), value.get<double>()) : "–";
}

void print_header() {
  fmt::print(
      "| matrix | set | n | schedule | stored L + U | KLU nnz(L + U) | analyze ms | KLU | refactorize ms | KLU | solve ms | "
      "KLU "
      "| status | replaced | growth | backward error | KLU |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_row(const json& r) {
  const json& ours = r["ours"];
  const json klu = r.value("klu", json::object());
  fmt::print("| {} | {} | {} | {} | {} | {} ", r["matrix"].get<std::string>(), r["set"].get<int>(),
             r["n"].get<std::int64_t>(), r["schedule"].get<std::string>(), r["stored"].get<std::int64_t>(),
             cell(klu.value("nonzeros", json()), "{:.0f}"));
  for (const char* phase : {"analyze_ms", "refactorize_ms", "solve_ms"})
    fmt::print("| {} | {} ", cell(ours.value(phase, json()), "{:.3f}"), cell(klu.value(phase, json()), "{:.3f}"));
  fmt::print("| {} | {} | {:.2g} | {} | {} |\n", r["status"].get<std::string>(), r["perturbed_pivots"].get<std::int64_t>(),
             r["growth"].get<double>(), cell(ours["backward_error"], "{:.1e}"),
             cell(klu.value("backward_error", json()), "{:.1e}"));
}

/// Prints a row for each set of values. Returns false if a solution of ours is wrong.
bool compare(const std::string& files, const Options& options, const Settings& settings) {
  const std::vector<io::GeneralMatrix> sequence = load_sequence(files);
  const io::GeneralMatrix& first = sequence.front();
  Solver<double> ours(options);
  ours.compute(first.view());
  std::unique_ptr<bench::KluPeer> klu;
  if (bench::KluPeer::is_available) {
    klu = std::make_unique<bench::KluPeer>(first);
    klu->analyze();
    klu->factorize();
  }
  const double tolerance =
      100.0 * std::sqrt(static_cast<double>(std::max<std::int64_t>(first.n, 1))) * std::numeric_limits<double>::epsilon();
  bool right = true;
  for (std::size_t set = 0; set < sequence.size(); ++set) {
    Measured our_result;
    Measured klu_result;
    if (set == 0) measure_analyses(first, options, settings, our_result, klu_result);
    measure(sequence[set], settings, ours, klu.get(), our_result, klu_result);
    const FactorReport report = ours.factor_report();
    json row{{"matrix", first.name},
             {"set", set},
             {"n", first.n},
             {"schedule", name_of(ours.analyze_report().lu_schedule)},
             {"stored", ours.analyze_report().stored_l},
             {"status", name_of(report.status)},
             {"perturbed_pivots", report.perturbed_pivots},
             {"growth", report.growth},
             {"refinement_steps", ours.solve_report().refinement_steps},
             {"ours", times(our_result)}};
    if (klu) {
      row["klu"] = times(klu_result);
      row["klu"]["nonzeros"] = klu->nonzeros();
    }
    settings.json ? fmt::print("{}\n", row.dump()) : print_row(row);
    std::fflush(stdout);
    right = right && (our_result.backward_error < 0.0 || our_result.backward_error <= tolerance);
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("LU beside KLU");
  std::vector<std::string> matrices;
  Settings settings;
  app.add_option("matrices", matrices,
                 "Matrix Market files, generators or random:N:P:D (order, percentage of nonzeros, number added to the "
                 "diagonal); files of one pattern joined "
                 "by commas are a sequence of values")
      ->required();
  app.add_option("--matching", settings.matching, "Exchange of rows")
      ->check(CLI::IsMember(std::vector<std::string>(matching_names.begin(), matching_names.end())));
  app.add_option("--lu-schedule", settings.lu_schedule, "Schedule of LU")
      ->check(CLI::IsMember(std::vector<std::string>(lu_schedule_names.begin(), lu_schedule_names.end())));
  app.add_option("--threads", settings.threads, "Threads of LU; KLU has one")->check(CLI::PositiveNumber);
  app.add_option("--perturbation", settings.perturbation, "Smaller pivots are replaced by this; 0: the default");
  app.add_option("--repeat", settings.repeat, "Runs; the median counts")->check(CLI::PositiveNumber);
  app.add_flag("--cpu", settings.cpu, "CPU time instead of wall time");
  app.add_flag("--json", settings.json, "One JSON object per line instead of a table");
  CLI11_PARSE(app, argc, argv);
  Options options;
  options.backend = Backend::host;
  options.form = Form::lu;
  options.threads = settings.threads;
  options.plan_cache = false;
  options.lu_schedule = lu_schedule_of(settings.lu_schedule).value();
  options.matching = matching_rule_of(settings.matching).value();
  options.perturbation = settings.perturbation;
  if (!settings.json) print_header();
  bool right = true;
  for (const std::string& files : matrices) right = compare(files, options, settings) && right;
  return right ? 0 : 1;
}
