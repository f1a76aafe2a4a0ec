/// \file
/// Measures whole analyses for several thread counts, and the orderings of METIS, AMD, Scotch (if found) and the library's
/// dissection alone. Writes one JSON object per line; bench/compare/analyses.py makes tables and plots from them. Exits 1 if
/// an order depends on the number of threads.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/memory_peak.hpp"
#include "bench/scotch_order.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/names.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/host/run/workers.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/ordering.hpp"

namespace {

using namespace gpusupernodal;
using nlohmann::json;

struct Settings {
  std::vector<int> threads{1, 2, 4, 8, 16};
  int repeat = 3;
  double repeat_below = 1.0;
  std::int64_t scotch_rows = 2'000'000;
  std::string ordering = name_of(Ordering::automatic);
  double limit = 1e9;
  bool analyze = true;
  std::vector<std::string> others{"METIS", "AMD", "Scotch"};
  bool for_device = true;
  std::vector<int> orders;  ///< Thread counts for the dissection alone.
  bool cpu = false;
};

/// Wall time, or the CPU time of all threads for machines shared with other programs.
template <class Call>
double order_seconds(bool cpu, const Call& call) {
  if (!cpu) return bench::seconds_of(call);
  const std::clock_t start = std::clock();
  call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void write(const json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

/// A pattern with 32-bit indices, as most callers have.
struct Problem {
  std::string name;
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> indices;
  PatternView pattern;

  explicit Problem(const std::string& spec) {
    const io::SymmetricMatrix a = io::load(spec);
    name = a.name;
    offsets.assign(a.offsets.begin(), a.offsets.end());
    indices.assign(a.indices.begin(), a.indices.end());
    pattern.n = a.n;
    pattern.offsets = offsets.data();
    pattern.indices = indices.data();
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>((offsets.size() + indices.size()) * sizeof(std::int32_t)); }
};

json steps_of(const FactorPlan& plan) {
  json steps;
  for (const AnalysisStep& step : plan.structure().symbolic_report.steps)
    steps.push_back({{"name", step.name}, {"seconds", step.seconds}, {"bytes", step.bytes}});
  return steps;
}

/// Minimum time of several analyses, and the memory of the first.
json analysis(const Problem& problem, int threads, const Settings& settings, EliminationOrder& order) {
  PlanOptions options;
  options.symbolic.threads = threads;
  options.symbolic.ordering = ordering_of(settings.ordering).value();
  options.symbolic.for_device = settings.for_device;
  if (settings.for_device) options.cuda.emplace();
  json line{{"matrix", problem.name}, {"threads", threads}};
  double least = 0.0;
  for (int k = 0; k < settings.repeat && (k == 0 || least < settings.repeat_below); ++k) {
    std::shared_ptr<const FactorPlan> plan;
    const std::int64_t before = bench::held_bytes();
    bench::restart_peak();
    const double seconds = bench::seconds_of([&] {
      plan = make_plan(problem.pattern, options);
      if (settings.for_device) plan = with_cuda(plan, *options.cuda, threads);
    });
    if (k == 0) {
      line["peak_bytes"] = bench::peak_bytes() - before;
      line["plan_bytes"] = bench::held_bytes() - before;
    }
    if (k > 0 && seconds >= least) continue;
    least = seconds;
    line["analyze"] = seconds;
    line["ordering"] = plan->structure().symbolic_report.seconds_ordering;
    line["steps"] = steps_of(*plan);
    line["method"] = name_of(plan->structure().symbolic_report.ordering);
    line["nnz_l"] = plan->symbolic.nonzeros;
    line["flops"] = plan->symbolic.flops;
    const EliminationOrder& this_order = plan->symbolic.permutation.old_of_new;
    line["same"] = order.empty() || order == this_order;
    if (order.empty()) order = this_order;
  }
  return line;
}

json fill_of(const AdjacencyGraph& graph, EliminationOrder order) {
  ThreadTeam team(worker_count(0));
  const ColumnTree tree = build_column_tree(graph, permutation_from(std::move(order), team), team);
  return {{"nnz_l", tree.nonzeros()}, {"flops", tree.flops()}};
}

/// Measures one ordering of another library.
void other(const Problem& problem, const AdjacencyGraph& graph, const Settings& settings, const char* name,
           const std::function<EliminationOrder(const AdjacencyGraph&)>& make) {
  EliminationOrder order;
  json line{{"matrix", problem.name}, {"other", name}};
  line["seconds"] = order_seconds(settings.cpu, [&] { order = make(graph); });
  line.update(fill_of(graph, std::move(order)));
  write(line);
}

/// Measures the dissection alone; minimum of several times.
bool dissections(const Problem& problem, const AdjacencyGraph& graph, const Settings& settings) {
  EliminationOrder first;
  bool same = true;
  for (const int threads : settings.orders) {
    ThreadTeam team(threads);
    double least = 0.0;
    EliminationOrder order;
    for (int k = 0; k < settings.repeat && (k == 0 || least < settings.repeat_below); ++k) {
      const double seconds = order_seconds(settings.cpu, [&] { order = dissection_order(graph, 0, team); });
      least = k == 0 ? seconds : std::min(least, seconds);
    }
    json line{{"matrix", problem.name}, {"order_threads", threads}, {"seconds", least}};
    line["same"] = first.empty() || first == order;
    same = same && line["same"].get<bool>();
    if (first.empty()) first = order;
    line.update(fill_of(graph, std::move(order)));
    write(line);
  }
  return same;
}

bool measure(const std::string& spec, const Settings& settings) {
  const Problem problem(spec);
  write({{"matrix", problem.name},
         {"n", problem.pattern.n},
         {"nnz_a", problem.pattern.entries()},
         {"pattern_bytes", problem.bytes()}});
  EliminationOrder order;
  const Stopwatch watch;
  double last = 0.0;
  bool same = true;
  for (const int threads : settings.threads) {
    if (!settings.analyze || watch.seconds() + 2.0 * last > settings.limit) break;
    const json line = analysis(problem, threads, settings, order);
    last = line["analyze"].get<double>();
    same = same && line["same"].get<bool>();
    write(line);
  }
  const auto wanted = [&](const char* name) { return std::ranges::find(settings.others, name) != settings.others.end(); };
  if (settings.others.empty() && settings.orders.empty()) return same;
  const AdjacencyGraph graph = build_adjacency(problem.pattern);
  if (wanted("METIS")) other(problem, graph, settings, "METIS", metis_order);
  if (wanted("AMD")) other(problem, graph, settings, "AMD", [](const AdjacencyGraph& g) { return amd_order(g); });
#ifdef GPUSUPERNODAL_BENCH_SCOTCH
  if (wanted("Scotch") && problem.pattern.n <= settings.scotch_rows)
    other(problem, graph, settings, "Scotch", bench::scotch_order);
#endif
  return dissections(problem, graph, settings) && same;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Analyses on several numbers of threads beside the orderings of others; writes a JSON object a line");
  std::vector<std::string> matrices;
  Settings settings;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--threads", settings.threads, "numbers of threads, with commas")->delimiter(',')->allow_extra_args(false);
  app.add_option("--repeat", settings.repeat, "repetitions of an analysis; the least time counts");
  app.add_option("--repeat-below", settings.repeat_below, "seconds; longer ones are not repeated");
  app.add_option("--ordering", settings.ordering, "as of gpusupernodal analyze");
  app.add_option("--scotch-rows", settings.scotch_rows, "Scotch orders matrices of so many rows at most");
  app.add_option("--limit", settings.limit,
                 "seconds per matrix: no analysis begins if twice the time of the one before would not fit");
  app.add_option("--others", settings.others, "which of METIS, AMD, Scotch, with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag_callback(
      "--no-others", [&] { settings.others.clear(); }, "no orderings of others");
  app.add_option("--orders", settings.orders, "threads of dissections alone, with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--cpu", settings.cpu, "CPU seconds of orderings alone, in place of wall time");
  app.add_flag("!--no-analyze", settings.analyze, "orderings of others alone");
  app.add_flag("!--host", settings.for_device, "for the host alone: no lists of a device's");
  CLI11_PARSE(app, argc, argv);
  bool same = true;
  for (const std::string& spec : matrices) same = measure(spec, settings) && same;
  return same ? 0 : 1;
}
