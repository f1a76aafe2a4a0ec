/// \file
/// Times sparse products on the host beside MKL's sparse routines, in turns in one process: y = A·x, Y = A·X, and C = A·A.
/// Prints a Markdown table, or a line of JSON for each matrix. Exits 1 if results differ.

#include <mkl_service.h>
#include <mkl_spblas.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "io/general_matrix.hpp"

namespace {

using namespace gpusupernodal;
using nlohmann::json;

struct Settings {
  int threads = 0;
  int rounds = 21;
  int columns = 1;
  bool sparse = false;
  bool json = false;
};

void require(sparse_status_t status, const char* call) {
  if (status != SPARSE_STATUS_SUCCESS) throw std::runtime_error(std::string(call) + ": status " + std::to_string(status));
}

/// A matrix by rows for MKL, which refers to the arrays.
class MklMatrix {
 public:
  explicit MklMatrix(io::GeneralMatrix& a) : offsets_(a.offsets.begin(), a.offsets.end()) {
    const auto n = static_cast<MKL_INT>(a.n);
    require(mkl_sparse_d_create_csr(&handle_, SPARSE_INDEX_BASE_ZERO, n, n, offsets_.data(), offsets_.data() + 1,
                                    a.indices.data(), a.values.data()),
            "mkl_sparse_d_create_csr");
  }
  explicit MklMatrix(sparse_matrix_t handle) : handle_(handle) {}
  MklMatrix(const MklMatrix&) = delete;
  MklMatrix& operator=(const MklMatrix&) = delete;
  ~MklMatrix() { mkl_sparse_destroy(handle_); }

  /// MKL chooses its kernels for many products with this number of columns.
  void optimize(int columns) {
    constexpr MKL_INT many = 1000;
    if (columns == 1)
      require(mkl_sparse_set_mv_hint(handle_, SPARSE_OPERATION_NON_TRANSPOSE, general, many), "mkl_sparse_set_mv_hint");
    else
      require(mkl_sparse_set_mm_hint(handle_, SPARSE_OPERATION_NON_TRANSPOSE, general, SPARSE_LAYOUT_COLUMN_MAJOR, columns,
                                     many),
              "mkl_sparse_set_mm_hint");
    require(mkl_sparse_optimize(handle_), "mkl_sparse_optimize");
  }
  void multiply(const std::vector<double>& x, std::vector<double>& y, std::int64_t n, int columns) const {
    const auto rows = static_cast<MKL_INT>(n);
    if (columns == 1)
      require(mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1.0, handle_, general, x.data(), 0.0, y.data()),
              "mkl_sparse_d_mv");
    else
      require(mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1.0, handle_, general, SPARSE_LAYOUT_COLUMN_MAJOR, x.data(),
                              columns, rows, 0.0, y.data(), rows),
              "mkl_sparse_d_mm");
  }
  sparse_matrix_t square() const {
    sparse_matrix_t result = nullptr;
    require(mkl_sparse_spmm(SPARSE_OPERATION_NON_TRANSPOSE, handle_, handle_, &result), "mkl_sparse_spmm");
    return result;
  }
  /// C's numbers for the pattern that `square` made.
  void square_again(sparse_matrix_t& result) const {
    require(mkl_sparse_sp2m(SPARSE_OPERATION_NON_TRANSPOSE, general, handle_, SPARSE_OPERATION_NON_TRANSPOSE, general,
                            handle_, SPARSE_STAGE_FINALIZE_MULT, &result),
            "mkl_sparse_sp2m");
  }

 private:
  static constexpr matrix_descr general = {SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_LOWER, SPARSE_DIAG_NON_UNIT};
  std::vector<MKL_INT> offsets_;
  sparse_matrix_t handle_ = nullptr;
};

/// The arrays of a matrix by columns, read by rows: its transpose.
SparseView<double> by_rows(const io::GeneralMatrix& a) {
  MatrixView<double> view = a.view();
  view.compression = Compression::rows;
  return view;
}

struct Pair {
  double ours = 0.0;
  double mkl = 0.0;
};

/// Medians of rounds in turns; each round repeats its call until about two milliseconds have passed.
Pair in_turns(int rounds, const std::function<void()>& ours, const std::function<void()>& mkl) {
  const auto calls_of = [](const std::function<void()>& call) {
    call();
    return static_cast<int>(std::clamp(2e-3 / bench::seconds_of(call), 1.0, 1000.0));
  };
  const int our_calls = calls_of(ours);
  const int mkl_calls = calls_of(mkl);
  const auto round = [](const std::function<void()>& call, int calls) {
    return bench::seconds_of([&] {
             for (int k = 0; k < calls; ++k) call();
           }) /
           calls;
  };
  std::vector<double> our_times;
  std::vector<double> mkl_times;
  for (int r = 0; r < rounds; ++r) {
    our_times.push_back(round(ours, our_calls));
    mkl_times.push_back(round(mkl, mkl_calls));
  }
  return {bench::median(our_times), bench::median(mkl_times)};
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(a[i]));
  }
  return size > 0.0 ? difference / size : difference;
}

json compare_products(io::GeneralMatrix& a, const Settings& settings) {
  OperatorOptions options;
  options.backend = Backend::host;
  options.threads = settings.threads;
  SparseOperator<double> ours(options);
  ours.analyze(by_rows(a));
  MklMatrix mkl(a);
  mkl.optimize(settings.columns);
  const std::size_t size = static_cast<std::size_t>(a.n) * static_cast<std::size_t>(settings.columns);
  std::vector<double> x(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = std::sin(static_cast<double>(i));
  std::vector<double> y(size);
  std::vector<double> mkl_y(size);
  const Pair times = in_turns(
      settings.rounds,
      [&] {
        ours.multiply(DenseView<const double>(x.data(), a.n, settings.columns, a.n),
                      DenseView<double>(y.data(), a.n, settings.columns, a.n));
      },
      [&] { mkl.multiply(x, mkl_y, a.n, settings.columns); });
  return {{"format", name_of(ours.report().format)},
          {"ms", times.ours * 1e3},
          {"mkl_ms", times.mkl * 1e3},
          {"difference", largest_difference(y, mkl_y)}};
}

/// The first product, which includes the pattern, and a later one for other values.
json compare_sparse_products(io::GeneralMatrix& a, const Settings& settings) {
  ProductOptions options;
  options.backend = Backend::host;
  options.threads = settings.threads;
  const Span<const double> values(a.values);
  const MklMatrix mkl(a);
  const Pair first = in_turns(
      std::max(3, settings.rounds / 7),
      [&] {
        SparseProduct<double> product(options);
        product.analyze(by_rows(a), by_rows(a));
        product.compute(values, values);
      },
      [&] { const MklMatrix c(mkl.square()); });
  SparseProduct<double> product(options);
  product.analyze(by_rows(a), by_rows(a));
  sparse_matrix_t square = mkl.square();
  const Pair again = in_turns(
      settings.rounds, [&] { product.compute(values, values); }, [&] { mkl.square_again(square); });
  const MklMatrix c(square);
  require(mkl_sparse_order(square), "mkl_sparse_order");
  sparse_index_base_t base = SPARSE_INDEX_BASE_ZERO;
  MKL_INT rows = 0;
  MKL_INT columns = 0;
  MKL_INT* begins = nullptr;
  MKL_INT* ends = nullptr;
  MKL_INT* indices = nullptr;
  double* numbers = nullptr;
  require(mkl_sparse_d_export_csr(square, &base, &rows, &columns, &begins, &ends, &indices, &numbers),
          "mkl_sparse_d_export_csr");
  std::vector<double> our_values(static_cast<std::size_t>(product.report().entries));
  product.copy_values(Span<double>(our_values));
  const bool same_count = ends[rows - 1] == product.report().entries;
  const double difference = same_count ? largest_difference(our_values, {numbers, numbers + our_values.size()})
                                       : std::numeric_limits<double>::infinity();
  return {{"entries_of_c", product.report().entries},
          {"ms", first.ours * 1e3},
          {"mkl_ms", first.mkl * 1e3},
          {"again_ms", again.ours * 1e3},
          {"mkl_again_ms", again.mkl * 1e3},
          {"difference", difference}};
}

void print_row(const json& row) {
  const auto number = [&](const char* key) { return row[key].get<double>(); };
  fmt::print("| {} | {} | {} | ", row["matrix"].get<std::string>(), row["n"].get<std::int64_t>(),
             row["entries"].get<std::int64_t>());
  if (row.contains("again_ms"))
    fmt::print("{} | {:.3g} | {:.3g} | {:.2f} | {:.3g} | {:.3g} | {:.2f} |\n", row["entries_of_c"].get<std::int64_t>(),
               number("ms"), number("mkl_ms"), number("mkl_ms") / number("ms"), number("again_ms"), number("mkl_again_ms"),
               number("mkl_again_ms") / number("again_ms"));
  else
    fmt::print("{} | {:.3g} | {:.3g} | {:.2f} |\n", row["format"].get<std::string>(), number("ms"), number("mkl_ms"),
               number("mkl_ms") / number("ms"));
}

int run(const std::vector<std::string>& matrices, const Settings& settings) {
  if (settings.threads > 0) mkl_set_num_threads(settings.threads);
  if (!settings.json && settings.sparse)
    fmt::print(
        "| matrix | n | entries | entries of C | first ms | MKL | MKL / ours | again ms | MKL | MKL / ours |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n");
  if (!settings.json && !settings.sparse)
    fmt::print("| matrix | n | entries | format | ms | MKL | MKL / ours |\n|---|---|---|---|---|---|---|\n");
  bool right = true;
  for (const std::string& name : matrices) {
    io::GeneralMatrix a = io::load_general(name);
    json row = settings.sparse ? compare_sparse_products(a, settings) : compare_products(a, settings);
    row["matrix"] = a.name;
    row["n"] = a.n;
    row["entries"] = static_cast<std::int64_t>(a.values.size());
    const double bound = 100.0 * std::sqrt(static_cast<double>(a.n)) * std::numeric_limits<double>::epsilon();
    right = right && row["difference"].get<double>() <= bound;
    if (settings.json)
      fmt::print("{}\n", row.dump());
    else
      print_row(row);
    if (row["difference"].get<double>() > bound)
      fmt::print(stderr, "{}: results differ by {:.2g}\n", name, row["difference"].get<double>());
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Sparse products on the host beside MKL's sparse routines");
  Settings settings;
  std::vector<std::string> matrices;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--threads", settings.threads, "threads; 0: all")->check(CLI::NonNegativeNumber);
  app.add_option("--rounds", settings.rounds, "rounds of each")->check(CLI::PositiveNumber);
  app.add_option("--columns", settings.columns, "columns of X")->check(CLI::PositiveNumber);
  app.add_flag("--sparse", settings.sparse, "A*A in place of A*X");
  app.add_flag("--json", settings.json, "lines of JSON");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(matrices, settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_mkl_products: {}\n", error.what());
    return 1;
  }
}
