/// \file
/// Times LU by columns on a device in its variants (levels of rows instead of columns, without the dense tail, without
/// merged levels), beside LU by supernodes, cusolverRf, which gets L, U and the orders of our first factorization, and,
/// where it was found, KLU on one core. On the device A, b and x are in device memory; solves are for one right-hand side
/// and are not verified. Prints a Markdown row for each variant; exits 1 if a solution of ours has a large backward error.

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/klu_peer.hpp"
#include "bench/rf_peer.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/general_matrix.hpp"
#include "io/residual.hpp"
#include "solver/backend/executor.hpp"
#include "solver/plan/column_plan.hpp"
#include "solver/plan/general_plan.hpp"

namespace {

using namespace gpusupernodal;
using bench::Array;
using bench::median_seconds;

struct Settings {
  int repeat = 21;
  bool with_rf = true;
};

struct Problem {
  io::GeneralMatrix a;
  std::vector<double> right;
  PatternView pattern;

  explicit Problem(const std::string& name)
      : a(io::load_general(name)), right(io::multiply(a, std::vector<double>(static_cast<std::size_t>(a.n), 1.0))) {
    const MatrixView<double> view = a.view();
    pattern = {view.n, view.offsets, view.indices, view.part, view.compression};
  }
  double bound() const { return 1e4 * std::sqrt(static_cast<double>(a.n)) * std::numeric_limits<double>::epsilon(); }
};

PlanOptions plan_options() {
  PlanOptions options;
  options.cuda = CudaPlanOptions();
  options.symbolic.for_device = true;
  options.symbolic.threads = 4;
  return options;
}

void print_row(const std::string& name, const std::string& variant, std::int64_t n, std::int64_t entries, std::int64_t tail,
               std::int64_t levels, std::int64_t launches, double refactorize, double solve, double error) {
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {:.4f} | {:.4f} | {:.1e} |\n", name, variant, n, entries, tail, levels,
             launches, refactorize * 1e3, solve * 1e3, error);
  std::fflush(stdout);
}

struct Times {
  double refactorize, solve, error;
};

Times measure(const Problem& problem, const std::shared_ptr<const FactorPlan>& plan, const Settings& settings) {
  ExecutorOptions options;
  options.keep_a = true;
  const auto executor = make_cuda_executor<double>(plan->cuda_plan(), options);
  Array<double> values(problem.a.values, MemorySpace::device), b(problem.right, MemorySpace::device),
      x(problem.right, MemorySpace::device);
  FactorInput<double> input;
  input.values = values.data();
  input.space = MemorySpace::device;
  const std::int64_t n = problem.a.n;
  Times times{};
  times.refactorize = median_seconds(settings.repeat, [&] { executor->factorization().factorize(input); });
  times.solve = median_seconds(settings.repeat, [&] {
    executor->factorization().solve({}, DenseView<const double>(b.data(), n, MemorySpace::device),
                                    DenseView<double>(x.data(), n, MemorySpace::device));
  });
  times.error = io::backward_error(problem.a, x.to_host(), problem.right);
  return times;
}

/// Runs the first factorization on the host, and cusolverRf with what it finds.
void measure_rf(const Problem& problem, const std::vector<std::int64_t>& order, const Settings& settings) {
  PlanOptions options;
  options.symbolic.ordering = Ordering::user;  // No blocks: cusolverRf knows none.
  options.symbolic.user_permutation = order;
  options.column_rules.dense_tail = false;
  const auto plan = make_column_plan(problem.pattern, problem.a.values.data(), MatchingRule::automatic, options);
  const FactorStructure& structure = plan->structure();
  const ColumnStructure& s = *structure.columns;
  const auto host = make_host_executor<double>(plan->host_plan(), {});
  FactorInput<double> input;
  input.values = problem.a.values.data();
  host->factorization().factorize(input);
  std::vector<double> values(static_cast<std::size_t>(s.values()));
  host->factorization().copy_panels(values);
  bench::RfRows l, u, a;
  bench::split(s, values, l, u);
  std::vector<int> p, q;
  for (const OldIndex row : structure.general->old_row_of_new) p.push_back(row.value);
  for (const OldIndex column : structure.symbolic.permutation.old_of_new) q.push_back(column.value);
  std::vector<std::vector<std::pair<int, double>>> rows(p.size());
  for (std::size_t j = 0; j < p.size(); ++j) {
    for (std::int64_t e = problem.a.offsets[j]; e < problem.a.offsets[j + 1]; ++e)
      rows[static_cast<std::size_t>(problem.a.indices[static_cast<std::size_t>(e)])].emplace_back(
          static_cast<int>(j), problem.a.values[static_cast<std::size_t>(e)]);
  }
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      a.columns.push_back(column);
      a.values.push_back(value);
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  const std::int64_t entries = static_cast<std::int64_t>(l.columns.size() + u.columns.size());
  bench::RfPeer rf(std::move(a), std::move(l), std::move(u), std::move(p), std::move(q));
  Array<double> x(problem.right, MemorySpace::device), b(problem.right, MemorySpace::device);
  const double refactorize = median_seconds(settings.repeat, [&] { rf.refactorize(); });
  const double solve = median_seconds(settings.repeat, [&] {
    cudaMemcpyAsync(x.data(), b.data(), problem.right.size() * sizeof(double), cudaMemcpyDeviceToDevice);
    rf.solve(x.data());
  });
  print_row(problem.a.name, "cusolverRf", problem.a.n, entries, 0, static_cast<std::int64_t>(s.level_offset.size()) - 1, 0,
            refactorize, solve, io::backward_error(problem.a, x.to_host(), problem.right));
}

/// KLU, and our LU by columns on one thread of the host.
void measure_host(const Problem& problem, const Settings& settings) {
  const auto n = problem.a.n;
  if constexpr (bench::KluPeer::is_available) {
    bench::KluPeer klu(problem.a);
    klu.analyze();
    klu.factorize();
    std::vector<double> x;
    const double refactorize = median_seconds(settings.repeat, [&] { klu.refactorize(problem.a.values); });
    const double solve = median_seconds(settings.repeat, [&] {
      x = problem.right;
      klu.solve(x);
    });
    print_row(problem.a.name, "KLU, one core", n, klu.nonzeros(), 0, 0, 0, refactorize, solve,
              io::backward_error(problem.a, x, problem.right));
  }
  const auto plan = make_column_plan(problem.pattern, problem.a.values.data(), MatchingRule::automatic, {});
  const ColumnStructure& s = *plan->structure().columns;
  ExecutorOptions options;
  options.threads = 1;
  const auto host = make_host_executor<double>(plan->host_plan(), options);
  FactorInput<double> input;
  input.values = problem.a.values.data();
  std::vector<double> x(problem.right);
  const double refactorize = median_seconds(settings.repeat, [&] { host->factorization().factorize(input); });
  const double solve = median_seconds(settings.repeat, [&] {
    host->factorization().solve({}, DenseView<const double>(problem.right.data(), n), DenseView<double>(x.data(), n));
  });
  print_row(problem.a.name, "columns, one core", n, s.nonzeros_l + s.nonzeros_u - s.n, s.tail(),
            static_cast<std::int64_t>(s.level_offset.size()) - 1, 0, refactorize, solve,
            io::backward_error(problem.a, x, problem.right));
}

struct Variant {
  const char* name;
  ColumnRules columns;
  ColumnLaunchRules launches;
};

std::vector<Variant> variants() {
  ColumnRules sparse;
  sparse.dense_tail = false;
  return {{"columns", {}, {}},
          {"columns, no tail", sparse, {}},
          {"columns, no merged levels", {}, {false, false}},
          {"rows", {}, {true, true}},
          {"rows, no tail", sparse, {true, true}},
          {"rows, no tail, no merged levels", sparse, {true, false}}};
}

bool compare(const std::string& name, const Settings& settings) {
  const Problem problem(name);
  std::vector<double> magnitudes;
  for (const double value : problem.a.values) magnitudes.push_back(std::abs(value));
  bool right = true;
  {
    const PlanOptions options = plan_options();
    const auto plan = with_cuda(make_general_plan(problem.pattern, magnitudes.data(), MatchingRule::automatic, options),
                                *options.cuda, options.symbolic.threads);
    const Times t = measure(problem, plan, settings);
    print_row(problem.a.name, "supernodes", problem.a.n, 2 * plan->symbolic.nonzeros - problem.a.n, 0,
              plan->structure().shape.height, 0, t.refactorize, t.solve, t.error);
  }
  std::vector<std::int64_t> order;
  for (const Variant& variant : variants()) {
    PlanOptions options = plan_options();
    options.column_rules = variant.columns;
    options.cuda->column_rules = variant.launches;
    const auto plan = make_column_plan(problem.pattern, problem.a.values.data(), MatchingRule::automatic, options);
    const ColumnStructure& s = *plan->structure().columns;
    const cuda::ColumnLaunches& launches = *plan->cuda().columns;
    if (order.empty()) {
      for (const OldIndex column : plan->symbolic.permutation.old_of_new) order.push_back(column.value);
    }
    const Times t = measure(problem, plan, settings);
    print_row(problem.a.name, variant.name, problem.a.n, s.nonzeros_l + s.nonzeros_u - s.n, s.tail(), launches.levels(),
              static_cast<std::int64_t>(launches.launches.size()), t.refactorize, t.solve, t.error);
    right = right && t.error <= problem.bound();
  }
  if (settings.with_rf) measure_rf(problem, order, settings);
  measure_host(problem, settings);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("LU by columns on a device, beside cusolverRf");
  std::vector<std::string> matrices;
  Settings settings;
  bool without_rf = false;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--repeat", settings.repeat, "Runs; the median counts")->check(CLI::PositiveNumber);
  app.add_flag("--without-rf", without_rf, "Leave cusolverRf out");
  CLI11_PARSE(app, argc, argv);
  settings.with_rf = !without_rf;
  fmt::print(
      "| matrix | variant | n | entries of L + U | tail | levels | launches | refactorize ms | solve ms | error |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  bool right = true;
  for (const std::string& name : matrices) {
    try {
      right = compare(name, settings) && right;
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", name, error.what());
      right = false;
    }
  }
  return right ? 0 : 1;
}
