#include "cli/options.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/fmt.hpp"
#include "cli/command_line_error.hpp"
#include "cli/device_memory.hpp"
#include "cli/devices.hpp"
#include "cli/permutation.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::cli {
namespace {

/// Limit on refinement steps if only an error is given. Refinement converges linearly: fast, or not at all.
constexpr int default_refine_limit = 10;

constexpr std::array<const char*, 3> color_names{{"auto", "always", "never"}};
constexpr std::array<const char*, 2> progress_names{{"auto", "never"}};

/// Throws the library's error, before a file is read, if it was built without the form.
void require_form(Form form) {
  if (built_with(form)) return;
  Options options;
  options.form = form;
  const Solver<double> refusing(options);
}

}  // namespace

std::string is_named(const std::string& file) { return file.empty() ? "the name of the file is empty." : ""; }

void add_color(CLI::App& app) {
  CLI::Option* const option = app.add_option_function<std::string>(
      "--color", [](const std::string&) {},
      "colour the text; auto colours it on a terminal unless\nNO_COLOR is set; JSON and files have no colours\n(default "
      "auto)");
  limit_to(option, color_names);
}

void add_analyze_options(CLI::App& app, CommonOptions& common) {
  const std::string group = "Solver";
  add_choice(app, "--backend", common.backend, backend_names,
             "where to compute; auto takes CUDA if a device is found\nand expected to be faster (default auto)")
      ->group(group);
  CLI::Option* ordering = add_choice(app, "--ordering", common.ordering, ordering_names,
                                     "fill-reducing ordering; user needs --permutation\n(default auto)");
  ordering->group(group);
  app.add_option("--ordering-seed", common.solver.ordering_seed,
                 "seed of the random choices of nested_dissection\n(default 0)")
      ->check(refuse_negative)
      ->option_text("N")
      ->group(group);
  app.add_option("--expected-factorizations", common.solver.expected_factorizations,
                 "expected number of factorizations, by which the\nordering auto chooses (default 100)")
      ->option_text("N")
      ->group(group);
  app.add_option("--permutation", common.permutation_file,
                 "the ordering: rows of A in elimination order, one per\n"
                 "line, counted from 1 or from 0; implies\n--ordering user")
      ->check(is_named)
      ->option_text("FILE")
      ->group(group);
  app.add_option("--last", common.last_rows_file,
                 "rows to eliminate after all others, one per line,\n"
                 "counted from 1; a second number in a line is the row's\ngroup: group 2 comes after group 1")
      ->check(is_named)
      ->option_text("FILE")
      ->group(group);
  add_choice(app, "--merging", common.merging, merging_names,
             "how supernodes are merged: narrow joins a child and\na parent narrower than --merge-width, bounded joins\n"
             "while few explicit zeros are added (default bounded)")
      ->group(group);
  app.add_option("--merge-width", common.solver.merge_width, "columns below which --merging narrow merges (default 64)")
      ->option_text("N")
      ->group(group);
  app.add_option("--block-width", common.solver.block_width, "columns of a block (default: the backend's)")
      ->option_text("N")
      ->group(group);
  app.add_option("--threads", common.solver.threads, "host threads (default: all that the process may use)")
      ->option_text("N")
      ->group(group);
  app.add_option("--device", common.solver.device, "number of the CUDA device (default: the current one)")
      ->option_text("N")
      ->group(group);
  app.add_option("--device-profile", common.solver.device_profile,
                 "plan for this kind of CUDA device, H200 or H100\n(default: the device found, else H200)")
      ->option_text("NAME")
      ->group(group);
  add_choice(app, "--precision", common.precision, precision_names, "precision of the factorization (default double)")
      ->group(group);
  app.add_flag("--json", common.json, "print JSON instead of text");
  add_choice(app, "--progress", common.progress, progress_names,
             "a progress bar on stderr for phases of more than a\nsecond; auto shows it on a terminal without --json.\n"
             "On CUDA, factorize shows its time only: a bar would\nwait for the device about 20 times and spoil the "
             "time\n(default auto)");
  add_color(app);
}

void add_form(CLI::App& app, CommonOptions& common) {
  const std::string group = "Solver";
  add_choice(app, "--form", common.form, form_names,
             "kind of factorization: llt (Cholesky) for symmetric\npositive definite matrices, ldlt for symmetric ones,\n"
             "lu for all square ones (default llt)")
      ->group(group);
  add_choice(app, "--matching", common.matching, matching_names,
             "with --form lu: exchange rows so that the product of the\ndiagonal is largest; auto does so only if a "
             "diagonal entry\nis small or missing (default auto)")
      ->group(group);
  add_choice(
      app, "--lu-schedule", common.lu_schedule, lu_schedule_names,
      "with --form lu: supernodes of a symmetrized pattern,\ncolumns of the pattern of L and U, or dense storage up to\n"
      "order 3000; auto takes what is expected to be faster\n(default auto)")
      ->group(group);
  add_choice(app, "--repivot", common.repivot, repivot_names,
             "with --form lu or ldlt: auto repeats an unstable\nfactorization with other pivots; report ends with exit "
             "code\n7 (default auto)")
      ->group(group);
  app.add_option(
         "--perturbation", common.solver.perturbation,
         "with --form lu or ldlt: replace smaller pivots of the\nscaled matrix by this (default: square root of the\n"
         "precision; the precision itself on dense storage)")
      ->option_text("X")
      ->group(group);
}

void add_numeric_options(CLI::App& app, CommonOptions& common) {
  const std::string group = "Solver";
  add_choice(app, "--cuda-schedule", common.cuda_schedule, cuda_schedule_names,
             "how CUDA works on wide supernodes: levels of the tree\nby kernels of our own, or block tasks by cuBLAS and\n"
             "cuSOLVER over streams (default levels)")
      ->group(group);
  app.add_flag("--deterministic", common.solver.deterministic, "bitwise equal factorizations on a CUDA device")
      ->group(group);
  app.add_option("--streams", common.solver.streams, "CUDA streams, 1 to 32 (default 4)")->option_text("N")->group(group);
  app.add_option("--refine", common.refine_steps, "largest number of refinement steps (default 0)")
      ->check(refuse_negative)
      ->option_text("STEPS")
      ->group(group);
  app.add_option("--refine-to", common.refine_to,
                 "refine until the backward error is at most ERR\n(at most 10 steps unless --refine is given)")
      ->option_text("ERR")
      ->group(group);
}

void add_plan_files(CLI::App& app, CommonOptions& common) {
  app.add_option("--save-plan", common.save_plan, "store order and supernodes, for --load-plan with the\nsame pattern")
      ->check(is_named)
      ->option_text("FILE");
  CLI::Option* const load =
      app.add_option("--load-plan", common.load_plan, "read order and supernodes instead of computing them")
          ->check(is_named)
          ->option_text("FILE");
  for (const char* const decided : {"--ordering", "--ordering-seed", "--expected-factorizations", "--permutation",
                                    "--merging", "--merge-width", "--block-width"}) {
    load->excludes(decided);
  }
}

Options solver_options(const CommonOptions& common, ProgressLine& progress) {
  Options options = common.solver;
  options.form = form_of(common.form).value();
  require_form(options.form);
  if (!common.is_lu() && !common.matching.empty()) throw InvalidInput("--matching needs --form lu.", __FILE__, __LINE__);
  if (!common.is_lu() && !common.lu_schedule.empty())
    throw InvalidInput("--lu-schedule needs --form lu.", __FILE__, __LINE__);
  if (common.is_llt() && !common.repivot.empty())
    throw InvalidInput("--repivot needs --form lu or --form ldlt.", __FILE__, __LINE__);
  if (common.is_llt() && options.perturbation != 0.0)
    throw InvalidInput("--perturbation needs --form lu or --form ldlt.", __FILE__, __LINE__);
  if (!common.matching.empty()) options.matching = matching_rule_of(common.matching).value();
  if (!common.lu_schedule.empty()) options.lu_schedule = lu_schedule_of(common.lu_schedule).value();
  if (!common.repivot.empty()) options.repivot = repivot_of(common.repivot).value();
  options.backend = backend_of(common.backend).value();
  options.ordering = ordering_of(common.ordering).value();
  if (!common.merging.empty()) options.merging = merging_of(common.merging).value();
  options.cuda_schedule = cuda_schedule_of(common.cuda_schedule).value();
  if (common.devices) options.devices = named_devices(*common.devices);
  options.memory = factor_memory_of(common.memory).value();
  if (common.device_memory_limit) options.device_memory_limit = named_bytes(*common.device_memory_limit);
  if (!common.permutation_file.empty()) {
    if (options.ordering != Ordering::automatic && options.ordering != Ordering::user) {
      throw InvalidInput("--permutation goes with --ordering user, not with " + common.ordering + ".", __FILE__, __LINE__);
    }
    options.ordering = Ordering::user;
    options.permutation = read_permutation(common.permutation_file);
  } else if (options.ordering == Ordering::user) {
    throw InvalidInput("--ordering user needs --permutation FILE.", __FILE__, __LINE__);
  }
  if (!common.last_rows_file.empty()) options.last_rows = read_last_rows(common.last_rows_file);
  options.refinement.max_steps = common.refine_steps;
  options.refinement.backward_error = common.refine_to;
  if (common.refine_to > 0.0 && common.refine_steps == 0) options.refinement.max_steps = default_refine_limit;
  options.plan_cache = false;  // The command analyzes each matrix only once.
  options.progress = [&progress](const Progress& p) {
    progress.update(p);
    return true;
  };
  return options;
}

}  // namespace gpusupernodal::cli
