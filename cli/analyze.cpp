#include <memory>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/device_memory.hpp"
#include "cli/devices.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/options.hpp"
#include "cli/plots.hpp"
#include "cli/precision.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/ranks.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr int most_ranks = 4096;

struct AnalyzeOptions {
  CommonOptions common;
  std::string matrix;
  std::string plan_json;
  std::string graphviz;
  PlotFiles plots;
  bool steps = false;
  int ranks = 0;  ///< 0: no division among ranks.
};

template <class T, class Matrix>
void analyze_as(const AnalyzeOptions& options, const Options& solver_choice, const Matrix& a, ProgressLine& progress) {
  progress.begin("analyze");
  const auto [plan, report] = Solver<T>::preview(TypedMatrix<T, Matrix>(a).view(), solver_choice, options.common.load_plan);
  if (!options.common.save_plan.empty()) save_plan(*plan, options.common.save_plan);
  progress.end();
  std::optional<DistributionReport> ranks;
  if (options.ranks > 0) ranks = distribution<T>(*plan, {options.ranks, {}, {}});
  if (!options.plan_json.empty()) write_text(options.plan_json, plan_json(*plan));
  if (!options.graphviz.empty()) require_tree(*plan, "--graphviz");
  if (!options.graphviz.empty()) write_text(options.graphviz, plan_graphviz(*plan));
  write_plots(options.plots, a, *plan);
  if (options.plan_json == "-" || options.graphviz == "-" || options.plots.to_stdout()) return;
  if (options.common.json) {
    Json json = matrix_json(a);
    json.update(to_json(report));
    if (ranks) json["ranks"] = to_json(*ranks);
    print_json(json);
    return;
  }
  print_matrix(a);
  print_analysis(report);
  print_analyze_time(report);
  if (options.steps) print_analysis_steps(report);
  if (ranks) print_ranks(*ranks);
  print_plots(options.plots);
}

template <class Load>
ExitCode run(const AnalyzeOptions& options, const Load& load) {
  ProgressLine progress(options.common.wants_progress());
  const Options solver = solver_options(options.common, progress);
  require_precision<float>(options.common.is_float());
  if (options.ranks > 0 && solver.form != Form::llt) {
    throw InvalidInput(fmt::format("--ranks divides a factorization llt, but the form is {}; leave out one of the two.",
                                   name_of(solver.form)),
                       __FILE__, __LINE__);
  }
  check_plots(options.plots, solver.form);
  progress.begin("read");
  const auto a = load(options.matrix);
  in_precision<float, double>(options.common.is_float(),
                              [&](auto scalar) { analyze_as<decltype(scalar)>(options, solver, a, progress); });
  return ExitCode::success;
}

}  // namespace

Command add_analyze(CLI::App& parent) {
  auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* app = parent.add_subcommand(
      "analyze", "order A and estimate its factorization; needs no device and no memory for the factor");
  app->add_option("matrix", options->matrix, "Matrix Market file, plain or gzip, or a generated\nmatrix (lap3d:40)")
      ->required()
      ->option_text("A");
  app->add_option("--plan-json", options->plan_json,
                  "write statistics of the plan as JSON;\n'-' writes them alone to stdout")
      ->check(is_named)
      ->option_text("FILE");
  app->add_option("--graphviz", options->graphviz,
                  "write the assembly tree for Graphviz (small problems);\n'-' writes it alone to stdout")
      ->check(is_named)
      ->option_text("FILE");
  add_plots(*app, options->plots);
  app->add_option("--ranks", options->ranks, "print how the work would divide among this many ranks of MPI")
      ->check(CLI::Range(1, most_ranks))
      ->option_text("P");
  app->add_flag("--steps", options->steps, "print time and memory of each step");
  add_form(*app, options->common);
  add_analyze_options(*app, options->common);
  add_devices(*app, options->common);
  add_device_memory(*app, options->common);
  add_plan_files(*app, options->common);
  return {app,
          [options] { return options->common.is_lu() ? run(*options, load_general_matrix) : run(*options, load_matrix); }};
}

}  // namespace gpusupernodal::cli
