/// \file
/// Compares refactorize on the host with CHOLMOD's supernodal factorization for the same permutation, interleaved in one
/// process. CHOLMOD runs with each requested number of BLAS threads; its best time counts. Prints a Markdown table.

#include <cholmod.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/symmetric_matrix.hpp"

extern "C" void openblas_set_num_threads(int);

namespace {

using namespace gpusupernodal;

/// CHOLMOD's factor of one matrix for a given permutation, refactorized in place.
class CholmodPeer {
 public:
  CholmodPeer(const io::SymmetricMatrix& a, const std::vector<std::int64_t>& old_of_new)
      : permutation_(old_of_new.begin(), old_of_new.end()),
        offsets_(a.offsets.begin(), a.offsets.end()),
        indices_(a.indices),
        values_(a.values) {
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_GIVEN;
    common_.postorder = 0;
    matrix_.nrow = matrix_.ncol = static_cast<std::size_t>(a.n);
    matrix_.nzmax = a.values.size();
    matrix_.p = offsets_.data();
    matrix_.i = indices_.data();
    matrix_.x = values_.data();
    matrix_.stype = -1;
    matrix_.itype = CHOLMOD_INT;
    matrix_.xtype = CHOLMOD_REAL;
    matrix_.dtype = CHOLMOD_DOUBLE;
    matrix_.sorted = 1;
    matrix_.packed = 1;
    factor_ = cholmod_analyze_p(&matrix_, permutation_.data(), nullptr, 0, &common_);
  }
  CholmodPeer(const CholmodPeer&) = delete;
  CholmodPeer& operator=(const CholmodPeer&) = delete;
  ~CholmodPeer() {
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  void refactorize() { cholmod_factorize(&matrix_, factor_, &common_); }

 private:
  std::vector<std::int32_t> permutation_;
  std::vector<std::int32_t> offsets_;
  std::vector<std::int32_t> indices_;
  std::vector<double> values_;
  cholmod_common common_{};
  cholmod_sparse matrix_{};
  cholmod_factor* factor_ = nullptr;
};

void compare(const std::string& spec, const Options& options, const std::vector<int>& blas_threads, int repeat) {
  const io::SymmetricMatrix a = io::load(spec);
  Solver<double> ours(options);
  ours.compute(a.view());
  CholmodPeer peer(a, ours.old_of_new());
  peer.refactorize();
  std::vector<double> our_seconds;
  std::vector<std::vector<double>> peer_seconds(blas_threads.size());
  for (int r = 0; r < repeat; ++r) {
    our_seconds.push_back(bench::seconds_of([&] { ours.refactorize(a.values); }));
    for (std::size_t t = 0; t < blas_threads.size(); ++t) {
      openblas_set_num_threads(blas_threads[t]);
      peer_seconds[t].push_back(bench::seconds_of([&] { peer.refactorize(); }));
    }
  }
  double best = bench::median(peer_seconds[0]);
  int best_threads = blas_threads[0];
  for (std::size_t t = 1; t < blas_threads.size(); ++t) {
    const double seconds = bench::median(peer_seconds[t]);
    if (seconds < best) best_threads = blas_threads[t];
    best = std::min(best, seconds);
  }
  const double mine = bench::median(our_seconds);
  const AnalyzeReport& report = ours.analyze_report();
  fmt::print("| {} | {} | {:.2e} | {:.2e} | {:.2f} | {:.2f} ({}) | {:.2f} |\n", a.name, a.n,
             static_cast<double>(report.nonzeros_l), report.flops, mine * 1e3, best * 1e3, best_threads, best / mine);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Refactorize beside CHOLMOD supernodal, same permutation");
  std::vector<std::string> matrices;
  std::vector<int> blas_threads{1, 2};
  int repeat = 5;
  Options options;
  options.backend = Backend::host;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--blas-threads", blas_threads, "Numbers of BLAS threads for CHOLMOD; its best one counts")->delimiter(',');
  app.add_option("--threads", options.threads, "Our threads; 0: all");
  app.add_option("--repeat", repeat, "Runs; the median counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  fmt::print(
      "| matrix | n | nnz(L) | flops | ours ms | CHOLMOD ms (BLAS threads) | CHOLMOD / ours "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const std::string& spec : matrices) compare(spec, options, blas_threads, repeat);
  return 0;
}
