/// \file
/// Orderings side by side: the library's own dissection on several numbers of threads, METIS, AMD and, where it was found,
/// Scotch; then all of a plan. Prints a Markdown row a matrix; exits 1 where an order depends on the number of threads.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "bench/scotch_order.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/report.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/exec/host/workers.hpp"
#include "solver/plan/factor_plan.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/ordering.hpp"

namespace {

using namespace gpusupernodal;

struct Result {
  double seconds = 0.0;
  double nonzeros = 0.0;
  double flops = 0.0;
};

/// Wall time, or the CPU time of all threads where the machine is not ours alone.
template <class Call>
double seconds_of(bool cpu, const Call& call) {
  if (!cpu) return bench::seconds_of(call);
  const std::clock_t start = std::clock();
  call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

template <class Order>
Result measure(const AdjacencyGraph& graph, EliminationOrder& order, bool cpu, const Order& make) {
  Result result;
  result.seconds = seconds_of(cpu, [&] { order = make(); });
  const ColumnTree tree = build_column_tree(graph, permutation_from(order));
  result.nonzeros = static_cast<double>(tree.nonzeros());
  result.flops = tree.flops();
  return result;
}

std::string cells(const Result& r) { return fmt::format(" {:.3f} | {:.3e} | {:.3e} |", r.seconds, r.nonzeros, r.flops); }

/// All of a plan with the lists of both backends; its steps where they are asked for.
double plan_seconds(const io::SymmetricMatrix& a, int threads, bool steps) {
  PatternView pattern;
  pattern.n = a.n;
  pattern.offsets = a.offsets.data();
  pattern.indices = a.indices.data();
  PlanOptions options;
  options.symbolic.threads = threads;
  options.for_device = true;
  std::shared_ptr<const FactorPlan> plan;
  const double seconds = bench::seconds_of([&] {
    plan = make_plan(pattern, options);
    plan->cuda();
  });
  if (steps) {
    fmt::print(stderr, "{}, {} threads: {:.1f} ms\n", a.name, threads, seconds * 1e3);
    for (const AnalysisStep& step : plan->symbolic_report.steps)
      fmt::print(stderr, "  {:<18} {:9.2f} ms {:9.2f} MB\n", step.name, step.seconds * 1e3,
                 static_cast<double>(step.bytes) * 1e-6);
  }
  return seconds;
}

/// Least of the repetitions; more of them where one is short.
template <class Call>
double least_seconds(int repeat, const Call& call) {
  double least = call();
  for (int k = 1; k < repeat && least < 2.0; ++k) least = std::min(least, call());
  return least;
}

/// Geometric means of the fill of seed 0, whose order is given, and the seeds after it.
Result mean_over_seeds(const AdjacencyGraph& graph, const EliminationOrder& first, int seeds) {
  Result mean;
  ThreadTeam team(worker_count(0));
  for (int seed = 0; seed < seeds; ++seed) {
    const ColumnTree tree = build_column_tree(
        graph, permutation_from(seed == 0 ? first : dissection_order(graph, static_cast<std::uint64_t>(seed), team)));
    mean.nonzeros += std::log(static_cast<double>(tree.nonzeros())) / seeds;
    mean.flops += std::log(tree.flops()) / seeds;
  }
  return {0.0, std::exp(mean.nonzeros), std::exp(mean.flops)};
}

struct Settings {
  std::vector<int> threads{1, 2, 4, 8, 16};
  int repeat = 3;
  int seeds = 1;
  bool scotch = true;
  bool analyze = true;
  bool cpu = false;
  bool steps = false;
};

/// Logarithms of our figures over METIS's.
struct Means {
  double nonzeros = 0.0, flops = 0.0;
  int count = 0;
};

bool row(const std::string& spec, const Settings& settings, Means& means) {
  const io::SymmetricMatrix a = io::load(spec);
  PatternView pattern;
  pattern.n = a.n;
  pattern.offsets = a.offsets.data();
  pattern.indices = a.indices.data();
  const AdjacencyGraph graph = build_adjacency(pattern);
  EliminationOrder order;
  const Result metis = measure(graph, order, settings.cpu, [&] { return metis_order(graph); });
  const Result amd = measure(graph, order, settings.cpu, [&] { return amd_order(graph); });
  std::string line = fmt::format("| {} | {} |", a.name, a.n) + cells(metis) + cells(amd);
#ifdef GPUSUPERNODAL_BENCH_SCOTCH
  if (settings.scotch) line += cells(measure(graph, order, settings.cpu, [&] { return bench::scotch_order(graph); }));
#endif
  bool same = true;
  EliminationOrder first;
  std::string times;
  for (const int threads : settings.threads) {
    ThreadTeam team(threads);
    times += fmt::format(" {:.3f} |", least_seconds(settings.repeat, [&] {
                           return seconds_of(settings.cpu, [&] { order = dissection_order(graph, 0, team); });
                         }));
    if (first.empty()) first = order;
    same = same && order == first;
  }
  const Result ours = mean_over_seeds(graph, first, settings.seeds);
  const double nonzeros = ours.nonzeros / metis.nonzeros;
  const double flops = ours.flops / metis.flops;
  means.nonzeros += std::log(nonzeros);
  means.flops += std::log(flops);
  ++means.count;
  line += fmt::format(" {:.3e} | {:.3e} | {:.3f} | {:.3f} |", ours.nonzeros, ours.flops, nonzeros, flops);
  line += times;
  for (const int threads : settings.threads) {
    if (!settings.analyze) break;
    line +=
        fmt::format(" {:.4f} |", least_seconds(settings.repeat, [&] { return plan_seconds(a, threads, settings.steps); }));
  }
  fmt::print("{}{}\n", line, same ? "" : " DEPENDS ON THREADS |");
  std::fflush(stdout);
  return same;
}

void print_header(const Settings& settings) {
  std::string head = "| matrix | n | METIS s | nnz(L) | flops | AMD s | nnz(L) | flops |";
#ifdef GPUSUPERNODAL_BENCH_SCOTCH
  if (settings.scotch) head += " Scotch s | nnz(L) | flops |";
#endif
  head += " ours: nnz(L) | flops | nnz(L) / METIS | flops / METIS |";
  for (const int threads : settings.threads) head += fmt::format(" order s, {} |", threads);
  for (const int threads : settings.threads) head += settings.analyze ? fmt::format(" plan s, {} |", threads) : "";
  fmt::print("{}\n|", head);
  for (auto columns = std::count(head.begin(), head.end(), '|'); columns > 1; --columns) fmt::print("---|");
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The library's ordering beside others");
  std::vector<std::string> matrices;
  Settings settings;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--threads", settings.threads, "numbers of threads, with commas")->delimiter(',')->allow_extra_args(false);
  app.add_option("--repeat", settings.repeat, "repetitions of what takes less than 2 s; the least time counts");
  app.add_option("--seeds", settings.seeds, "the fill of ours is the geometric mean over so many seeds");
  app.add_flag("!--no-scotch", settings.scotch, "leave Scotch out");
  app.add_flag("!--no-analyze", settings.analyze, "leave the plans out");
  app.add_flag("--steps", settings.steps, "the steps of each plan, to stderr");
  app.add_flag("--cpu", settings.cpu, "CPU seconds of orderings, in place of wall time");
  CLI11_PARSE(app, argc, argv);
  print_header(settings);
  bool same = true;
  Means means;
  for (const std::string& spec : matrices) same = row(spec, settings, means) && same;
  fmt::print("\nOurs over METIS, geometric means: nnz(L) {:.3f}, flops {:.3f}\n", std::exp(means.nonzeros / means.count),
             std::exp(means.flops / means.count));
  return same ? 0 : 1;
}
