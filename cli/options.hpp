#pragma once

/// \file
/// Options that the subcommands share.

#include <CLI/CLI.hpp>
#include <string>

#include "cli/progress.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/options.hpp"

namespace gpusupernodal::cli {

/// As typed; the names are checked by the parser.
struct CommonOptions {
  std::string backend = name_of(Backend::automatic);
  std::string ordering = name_of(Ordering::automatic);
  std::string permutation_file;
  std::string last_rows_file;
  std::string merging;  ///< Empty: the library's default.
  std::string precision = "double";
  std::string cuda_schedule = name_of(CudaSchedule::levels);
  Options solver;  ///< Numbers are stored here directly.
  int refine_steps = 0;
  double refine_to = 0.0;
  bool json = false;
  std::string save_plan;  ///< Names of files; empty: none.
  std::string load_plan;

  bool is_float() const { return precision == "float"; }
};

/// For CLI::Option::check: refuses the empty name, which a shell makes of a variable that is not set.
std::string is_named(const std::string& file);

/// Adds the options of analyze: backend, ordering, merging, blocks, threads, precision, --json.
void add_analyze_options(CLI::App& app, CommonOptions& common);
/// Adds the options of the numerical phases: schedule, streams, refinement.
void add_numeric_options(CLI::App& app, CommonOptions& common);

/// Adds --save-plan and --load-plan. Call it after add_analyze_options.
void add_plan_files(CLI::App& app, CommonOptions& common);

/// The solver's options, permutation and last rows read from their files, progress told to `progress` (which must outlive
/// them). Throws FileError, InvalidInput.
Options solver_options(const CommonOptions& common, ProgressLine& progress);

}  // namespace gpusupernodal::cli
