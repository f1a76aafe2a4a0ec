#pragma once

/// \file
/// Everything that a report shows.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/plot/pattern_cells.hpp"
#include "cli/report/spectrum.hpp"
#include "cli/report/tree_levels.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/sparse_operator.hpp"

namespace gpusupernodal::cli {

/// A part of the report. If it is not complete, `note` says why; if it is, `note` may qualify its figures.
struct Part {
  bool is_complete = false;
  std::string note;
};

struct MatrixFigures {
  std::string name;
  std::int64_t n = 0;
  std::int64_t entries = 0;
  bool is_symmetric = false;
  std::string kind;  ///< Such as "symmetric positive definite".
  Form form = Form::llt;
};

struct MachineDescription {
  std::string processor;
  int threads = 0;
  std::int64_t memory_bytes = 0;
  std::vector<BackendInfo> backends;
  std::string date;  ///< UTC, to the minute.
};

struct PatternFigures : Part {
  int cells = 0;
  std::int64_t largest = 0;  ///< Entries of the fullest cell of both pictures.
  std::string given;         ///< Shades, as shades_of makes them.
  std::string eliminated;    ///< Empty without an elimination order.
  RowLengths rows;
};

struct AnalysisFigures : Part {
  AnalyzeReport report;
  TreeLevels tree;
};

/// What an ordering would give.
struct OrderingFigures {
  Ordering ordering = Ordering::automatic;
  bool is_chosen = false;
  std::int64_t nonzeros_l = 0;
  double flops = 0.0;
  std::int64_t memory_bytes = 0;
  double seconds = 0.0;
};

struct OrderingsFigures : Part {
  std::vector<OrderingFigures> candidates;
};

struct DirectFigures : Part {
  double analyze_seconds = 0.0;
  double factorize_seconds = 0.0;    ///< The first one.
  double refactorize_seconds = 0.0;  ///< Median.
  double solve_seconds = 0.0;        ///< Median, one right-hand side.
  double backward_error = 0.0;
  double bytes_of_l = 0.0;             ///< Read by a solve.
  double reciprocal_condition = -1.0;  ///< −1: not estimated.
  FactorReport factor;                 ///< Its regimes are those of a traced factorization.
};

struct SpectrumFigures : Part {
  std::string of;  ///< The matrix whose eigenvalues these are.
  std::vector<RitzPair> steps;
};

struct FormatFigures : Part {
  OperatorReport report;
  double product_seconds = 0.0;  ///< Median of the chosen format, with vectors in host memory.
};

/// A solve by conjugate gradients.
struct PcgFigures : Part {
  std::string preconditioner;  ///< With "factor, single" for the mixed method.
  PcgReport report;
  double analyze_seconds = 0.0;
  double setup_seconds = 0.0;  ///< The first one; of the preconditioner `factor` with its analysis.
  double again_seconds = 0.0;  ///< Set-up for new values.
  double solve_seconds = 0.0;
  double backward_error = 0.0;
  std::vector<std::pair<std::int64_t, double>> residuals;  ///< Iteration and ‖r‖ / ‖b‖.
};

struct ConvergenceFigures : Part {
  double tolerance = 0.0;
  std::vector<PcgFigures> runs;
};

/// A point below the roof.
struct RooflinePoint {
  std::string what;
  double flops = 0.0;
  double bytes = 0.0;
  double seconds = 0.0;
};

struct RooflineFigures : Part {
  MachineRates model;
  double measured_flops_per_second = 0.0;  ///< Rate of a dense factorization here; 0: not measured.
  double measured_bytes_per_second = 0.0;  ///< Rate of a + s·b here; 0: not measured.
  std::vector<RooflinePoint> points;
};

/// Lines to paste for a method. "@FACTORIZATIONS@" stands for the number of factorizations.
struct Paste {
  std::string petsc;
  std::string eigen;
  std::string cpp;
  std::string python;
  std::string command;
};

/// The times of a way to solve, as measured.
struct MethodFigures {
  std::string method;          ///< "direct", "mixed" or "pcg".
  std::string preconditioner;  ///< Preconditioner of pcg.
  double analyze_seconds = 0.0;
  double first_seconds = 0.0;  ///< Factorization or set-up for the first values.
  double again_seconds = 0.0;  ///< Factorization or set-up for new values.
  double solve_seconds = 0.0;
  double backward_error = 0.0;
  Paste paste;

  /// Time of `solves` solves, with one matrix or each with new values.
  double total(double solves, bool new_values) const {
    return analyze_seconds + first_seconds + (new_values ? (solves - 1.0) * again_seconds : 0.0) + solves * solve_seconds;
  }
};

/// A number of bytes with its meaning.
struct MemoryFigure {
  std::string what;
  std::int64_t bytes = 0;
};

struct ReportFigures {
  MatrixFigures matrix;
  MachineDescription machine;
  PatternFigures pattern;
  AnalysisFigures analysis;
  OrderingsFigures orderings;
  DirectFigures direct;
  SpectrumFigures spectrum;
  FormatFigures formats;
  ConvergenceFigures convergence;
  RooflineFigures roofline;
  std::vector<MethodFigures> methods;
  std::vector<MemoryFigure> memory;
  double limit_seconds = 0.0;
  double read_seconds = 0.0;
  double total_seconds = 0.0;
};

/// The number in `methods` of the fastest for this many solves; methods.size() if there is none.
std::size_t fastest(const std::vector<MethodFigures>& methods, double solves, bool new_values);

}  // namespace gpusupernodal::cli
