/// \file
/// Times LDLᵀ and LU on the host beside MKL PARDISO, in turns in one process: analysis, refactorization and a solve,
/// medians. Prints a Markdown table. Exits 1 if a solution of ours has a large backward error although the status is
/// success.

#include <mkl_pardiso.h>
#include <mkl_service.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/indefinite_problems.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "gpusupernodal/names.hpp"
#include "io/general_matrix.hpp"
#include "io/residual.hpp"

namespace {

using namespace gpusupernodal;

/// PARDISO with its defaults for the kind of matrix, but parallel nested dissection and the two-level factorization.
class Pardiso {
 public:
  /// `a` by columns; of symmetric matrices the lower half is used, which is the upper half by rows. LU is one of Aᵀ, and
  /// solves are transposed.
  Pardiso(const io::GeneralMatrix& a, Form form) : type_(form == Form::lu ? 11 : -2), n_(static_cast<MKL_INT>(a.n)) {
    pardisoinit(memory_, &type_, options_);
    option(2) = 3;
    option(10) = form == Form::lu ? 13 : 8;
    option(12) = form == Form::lu ? 2 : 0;
    option(24) = 1;
    if (form == Form::lu) option(11) = option(13) = 1;
    if (form == Form::lu) option(24) = 10;  // Matching and scaling need this variant.
    option(35) = 1;
    offsets_.push_back(0);
    for (std::int64_t j = 0; j < a.n; ++j) {
      for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
           k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++k) {
        if (form != Form::lu && a.indices[k] < j) continue;
        indices_.push_back(a.indices[k]);
        values_.push_back(a.values[k]);
      }
      offsets_.push_back(static_cast<MKL_INT>(indices_.size()));
    }
  }
  Pardiso(const Pardiso&) = delete;
  Pardiso& operator=(const Pardiso&) = delete;
  ~Pardiso() {
    MKL_INT error = 0;
    call(-1, nullptr, nullptr, error);
  }
  void analyze() { run(11, nullptr, nullptr); }
  void factorize() { run(22, nullptr, nullptr); }
  void solve(std::vector<double>& b, std::vector<double>& x) { run(33, b.data(), x.data()); }

 private:
  /// The option with the manual's 1-based number.
  MKL_INT& option(int number) { return options_[number - 1]; }
  void call(MKL_INT phase, double* b, double* x, MKL_INT& error) {
    constexpr MKL_INT one = 1, quiet = 0;
    pardiso(memory_, &one, &one, &type_, &phase, &n_, values_.data(), offsets_.data(), indices_.data(), nullptr, &one,
            options_, &quiet, b, x, &error);
  }
  void run(MKL_INT phase, double* b, double* x) {
    MKL_INT error = 0;
    call(phase, b, x, error);
    if (error != 0)
      throw std::runtime_error("PARDISO: error " + std::to_string(error) + " in phase " + std::to_string(phase));
  }

  MKL_INT type_;
  MKL_INT n_;
  std::vector<MKL_INT> offsets_;
  std::vector<MKL_INT> indices_;
  std::vector<double> values_;
  void* memory_[64] = {};
  MKL_INT options_[64] = {};
};

struct Settings {
  std::string form = name_of(Form::ldlt);
  int threads = 0;
  int rounds = 9;
};

io::GeneralMatrix load(const std::string& name) {
  if (name.starts_with("shift:")) return bench::shifted_laplacian(name.substr(6));
  if (name.starts_with("kkt:")) return bench::saddle_point(name.substr(4));
  return io::load_general(name);
}

struct Times {
  std::vector<double> analyze;
  std::vector<double> factor;
  std::vector<double> solve;
};

/// Prints a row; returns whether our answer is right.
bool compare(const io::GeneralMatrix& a, const Settings& settings) {
  Options options;
  options.form = settings.form == name_of(Form::lu) ? Form::lu : Form::ldlt;
  options.backend = Backend::host;
  options.threads = settings.threads;
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<double> b = io::multiply(a, std::vector<double>(n, 1.0));
  std::vector<double> x(n);
  std::vector<double> peer_x(n);
  Times ours;
  Times peers;
  for (int r = 0; r < std::max(1, settings.rounds / 3); ++r) {
    ours.analyze.push_back(bench::seconds_of([&] { Solver<double>(options).analyze(a.view()); }));
    peers.analyze.push_back(bench::seconds_of([&] { Pardiso(a, options.form).analyze(); }));
  }
  Solver<double> solver(options);
  solver.compute(a.view());
  Pardiso peer(a, options.form);
  peer.analyze();
  for (int r = 0; r <= settings.rounds; ++r) {
    const double factor = bench::seconds_of([&] {
      solver.refactorize(a.values);
      solver.status();  // Includes the verification of doubtful pivots.
    });
    const double sweep = bench::seconds_of(
        [&] { solver.solve(DenseView<const double>(b.data(), a.n, 1, a.n), DenseView<double>(x.data(), a.n, 1, a.n)); });
    const double peer_factor = bench::seconds_of([&] { peer.factorize(); });
    const double peer_sweep = bench::seconds_of([&] { peer.solve(b, peer_x); });
    if (r == 0) continue;  // The first calls warm up.
    ours.factor.push_back(factor);
    ours.solve.push_back(sweep);
    peers.factor.push_back(peer_factor);
    peers.solve.push_back(peer_sweep);
  }
  const double error = io::backward_error(a, x, b);
  const auto ms = [](const std::vector<double>& times) { return bench::median(times) * 1e3; };
  fmt::print("| {} | {} | {:.3g} | {:.3g} | {:.3g} | {:.3g} | {:.2f} | {:.3g} | {:.3g} | {:.1e} | {:.1e} |\n", a.name, a.n,
             ms(ours.analyze), ms(peers.analyze), ms(ours.factor), ms(peers.factor), ms(peers.factor) / ms(ours.factor),
             ms(ours.solve), ms(peers.solve), error, io::backward_error(a, peer_x, b));
  return error <= 100.0 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("LDLT and LU on the host beside MKL PARDISO");
  Settings settings;
  std::vector<std::string> matrices;
  app.add_option("matrices", matrices, "Matrix Market files, generators, shift:N or kkt:N")->required();
  app.add_option("--form", settings.form, "ldlt or lu")->check(CLI::IsMember({"ldlt", "lu"}));
  app.add_option("--threads", settings.threads, "threads; 0: all")->check(CLI::NonNegativeNumber);
  app.add_option("--rounds", settings.rounds, "refactorizations and solves")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (settings.threads > 0) mkl_set_num_threads(settings.threads);
  fmt::print(
      "| matrix | n | analyze ms | PARDISO | refactorize ms | PARDISO | PARDISO / ours | solve ms | PARDISO | backward "
      "error | PARDISO "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool right = true;
  try {
    for (const std::string& name : matrices) right = compare(load(name), settings) && right;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_mkl_forms: {}\n", error.what());
    return 1;
  }
  return right ? 0 : 1;
}
