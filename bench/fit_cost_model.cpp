/// \file
/// Measures refactorize and solve on the backends of this machine, fits the figures of solver/model/cost_model.hpp to them,
/// and writes a file for GPUSUPERNODAL_COST_MODEL. A, b and x are in host memory, as in the programs for which `automatic`
/// chooses a backend. Prints estimated and measured times, and the model's errors.

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/descent.hpp"
#include "base/fmt.hpp"
#include "bench/launch_samples.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/backend/executor.hpp"
#include "solver/host/run/workers.hpp"
#include "solver/plan/plan_cost.hpp"

namespace {

using namespace gpusupernodal;
using Json = nlohmann::json;

constexpr ScalarType scalar = ScalarType::real_double;

struct Settings {
  std::vector<std::string> matrices{"lap2d:10", "lap2d:30", "lap2d:60", "lap2d:100", "lap2d:200", "lap2d:400", "lap3d:5",
                                    "lap3d:9",  "lap3d:14", "lap3d:20", "lap3d:30",  "lap3d:40",  "lap27:8",   "lap27:16",
                                    "lap27:24", "elas:5",   "elas:9",   "elas:14",   "shell:10",  "shell:30",  "shell:70",
                                    "lap2d:3",  "lap3d:60", "elas:30",  "shell:200", "lap2d:1000"};
  std::string output;
  std::string samples;
  int repeat = 5;
  int threads = 0;
  bool host = true;
};

/// Seconds of one factorization and one solve; 0 if not measured.
struct Seconds {
  double factor = 0.0;
  double solve = 0.0;
  bool measured() const { return factor > 0.0 && solve > 0.0; }
};

struct Sample {
  std::string matrix;
  CostFeatures features;
  Seconds host, cuda;
};

/// All measurements.
struct Samples {
  std::string device;
  int threads = 0;
  std::vector<Sample> matrices;
  std::vector<bench::LaunchSample> launches;
};

/// Launches are traced only for matrices with at most this many flops: larger ones have many similar launches.
constexpr double max_traced_flops = 2e10;

template <class Features, class Visit>
void for_each_feature(Features& f, const Visit& visit) {
  visit("flops", f.flops);
  visit("critical_flops", f.critical_flops);
  visit("values", f.values);
  visit("entries", f.entries);
  visit("order", f.order);
  visit("updates", f.updates);
  visit("supernodes", f.supernodes);
  visit("levels", f.levels);
  visit("path_columns", f.path_columns);
  visit("solve_steps", f.solve_steps);
}

template <class Call>
double median_seconds(int repeat, const Call& call) {
  call();
  std::vector<double> seconds;
  for (int r = 0; r < repeat; ++r) seconds.push_back(bench::seconds_of(call));
  return bench::median(seconds);
}

Seconds measure(const Settings& settings, Backend backend, const MatrixView<double>& view,
                const std::shared_ptr<const FactorPlan>& plan) {
  Options options;
  options.backend = backend;
  options.threads = settings.threads;
  Solver<double> solver(options);
  solver.analyze(view, plan);
  std::vector<double> x(static_cast<std::size_t>(view.n), 1.0);
  const auto entries = static_cast<std::size_t>(view.offsets[view.n]);
  Seconds seconds;
  seconds.factor = median_seconds(settings.repeat, [&] {
    solver.refactorize({view.values, entries});
    solver.status();
  });
  seconds.solve = median_seconds(settings.repeat, [&] { solver.solve({x.data(), view.n}, {x.data(), view.n}); });
  return seconds;
}

PlanOptions plan_options(const Settings& settings, const DeviceFigures& device, bool cuda) {
  PlanOptions options;
  options.symbolic.for_device = cuda;
  options.symbolic.threads = worker_count(settings.threads);
  options.figures.cuda = device.cuda;
  options.figures.launch = device.launch;
  return options;
}

void measure_matrix(const Settings& settings, const std::string& name, const PlanOptions& options, Samples& samples) {
  const io::SymmetricMatrix a = io::load(name);
  const MatrixView<double> view = a.view();
  const bool cuda = options.symbolic.for_device;
  CudaPlanOptions device;
  device.launch = options.figures.launch;
  const auto plan =
      with_cuda(make_plan({a.n, a.offsets.data(), a.indices.data(), StoredPart::lower, Compression::columns}, options),
                device, options.symbolic.threads);
  Sample sample{a.name, cost_features(*plan), {}, {}};
  if (settings.host) sample.host = measure(settings, Backend::host, view, plan);
  if (cuda) sample.cuda = measure(settings, Backend::cuda, view, plan);
  if (cuda && sample.features.flops < max_traced_flops) {
    for (auto& launch : bench::measure_launches(a.name, view, plan, settings.repeat)) samples.launches.push_back(launch);
  }
  samples.matrices.push_back(std::move(sample));
}

Json to_json(const Sample& s) {
  Json json{{"matrix", s.matrix}, {"host", {s.host.factor, s.host.solve}}, {"cuda", {s.cuda.factor, s.cuda.solve}}};
  for_each_feature(s.features, [&](const char* name, double value) { json["features"][name] = value; });
  return json;
}

Sample sample_of(const Json& json) {
  Sample s{json["matrix"], {}, {json["host"][0], json["host"][1]}, {json["cuda"][0], json["cuda"][1]}};
  for_each_feature(s.features, [&](const char* name, double& value) { value = json["features"][name]; });
  return s;
}

/// Mean square of log(estimated / measured), which weights relative errors of small and large matrices equally.
template <class Measured, class Estimate>
double log_loss(const std::vector<Sample>& samples, const Measured& measured, const Estimate& estimate) {
  double sum = 0.0;
  int count = 0;
  for (const Sample& s : samples) {
    if (measured(s) <= 0.0) continue;
    const double error = std::log(estimate(s.features) / measured(s));
    sum += error * error;
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

void fit(const std::vector<Sample>& samples, int threads, CostFigures& f) {
  const auto fit_one = [&](auto& figures, const auto& for_each, const auto& measured, const auto& estimate) {
    fit_figures(figures, for_each, [&] { return log_loss(samples, measured, estimate); });
  };
  const auto host = [](auto& g, const auto& visit) { for_each_host_figure(g, visit); };
  const auto cuda = [](auto& g, const auto& visit) { for_each_cuda_figure(g, visit); };
  fit_one(
      f.host, host, [](const Sample& s) { return s.host.factor; },
      [&](const CostFeatures& p) { return host_factor_seconds(p, f.host, threads, scalar); });
  fit_one(
      f.host, host, [](const Sample& s) { return s.host.solve; },
      [&](const CostFeatures& p) { return host_solve_seconds(p, f.host, threads, scalar); });
  fit_one(
      f.cuda, cuda, [](const Sample& s) { return s.cuda.factor; },
      [&](const CostFeatures& p) { return cuda_factor_seconds(p, f.cuda, scalar); });
  fit_one(
      f.cuda, cuda, [](const Sample& s) { return s.cuda.solve; },
      [&](const CostFeatures& p) { return cuda_solve_seconds(p, f.cuda, scalar); });
}

Json file_of(const CostFigures& f, const Samples& samples) {
  Json json{{"format", "gpusupernodal cost model 1"}, {"device", samples.device}, {"host_threads", samples.threads}};
  for_each_host_figure(f.host, [&](const char* name, double value) { json["host"][name] = value; });
  for_each_cuda_figure(f.cuda, [&](const char* name, double value) { json["cuda"][name] = value; });
  for_each_launch_figure(f.launch, [&](const char* name, double value) { json["launch"][name] = value; });
  for (const Sample& s : samples.matrices) json["samples"].push_back(to_json(s));
  for (const bench::LaunchSample& s : samples.launches) json["launches"].push_back(bench::to_json(s));
  return json;
}

/// Prints one row per sample, and the time that `automatic` loses through the model's errors.
void print_table(const std::vector<Sample>& samples, const CostFigures& f, int threads) {
  fmt::print("| matrix | host ms | model | cuda ms | model | automatic |\n|---|---|---|---|---|---|\n");
  double taken = 0.0;
  double best = 0.0;
  for (const Sample& s : samples) {
    const double host =
        host_factor_seconds(s.features, f.host, threads, scalar) + host_solve_seconds(s.features, f.host, threads, scalar);
    const double cuda = cuda_factor_seconds(s.features, f.cuda, scalar) + cuda_solve_seconds(s.features, f.cuda, scalar);
    const double host_measured = s.host.factor + s.host.solve;
    const double cuda_measured = s.cuda.factor + s.cuda.solve;
    std::string verdict = "–";
    if (s.cuda.measured()) {
      const double of_choice = cuda < host ? cuda_measured : host_measured;
      const double of_best = std::min(cuda_measured, host_measured);
      taken += of_choice;
      best += of_best;
      verdict = fmt::format("{}{}", cuda < host ? "cuda" : "host",
                            of_choice > of_best ? fmt::format(", wrong by {:.2f}", of_choice / of_best) : "");
    }
    fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {} |\n", s.matrix, host_measured * 1e3, host * 1e3,
               cuda_measured * 1e3, cuda * 1e3, verdict);
  }
  if (best > 0.0)
    fmt::print("\nall together, on the backends that the model names: {:.4f} times the faster ones\n", taken / best);
}

Samples take_samples(const Settings& settings) {
  Samples samples;
  if (settings.samples.empty()) {
    const CudaAvailability cuda = cuda_availability();
    if (cuda.available && !cuda.devices.empty()) samples.device = cuda.devices.front();
    samples.threads = worker_count(settings.threads);
    const PlanOptions options = plan_options(settings, device_figures_of(samples.device), cuda.available);
    for (const std::string& name : settings.matrices) measure_matrix(settings, name, options, samples);
    return samples;
  }
  std::ifstream file(settings.samples);
  const Json json = Json::parse(file);
  samples.device = json.at("device");
  samples.threads = json.at("host_threads");
  for (const Json& sample : json.at("samples")) samples.matrices.push_back(sample_of(sample));
  for (const Json& sample : json.value("launches", Json::array()))
    samples.launches.push_back(bench::launch_sample_of(sample));
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Measures this machine and fits the cost model that chooses between host and CUDA.");
  app.add_option("matrices", settings.matrices, "files or generated matrices (default: a list of small and medium ones)");
  app.add_option("-o", settings.output, "the file to write");
  app.add_option("--samples", settings.samples, "fit to the samples in such a file, and measure nothing");
  app.add_option("--repeat", settings.repeat, "timed calls (default 5)");
  app.add_flag("!--no-host", settings.host, "measure the device alone");
  app.add_option("--threads", settings.threads, "host threads (default: all that the process may use)");
  CLI11_PARSE(app, argc, argv);
  const Samples samples = take_samples(settings);
  const DeviceFigures known = device_figures_of(samples.device);
  CostFigures figures;
  figures.cuda = known.cuda;
  figures.launch = known.launch;
  fit(samples.matrices, samples.threads, figures);
  bench::fit_launches(samples.launches, figures.launch);
  print_table(samples.matrices, figures, samples.threads);
  fmt::print("{} launches, estimated within a factor of {:.2f} (root mean square)\n", samples.launches.size(),
             std::exp(std::sqrt(bench::launch_loss(samples.launches, figures.launch))));
  const Json json = file_of(figures, samples);
  if (settings.output.empty()) return 0;
  std::ofstream file(settings.output);
  file << json.dump(1) << '\n';
  file.close();
  if (file) return 0;
  fmt::print(stderr, "{}: cannot be written\n", settings.output);
  return 1;
}
