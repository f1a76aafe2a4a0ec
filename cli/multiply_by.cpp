#include "cli/multiply_by.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <vector>

#include "base/output_file.hpp"
#include "base/stopwatch.hpp"
#include "cli/json.hpp"
#include "cli/load_matrix.hpp"
#include "cli/precision.hpp"
#include "cli/print.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/sparse_product.hpp"

namespace gpusupernodal::cli {
namespace {

template <class T>
struct Result {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices;
  std::vector<T> values;
  double first_seconds = 0.0;   ///< compute for the first time.
  double repeat_seconds = 0.0;  ///< Median of later ones.
};

template <class T>
Result<T> computed(SparseProduct<T>& product, const io::RectangularMatrix& a, const io::RectangularMatrix& b, int repeat) {
  const std::vector<T> left(a.values.begin(), a.values.end()), right(b.values.begin(), b.values.end());
  Result<T> result;
  Stopwatch watch;
  product.compute(left, right);
  result.first_seconds = watch.lap();
  std::vector<double> seconds;
  for (int r = 0; r < repeat; ++r) {
    watch.lap();
    product.compute(left, right);
    seconds.push_back(watch.lap());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeat / 2, seconds.end());
  result.repeat_seconds = seconds[static_cast<std::size_t>(repeat / 2)];
  result.offsets.resize(static_cast<std::size_t>(product.rows()) + 1);
  result.indices.resize(static_cast<std::size_t>(product.report().entries));
  result.values.resize(result.indices.size());
  product.copy_pattern(result.offsets, result.indices);
  product.copy_values(result.values);
  return result;
}

template <class T>
void write_product(const std::string& path, const Result<T>& c, std::int64_t columns) {
  OutputFile file(path);
  constexpr std::size_t flush_bytes = std::size_t{1} << 16;
  fmt::memory_buffer text;
  const auto rows = static_cast<std::int64_t>(c.offsets.size()) - 1;
  fmt::format_to(std::back_inserter(text), "%%MatrixMarket matrix coordinate real general\n{} {} {}\n", rows, columns,
                 c.values.size());
  for (std::int64_t i = 0; i < rows && !file.error(); ++i) {
    for (auto e = static_cast<std::size_t>(c.offsets[static_cast<std::size_t>(i)]);
         e < static_cast<std::size_t>(c.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
      fmt::format_to(std::back_inserter(text), "{} {} {:.17g}\n", i + 1, c.indices[e] + 1, static_cast<double>(c.values[e]));
    }
    if (text.size() < flush_bytes) continue;
    file.write(text.data(), text.size());
    text.clear();
  }
  file.write(text.data(), text.size());
  if (const std::error_code error = file.commit())
    throw io::FileError(fmt::format("{}: cannot be written: {}.", path, error.message()), __FILE__, __LINE__);
}

void print_product(const ProductReport& report, double first, double repeat, bool json) {
  if (json) {
    return print_json(Json{{"backend", name_of(report.backend)},
                           {"backend_reason", report.backend_reason},
                           {"rows", report.rows},
                           {"columns", report.columns},
                           {"entries", report.entries},
                           {"products", report.products},
                           {"block", report.block},
                           {"has_places", report.has_places},
                           {"memory_bytes", report.memory_bytes},
                           {"peak_bytes", report.peak_bytes},
                           {"reference_bytes", report.reference_bytes},
                           {"analyze_seconds", report.analyze_seconds},
                           {"compute_seconds", first},
                           {"repeat_seconds", repeat}});
  }
  print_line("product", fmt::format("{} by {}, {} entries", report.rows, report.columns, report.entries));
  print_line("sums", fmt::format("{} products, blocks of {}", report.products, report.block));
  print_line("backend", fmt::format("{} ({})", name_of(report.backend), report.backend_reason));
  print_line("memory",
             fmt::format("{}, at most {} during analyze; A, B and the product have {}", bytes_text(report.memory_bytes),
                         bytes_text(report.peak_bytes), bytes_text(report.reference_bytes)));
  print_line("analyze", seconds_text(report.analyze_seconds));
  print_line("compute", fmt::format("{}, then {} with values in host memory", seconds_text(first), seconds_text(repeat)));
}

template <class T>
void run(const MultiplyByOptions& options) {
  const io::RectangularMatrix a = load_rectangular_matrix(options.left), b = load_rectangular_matrix(options.right);
  ProductOptions with;
  with.backend = *backend_of(options.backend);
  with.threads = options.threads;
  with.device = options.device;
  SparseProduct<T> product(with);
  const auto pattern = [](const io::RectangularMatrix& m) {
    SparseView<T> view;
    view.rows = m.rows;
    view.columns = m.columns;
    view.offsets = m.offsets.data();
    view.indices = m.indices.data();
    view.compression = Compression::columns;
    return view;
  };
  product.analyze(pattern(a), pattern(b));
  const Result<T> result = computed(product, a, b, options.repeat);
  if (!options.output.empty()) write_product(options.output, result, product.columns());
  print_product(product.report(), result.first_seconds, result.repeat_seconds, options.json);
}

}  // namespace

ExitCode multiply_by(const MultiplyByOptions& options) {
  in_precision<float, double>(options.is_single, [&](auto scalar) { run<decltype(scalar)>(options); });
  return ExitCode::success;
}

}  // namespace gpusupernodal::cli
