/// \file
/// What FGMRES saves where pivots were replaced: how many solves of seeded systems refinement completes, how many need
/// FGMRES, and how many are refused; and what a solve by FGMRES costs beside a factorization with other pivots. Prints two
/// Markdown tables. Exits 1 if a solution that was returned has a large backward error.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/fmt.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "gpusupernodal/names.hpp"
#include "io/general_matrix.hpp"

namespace {

using namespace gpusupernodal;

using Random = std::mt19937_64;

double between(Random& random, double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

using Matrix = io::GeneralMatrix;

/// Entries (column, row) → value.
using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

Matrix compressed(std::int64_t n, const Entries& entries) {
  Matrix a;
  a.n = n;
  a.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const auto& [place, value] : entries) {
    ++a.offsets[static_cast<std::size_t>(place.first) + 1];
    a.indices.push_back(static_cast<std::int32_t>(place.second));
    a.values.push_back(value);
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) a.offsets[j + 1] += a.offsets[j];
  return a;
}

/// A chain of cells [1 1 1; 1 1+d 1; 1 1 1−d] whose third rows are coupled. The second pivot of a cell is d: 1, or between
/// 1e-9 and 1e-11 in `weak` of them, so that √eps replaces it. The matrix is symmetric, and its condition is about 1 / d.
Matrix chain(std::int64_t cells, std::int64_t weak, Random& random) {
  std::vector<double> d(static_cast<std::size_t>(cells), 1.0);
  for (std::int64_t k = 0; k < weak; ++k)
    d[static_cast<std::size_t>((2 * k + 1) * cells / (2 * weak))] = std::pow(10.0, between(random, -11.0, -9.0));
  Entries a;
  for (std::int64_t c = 0; c < cells; ++c) {
    const std::int64_t first = 3 * c;
    for (std::int64_t e = 0; e < 9; ++e) a[{first + e / 3, first + e % 3}] = 1.0;
    a[{first + 1, first + 1}] += d[static_cast<std::size_t>(c)];
    a[{first + 2, first + 2}] += 2.5 - d[static_cast<std::size_t>(c)];
    if (c > 0) a[{first + 2, first - 1}] = a[{first - 1, first + 2}] = -1.0;
  }
  return compressed(3 * cells, a);
}

/// A few entries a column at random places, and a diagonal of any size down to 1e-16.
Matrix scattered(bool symmetric, Random& random) {
  const auto n = static_cast<std::int64_t>(5 + random() % 56);
  Entries a;
  for (std::int64_t j = 0; j < n; ++j) {
    a[{j, j}] = std::pow(10.0, between(random, -16.0, 0.0));
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      if (i == j) continue;
      a[{j, i}] = between(random, -1.0, 1.0);
      if (symmetric) a[{i, j}] = a[{j, i}];
    }
  }
  return compressed(n, a);
}

/// ‖b − A x‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞).
double backward_error(const Matrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  std::vector<long double> r(b.begin(), b.end());
  std::vector<double> sums(b.size(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      r[static_cast<std::size_t>(a.indices[e])] -= static_cast<long double>(a.values[e]) * x[j];
      sums[static_cast<std::size_t>(a.indices[e])] += std::abs(a.values[e]);
    }
  }
  const auto largest = [](const auto& v) {
    double all = 0.0;
    for (const auto entry : v) all = std::max(all, static_cast<double>(std::abs(entry)));
    return all;
  };
  return largest(r) / (largest(sums) * largest(x) + largest(b));
}

struct Counts {
  int systems = 0, singular = 0, solves = 0, refined = 0, iterated = 0, refused = 0, most_iterations = 0;
  double iterations = 0.0;
  bool all_accurate = true;
};

Options options_for(Form form, Repivot repivot) {
  Options options;
  options.form = form;
  options.backend = Backend::host;
  options.threads = 1;
  options.lu_schedule = LuSchedule::supernodes;
  options.repivot = repivot;
  return options;
}

/// Solves for two right-hand sides with entries of random sign and size, and for A times ones.
void try_system(const Matrix& a, const Options& options, Random& random, Counts& counts) {
  Solver<double> solver(options);
  solver.compute(a.view());
  ++counts.systems;
  if (solver.status() == Status::singular) {
    ++counts.singular;
    return;
  }
  const auto n = static_cast<std::size_t>(a.n);
  const bool by_probe = solver.factor_report().probe_iterations > 0;
  for (int right = 0; right < 3; ++right) {
    std::vector<double> b(n, 0.0);
    if (right < 2) std::generate(b.begin(), b.end(), [&] { return between(random, -1.0, 1.0); });
    for (std::size_t e = 0; right == 2 && e < a.indices.size(); ++e)
      b[static_cast<std::size_t>(a.indices[e])] += a.values[e];
    std::vector<double> x(n);
    ++counts.solves;
    try {
      solver.solve({b.data(), a.n}, {x.data(), a.n});
    } catch (const NumericalFailure&) {
      ++counts.refused;
      continue;
    }
    constexpr double c = 100.0;
    const double bound = c * std::sqrt(static_cast<double>(a.n)) * std::numeric_limits<double>::epsilon();
    if (!(backward_error(a, x, b) <= 2.0 * bound)) counts.all_accurate = false;
    const int iterations = solver.solve_report().fgmres_iterations;
    ++(by_probe || iterations > 0 ? counts.iterated : counts.refined);  // Without it the status is unstable.
    counts.iterations += iterations;
    counts.most_iterations = std::max(counts.most_iterations, iterations);
  }
}

template <class Make>
bool count(const char* family, Form form, int systems, const Make& make) {
  bool accurate = true;
  for (const Repivot repivot : {Repivot::report, Repivot::automatic}) {
    Random random(1);
    Counts counts;
    for (int s = 0; s < systems; ++s) try_system(make(random), options_for(form, repivot), random, counts);
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1f} | {} |\n", family, name_of(form), name_of(repivot),
               counts.systems, counts.singular, counts.solves, counts.iterated + counts.refused, counts.refused,
               counts.iterated, counts.iterated > 0 ? counts.iterations / counts.iterated : 0.0, counts.most_iterations);
    std::fflush(stdout);
    accurate = accurate && counts.all_accurate;
  }
  return accurate;
}

/// Milliseconds of a first status and of a solve, medians.
void time_chain(std::int64_t cells, std::int64_t weak, Form form, Repivot repivot, int repeat) {
  Random random(1);
  const Matrix a = chain(cells, weak, random);
  std::vector<double> b(static_cast<std::size_t>(a.n));
  std::generate(b.begin(), b.end(), [&] { return between(random, -1.0, 1.0); });
  std::vector<double> x(b.size());
  std::vector<double> first, again, solve;
  SolveReport report;
  FactorReport factor;
  for (int r = 0; r < repeat; ++r) {
    Solver<double> solver(options_for(form, repivot));
    solver.analyze(a.view());
    const auto factorize = [&] {
      solver.refactorize(a.values);
      solver.status();
    };
    first.push_back(bench::seconds_of(factorize));
    again.push_back(bench::seconds_of(factorize));
    if (solver.status() != Status::success) break;
    solve.push_back(bench::seconds_of([&] { solver.solve({b.data(), a.n}, {x.data(), a.n}); }));
    report = solver.solve_report();
    factor = solver.factor_report();
  }
  fmt::print("| {} | {} | {} | {} | {:.2f} | {:.2f} | {} | {} | {} | {} | {:.1e} |\n", name_of(form), a.n, weak,
             name_of(repivot), 1e3 * bench::median(first), 1e3 * bench::median(again),
             solve.empty() ? "refused" : fmt::format("{:.2f}", 1e3 * bench::median(solve)), report.refinement_steps,
             report.fgmres_iterations, factor.perturbed_pivots, report.backward_error);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What FGMRES saves where pivots were replaced, and what it costs.");
  int systems = 1000;
  std::int64_t cells = 10000;
  int repeat = 5;
  app.add_option("--systems", systems, "systems of each family");
  app.add_option("--cells", cells, "cells of the chain that is timed");
  app.add_option("--repeat", repeat, "repetitions");
  CLI11_PARSE(app, argc, argv);
  const auto chains = [](Random& random) {
    const auto weak = static_cast<std::int64_t>(1 + random() % 8);
    return chain(10, weak, random);
  };
  fmt::print(
      "| systems | form | repivot | number | singular | solves | refused by refinement | refused | by FGMRES | iterations, "
      "mean | most |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool accurate = true;
  for (const Form form : {Form::lu, Form::ldlt}) {
    accurate = count("chains", form, systems, chains) && accurate;
    accurate = count("scattered", form, systems, [form](Random& r) { return scattered(form == Form::ldlt, r); }) && accurate;
  }
  fmt::print(
      "\n| form | n | weak | repivot | first status ms | later status ms | solve ms | steps | iterations | replaced | "
      "backward error |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Form form : {Form::lu, Form::ldlt}) {
    for (const std::int64_t weak : {1, 4, 16, 64}) {
      for (const Repivot repivot : {Repivot::report, Repivot::automatic}) time_chain(cells, weak, form, repivot, repeat);
    }
  }
  return accurate ? 0 : 1;
}
