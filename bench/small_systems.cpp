/// \file
/// Compares GpuSupernodalLLT with SimplicialLLT (AMD) for systems so small that fixed costs matter. Prints one Markdown row
/// per matrix. Times are minima of many calls that alternate between the solvers. With --check, exits 1 if a bound of
/// docs/eigen.md is violated.

#include <CLI/CLI.hpp>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/eigen.hpp"
#include "gpusupernodal/plan_cache.hpp"

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

// The order that separates small from larger systems in docs/eigen.md, and its bounds for both.
constexpr Eigen::Index line = 300;
constexpr double max_factorize_and_solve = 1.0;
constexpr double max_compute = 1.5;
constexpr double max_seconds_below = 20e-6;

class Couplings {
 public:
  explicit Couplings(Eigen::Index n) : n_(n), diagonal_(Vector::Ones(n)) {}
  void add(Eigen::Index i, Eigen::Index j) {
    if (i == j) return;
    entries_.emplace_back(i, j, -1.0);
    entries_.emplace_back(j, i, -1.0);
    diagonal_[i] += 1.0;
    diagonal_[j] += 1.0;
  }
  Matrix matrix() {
    for (Eigen::Index i = 0; i < n_; ++i) entries_.emplace_back(i, i, diagonal_[i]);
    Matrix a(n_, n_);
    a.setFromTriplets(entries_.begin(), entries_.end());
    return a;
  }

 private:
  Eigen::Index n_;
  Vector diagonal_;
  std::vector<Eigen::Triplet<double>> entries_;
};

/// The first n points of an m^dimensions grid, coupled with their 2·dimensions neighbours.
Matrix grid(Eigen::Index n, int dimensions) {
  const double root = dimensions == 1 ? 1.0 : 1.0 / dimensions;
  const auto m = dimensions == 1 ? n : static_cast<Eigen::Index>(std::ceil(std::pow(static_cast<double>(n), root) - 1e-9));
  Couplings couplings(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    Eigen::Index stride = 1;
    for (int d = 0; d < dimensions; ++d, stride *= m) {
      if (i / stride % m + 1 < m && i + stride < n) couplings.add(i, i + stride);
    }
  }
  return couplings.matrix();
}

Matrix random(Eigen::Index n, double edges_per_row) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<Eigen::Index> row(0, n - 1);
  Couplings couplings(n);
  for (auto e = static_cast<Eigen::Index>(edges_per_row * static_cast<double>(n)); e > 0; --e) {
    couplings.add(row(generator), row(generator));
  }
  return couplings.matrix();
}

Matrix make(const std::string& kind, Eigen::Index n) {
  if (kind == "line") return grid(n, 1);
  if (kind == "grid2d") return grid(n, 2);
  if (kind == "grid3d") return grid(n, 3);
  if (kind == "random") return random(n, 1.0);
  return random(n, static_cast<double>(n) / 8.0);
}

/// Seconds of the calls of one solver; minima over the repetitions.
struct Times {
  double compute = std::numeric_limits<double>::infinity();
  double factorize = compute;
  double solve = compute;
  double both() const { return factorize + solve; }
};

template <class Solver>
void measure(const Matrix& a, const Vector& b, Times& least) {
  Solver solver;
  Vector x(b.size());
  const auto take = [](double& best, double seconds) { best = std::min(best, seconds); };
  for (int repeat = 0; repeat < 3; ++repeat) {
    gpusupernodal::clear_plan_cache();
    take(least.compute, gpusupernodal::bench::seconds_of([&] { solver.compute(a); }));
  }
  for (int repeat = 0; repeat < 5; ++repeat) {
    take(least.factorize, gpusupernodal::bench::seconds_of([&] { solver.factorize(a); }));
    take(least.solve, gpusupernodal::bench::seconds_of([&] { x = solver.solve(b); }));
  }
}

/// Prints one row; returns whether the times are within the bounds.
bool report(const std::string& name, Eigen::Index n, const Times& ours, const Times& theirs) {
  const bool small = n < line;
  const bool kept =
      small ? ours.both() <= theirs.both() + max_seconds_below && ours.compute <= theirs.compute + max_seconds_below
            : ours.both() <= theirs.both() * max_factorize_and_solve && ours.compute <= theirs.compute * max_compute;
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.1f} | {:.1f} | {:.2f} | {:.1f} | {:.1f} | {} |\n", name, n,
             ours.compute * 1e6, theirs.compute * 1e6, ours.compute / theirs.compute, ours.both() * 1e6, theirs.both() * 1e6,
             ours.both() / theirs.both(), ours.solve * 1e6, theirs.solve * 1e6, kept ? "yes" : "NO");
  std::fflush(stdout);
  return kept;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("GpuSupernodalLLT beside SimplicialLLT on small systems");
  std::vector<Eigen::Index> orders{10, 30, 100, 200, 300, 500, 1000, 2000, 5000};
  std::vector<std::string> kinds{"line", "grid2d", "grid3d", "random", "dense"};
  double seconds = 0.2;
  bool check = false;
  app.add_option("--orders", orders, "Orders of the matrices")->delimiter(',');
  app.add_option("--kinds", kinds, "line, grid2d, grid3d, random (2 entries a row beside the diagonal), dense (a quarter)")
      ->delimiter(',')
      ->check(CLI::IsMember({"line", "grid2d", "grid3d", "random", "dense"}));
  app.add_option("--seconds", seconds, "To measure each matrix for");
  app.add_flag("--check", check, "Exit 1 where a bound is not kept");
  CLI11_PARSE(app, argc, argv);
  fmt::print(
      "| matrix | n | compute µs | SimplicialLLT | ratio | factorize + solve µs | SimplicialLLT | ratio | solve µs | "
      "SimplicialLLT | kept |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool kept = true;
  for (const std::string& kind : kinds) {
    for (const Eigen::Index n : orders) {
      if (kind == "dense" && n > 1000) continue;
      const Matrix a = make(kind, n);
      const Vector b = a * Vector::LinSpaced(n, 1.0, 2.0);
      Times ours;
      Times theirs;
      const gpusupernodal::Stopwatch watch;
      do {
        measure<Eigen::GpuSupernodalLLT<Matrix>>(a, b, ours);
        measure<Eigen::SimplicialLLT<Matrix>>(a, b, theirs);
      } while (watch.seconds() < seconds);
      kept = report(kind, n, ours, theirs) && kept;
    }
  }
  return check && !kept ? 1 : 0;
}
