#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/fmt.hpp"
#include "base/stopwatch.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/print.hpp"
#include "cli/report/collect.hpp"
#include "cli/report/figures_json.hpp"
#include "cli/report/page.hpp"
#include "gpusupernodal/error.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr std::array<const char*, 4> form_choices{{"auto", "llt", "ldlt", "lu"}};
constexpr std::array<const char*, 2> progress_choices{{"auto", "never"}};

struct ReportOptions {
  std::string matrix;
  std::string output = "report.html";
  std::string right_hand_side;
  std::string form = "auto";
  std::string backend = name_of(Backend::automatic);
  std::string progress = "auto";
  CollectOptions collect;
  bool json = false;
};

std::string name_of_method(const MethodFigures& method) {
  if (method.method == "direct") return "the factorization";
  if (method.method == "mixed") return "PCG with a factor in single precision";
  return method.preconditioner == "none" ? "PCG without a preconditioner" : "PCG with " + method.preconditioner;
}

void print_text(const ReportFigures& f, const std::string& output) {
  print_matrix(f.matrix.name, f.matrix.n, f.matrix.entries);
  print_line("kind", f.matrix.kind);
  for (const double solves : {1.0, 10.0, 1000.0}) {
    const std::size_t best = fastest(f.methods, solves, false);
    if (best == f.methods.size()) continue;
    print_line(fmt::format("{:g} {}", solves, solves == 1.0 ? "solve" : "solves").c_str(),
               fmt::format("{}, {}", name_of_method(f.methods[best]), seconds_text(f.methods[best].total(solves, false))));
  }
  using NamedPart = std::pair<const char*, const Part*>;
  for (const auto& [name, part] : {NamedPart{"analysis", &f.analysis}, NamedPart{"factorization", &f.direct},
                                   NamedPart{"products", &f.formats}, NamedPart{"conjugate gradients", &f.convergence}})
    if (!part->note.empty()) print_line("note", fmt::format("{}: {}", name, part->note));
  print_line("measured in", seconds_text(f.total_seconds));
  print_line("page", output);
}

void require_cuda() {
  for (const BackendInfo& backend : backends())
    if (backend.name == name_of(Backend::cuda) && !backend.available)
      throw BackendUnavailable(backend.reason, __FILE__, __LINE__);
}

ExitCode run(const ReportOptions& typed, bool names_output) {
  if (typed.json && typed.output == "-")
    throw InvalidInput("--json and -o - would both write to stdout; leave one out, or name a file.", __FILE__, __LINE__);
  if (!(typed.collect.seconds > 0.0)) throw InvalidInput("--seconds must be positive.", __FILE__, __LINE__);
  if (!(typed.collect.tolerance > 0.0 && typed.collect.tolerance < 1.0))
    throw InvalidInput("--tolerance must be between 0 and 1.", __FILE__, __LINE__);
  if (backend_of(typed.backend).value() == Backend::cuda) require_cuda();
  ProgressLine progress(typed.progress == "auto" && !typed.json);
  CollectOptions options = typed.collect;
  options.any_form = typed.form == "auto";
  options.form = options.any_form ? Form::llt : form_of(typed.form).value();
  options.backend = backend_of(typed.backend).value();
  options.spec = typed.matrix;
  progress.begin("read");
  const Stopwatch watch;
  const Problem problem = load_problem(typed.matrix, options.form == Form::lu, !options.any_form);
  const std::vector<double> b = right_hand_side(typed.right_hand_side, problem.order());
  const double read_seconds = watch.seconds();
  std::optional<TextOutput>
      page;  // Opened after the files are read, of which it may be one, and before anything is measured.
  if (!typed.json || names_output) page.emplace(typed.output);
  ReportFigures figures = collect(options, problem, b, progress);
  figures.read_seconds = read_seconds;
  const Json json = to_json(figures);
  if (page) page->write(report_page(json));
  if (typed.output == "-") return ExitCode::success;
  typed.json ? print_json(json) : print_text(figures, typed.output);
  return ExitCode::success;
}

}  // namespace

Command add_report(CLI::App& parent) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* app = parent.add_subcommand("report", "write a page about A: which method to take, and why");
  app->add_option("matrix", options->matrix, "Matrix Market file, plain or gzip, or a generated\nmatrix (lap3d:40)")
      ->required()
      ->option_text("A");
  CLI::Option* const output =
      app->add_option("-o", options->output, "the page; '-' writes it to stdout (default report.html)")
          ->check(is_named)
          ->option_text("FILE");
  app->add_flag("--json", options->json, "print the figures as JSON; without -o no page is written");
  app->add_option("-b", options->right_hand_side, "a right-hand side to solve for (default: random numbers)")
      ->check(is_named)
      ->option_text("FILE");
  app->add_option("--seconds", options->collect.seconds,
                  "time limit in seconds of all measured parts together\n(default 30)")
      ->option_text("X");
  app->add_option("--tolerance", options->collect.tolerance,
                  "norm of the residual relative to that of b, for\nconjugate gradients (default 1e-10)")
      ->option_text("X");
  add_choice(*app, "--form", options->form, form_choices,
             "kind of factorization; auto takes llt, ldlt where that\nfails, and lu for general matrices (default auto)");
  add_choice(*app, "--backend", options->backend, backend_names,
             "where to compute; auto takes CUDA if a device is found\nand expected to be faster (default auto)");
  app->add_option("--threads", options->collect.threads, "host threads (default: all that the process may use)")
      ->option_text("N");
  app->add_option("--device", options->collect.device, "number of the CUDA device (default: the current one)")
      ->option_text("N");
  add_choice(*app, "--progress", options->progress, progress_choices,
             "show on stderr what is measured; auto does so on a\nterminal without --json (default auto)");
  add_color(*app);
  return {app, [options, output] { return run(*options, output->count() > 0); }};
}

}  // namespace gpusupernodal::cli
