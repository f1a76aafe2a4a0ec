#pragma once

/// \file
/// solve --method pcg: conjugate gradients in place of a factorization.

#include <CLI/CLI.hpp>
#include <string>

#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "gpusupernodal/pcg.hpp"

namespace gpusupernodal::cli {

/// Options of conjugate gradients as typed. The parser has checked the names.
struct PcgCommand {
  std::string method = "direct";
  std::string preconditioner = name_of(Preconditioner::automatic);
  std::string factor_precision = name_of(FactorPrecision::same);
  PcgOptions options;  ///< Receives the numeric options directly.

  bool is_chosen() const { return method == "pcg"; }
};

/// Files of a solve.
struct PcgFiles {
  std::string matrix;
  std::string right_hand_side;  ///< Empty: A·ones.
  std::string output;           ///< Empty: none.
};

/// Adds --method, --preconditioner, --tolerance, --max-iterations, --block-size and --factor-precision.
void add_pcg(CLI::App& app, PcgCommand& command);

/// Throws InvalidInput if an option was typed that the chosen method does not have.
void check_method(const CLI::App& app, const PcgCommand& command);

/// Reads the files, solves, prints and writes.
ExitCode solve_by_pcg(const PcgCommand& command, const CommonOptions& common, const PcgFiles& files);

}  // namespace gpusupernodal::cli
