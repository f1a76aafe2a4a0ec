#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/options.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/tuning.hpp"

namespace gpusupernodal::cli {
namespace {

struct TuneCommandOptions {
  std::vector<std::string> judged;
  std::vector<std::string> fitted;
  std::string backend = name_of(Backend::automatic);
  std::string output;
  TuneOptions tune;
  bool json = false;
};

/// Generated matrices of all kinds, from those that fit the first cache to those larger than the last one.
const std::vector<std::string> default_fitted{"lap2d:8",  "lap2d:32", "lap2d:120", "lap2d:450", "lap3d:6",  "lap3d:16",
                                              "lap3d:32", "lap3d:64", "lap27:8",   "lap27:20",  "lap27:36", "elas:4",
                                              "elas:8",   "elas:14",  "elas:22",   "shell:8",   "shell:24", "shell:70"};
const std::vector<std::string> default_judged{"lap2d:70", "lap3d:24", "lap27:14", "elas:12", "shell:40"};

/// Measures a matrix as a symmetric half and with all entries.
void measure(ProductTuner& tuner, const std::string& spec, bool fits) {
  const io::SymmetricMatrix a = load_matrix(spec);
  SparseView<double> half(a.view());
  half.values = nullptr;
  tuner.measure(spec + ", half", half, fits);
  const io::GeneralMatrix all = load_general_matrix(spec);
  SparseView<double> full(all.view());
  full.values = nullptr;
  tuner.measure(spec, full, fits);
}

/// Measures and fits.
TuneReport tune(const TuneCommandOptions& options, ProductTuner& tuner, ProgressLine& progress) {
  const std::vector<std::string>& fitted = options.fitted.empty() ? default_fitted : options.fitted;
  const std::vector<std::string>& judged = options.judged.empty() ? default_judged : options.judged;
  const auto total = static_cast<int>(fitted.size() + judged.size());
  int done = 0;
  progress.begin("measuring");
  for (const auto* const list : {&fitted, &judged}) {
    for (const std::string& spec : *list) {
      measure(tuner, spec, list == &fitted);
      progress.update(++done, total);
    }
  }
  progress.begin("fitting");
  const TuneReport report = tuner.fit();
  progress.end();
  return report;
}

/// Host, and CUDA where a device is found, or the one that was named, also by GPUSUPERNODAL_BACKEND.
std::vector<Backend> wanted_backends(const std::string& name) {
  const Backend wanted = *backend_of(name);
  if (wanted != Backend::automatic) return {wanted};
  const char* const variable = std::getenv("GPUSUPERNODAL_BACKEND");
  const std::string named = variable == nullptr ? "" : variable;
  if (!named.empty() && named != name_of(Backend::automatic)) return {Backend::automatic};  // ProductTuner reads it, too.
  std::vector<Backend> all{Backend::host};
  for (const BackendInfo& backend : backends()) {
    if (backend.available && backend.name == name_of(Backend::cuda)) all.push_back(Backend::cuda);
  }
  return all;
}

Json errors_json(const TuneErrors& errors) {
  return {{"median", errors.median},
          {"error_90", errors.error_90},
          {"mean_regret", errors.mean_regret},
          {"max_regret", errors.max_regret}};
}

Json report_json(const TuneReport& report) {
  Json products = Json::array();
  for (const TunedProduct& p : report.products) {
    products.push_back({{"matrix", p.matrix},
                        {"kernel", p.kernel},
                        {"threads", p.threads},
                        {"fitted", p.is_fitted},
                        {"measured_seconds", p.measured_seconds},
                        {"predicted_seconds", p.predicted_seconds},
                        {"built_in_seconds", p.built_in_seconds}});
  }
  return {{"backend", name_of(report.backend)},
          {"machine", report.machine},
          {"judged", report.judged},
          {"fitted", errors_json(report.fitted)},
          {"built_in", errors_json(report.built_in)},
          {"products", products}};
}

std::string errors_text(const TuneErrors& errors) {
  return fmt::format(
      "median {:.1f} %, 90 % below {:.1f} %; the choice takes {:.1f} % more than the fastest, at most {:.1f} %",
      100.0 * errors.median, 100.0 * errors.error_90, 100.0 * errors.mean_regret, 100.0 * errors.max_regret);
}

void print_report(const TuneReport& report) {
  print_line("backend", report.machine.empty() ? name_of(report.backend)
                                               : fmt::format("{} ({})", name_of(report.backend), report.machine));
  print_to(stdout, "{:<24} {:>7} {:<34} {:>10} {:>10}\n", "matrix", "threads", "format", "predicted", "measured");
  for (const TunedProduct& p : report.products) {
    if (p.is_fitted) continue;
    print_to(stdout, "{:<24} {:>7} {:<34} {:>10} {:>10}\n", p.matrix, p.threads, p.kernel, seconds_text(p.predicted_seconds),
             seconds_text(p.measured_seconds));
  }
  print_line("errors", errors_text(report.fitted));
  print_line("built in", errors_text(report.built_in));
}

void print_file(const std::string& path) {
  if (path.empty()) return print_line("file", "none; -o FILE stores the figures, GPUSUPERNODAL_COST_MODEL=FILE uses them");
  print_line("file", fmt::format("{}; GPUSUPERNODAL_COST_MODEL={} uses it", path, path));
}

ExitCode run(const TuneCommandOptions& options) {
  ProgressLine progress(!options.json);
  Json json{{"file", options.output}, {"backends", Json::array()}};
  for (const Backend backend : wanted_backends(options.backend)) {
    TuneOptions with = options.tune;
    with.backend = backend;
    ProductTuner tuner(with);
    if (!options.output.empty()) tuner.check_file(options.output);
    const TuneReport report = tune(options, tuner, progress);
    if (!options.output.empty()) tuner.store(options.output);  // A later backend may fail.
    json["backends"].push_back(report_json(report));
    if (!options.json) print_report(report);
  }
  if (options.json) print_json(json);
  if (!options.json) print_file(options.output);
  return ExitCode::success;
}

}  // namespace

Command add_tune(CLI::App& parent) {
  auto options = std::make_shared<TuneCommandOptions>();
  if (const char* const file = std::getenv("GPUSUPERNODAL_COST_MODEL")) options->output = file;
  CLI::App* app = parent.add_subcommand("tune", "fit the model that chooses formats of sparse operators\nto this machine");
  app->add_option("matrices", options->judged,
                  "symmetric matrices to judge the fit by; files or\ngenerated ones (default: five generated ones)")
      ->option_text("A...");
  app->add_option("--fit", options->fitted, "matrices to fit to (default: 18 generated ones)")
      ->delimiter(',')
      ->allow_extra_args(false)  // What follows is a matrix to judge by.
      ->option_text("A,B,...");
  app->add_option(
         "-o,--output", options->output,
         "file for the figures; what else a cost model has\nthere stays (default: that of GPUSUPERNODAL_COST_MODEL)")
      ->option_text("FILE");
  add_choice(*app, "--backend", options->backend, backend_names,
             "what to tune; auto takes the host, and CUDA if a\ndevice is found (default auto)");
  app->add_option("--threads", options->tune.threads, "host threads (default: all that the process may use)")
      ->option_text("N");
  app->add_option("--device", options->tune.device, "number of the CUDA device (default: the current one)")
      ->option_text("N");
  app->add_option("--rounds", options->tune.rounds, "rounds of ten products; the fastest counts (default 5)")
      ->check(CLI::Range(1, 1000))
      ->option_text("N");
  app->add_flag("--json", options->json, "print JSON instead of text");
  add_color(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace gpusupernodal::cli
