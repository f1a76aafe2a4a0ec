/// \file
/// Compares time per phase and backward error on the host and on a CUDA device with A, b and x in device memory.
/// Prints one Markdown row per matrix and backend; exits 1 if a backward error exceeds its bound.

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/device_array.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"

namespace {

using namespace gpusupernodal;
using bench::Array;
using bench::median_seconds;

struct Row {
  double first = 0, refactor = 0, solve = 0, solve_many = 0, error = 0;
};

template <class T>
Row measure(Solver<T>& solver, const io::SymmetricMatrix& a, MemorySpace space, int repeat, int many) {
  Array<T> values(a.values, space);
  const std::vector<double> ones(static_cast<std::size_t>(a.n), 1.0);
  const std::vector<double> right = io::multiply(a, ones);
  std::vector<double> columns;
  for (int c = 0; c < many; ++c) columns.insert(columns.end(), right.begin(), right.end());
  Array<T> b(columns, space);
  Array<T> x(columns, space);
  Row row;
  const auto factorize = [&] { solver.refactorize(Span<const T>(values.data(), a.values.size()), space); };
  row.first = bench::seconds_of([&] {
    factorize();
    cudaDeviceSynchronize();
  });
  row.refactor = median_seconds(repeat, factorize);
  solver.reserve_right_hand_sides(many);
  const std::int64_t n = a.n;
  row.solve = median_seconds(
      repeat, [&] { solver.solve(DenseView<const T>(b.data(), n, space), DenseView<T>(x.data(), n, space)); });
  std::vector<double> solution = x.to_host();
  solution.resize(static_cast<std::size_t>(n));
  row.error = io::backward_error(a, solution, right);
  row.solve_many = median_seconds(repeat, [&] {
    solver.solve({b.data(), n, many, n, space}, {x.data(), n, many, n, space});
  });
  return row;
}

/// The pattern as a matrix of T without values.
template <class T>
MatrixView<T> pattern_of(const io::SymmetricMatrix& a) {
  const MatrixView<double> view = a.view();
  MatrixView<T> pattern;
  pattern.n = view.n;
  pattern.offsets = view.offsets;
  pattern.indices = view.indices;
  pattern.part = view.part;
  return pattern;
}

/// "host", "cuda", or the number of devices.
std::string backend_text(const AnalyzeReport& analysis) {
  if (!analysis.devices.empty()) return fmt::format("{} devices", analysis.devices.size());
  if (analysis.memory.host > 0) return "hybrid";
  return analysis.backend == Backend::cuda ? "cuda" : "host";
}

/// Gigabytes; of several devices, of each.
std::string memory_text(const AnalyzeReport& analysis) {
  const auto gigabytes = [](const MemoryEstimate& memory) {
    return fmt::format("{:.2f}", static_cast<double>(memory.total()) * 1e-9);
  };
  if (analysis.memory.host > 0)
    return fmt::format("{}, host {:.2f}", gigabytes(analysis.memory), static_cast<double>(analysis.memory.host) * 1e-9);
  if (analysis.devices.empty()) return gigabytes(analysis.memory);
  std::string text;
  for (const DeviceUse& use : analysis.devices) text += (text.empty() ? "" : " + ") + gigabytes(use.memory);
  return text;
}

/// Returns whether the backward error is within 4·n·eps.
template <class T>
bool report(const std::string& name, const Solver<T>& solver, const Row& row) {
  const AnalyzeReport& analysis = solver.analyze_report();
  const double n = std::max<double>(10.0, static_cast<double>(analysis.n));
  const double bound = 4.0 * n * static_cast<double>(std::numeric_limits<T>::epsilon());
  const bool good = row.error <= bound;
  fmt::print("| {} | {} | {:.2e} | {:.2e} | {} | {:.1f} | {:.2f} | {:.3f} | {:.3f} | {:.3f} | {} | {:.0e} | {} |\n", name,
             analysis.n, static_cast<double>(analysis.nonzeros_l), analysis.flops, backend_text(analysis),
             analysis.seconds_total * 1e3, row.first * 1e3, row.refactor * 1e3, row.solve * 1e3, row.solve_many * 1e3,
             memory_text(analysis), row.error, good ? "yes" : "NO");
  std::fflush(stdout);
  return good;
}

template <class T>
bool measure_backend(const io::SymmetricMatrix& a, Options options, std::shared_ptr<const FactorPlan>& plan, int repeat,
                     int many) {
  options.plan_cache = false;
  Solver<T> solver(options);
  if (plan) {
    solver.analyze(pattern_of<T>(a), plan);
  } else {
    solver.analyze(pattern_of<T>(a));
    plan = solver.plan();
  }
  const MemorySpace space = options.backend == Backend::cuda ? MemorySpace::device : MemorySpace::host;
  const Row row = measure(solver, a, space, repeat, many);
  if (solver.status() != Status::success) {
    fmt::print("| {} | not positive definite |\n", a.name);
    return false;
  }
  return report(a.name, solver, row);
}

/// This share of the device memory that a factorization takes.
std::int64_t limit_of(const io::SymmetricMatrix& a, Options options, double share) {
  options.device_memory_limit = 0;
  return static_cast<std::int64_t>(share *
                                   static_cast<double>(Solver<double>::preview(a.view(), options).report.memory.total()));
}

/// Times of each call of a solver.
struct CallSeconds {
  std::vector<double> refactor, solve;
};

/// Compares a solver that computes its order with one that is given the same order; alternates their calls.
template <class T>
void compare_with_outside(const io::SymmetricMatrix& a, Options options, int repeat) {
  options.plan_cache = false;
  Solver<T> inside(options);
  inside.analyze(pattern_of<T>(a));
  options.ordering = Ordering::user;
  options.permutation = inside.old_of_new();
  Solver<T> outside(options);
  outside.analyze(pattern_of<T>(a));
  const MemorySpace space = options.backend == Backend::cuda ? MemorySpace::device : MemorySpace::host;
  Array<T> values(a.values, space);
  Array<T> b(std::vector<double>(static_cast<std::size_t>(a.n), 1.0), space);
  Array<T> x(std::vector<double>(static_cast<std::size_t>(a.n), 0.0), space);
  CallSeconds of_inside;
  CallSeconds of_outside;
  const auto call = [&](Solver<T>& solver, CallSeconds& seconds) {
    seconds.refactor.push_back(bench::seconds_of([&] {
      solver.refactorize(Span<const T>(values.data(), a.values.size()), space);
      cudaDeviceSynchronize();
    }));
    seconds.solve.push_back(bench::seconds_of([&] {
      solver.solve(DenseView<const T>(b.data(), a.n, space), DenseView<T>(x.data(), a.n, space));
      cudaDeviceSynchronize();
    }));
  };
  constexpr int warm_up = 3;
  for (int r = 0; r < warm_up + repeat; ++r) {
    if (r == warm_up) of_inside = of_outside = {};
    call(inside, of_inside);
    call(outside, of_outside);
  }
  const auto row = [](const std::vector<double>& in, const std::vector<double>& out) {
    const double a_ms = bench::median(in) * 1e3;
    const double b_ms = bench::median(out) * 1e3;
    return fmt::format("{:.3f} | {:.3f} | {:.3f}", a_ms, b_ms, b_ms / a_ms);
  };
  fmt::print("| {} | {} | {} | {} | {} |\n", a.name, name_of(inside.analyze_report().ordering),
             options.backend == Backend::cuda ? "cuda" : "host", row(of_inside.refactor, of_outside.refactor),
             row(of_inside.solve, of_outside.solve));
  std::fflush(stdout);
}

void print_titles(bool outside, int many) {
  if (outside) {
    fmt::print(
        "| matrix | ordering | backend | refactorize ms | from outside ms | ratio | solve ms | from outside ms | ratio |\n");
    fmt::print("|---|---|---|---|---|---|---|---|---|\n");
    return;
  }
  fmt::print(
      "| matrix | n | nnz(L) | flops | backend | analyze ms | first ms | refactorize ms | solve 1 ms | solve {} ms | GB | "
      "backward error | ≤ 4·n·eps |\n",
      many);
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Phases on the host and on a CUDA device, data resident there");
  std::vector<std::string> matrices;
  int repeat = 5;
  int many = 16;
  bool outside = false;
  Options options;
  std::vector<std::string> backends{"cuda", "host"};
  std::vector<int> devices{0, 1};
  double share = 0.45;
  std::string schedule = name_of(options.cuda_schedule);
  std::string scalar = "double";
  std::string ordering = name_of(options.ordering);
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--backends", backends,
                 "cuda, host, devices (those of --devices together), hybrid (one device with a share of the memory), with "
                 "commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"cuda", "host", "devices", "hybrid"}));
  app.add_option("--devices", devices, "CUDA devices for the backend `devices`, with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--schedule", schedule, "levels or streams")
      ->check(CLI::IsMember(std::vector<std::string>(cuda_schedule_names.begin(), cuda_schedule_names.end())));
  app.add_option("--scalar", scalar, "double or float")->check(CLI::IsMember({"double", "float"}));
  app.add_option("--ordering", ordering, "of the options")
      ->check(CLI::IsMember(std::vector<std::string>(ordering_names.begin(), ordering_names.end())));
  app.add_flag("--outside", outside,
               "compare the ordering with its order passed as the caller's, alternately; refactorize and solve");
  app.add_option("--streams", options.streams, "CUDA streams");
  app.add_flag("--deterministic", options.deterministic, "additions in a fixed order");
  app.add_option("--threads", options.threads, "Host threads; 0: all");
  app.add_option("--repeat", repeat, "Timed calls; the median counts")->check(CLI::PositiveNumber);
  app.add_option("--rhs", many, "Right-hand sides of the second solve")->check(CLI::PositiveNumber);
  app.add_option("--share", share, "for the backend `hybrid`: share of the device memory that the whole factorization takes")
      ->check(CLI::Range(0.0, 1.0));
  CLI11_PARSE(app, argc, argv);
  options.cuda_schedule = cuda_schedule_of(schedule).value();
  options.ordering = ordering_of(ordering).value();
  print_titles(outside, many);
  bool good = true;
  for (const std::string& spec : matrices) {
    const io::SymmetricMatrix a = io::load(spec);
    std::shared_ptr<const FactorPlan> plan;
    for (const std::string& backend : backends) {
      options.backend = backend == "host" ? Backend::host : Backend::cuda;
      options.devices = backend == "devices" ? devices : std::vector<int>();
      options.device_memory_limit = backend == "hybrid" ? limit_of(a, options, share) : 0;
      if (outside) {
        (scalar == "float" ? compare_with_outside<float> : compare_with_outside<double>)(a, options, repeat);
        continue;
      }
      const auto measured = scalar == "float" ? measure_backend<float> : measure_backend<double>;
      good = measured(a, options, plan, repeat, many) && good;
    }
  }
  return good ? 0 : 1;
}
