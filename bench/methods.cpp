/// \file
/// Times SystemSolver with each method and with `automatic` on the host or a device, from the analysis to the last of 1, 10
/// or 1000 right-hand sides and the end of the object, and prints a JSON object for each matrix, tolerance and number of
/// solves: seconds of every method, the choice, its regret and the forecasts. At most four solves are run; the others are
/// counted with the time of the last.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/symmetric_matrix.hpp"

namespace {

using namespace gpusupernodal;
using nlohmann::json;

struct Settings {
  int repeat = 2;
  bool cuda = false;
  double limit = 60.0;  ///< Seconds after which conjugate gradients are stopped.
  std::vector<double> tolerances{1e-6, 1e-10};
  std::vector<std::int64_t> solves{1, 10, 1000};
};

std::vector<double> right_hand_side(std::int64_t n) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> b(static_cast<std::size_t>(n));
  for (double& value : b) value = uniform(random);
  return b;
}

/// Times of one run.
struct Run {
  std::vector<double> seconds;  ///< From compute to the first solution, then of each further solve.
  double seconds_end = 0.0;     ///< The destructor, which waits until an ordering that is no longer needed has ended.
  SystemReport first;
  SystemReport last;

  double total(std::int64_t solves) const {
    double sum = seconds_end;
    for (std::size_t k = 0; k < seconds.size() && static_cast<std::int64_t>(k) < solves; ++k) sum += seconds[k];
    return sum + seconds.back() *
                     static_cast<double>(std::max<std::int64_t>(0, solves - static_cast<std::int64_t>(seconds.size())));
  }
};

Run run(const io::SymmetricMatrix& a, const std::vector<double>& b, const Settings& settings, SystemOptions options,
        std::int64_t solves) {
  constexpr std::int64_t most = 4;
  options.backend = settings.cuda ? Backend::cuda : Backend::host;
  const Stopwatch limit;
  if (options.method == Method::pcg) options.progress = [&](const Progress&) { return limit.seconds() < settings.limit; };
  Run result;
  std::optional<SystemSolver<double>> system(options);
  std::vector<double> x(b.size());
  Stopwatch watch;
  system->compute(a.view());
  for (std::int64_t k = 0; k < std::min(solves, most); ++k) {
    result.last = system->solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n));
    result.seconds.push_back(watch.lap());
    if (k == 0) result.first = result.last;
    if (!result.last.solved()) result.seconds.back() = std::numeric_limits<double>::infinity();
  }
  watch.lap();
  system.reset();
  result.seconds_end = watch.seconds();
  return result;
}

/// The fastest of several runs; infinite times if the iteration was stopped.
Run best(const io::SymmetricMatrix& a, const std::vector<double>& b, const Settings& settings, const SystemOptions& options,
         std::int64_t solves) {
  Run fastest;
  for (int k = 0; k < settings.repeat; ++k) {
    Run now;
    try {
      now = run(a, b, settings, options, solves);
    } catch (const Cancelled&) {
      now.seconds = {std::numeric_limits<double>::infinity()};
      return now;
    }
    if (k == 0 || now.total(solves) < fastest.total(solves)) fastest = now;
  }
  return fastest;
}

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

void measure(const io::SymmetricMatrix& a, const Settings& settings) {
  const std::vector<double> b = right_hand_side(a.n);
  for (const double tolerance : settings.tolerances) {
    SystemOptions options;
    options.tolerance = tolerance;
    std::map<Method, Run> fixed;
    for (const Method method : {Method::direct, Method::mixed, Method::pcg}) {
      options.method = method;
      fixed[method] = best(a, b, settings, options, 2);
    }
    for (const std::int64_t solves : settings.solves) {
      options.method = Method::automatic;
      options.expected_solves = solves;
      const Run chosen = best(a, b, settings, options, solves);
      const double direct = fixed[Method::direct].total(solves), mixed = fixed[Method::mixed].total(solves),
                   pcg = fixed[Method::pcg].total(solves);
      const double least = std::min({direct, mixed, pcg});
      json line{{"matrix", a.name}, {"n", a.n}, {"tolerance", tolerance}, {"solves", solves}};
      line["direct"] = number(direct);
      line["mixed"] = number(mixed);
      line["pcg"] = number(pcg);
      line["automatic"] = number(chosen.total(solves));
      line["seconds_end"] = number(chosen.seconds_end);
      line["choice"] = name_of(chosen.last.method);
      line["first_choice"] = name_of(chosen.first.method);
      line["regret"] = number(chosen.total(solves) / least);
      line["regret_direct"] = number(direct / least);
      line["regret_pcg"] = number(pcg / least);
      line["iterations"] = fixed[Method::pcg].last.iterations;
      line["forecast_iterations"] = chosen.first.forecast_iterations;
      line["forecast_direct"] = chosen.first.forecast_direct;
      line["forecast_mixed"] = chosen.first.forecast_mixed;
      line["forecast_pcg"] = chosen.first.forecast_pcg;
      line["probe_iterations"] = chosen.first.probe_iterations;
      line["seconds_analysis"] = fixed[Method::direct].first.seconds_analysis;
      line["seconds_factorize"] = fixed[Method::direct].first.seconds_factorize;
      line["reason"] = chosen.first.reason;
      for (const Method method : {Method::direct, Method::mixed, Method::pcg}) {
        const SystemReport& last = fixed[method].last;
        line[std::string("memory_") + name_of(method)] = last.memory;
        line[std::string("residual_") + name_of(method)] = last.residual;
      }
      std::printf("%s\n", line.dump().c_str());
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Methods of SystemSolver beside its automatic choice; writes a JSON object a line");
  std::vector<std::string> matrices;
  Settings settings;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--repeat", settings.repeat, "Runs; the fastest counts")->check(CLI::PositiveNumber);
  app.add_option("--limit", settings.limit, "Seconds after which conjugate gradients are stopped");
  app.add_option("--tolerances", settings.tolerances, "Relative residuals")->delimiter(',');
  app.add_option("--solves", settings.solves, "Numbers of right-hand sides")->delimiter(',');
  app.add_flag("--cuda", settings.cuda, "On a CUDA device");
  CLI11_PARSE(app, argc, argv);
  for (const std::string& name : matrices) measure(io::load(name), settings);
  return 0;
}
