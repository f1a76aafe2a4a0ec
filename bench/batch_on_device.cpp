/// \file
/// Times batches on a CUDA device with values, b and x in device memory, one right-hand side for each system. The values of
/// a system are those of the matrix, each changed by up to 5 %. Prints one JSON object for each matrix, form, precision and
/// number of systems; exits 1 if a system fails or a backward error exceeds its bound.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/dense_batch_peer.hpp"
#include "bench/device_array.hpp"
#include "gpusupernodal/batch.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "gpusupernodal/names.hpp"
#include "io/general_matrix.hpp"
#include "io/residual.hpp"

namespace {

using namespace gpusupernodal;
using bench::Array;
using bench::median_seconds;

struct Settings {
  std::vector<std::int64_t> counts{64, 1024, 16384};
  std::vector<std::string> forms{name_of(Form::lu)};
  int repeat = 15;
  bool with_float = false;
  bool with_host = false;
};

/// A full matrix with a dominant diagonal, by columns.
io::GeneralMatrix full_matrix(std::int64_t n) {
  io::GeneralMatrix a;
  a.name = fmt::format("full:{}", n);
  a.n = n;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      a.indices.push_back(static_cast<decltype(a.indices)::value_type>(i));
      a.values.push_back(i == j ? static_cast<double>(n) : number(random));
    }
    a.offsets.push_back(static_cast<decltype(a.offsets)::value_type>(a.values.size()));
  }
  return a;
}

io::GeneralMatrix load_problem(const std::string& name) {
  const std::string full = "full:";
  return name.starts_with(full) ? full_matrix(std::stoll(name.substr(full.size()))) : io::load_general(name);
}

/// What a form reads of a general matrix whose pattern is symmetric: the lower half, or all.
struct Stored {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> rows;
  std::vector<double> values;

  Stored(const io::GeneralMatrix& a, Form form) {
    for (std::int64_t j = 0; j < a.n; ++j) {
      for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
           e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++e) {
        if (form != Form::lu && a.indices[e] < j) continue;
        rows.push_back(a.indices[e]);
        values.push_back(a.values[e]);
      }
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
  }
};

std::vector<double> changed_values(const std::vector<double>& values, std::int64_t count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> change(0.0, 0.05);
  std::vector<double> all;
  all.reserve(values.size() * static_cast<std::size_t>(count));
  for (std::int64_t s = 0; s < count; ++s) {
    for (const double value : values) all.push_back(value * (value > 0.0 ? 1.0 + change(random) : 1.0 - change(random)));
  }
  return all;
}

/// Median seconds of a refactorization and a solve with all data in host memory.
template <class T>
double time_from_host(BatchSolver<T>& batch, const std::vector<double>& values, std::int64_t count,
                      const Settings& settings) {
  const std::vector<T> all(values.begin(), values.end());
  const std::int64_t n = batch.order();
  const std::vector<T> b(static_cast<std::size_t>(n * count), T(1));
  std::vector<T> x(b.size());
  return median_seconds(settings.repeat, [&] {
    batch.refactorize({all.data(), static_cast<std::int64_t>(all.size()) / count, count});
    batch.solve({b.data(), n, count}, {x.data(), n, count});
  });
}

/// cuBLAS or cuSOLVER with full matrices.
nlohmann::json time_peer(const std::vector<double>& values, bool by_cholesky, std::int64_t n, std::int64_t count,
                         const Settings& settings) {
  bench::DenseBatchPeer peer(values, n, count);
  Array<double> b(std::vector<double>(static_cast<std::size_t>(n * count), 1.0), MemorySpace::device);
  const double factorize = median_seconds(settings.repeat, [&] { peer.factorize(by_cholesky); });
  const double solve = median_seconds(settings.repeat, [&] { peer.solve(by_cholesky, b.data()); });
  return {{"name", by_cholesky ? "cuSOLVER potrfBatched" : "cuBLAS getrfBatched"},
          {"refactorize_ms", factorize * 1e3},
          {"solve_ms", solve * 1e3}};
}

/// What the systems of a batch report.
struct Findings {
  std::int64_t failed = 0;  ///< Systems without a factor or without a solution.
  std::int64_t perturbed = 0;
  std::int64_t repivoted = 0;
  int steps = 0;
  double error = -1.0;  ///< Largest backward error, also if it is NaN; −1 for Cholesky, whose solves compute none.
};

template <class T>
Findings findings_of(const BatchSolver<T>& batch) {
  Findings found;
  for (std::int64_t s = 0; s < batch.count(); ++s) {
    const FactorReport& factor = batch.report(s);
    const SolveReport& solve = batch.solve_report(s);
    found.failed += batch.solve_statuses()[static_cast<std::size_t>(s)] == BatchStatus::success ? 0 : 1;
    found.perturbed += factor.perturbed_pivots > 0 ? 1 : 0;
    found.repivoted += factor.repivoted > 0 ? 1 : 0;
    found.steps = std::max(found.steps, solve.refinement_steps);
    if (!(solve.backward_error <= found.error)) found.error = solve.backward_error;
  }
  return found;
}

/// Times with all data in host memory, on the device and on the host.
template <class T>
nlohmann::json time_both_from_host(BatchSolver<T>& batch, const MatrixView<T>& a, const std::vector<double>& values,
                                   std::int64_t count, const Settings& settings) {
  const double device = time_from_host<T>(batch, values, count, settings);
  Options options = batch.options();
  options.backend = Backend::host;
  BatchSolver<T> host(options);
  host.analyze(a, count);
  return {{"device_ms", 1e3 * device},
          {"host_ms", 1e3 * time_from_host<T>(host, values, count, settings)},
          {"host", host.analyze_report().device}};
}

/// The part of a row that describes the problem and the analysis.
template <class T>
nlohmann::json described(const io::GeneralMatrix& a, Form form, std::int64_t entries, const BatchSolver<T>& batch) {
  const AnalyzeReport& report = batch.analyze_report();
  const double of_systems =
      static_cast<double>(batch.count()) * static_cast<double>(report.memory.factor + report.memory.workspace);
  return {{"matrix", a.name},
          {"form", name_of(form)},
          {"scalar", sizeof(T) == sizeof(float) ? "float" : "double"},
          {"n", a.n},
          {"entries", entries},
          {"stored", report.stored_l},
          {"count", batch.count()},
          {"analyze_ms", report.seconds_total * 1e3},
          {"gigabytes", (of_systems + static_cast<double>(report.memory.index)) * 1e-9},
          {"list_megabytes", static_cast<double>(report.memory.index) * 1e-6},
          {"device", report.device}};
}

template <class T>
bool measure(const io::GeneralMatrix& a, Form form, std::int64_t count, const Settings& settings) {
  const Stored stored(a, form);
  const std::vector<T> narrow(stored.values.begin(), stored.values.end());
  MatrixView<T> view;
  view.n = a.n;
  view.offsets = stored.offsets.data();
  view.indices = stored.rows.data();
  view.values = narrow.data();
  view.part = form == Form::lu ? StoredPart::full : StoredPart::lower;
  Options options;
  options.backend = Backend::cuda;
  options.form = form;
  BatchSolver<T> batch(options);
  batch.analyze(view, count);
  const auto entries = static_cast<std::int64_t>(narrow.size());
  const std::vector<double> all_values = changed_values(stored.values, count);
  Array<T> values(all_values, MemorySpace::device);
  const std::vector<double> ones(static_cast<std::size_t>(a.n * count), 1.0);
  Array<T> b(ones, MemorySpace::device), x(ones, MemorySpace::device);
  BatchValues<T> all(values.data(), entries, count);
  all.space = MemorySpace::device;
  BatchView<const T> right(b.data(), a.n, count);
  BatchView<T> solution(x.data(), a.n, count);
  right.space = solution.space = MemorySpace::device;
  nlohmann::json row = described(a, form, entries, batch);
  row["refactorize_ms"] = 1e3 * median_seconds(settings.repeat, [&] { batch.refactorize(all); });
  static_cast<void>(batch.failed());  // Reads the outcomes, which the first solve would do.
  row["solve_ms"] = 1e3 * median_seconds(settings.repeat, [&] { batch.solve(right, solution); });
  const Findings found = findings_of(batch);
  row.update({{"failed", found.failed},
              {"perturbed", found.perturbed},
              {"repivoted", found.repivoted},
              {"steps", found.steps},
              {"error", found.error},
              {"data_on_host", nullptr},
              {"peer", nullptr}});
  if (settings.with_host) row["data_on_host"] = time_both_from_host(batch, view, all_values, count, settings);
  if (sizeof(T) == sizeof(double) && form != Form::ldlt && a.name.starts_with("full:"))
    row["peer"] = time_peer(changed_values(a.values, count), form == Form::llt, a.n, count, settings);
  fmt::print("{}\n", row.dump());
  std::fflush(stdout);
  const double bound = 100.0 * std::sqrt(static_cast<double>(a.n)) * static_cast<double>(std::numeric_limits<T>::epsilon());
  return found.failed == 0 && found.error <= bound;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Batches on a device");
  std::vector<std::string> matrices;
  Settings settings;
  app.add_option("matrices", matrices, "Matrix Market files, generators, or full:N")->required();
  app.add_option("--count", settings.counts, "Systems of a batch")->delimiter(',');
  app.add_option("--form", settings.forms, "Forms: llt, ldlt, lu")->delimiter(',')->allow_extra_args(false);
  app.add_option("--repeat", settings.repeat, "Runs; the median counts")->check(CLI::PositiveNumber);
  app.add_flag("--host", settings.with_host, "Times with data in host memory, on the device and on the host");
  app.add_flag("--float", settings.with_float, "Single precision too");
  CLI11_PARSE(app, argc, argv);
  bool good = true;
  for (const std::string& name : matrices) {
    const io::GeneralMatrix a = load_problem(name);
    for (const std::string& form : settings.forms) {
      for (const std::int64_t count : settings.counts) {
        good = measure<double>(a, form_of(form).value(), count, settings) && good;
        if (settings.with_float) good = measure<float>(a, form_of(form).value(), count, settings) && good;
      }
    }
  }
  return good ? 0 : 1;
}
