#pragma once

/// \file
/// solve --method pcg: conjugate gradients in place of a factorization. The options of --method automatic and mixed, too.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// Options of conjugate gradients as typed. The parser has checked the names.
struct PcgCommand {
  std::string method = "direct";
  std::string preconditioner = name_of(Preconditioner::automatic);
  std::string factor_precision = name_of(FactorPrecision::same);
  PcgOptions options;  ///< Receives the numeric options directly.

  std::int64_t expected_solves = 0;  ///< 0: the columns of b.

  bool is_chosen() const { return method == "pcg"; }
  bool is_system() const { return method == "automatic" || method == "mixed"; }
};

/// Files of a solve.
struct PcgFiles {
  std::string matrix;
  std::string right_hand_side;  ///< Empty: A·ones.
  std::string output;           ///< Empty: none.
};

/// Adds --method, --expected-solves, --preconditioner, --tolerance, --max-iterations, --block-size and --factor-precision.
void add_pcg(CLI::App& app, PcgCommand& command);

/// Throws InvalidInput if an option was typed that the chosen method does not have.
void check_method(const CLI::App& app, const PcgCommand& command);

/// Right-hand sides of the files; A·ones if none are named. Throws InvalidInput if there are no columns.
io::DenseMatrix right_hand_sides(const PcgFiles& files, const io::SymmetricMatrix& a);

/// Reads the files, solves, prints and writes, with --method automatic or mixed.
ExitCode solve_by_system(const PcgCommand& command, const CommonOptions& common, const PcgFiles& files);

/// Reads the files, solves, prints and writes.
ExitCode solve_by_pcg(const PcgCommand& command, const CommonOptions& common, const PcgFiles& files);

}  // namespace gpusupernodal::cli
