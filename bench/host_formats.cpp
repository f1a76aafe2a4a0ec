/// \file
/// Times sparse products on the host in every format that a matrix fits, best of many rounds, with the model's prediction.
/// Prints a line of JSON for each matrix. With --fit, fits the figures of solver/sparse/product_figures.cpp to them first
/// and prints them; matrices after --judge are predicted, not fitted.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/timing.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/sparse/product_fit.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace {

using namespace gpusupernodal;
using Json = nlohmann::json;

struct Settings {
  std::vector<std::string> fitted;
  std::vector<std::string> judged;
  std::vector<int> threads{1, 0};
  int rounds = 40;
  double seconds_of_round = 1e-3;
  std::string output;
};

/// Time of the calling thread, which other programs do not lengthen, or of the clock if several threads work.
double seconds_of_call(bool is_one_thread, const std::function<void()>& call) {
  if (!is_one_thread) return bench::seconds_of(call);
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  call();
  return now() - begin;
}

/// The best round; each has so many products that it takes about seconds_of_round.
double best_seconds(const Settings& settings, int threads, SparseApply<double>& apply) {
  const std::vector<double> x(static_cast<std::size_t>(apply.columns()), 1.0);
  std::vector<double> y(static_cast<std::size_t>(apply.rows()));
  const auto products = [&](int count) {
    return seconds_of_call(threads == 1,
                           [&] {
                             for (int k = 0; k < count; ++k) {
                               apply.multiply(1.0, DenseView<const double>(x.data(), apply.columns()), 0.0,
                                              DenseView<double>(y.data(), apply.rows()));
                             }
                           }) /
           count;
  };
  products(2);
  const int count = static_cast<int>(std::clamp(settings.seconds_of_round / products(3), 1.0, 10000.0));
  double best = products(count);
  for (int r = 1; r < settings.rounds; ++r) best = std::min(best, products(count));
  return best;
}

void measure(const Settings& settings, const std::string& name, const RowPattern& pattern,
             std::vector<ProductSample>& samples) {
  const std::vector<double> values(static_cast<std::size_t>(pattern.input_values), 1.0);
  for (const int threads : settings.threads) {
    for (const LayoutCandidate& candidate :
         layout_candidates(pattern, {Format::automatic, Backend::host, 8, threads, nullptr})) {
      if (!candidate.refusal.empty()) continue;
      ApplyOptions options;
      options.threads = threads;
      const auto apply = make_host_apply<double>(candidate.make(), options);
      apply->update(values.data(), MemorySpace::host);
      samples.push_back({::fmt::format("{}, {} threads", name, threads == 0 ? "all" : std::to_string(threads)),
                         candidate.kernel, candidate.shape, candidate.figures, best_seconds(settings, threads, *apply)});
    }
  }
}

/// A symmetric matrix as a half and as a general one; a general one as it is.
void measure(const Settings& settings, const std::string& name, std::vector<ProductSample>& samples) {
  const auto view_of = [](const MatrixView<double>& v) {
    return SparsePatternView{v.n, v.n, v.offsets, v.indices, v.part, v.compression};
  };
  ::fmt::print(stderr, "{}\n", name);
  if (name.rfind("general:", 0) == 0) {
    const io::GeneralMatrix a = io::load_general(name.substr(8));
    return measure(settings, a.name, make_row_pattern(view_of(a.view())), samples);
  }
  const io::SymmetricMatrix a = io::load(name);
  RowPattern pattern = make_row_pattern(view_of(a.view()));
  measure(settings, a.name + ", half", pattern, samples);
  pattern.symmetric = false;
  measure(settings, a.name, pattern, samples);
}

Json rows_of(const std::vector<ProductSample>& samples, const ProductFigures& figures) {
  Json rows = Json::array();
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t last = first, chosen = first, fastest = first;
    const auto seconds_to_choose_by = [&](std::size_t k) {
      return one_worker_seconds(samples[k].shape, figures.*samples[k].figures, figures.machine);
    };
    for (; last < samples.size() && samples[last].matrix == samples[first].matrix; ++last) {
      if (seconds_to_choose_by(last) < seconds_to_choose_by(chosen)) chosen = last;
      if (samples[last].seconds < samples[fastest].seconds) fastest = last;
    }
    rows.push_back({samples[first].matrix, samples[chosen].kernel,
                    ::fmt::format("{:.2f}", 1e6 * predicted_seconds(samples[chosen], figures)),
                    ::fmt::format("{:.2f}", 1e6 * samples[chosen].seconds), samples[fastest].kernel,
                    ::fmt::format("{:.2f}", 1e6 * samples[fastest].seconds),
                    ::fmt::format("{:.0f} %", 100.0 * (samples[chosen].seconds / samples[fastest].seconds - 1.0))});
    first = last;
  }
  return rows;
}

Json errors_json(const char* what, const std::vector<ProductSample>& samples, const ProductFigures& figures) {
  const ProductErrors e = product_errors(samples, figures);
  const auto percent = [](double share) { return ::fmt::format("{:.1f} %", 100.0 * share); };
  return {what,
          std::to_string(samples.size()),
          percent(e.median),
          percent(e.error_90),
          percent(e.mean_regret),
          percent(e.max_regret)};
}

void write(const Settings& settings, const std::vector<ProductSample>& fitted, const std::vector<ProductSample>& judged,
           const ProductFigures& figures) {
  Json all = Json::array();
  for (const auto* const samples : {&fitted, &judged}) {
    for (const ProductSample& s : *samples)
      all.push_back({s.matrix, s.kernel, 1e6 * s.seconds, 1e6 * predicted_seconds(s, figures)});
  }
  const ProductFigures& old = built_in_figures(Backend::host);
  const Json errors = {
      errors_json("fitted, built-in figures", fitted, old), errors_json("fitted, fitted figures", fitted, figures),
      errors_json("judged, built-in figures", judged, old), errors_json("judged, fitted figures", judged, figures)};
  Json json;
  json["errors"] = {{"columns", {"matrices", "products", "median error", "90 % error", "mean regret", "largest regret"}},
                    {"rows", errors}};
  json["choices"] = {
      {"columns", {"matrix", "chosen format", "predicted, µs", "measured, µs", "fastest format", "its time, µs", "regret"}},
      {"rows", rows_of(judged, figures)}};
  json["samples"] = all;
  for_each_product_figure(figures, Backend::host,
                          [&](const std::string& name, const double& value) { json["figures"][name] = value; });
  std::ofstream(settings.output) << json.dump(1) << "\n";
  ::fmt::print("{}\n{}\n", errors.dump(1), json["figures"].dump(1));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Formats of sparse products on the host");
  Settings settings;
  app.add_option("--fit", settings.fitted, "Matrices to fit: files, generators, general:FILE");
  app.add_option("--judge", settings.judged, "Matrices to predict only");
  app.add_option("--threads", settings.threads, "Numbers of threads; 0: all");
  app.add_option("--rounds", settings.rounds, "Rounds; the best counts")->check(CLI::PositiveNumber);
  app.add_option("--output", settings.output, "JSON file")->required();
  CLI11_PARSE(app, argc, argv);
  std::vector<ProductSample> fitted, judged;
  for (const std::string& name : settings.fitted) measure(settings, name, fitted);
  for (const std::string& name : settings.judged) measure(settings, name, judged);
  const ProductFigures figures = fit_product_figures(fitted, built_in_figures(Backend::host), Backend::host);
  write(settings, fitted, judged, figures);
  return 0;
}
