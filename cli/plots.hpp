#pragma once

/// \file
/// The options that draw: which pictures go to which files.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "io/complex_matrix.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// Names of SVG files; "-" is stdout; empty: no picture.
struct PlotFiles {
  std::string pattern;
  std::string tree;
  std::string trace;

  /// Whether a picture takes the place of the report.
  bool to_stdout() const { return pattern == "-" || tree == "-" || trace == "-"; }
};

/// Adds --plot-pattern and --plot-tree.
void add_plots(CLI::App& app, PlotFiles& files);
/// Adds --plot-trace.
void add_trace_plot(CLI::App& app, PlotFiles& files);

/// Throws InvalidInput if a picture is wanted that does not exist for the form: the pattern, for LU.
void check_plots(const PlotFiles& files, Form form);

/// Throws InvalidInput if the plan has no assembly tree, which `flag` would draw.
void require_tree(const FactorPlan& plan, const std::string& flag);

/// Writes the pattern and the tree where they are wanted. With `old_of_new`, the pattern is also drawn in that order.
/// Throws FileError.
void write_plots(const PlotFiles& files, const io::SymmetricMatrix& matrix, const FactorPlan& plan,
                 const std::vector<std::int64_t>& old_of_new = {});
/// As above, for LU. Precondition: check_plots was called.
void write_plots(const PlotFiles& files, const io::GeneralMatrix& matrix, const FactorPlan& plan,
                 const std::vector<std::int64_t>& old_of_new = {});
/// As above, for complex matrices, Hermitian or for LU.
void write_plots(const PlotFiles& files, const io::ComplexMatrix& matrix, const FactorPlan& plan,
                 const std::vector<std::int64_t>& old_of_new = {});
/// Prints a line for each file.
void print_plots(const PlotFiles& files);

}  // namespace gpusupernodal::cli
