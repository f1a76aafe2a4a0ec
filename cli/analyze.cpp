#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/plan_files.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/typed_matrix.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

struct AnalyzeOptions {
  CommonOptions common;
  std::string matrix;
  std::string plan_json;
  std::string graphviz;
  bool steps = false;
};

template <class T>
void analyze_as(const AnalyzeOptions& options, const Options& solver_choice, const io::SymmetricMatrix& a,
                ProgressLine& progress) {
  Solver<T> solver(solver_choice);
  progress.begin("analyze");
  analyze(solver, TypedMatrix<T>(a), options.common);
  progress.end();
  if (!options.plan_json.empty()) write_text(options.plan_json, plan_json(*solver.plan()));
  if (!options.graphviz.empty()) write_text(options.graphviz, plan_graphviz(*solver.plan()));
  if (options.plan_json == "-" || options.graphviz == "-") return;
  if (options.common.json) {
    Json json = matrix_json(a);
    json.update(to_json(solver.analyze_report()));
    print_json(json);
    return;
  }
  print_matrix(a);
  print_analysis(solver.analyze_report());
  print_analyze_time(solver.analyze_report());
  if (options.steps) print_analysis_steps(solver.analyze_report());
}

ExitCode run(const AnalyzeOptions& options) {
  ProgressLine progress;
  const Options solver = solver_options(options.common, progress);
  progress.begin("read");
  const io::SymmetricMatrix a = io::load(options.matrix);
  if (options.common.is_float()) {
    analyze_as<float>(options, solver, a, progress);
  } else {
    analyze_as<double>(options, solver, a, progress);
  }
  return ExitCode::success;
}

}  // namespace

Command add_analyze(CLI::App& parent) {
  auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* app = parent.add_subcommand("analyze", "order A and say what its factorization will take, without doing it");
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
  app->add_flag("--steps", options->steps, "a line for each step: its time, and the memory of\nwhat it made");
  add_analyze_options(*app, options->common);
  add_plan_files(*app, options->common);
  return {app, [options] { return run(*options); }};
}

}  // namespace gpusupernodal::cli
