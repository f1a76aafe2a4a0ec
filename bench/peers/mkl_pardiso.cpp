/// \file
/// MKL PARDISO for symmetric positive definite matrices, with its parallel nested dissection, on the host.

#include <mkl_pardiso.h>
#include <mkl_service.h>

#include <algorithm>

#include "bench/peers/peer.hpp"

namespace gpusupernodal::bench {

namespace {

constexpr MKL_INT analysis = 11, factorization = 22, substitution = 33, release = -1;

class PardisoPeer : public Peer {
 public:
  PardisoPeer(const Problem& problem, const PeerSettings& settings)
      : problem_(problem),
        offsets_(problem.a.offsets.begin(), problem.a.offsets.end()),
        b_(problem.b),
        x_(problem.b.size()) {
    if (settings.threads > 0) mkl_set_num_threads(settings.threads);
    option(1) = 1;    // use the options set here instead of the defaults
    option(2) = 3;    // parallel nested dissection
    option(18) = -1;  // report the entries of L
    option(19) = -1;  // report the flops
    option(24) = 1;   // two-level factorization, suited to many threads
    option(35) = 1;   // zero-based
  }
  ~PardisoPeer() override {
    MKL_INT error = 0;
    call(release, 1, error);
  }

  void analyze() override { run(analysis, 1); }
  void factorize() override { run(factorization, 1); }
  void refactorize() override { run(factorization, 1); }
  void solve(int columns) override { run(substitution, columns); }
  std::vector<double> solution(int columns) override {
    return {x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(problem_.n() * columns)};
  }
  Fields fields() override {
    MKLVersion version;
    mkl_get_version(&version);
    const double kilobytes = static_cast<double>(std::max<MKL_INT>(option(15), option(16) + option(17)));
    Fields fields = {{"nnz_l", static_cast<std::int64_t>(option(18))},
                     {"memory", 1024.0 * kilobytes},
                     {"version", std::to_string(version.MajorVersion) + "." + std::to_string(version.UpdateVersion)},
                     {"settings", "parallel nested dissection, two-level factorization, " +
                                      std::to_string(mkl_get_max_threads()) + " threads"}};
    if (option(19) > 0) fields["flops"] = 1e6 * static_cast<double>(option(19));
    return fields;
  }

 private:
  /// The option with the manual's 1-based number.
  MKL_INT& option(int number) { return options_[number - 1]; }

  void call(MKL_INT phase, MKL_INT columns, MKL_INT& error) {
    // The lower triangle by columns is the upper triangle by rows, which PARDISO expects.
    constexpr MKL_INT one = 1, quiet = 0, positive_definite = 2;
    const MKL_INT n = static_cast<MKL_INT>(problem_.n());
    pardiso(memory_, &one, &one, &positive_definite, &phase, &n, problem_.a.values.data(), offsets_.data(),
            problem_.a.indices.data(), nullptr, &columns, options_, &quiet, b_.data(), x_.data(), &error);
  }
  void run(MKL_INT phase, MKL_INT columns) {
    MKL_INT error = 0;
    call(phase, columns, error);
    if (error != 0)
      throw std::runtime_error("PARDISO: error " + std::to_string(error) + " in phase " + std::to_string(phase));
  }

  const Problem& problem_;
  std::vector<MKL_INT> offsets_;
  std::vector<double> b_, x_;
  void* memory_[64] = {};
  MKL_INT options_[64] = {};
};

}  // namespace

}  // namespace gpusupernodal::bench

int main(int argc, char** argv) {
  using namespace gpusupernodal::bench;
  return run_peer(argc, argv, {"mkl_pardiso", {"default"}, [](const Problem& problem, const PeerSettings& settings) {
                                 return std::unique_ptr<Peer>(std::make_unique<PardisoPeer>(problem, settings));
                               }});
}
