/// \file
/// Times SystemSolver with each method and with `automatic` on the host or a device, from the analysis to the last of 1, 10
/// or 1000 right-hand sides and the end of the object, for patterns whose plan is in the cache and for new ones. Prints a
/// JSON object for each matrix, tolerance, kind of pattern and number of solves: seconds of every method, the choice, its
/// regret and the forecasts. At most four solves are run; the others are counted with the time of a later one.

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
  int repeat = 3;
  double budget = 1.0;  ///< Seconds after which a run is not repeated.
  bool cuda = false;
  double limit = 60.0;  ///< Seconds after which conjugate gradients are stopped.
  std::vector<double> tolerances{1e-6, 1e-10};
  std::vector<std::int64_t> solves{1, 10, 1000};
  std::vector<std::string> patterns{"known", "new"};
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
  std::vector<Method> methods;  ///< Of each solve.
  double seconds_end = 0.0;     ///< The destructor, which waits until an ordering that is no longer needed has ended.
  SystemReport first;
  SystemReport last;

  /// A further solve: the fastest of those at the end that have one method, without the first one of that method.
  double further() const {
    double least = seconds.back();
    for (std::size_t k = seconds.size(); k > 1 && methods[k - 1] == methods.back() && methods[k - 2] == methods.back(); --k)
      least = std::min(least, seconds[k - 1]);
    return least;
  }
  double total(std::int64_t solves) const {
    const auto run = static_cast<std::int64_t>(seconds.size());
    double sum = seconds_end;
    for (std::int64_t k = 0; k < std::min(run, solves); ++k) sum += seconds[static_cast<std::size_t>(k)];
    return sum + (solves > run ? further() * static_cast<double>(solves - run) : 0.0);
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
    result.methods.push_back(result.last.method);
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
         std::int64_t solves, bool is_known) {
  Run fastest;
  const Stopwatch watch;
  for (int k = 0; k < settings.repeat && (k == 0 || watch.seconds() < settings.budget); ++k) {
    Run now;
    if (!is_known) clear_plan_cache();
    try {
      now = run(a, b, settings, options, solves);
    } catch (const Cancelled&) {
      now.seconds = {std::numeric_limits<double>::infinity()};
      now.methods = {options.method};
      return now;
    }
    if (k == 0 || now.total(solves) < fastest.total(solves)) fastest = now;
  }
  return fastest;
}

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

void solve_once(const io::SymmetricMatrix& a, const std::vector<double>& b, const Settings& settings, Method method) {
  SystemOptions options;
  options.method = method;
  run(a, b, settings, options, 1);
}

/// The methods that a choice is compared with.
using Fixed = std::map<Method, Run>;

json line_of(const Fixed& fixed, const Run& chosen, std::int64_t solves) {
  json line;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [method, run] : fixed) least = std::min(least, run.total(solves));
  for (const auto& [method, run] : fixed) {
    line[name_of(method)] = number(run.total(solves));
    line[std::string("memory_") + name_of(method)] = run.last.memory;
    line[std::string("residual_") + name_of(method)] = run.last.residual;
  }
  line["automatic"] = number(chosen.total(solves));
  line["seconds_end"] = number(chosen.seconds_end);
  line["choice"] = name_of(chosen.last.method);
  line["first_choice"] = name_of(chosen.first.method);
  line["regret"] = number(chosen.total(solves) / least);
  line["regret_direct"] = number(fixed.at(Method::direct).total(solves) / least);
  line["regret_pcg"] = number(fixed.at(Method::pcg).total(solves) / least);
  line["iterations"] = fixed.at(Method::pcg).last.iterations;
  line["seconds_iteration"] = chosen.first.seconds_iteration;
  line["forecast_iterations"] = chosen.first.forecast_iterations;
  line["forecast_direct"] = chosen.first.forecast_direct;
  line["forecast_mixed"] = chosen.first.forecast_mixed;
  line["forecast_pcg"] = chosen.first.forecast_pcg;
  line["probe_iterations"] = chosen.first.probe_iterations;
  line["seconds_analysis"] = fixed.at(Method::direct).first.seconds_analysis;
  line["seconds_factorize"] = fixed.at(Method::direct).first.seconds_factorize;
  line["seconds_further"] = fixed.at(Method::direct).further();
  line["reason"] = chosen.first.reason;
  return line;
}

void measure(const io::SymmetricMatrix& a, const Settings& settings) {
  constexpr std::int64_t solves_of_fixed = 3;
  const std::vector<double> b = right_hand_side(a.n);
  const auto timed = [&](Method method, double tolerance, std::int64_t solves, bool is_known) {
    SystemOptions options;
    options.method = method;
    options.tolerance = tolerance;
    options.expected_solves = solves;
    return best(a, b, settings, options, method == Method::automatic ? solves : solves_of_fixed, is_known);
  };
  for (const double tolerance : settings.tolerances) {
    const Run pcg = timed(Method::pcg, tolerance, 1, true);
    for (const std::string& pattern : settings.patterns) {
      const bool is_known = pattern == "known";
      Fixed fixed{{Method::pcg, pcg}};
      if (is_known) solve_once(a, b, settings, Method::direct);  // Leaves the plan in the cache.
      for (const Method method : {Method::direct, Method::mixed}) fixed[method] = timed(method, tolerance, 1, is_known);
      for (const std::int64_t solves : settings.solves) {
        json line = line_of(fixed, timed(Method::automatic, tolerance, solves, is_known), solves);
        line.update({{"matrix", a.name},
                     {"n", a.n},
                     {"entries", a.indices.size()},
                     {"pattern", pattern},
                     {"tolerance", tolerance},
                     {"solves", solves}});
        std::printf("%s\n", line.dump().c_str());
        std::fflush(stdout);
      }
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
  app.add_option("--budget", settings.budget, "Seconds after which a run is not repeated");
  app.add_option("--limit", settings.limit, "Seconds after which conjugate gradients are stopped");
  app.add_option("--tolerances", settings.tolerances, "Relative residuals")->delimiter(',');
  app.add_option("--solves", settings.solves, "Numbers of right-hand sides")->delimiter(',');
  app.add_option("--patterns", settings.patterns, "Patterns: known ones, whose plan is in the cache, or new ones")
      ->delimiter(',')
      ->check(CLI::IsMember({"known", "new"}));
  app.add_flag("--cuda", settings.cuda, "On a CUDA device");
  CLI11_PARSE(app, argc, argv);
  set_plan_cache_limits({4, std::int64_t{4} << 30});
  const io::SymmetricMatrix small = io::load("lap2d:30");
  for (const Method method : {Method::direct, Method::mixed, Method::pcg})  // Starts threads and the device.
    solve_once(small, right_hand_side(small.n), settings, method);
  for (const std::string& name : matrices) measure(io::load(name), settings);
  return 0;
}
