/// \file
/// CHOLMOD's supernodal factorization on the host with OpenBLAS and CHOLMOD's ordering strategy.

#include <cholmod.h>

#include <thread>

#include "bench/peers/peer.hpp"

extern "C" void openblas_set_num_threads(int);

namespace gpusupernodal::bench {

namespace {

class CholmodPeer : public Peer {
 public:
  CholmodPeer(const Problem& problem, const PeerSettings& settings)
      : problem_(problem),
        offsets_(problem.a.offsets.begin(), problem.a.offsets.end()),
        b_values_(problem.b),
        threads_(settings.threads > 0 ? settings.threads : static_cast<int>(std::thread::hardware_concurrency())) {
    openblas_set_num_threads(threads_);
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    matrix_.nrow = matrix_.ncol = static_cast<std::size_t>(problem.n());
    matrix_.nzmax = problem.a.values.size();
    matrix_.p = offsets_.data();
    matrix_.i = const_cast<std::int32_t*>(problem.a.indices.data());
    matrix_.x = const_cast<double*>(problem.a.values.data());
    matrix_.stype = -1;
    matrix_.itype = CHOLMOD_INT;
    matrix_.xtype = CHOLMOD_REAL;
    matrix_.dtype = CHOLMOD_DOUBLE;
    matrix_.sorted = 1;
    matrix_.packed = 1;
  }
  ~CholmodPeer() override {
    cholmod_free_dense(&x_, &common_);
    cholmod_free_dense(&y_, &common_);
    cholmod_free_dense(&e_, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }

  void analyze() override {
    cholmod_free_factor(&factor_, &common_);
    factor_ = cholmod_analyze(&matrix_, &common_);
    check();
    const auto& method = common_.method[common_.selected];
    nnz_l_ = method.lnz;
    flops_ = method.fl;
    ordering_ = method.ordering == CHOLMOD_METIS ? "METIS" : method.ordering == CHOLMOD_AMD ? "AMD" : "another";
  }
  void factorize() override { refactorize(); }
  void refactorize() override {
    cholmod_factorize(&matrix_, factor_, &common_);
    check();
  }
  void solve(int columns) override {
    cholmod_dense b{};
    b.nrow = b.d = static_cast<std::size_t>(problem_.n());
    b.ncol = static_cast<std::size_t>(columns);
    b.nzmax = b.nrow * b.ncol;
    b.x = b_values_.data();
    b.xtype = CHOLMOD_REAL;
    b.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, factor_, &b, nullptr, &x_, nullptr, &y_, &e_, &common_);
    check();
  }
  std::vector<double> solution(int columns) override {
    const double* x = static_cast<const double*>(x_->x);
    return {x, x + problem_.n() * columns};
  }
  Fields fields() override {
    int version[3] = {};
    cholmod_version(version);
    return {{"nnz_l", nnz_l_},
            {"flops", flops_},
            {"memory", common_.memory_usage},
            {"version", std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2])},
            {"settings", "supernodal, ordering " + ordering_ + " by its strategy, OpenBLAS with " +
                             std::to_string(threads_) + " threads"}};
  }

 private:
  void check() const {
    if (common_.status != CHOLMOD_OK) throw std::runtime_error("CHOLMOD: status " + std::to_string(common_.status));
  }

  const Problem& problem_;
  std::vector<std::int32_t> offsets_;
  std::vector<double> b_values_;
  int threads_;
  cholmod_common common_{};
  cholmod_sparse matrix_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;
  double nnz_l_ = 0.0, flops_ = 0.0;
  std::string ordering_;
};

}  // namespace

}  // namespace gpusupernodal::bench

int main(int argc, char** argv) {
  using namespace gpusupernodal::bench;
  return run_peer(argc, argv, {"cholmod", {"default"}, [](const Problem& problem, const PeerSettings& settings) {
                                 return std::unique_ptr<Peer>(std::make_unique<CholmodPeer>(problem, settings));
                               }});
}
