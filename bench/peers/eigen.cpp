/// \file
/// Eigen's SimplicialLLT with AMD ordering, on one thread.

#include <Eigen/SparseCholesky>

#include "bench/peers/peer.hpp"

namespace gpusupernodal::bench {

namespace {

class EigenPeer : public Peer {
 public:
  EigenPeer(const Problem& problem, const PeerSettings&) : problem_(problem), x_(problem.n(), problem.columns) {
    const std::vector<int> offsets(problem.a.offsets.begin(), problem.a.offsets.end());
    matrix_ = Eigen::Map<const Eigen::SparseMatrix<double>>(problem.n(), problem.n(), offsets.back(), offsets.data(),
                                                            problem.a.indices.data(), problem.a.values.data());
    b_ = Eigen::Map<const Eigen::MatrixXd>(problem.b.data(), problem.n(), problem.columns);
  }

  void analyze() override { solver_.analyzePattern(matrix_); }
  void factorize() override { refactorize(); }
  void refactorize() override {
    solver_.factorize(matrix_);
    if (solver_.info() != Eigen::Success) throw std::runtime_error("Eigen: the factorization failed");
    factorized_ = true;
  }
  void solve(int columns) override {
    if (columns == 1) {
      x_.col(0) = solver_.solve(b_.col(0));
    } else {
      x_ = solver_.solve(b_);
    }
  }
  std::vector<double> solution(int columns) override { return {x_.data(), x_.data() + problem_.n() * columns}; }
  Fields fields() override {
    Fields fields = {{"version", std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
                                     std::to_string(EIGEN_MINOR_VERSION)},
                     {"settings", "SimplicialLLT, AMD, one thread"}};
    if (!factorized_) return fields;
    const auto& l = solver_.matrixL().nestedExpression();
    double flops = 0.0;
    for (Eigen::Index j = 0; j < l.cols(); ++j) {
      const double count = static_cast<double>(l.outerIndexPtr()[j + 1] - l.outerIndexPtr()[j]);
      flops += count * count;
    }
    fields["nnz_l"] = static_cast<std::int64_t>(l.nonZeros());
    fields["flops"] = flops;
    fields["memory"] = static_cast<double>(l.nonZeros()) * static_cast<double>(sizeof(double) + sizeof(int));
    return fields;
  }

 private:
  const Problem& problem_;
  Eigen::SparseMatrix<double> matrix_;
  Eigen::MatrixXd b_, x_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> solver_;
  bool factorized_ = false;
};

}  // namespace

}  // namespace gpusupernodal::bench

int main(int argc, char** argv) {
  using namespace gpusupernodal::bench;
  return run_peer(argc, argv, {"eigen", {"default"}, [](const Problem& problem, const PeerSettings& settings) {
                                 return std::unique_ptr<Peer>(std::make_unique<EigenPeer>(problem, settings));
                               }});
}
