#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/stopwatch.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/multiply_by.hpp"
#include "cli/options.hpp"
#include "cli/precision.hpp"
#include "cli/print.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "io/complex_matrix.hpp"
#include "io/generators.hpp"
#include "io/rectangular_matrix.hpp"
#include "io/residual.hpp"

namespace gpusupernodal::cli {
namespace {

struct MultiplyOptions {
  std::string matrix;
  std::string by;
  std::string output;
  std::string backend = name_of(Backend::automatic);
  std::string format = name_of(Format::automatic);
  std::string tuning = name_of(Tuning::model);
  std::string precision = "double";
  int threads = 0;
  int device = -1;
  int repeat = 20;
  bool general = false;
  bool json = false;
};

/// A product with a vector of ones, and its times with vectors in host memory.
struct ProductOutcome {
  double update_seconds = 0.0;
  double multiply_seconds = 0.0;  ///< Median.
  double difference = 0.0;        ///< Difference to a plain product: ‖y − A·1‖∞ / ‖A·1‖∞.
};

template <class T, class Matrix>
ProductOutcome multiply_with(SparseOperator<T>& op, const Matrix& a, int repeat) {
  using Double = typename decltype(a.values)::value_type;
  std::vector<T> values;
  values.reserve(a.values.size());
  for (const Double& value : a.values) values.push_back(static_cast<T>(value));
  const SparseView<Double> from(a.view());
  SparseView<T> view;
  view.rows = from.rows;
  view.columns = from.columns;
  view.offsets = from.offsets;
  view.indices = from.indices;
  view.part = from.part;
  view.compression = from.compression;
  op.analyze(view);
  const std::vector<T> ones(static_cast<std::size_t>(from.columns), T(1));
  std::vector<T> y(static_cast<std::size_t>(from.rows));
  ProductOutcome outcome;
  Stopwatch watch;
  op.update(values);
  outcome.update_seconds = watch.lap();
  std::vector<double> seconds;
  for (int r = 0; r < repeat; ++r) {
    watch.lap();
    op.multiply(DenseView<const T>(ones.data(), from.columns), DenseView<T>(y.data(), from.rows));
    seconds.push_back(watch.lap());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeat / 2, seconds.end());
  outcome.multiply_seconds = seconds[static_cast<std::size_t>(repeat / 2)];
  const std::vector<Double> expected = io::multiply(a, std::vector<Double>(ones.size(), Double(1)));
  double largest = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    outcome.difference = std::max(outcome.difference, std::abs(static_cast<Double>(y[i]) - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  if (largest > 0.0) outcome.difference /= largest;
  return outcome;
}

Json report_json(const OperatorReport& report, const ProductOutcome& outcome) {
  Json candidates = Json::array();
  for (const FormatCandidate& c : report.candidates) {
    candidates.push_back({{"kernel", c.kernel},
                          {"refusal", c.refusal},
                          {"padding", c.padding},
                          {"product_bytes", c.product_bytes},
                          {"predicted_seconds", c.predicted_seconds},
                          {"measured_seconds", c.measured_seconds}});
  }
  return {{"backend", name_of(report.backend)},
          {"backend_reason", report.backend_reason},
          {"format", name_of(report.format)},
          {"kernel", report.kernel},
          {"rows", report.rows},
          {"columns", report.columns},
          {"entries", report.entries},
          {"stored_values", report.stored_values},
          {"padding", report.padding},
          {"memory_bytes", report.memory_bytes},
          {"product_bytes", report.product_bytes},
          {"predicted_seconds", report.predicted_seconds},
          {"figures", report.figures},
          {"analyze_seconds", report.analyze_seconds},
          {"update_seconds", outcome.update_seconds},
          {"multiply_seconds", outcome.multiply_seconds},
          {"difference", outcome.difference},
          {"candidates", candidates}};
}

void print_report(const OperatorReport& report, const ProductOutcome& outcome) {
  print_line("backend", fmt::format("{} ({})", name_of(report.backend), report.backend_reason));
  print_line("format", fmt::format("{}, {:.1f} % padding", report.kernel, 100.0 * report.padding));
  print_line("memory", bytes_text(report.memory_bytes));
  print_line("product", fmt::format("{}, predicted {} with vectors where the matrix is", bytes_text(report.product_bytes),
                                    seconds_text(report.predicted_seconds)));
  print_line("figures", report.figures);
  print_line("analyze", seconds_text(report.analyze_seconds));
  print_line("update", seconds_text(outcome.update_seconds));
  print_line("multiply", fmt::format("{} with vectors in host memory", seconds_text(outcome.multiply_seconds)));
  print_line("difference", fmt::format("{:.1e} of a plain product", outcome.difference));
}

Json shape_json(const io::SymmetricMatrix& a) { return matrix_json(a); }
// Unused in builds without complex scalars.
[[maybe_unused]] Json shape_json(const io::ComplexMatrix& a) { return matrix_json(a); }

Json shape_json(const io::RectangularMatrix& a) {
  Json json{{"matrix", a.name}, {"nnz", a.indices.size()}};
  if (a.rows == a.columns) json["n"] = a.rows;
  return json;
}

void print_shape(const io::SymmetricMatrix& a) { print_matrix(a); }
[[maybe_unused]] void print_shape(const io::ComplexMatrix& a) { print_matrix(a); }

void print_shape(const io::RectangularMatrix& a) {
  const auto nonzeros = static_cast<std::int64_t>(a.indices.size());
  if (a.rows == a.columns) return print_matrix(a.name, a.rows, nonzeros);
  print_line("matrix", fmt::format("{}, {} by {}, {}", a.name, grouped(a.rows), grouped(a.columns),
                                   counted(nonzeros, "nonzero", "nonzeros")));
}

template <class T, class Matrix>
void multiply_as(const MultiplyOptions& options, const Matrix& a) {
  OperatorOptions with;
  with.backend = *backend_of(options.backend);
  with.format = *format_of(options.format);
  with.tuning = *tuning_of(options.tuning);
  with.threads = options.threads;
  with.device = options.device;
  if constexpr (std::is_same_v<Matrix, io::ComplexMatrix>) with.symmetry = a.symmetry;
  SparseOperator<T> op(with);
  const ProductOutcome outcome = multiply_with(op, a, options.repeat);
  if (options.json) {
    Json json = shape_json(a);
    json.update(report_json(op.report(), outcome));
    print_json(json);
    return;
  }
  print_shape(a);
  print_report(op.report(), outcome);
}

ExitCode run_by(const MultiplyOptions& options) {
  return multiply_by({options.matrix, options.by, options.output, options.backend, options.threads, options.device,
                      options.repeat, options.precision == "float", options.json});
}

/// As load_matrix; the sentence about a matrix that is not symmetric names --general.
io::SymmetricMatrix load_half(const std::string& spec) {
  refuse_misspelt_generator(spec);
  if (io::is_general_generator(spec)) {
    throw InvalidInput(fmt::format("the generated matrix '{}' is not symmetric; add --general to multiply by it.", spec),
                       __FILE__, __LINE__);
  }
  try {
    return io::load(spec);
  } catch (const io::NotSymmetric& e) {
    throw io::FileError(fmt::format("{} Add --general to multiply by it.", e.what()), __FILE__, __LINE__);
  }
}

/// A complex file: with --general of any symmetry, else Hermitian or symmetric.
io::ComplexMatrix load_complex(const MultiplyOptions& options) {
  try {
    return options.general ? io::read_complex_matrix_market(options.matrix)
                           : io::read_complex_half_matrix_market(options.matrix);
  } catch (const io::NotSymmetric& e) {
    throw io::FileError(fmt::format("{} Add --general to multiply by it.", e.what()), __FILE__, __LINE__);
  }
}

template <class Load>
ExitCode run(const MultiplyOptions& options, const Load& load) {
  const bool is_float = options.precision == "float";
  require_precision<float, std::complex<float>>(is_float);
  try {
    const auto a = load(options.matrix);
    in_precision<float, double>(is_float, [&](auto scalar) { multiply_as<decltype(scalar)>(options, a); });
  } catch (const io::HoldsComplexNumbers&) {
    const io::ComplexMatrix a = load_complex(options);
    in_precision<std::complex<float>, std::complex<double>>(is_float,
                                                            [&](auto scalar) { multiply_as<decltype(scalar)>(options, a); });
  }
  return ExitCode::success;
}

}  // namespace

Command add_multiply(CLI::App& parent) {
  auto options = std::make_shared<MultiplyOptions>();
  CLI::App* app = parent.add_subcommand("multiply", "prepare A for products, and time them");
  app->add_option("matrix", options->matrix, "Matrix Market file, plain or gzip, or a generated\nmatrix (lap3d:40)")
      ->required()
      ->option_text("A");
  CLI::Option* const by =
      app->add_option("--by", options->by, "multiply by this sparse matrix instead of vectors")->option_text("B");
  app->add_option("-o", options->output, "Matrix Market file for the product A·B")->option_text("C")->needs(by);
  add_choice(*app, "--backend", options->backend, backend_names,
             "where to multiply; auto takes CUDA if a device is\nfound (default auto)");
  add_choice(*app, "--format", options->format, format_names, "how A is stored; auto takes the fastest (default auto)");
  add_choice(*app, "--tuning", options->tuning, tuning_names,
             "how auto decides: by predicted or by measured times\n(default model)");
  add_choice(*app, "--precision", options->precision, precision_names, "precision of A and of the vectors (default double)");
  app->add_flag("--general", options->general, "A need be neither symmetric nor square; all of its\nentries are stored");
  app->add_option("--repeat", options->repeat, "products to time; the median counts (default 20)")
      ->check(CLI::Range(1, 1000000))
      ->option_text("N");
  app->add_option("--threads", options->threads, "host threads (default: all that the process may use)")->option_text("N");
  app->add_option("--device", options->device, "number of the CUDA device (default: the current one)")->option_text("N");
  app->add_flag("--json", options->json, "print JSON instead of text");
  add_color(*app);
  return {app, [options] {
            if (!options->by.empty()) return run_by(*options);
            return options->general ? run(*options, load_rectangular_matrix) : run(*options, load_half);
          }};
}

}  // namespace gpusupernodal::cli
