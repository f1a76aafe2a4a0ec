#pragma once

/// \file
/// Options shared by the subcommands.

#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "cli/command_line_error.hpp"
#include "cli/progress.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/options.hpp"

namespace gpusupernodal::cli {

/// Option values as typed. The parser has checked the names.
struct CommonOptions {
  std::string backend = name_of(Backend::automatic);
  std::string ordering = name_of(Ordering::automatic);
  std::string permutation_file;
  std::string last_rows_file;
  std::string merging;  ///< Empty: the library's default.
  std::string precision = "double";
  std::string form = name_of(Form::llt);
  std::string matching;     ///< Empty: the library's default.
  std::string lu_schedule;  ///< Empty: the library's default.
  std::string repivot;      ///< Empty: the library's default.
  std::string cuda_schedule = name_of(CudaSchedule::levels);
  std::optional<std::string> devices;  ///< Value of --devices.
  std::string memory = name_of(FactorMemory::automatic);
  std::optional<std::string> device_memory_limit;  ///< Value of --device-memory-limit.
  Options solver;                                  ///< Receives the numeric options directly.
  int refine_steps = 0;
  double refine_to = 0.0;
  bool json = false;
  std::string progress = "auto";
  std::string save_plan;  ///< File name; empty: no file.
  std::string load_plan;

  bool is_lu() const { return form == name_of(Form::lu); }
  bool is_llt() const { return form == name_of(Form::llt); }
  bool is_float() const { return precision == "float"; }
  /// Whether progress may be shown; ProgressLine also asks whether stderr is a terminal.
  bool wants_progress() const { return progress == "auto" && !json; }
};

/// Values of --precision.
inline constexpr std::array<const char*, 2> precision_names{{"double", "float"}};

/// Makes an option accept only one of `names`, shown as "a|b|c".
template <std::size_t Count>
CLI::Option* limit_to(CLI::Option* option, const std::array<const char*, Count>& names) {
  return option
      ->check([known = std::vector<std::string>(names.begin(), names.end())](const std::string& typed) {
        return refuse_unknown_value(typed, known);
      })
      ->option_text(fmt::format("{}", fmt::join(names, "|")));
}

/// Adds an option whose value is one of `names`.
template <std::size_t Count>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, std::string& value,
                        const std::array<const char*, Count>& names, const std::string& help) {
  return limit_to(app.add_option(flag, value, help), names);
}

/// For CLI::Option::check: rejects an empty file name, which results from an unset shell variable.
std::string is_named(const std::string& file);

/// Adds --color. Its value is read by choose_color; here it is only checked and described.
void add_color(CLI::App& app);
/// Adds the options of the analysis (backend, ordering, merging, blocks, threads, precision), --json, --color and
/// --progress.
void add_analyze_options(CLI::App& app, CommonOptions& common);
/// Adds --form, --matching, --lu-schedule, --repivot and --perturbation.
void add_form(CLI::App& app, CommonOptions& common);
/// Adds the options of the numerical phases: schedule, streams, refinement.
void add_numeric_options(CLI::App& app, CommonOptions& common);

/// Adds --save-plan and --load-plan. Precondition: add_analyze_options was called before.
void add_plan_files(CLI::App& app, CommonOptions& common);

/// Returns the solver's options; reads the permutation and the last rows from their files. Progress goes to `progress`,
/// which must outlive the options. Throws FileError and InvalidInput.
Options solver_options(const CommonOptions& common, ProgressLine& progress);

}  // namespace gpusupernodal::cli
