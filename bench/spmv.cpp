/// \file
/// Times sparse products on a CUDA device: every format that a matrix fits, cache-warm and back to back by CUDA events, with
/// the model's prediction, and cuSPARSE beside it. Prints a line of JSON for each kernel and then a Markdown table.

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/cusparse_product.hpp"
#include "bench/device_array.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace {

using namespace gpusupernodal;
using bench::Array;

struct Settings {
  int rounds = 5;
  bool general = false;
  bool single = false;
  std::int64_t columns = 1;
  std::string format = name_of(Format::automatic);
  std::string json;
};

/// Seconds of one call of `product`, the median of some rounds of many calls.
double device_seconds(int rounds, const std::function<void()>& product) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  const auto round = [&](int calls) {
    cudaEventRecord(begin, nullptr);
    for (int k = 0; k < calls; ++k) product();
    cudaEventRecord(end, nullptr);
    cudaEventSynchronize(end);
    float milliseconds = 0.0F;
    cudaEventElapsedTime(&milliseconds, begin, end);
    return static_cast<double>(milliseconds) * 1e-3 / calls;
  };
  round(3);
  const int calls = static_cast<int>(std::clamp(2e-3 / round(5), 20.0, 400.0));
  std::vector<double> seconds;
  for (int r = 0; r < rounds; ++r) seconds.push_back(round(calls));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return bench::median(seconds);
}

struct Problem {
  std::string name;
  RowPattern pattern;
  std::vector<double> values;

  /// The values by rows.
  std::vector<double> row_values() const {
    std::vector<double> result;
    for (std::int64_t e = 0; e < pattern.entries(); ++e)
      result.push_back(values[static_cast<std::size_t>(pattern.source_of(e))]);
    return result;
  }
};

Problem load_problem(const std::string& name, bool general) {
  if (general) {
    const io::GeneralMatrix a = io::load_general(name);
    const MatrixView<double> v = a.view();
    return {a.name, make_row_pattern({v.n, v.n, v.offsets, v.indices, v.part, v.compression}), a.values};
  }
  const io::SymmetricMatrix a = io::load(name);
  const MatrixView<double> v = a.view();
  return {a.name, make_row_pattern({v.n, v.n, v.offsets, v.indices, v.part, v.compression}), a.values};
}

/// One line of the table.
struct Row {
  std::string kernel;
  double seconds = 0.0;
  double predicted = 0.0;
};

/// Error of one column, relative to the sum of the magnitudes of its terms.
double largest_difference(const Problem& problem, const double* x, const double* y) {
  double largest = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.pattern.rows); ++i) {
    double sum = 0.0, magnitude = 0.0;
    for (std::int32_t e = problem.pattern.offsets[i]; e < problem.pattern.offsets[i + 1]; ++e) {
      const double term = problem.values[static_cast<std::size_t>(problem.pattern.source_of(e))] *
                          x[problem.pattern.index[static_cast<std::size_t>(e)]];
      sum += term;
      magnitude += std::abs(term);
    }
    const double difference = std::abs(y[i] - sum) / (magnitude > 0.0 ? magnitude : 1.0);
    largest = difference <= largest ? largest : difference;
  }
  return largest;
}

template <class T>
bool measure(const Problem& problem, const Settings& settings, std::FILE* json) {
  const std::int64_t k = settings.columns;
  std::vector<double> numbers(static_cast<std::size_t>(problem.pattern.columns * k));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1.0 + static_cast<double>(i % 17) / 16.0;
  Array<T> x(numbers, MemorySpace::device);
  Array<T> y(std::vector<double>(static_cast<std::size_t>(problem.pattern.rows * k)), MemorySpace::device);
  const std::vector<T> values(problem.values.begin(), problem.values.end());
  const LayoutWish wish{format_of(settings.format).value(), Backend::cuda, sizeof(T)};
  std::vector<Row> rows;
  bool good = true;
  for (const LayoutCandidate& candidate : layout_candidates(problem.pattern, wish)) {
    if (!candidate.refusal.empty()) continue;
    const auto apply = make_cuda_apply<T>(candidate.make(), {});
    apply->update(values.data(), MemorySpace::host);
    const DenseView<const T> from(x.data(), problem.pattern.columns, k, problem.pattern.columns, MemorySpace::device);
    const DenseView<T> to(y.data(), problem.pattern.rows, k, problem.pattern.rows, MemorySpace::device);
    const double seconds = device_seconds(settings.rounds, [&] { apply->multiply(T(1), from, T(0), to); });
    const std::vector<double> result = y.to_host();
    double error = 0.0;
    for (std::int64_t c = 0; c < k; c += std::max<std::int64_t>(k - 1, 1))
      error = std::max(error, largest_difference(problem, numbers.data() + c * problem.pattern.columns,
                                                 result.data() + c * problem.pattern.rows));
    good = good && error <= 1e3 * static_cast<double>(std::numeric_limits<T>::epsilon());
    rows.push_back({candidate.kernel, seconds, candidate.seconds});
    ::fmt::print(
        json,
        "{{\"matrix\": \"{}\", \"columns\": {}, \"scalar\": \"{}\", \"symmetric\": {}, \"rows\": {}, \"entries\": {}, "
        "\"kernel\": \"{}\", "
        "\"stored\": {:.0f}, \"bytes\": {:.0f}, \"cached\": {:.0f}, \"warps\": {}, \"warp_steps\": {}, \"steps\": {}, "
        "\"predicted\": {:.4e}, \"seconds\": {:.4e}, "
        "\"error\": {:.1e}}}\n",
        problem.name, k, sizeof(T) == 4 ? "float" : "double", problem.pattern.symmetric, problem.pattern.rows,
        problem.pattern.entries(), candidate.kernel, candidate.shape.stored_values, candidate.shape.bytes,
        candidate.shape.cached_bytes, candidate.shape.warps, candidate.shape.warp_steps, candidate.shape.steps,
        candidate.seconds, seconds, error);
  }
  const std::string predicted = rows.empty() ? "" : rows.front().kernel;
  const double predicted_seconds = rows.empty() ? 0.0 : rows.front().seconds;
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.seconds < b.seconds; });
  std::vector<bench::PeerProduct> peers;
  if constexpr (sizeof(T) == sizeof(double)) {
    const std::vector<double> by_rows = problem.row_values();
    peers =
        bench::time_cusparse({problem.pattern.rows, problem.pattern.columns, problem.pattern.offsets.data(),
                              problem.pattern.index.data(), by_rows.data(), x.data(), y.data(), k},
                             [&](const std::function<void()>& product) { return device_seconds(settings.rounds, product); });
  }
  std::string peer_cells;
  for (const bench::PeerProduct& peer : peers) {
    ::fmt::print(
        json, "{{\"matrix\": \"{}\", \"columns\": {}, \"scalar\": \"double\", \"kernel\": \"{}\", \"seconds\": {:.4e}}}\n",
        problem.name, k, peer.kernel, peer.seconds);
    peer_cells += ::fmt::format(" {:.1f} |", peer.seconds * 1e6);
  }
  if (rows.empty()) return good;
  ::fmt::print("| {} | {} | {} | {:.1f} | {} | {:.1f} |{}\n", problem.name, sizeof(T) == 4 ? "float" : "double", predicted,
               predicted_seconds * 1e6, rows.front().kernel, rows.front().seconds * 1e6, peer_cells);
  std::fflush(stdout);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Sparse products on a device");
  std::vector<std::string> matrices;
  Settings settings;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--rounds", settings.rounds, "Rounds of many products; the median counts")->check(CLI::PositiveNumber);
  app.add_option("--format", settings.format, "Only this format");
  app.add_option("--columns", settings.columns, "Columns of x and y")->check(CLI::PositiveNumber);
  app.add_flag("--general", settings.general, "Take matrices as general ones: no half of them is stored");
  app.add_flag("--single", settings.single, "Measure float, too");
  app.add_option("--json", settings.json, "File for a line of JSON for each kernel")->required();
  CLI11_PARSE(app, argc, argv);
  std::FILE* const json = std::fopen(settings.json.c_str(), "a");
  if (json == nullptr) return 2;
  const bool one = settings.columns == 1;
  ::fmt::print("| matrix | scalar | chosen | µs | fastest | µs | cuSPARSE CSR {} |\n",
               one ? "alg1 | alg2 | SELL 32" : "alg1 | alg2 | alg3 | by rows alg2 | alg3");
  ::fmt::print("|---|---|---|---|---|---|{}\n", one ? "---|---|---|" : "---|---|---|---|---|");
  bool good = true;
  for (const std::string& name : matrices) {
    const Problem problem = load_problem(name, settings.general);
    good = measure<double>(problem, settings, json) && good;
    if (settings.single) good = measure<float>(problem, settings, json) && good;
  }
  std::fclose(json);
  return good ? 0 : 1;
}
