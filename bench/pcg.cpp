/// \file
/// Times conjugate gradients on a CUDA device with b and x in device memory: microseconds per iteration at fixed iterations,
/// beside a captured loop of cuSPARSE and cuBLAS with Jacobi, and milliseconds to a solution for each preconditioner. With
/// --host, on host threads. Prints Markdown rows; exits 1 if a converged solution has too large a residual.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/device_array.hpp"
#include "bench/pcg_peer.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/symmetric_matrix.hpp"

namespace {

using namespace gpusupernodal;
using bench::Array;
using bench::median_seconds;

struct Settings {
  int repeat = 5;
  bool host = false;
  bool fixed_only = false;
  double tolerance = 1e-10;
  std::vector<std::string> preconditioners{"none", "jacobi", "block_jacobi", "fsai", "factor"};
};

bench::PeerMatrix both_triangles(const io::SymmetricMatrix& a) {
  std::vector<std::vector<std::pair<std::int32_t, double>>> rows(static_cast<std::size_t>(a.n));
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t e = a.offsets[static_cast<std::size_t>(j)]; e < a.offsets[static_cast<std::size_t>(j) + 1]; ++e) {
      const std::int32_t i = a.indices[static_cast<std::size_t>(e)];
      const double value = a.values[static_cast<std::size_t>(e)];
      rows[static_cast<std::size_t>(i)].emplace_back(static_cast<std::int32_t>(j), value);
      if (i != j) rows[static_cast<std::size_t>(j)].emplace_back(i, value);
    }
  }
  bench::PeerMatrix full;
  full.n = static_cast<std::int32_t>(a.n);
  full.offsets.push_back(0);
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) full.columns.push_back(column), full.values.push_back(value);
    full.offsets.push_back(static_cast<std::int32_t>(full.columns.size()));
  }
  return full;
}

std::vector<double> right_hand_side(std::int64_t n) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> b(static_cast<std::size_t>(n));
  for (double& value : b) value = uniform(random);
  return b;
}

PcgOptions options_of(const Settings& settings, Preconditioner preconditioner) {
  PcgOptions options;
  options.backend = settings.host ? Backend::host : Backend::cuda;
  options.preconditioner = preconditioner;
  options.max_iterations = 100000;
  options.tolerance = settings.tolerance;
  return options;
}

/// Microseconds per iteration, from solves that stop at two limits; 0 if the residual reaches 0 before.
double microseconds(Pcg<double>& pcg, const DenseView<const double>& b, const DenseView<double>& x, int repeat) {
  constexpr std::int64_t few = 40, many = 240;
  PcgOptions options = pcg.options();
  options.tolerance = 1e-290;  // Hardly ever reached.
  const auto seconds = [&](std::int64_t limit) {
    options.max_iterations = limit;
    pcg.set_options(options);
    return median_seconds(repeat, [&] { pcg.solve(b, x); });
  };
  const double short_run = seconds(few);
  const double long_run = seconds(many);
  return pcg.reports()[0].iterations < many ? 0.0 : (long_run - short_run) / static_cast<double>(many - few) * 1e6;
}

bool measure(const io::SymmetricMatrix& a, const Settings& settings) {
  const std::vector<double> right = right_hand_side(a.n);
  const MemorySpace space = settings.host ? MemorySpace::host : MemorySpace::device;
  Array<double> b(right, space), x(right, space);
  const DenseView<const double> side(b.data(), a.n, space);
  const DenseView<double> target(x.data(), a.n, space);
  const bench::PeerMatrix full = both_triangles(a);
  const double peer = settings.host ? 0.0 : bench::peer_microseconds(full, right, 200, settings.repeat);
  bool good = true;
  for (const std::string& name : settings.preconditioners) {
    const Preconditioner preconditioner = preconditioner_of(name).value();
    Pcg<double> pcg(options_of(settings, preconditioner));
    pcg.compute(a.view());
    pcg.update(a.values);
    double solved = 0.0;
    PcgReport report;
    if (!settings.fixed_only) {
      solved = median_seconds(settings.repeat, [&] { report = pcg.solve(side, target); });
      good = good && (!report.converged() || report.residual <= settings.tolerance * report.right_hand_side);
    }
    const double each = preconditioner == Preconditioner::factor ? 0.0 : microseconds(pcg, side, target, settings.repeat);
    fmt::print("| {} | {} | {} | {} | {:.1f} | {:.1f} | {} | {} | {:.2f} | {:.1f} | {:.1e} |\n", a.name, a.n,
               full.values.size(), name, each, peer, name_of(report.status), report.iterations, solved * 1e3,
               pcg.reports()[0].seconds_setup * 1e3, report.residual / report.right_hand_side);
    std::fflush(stdout);
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Conjugate gradients on a device");
  std::vector<std::string> matrices;
  Settings settings;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--repeat", settings.repeat, "Runs; the median counts")->check(CLI::PositiveNumber);
  app.add_option("--tolerance", settings.tolerance, "Relative residual of solutions");
  app.add_option("--preconditioners", settings.preconditioners, "Names")->delimiter(',');
  app.add_flag("--host", settings.host, "On host threads, without the peer");
  app.add_flag("--fixed-only", settings.fixed_only, "Fixed iterations only");
  CLI11_PARSE(app, argc, argv);
  fmt::print(
      "| matrix | n | entries | preconditioner | us an iteration | peer, Jacobi | status | iterations | solve ms | setup ms "
      "| residual |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool good = true;
  for (const std::string& name : matrices) good = measure(io::load(name), settings) && good;
  return good ? 0 : 1;
}
