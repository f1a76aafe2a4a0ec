// Solves a Poisson problem on a square with Eigen::GpuSupernodalLLT instead of Eigen::SimplicialLLT.
#include <Eigen/SparseCore>
#include <cstdio>
#include <gpusupernodal/eigen.hpp>
#include <limits>
#include <vector>

using SparseMatrix = Eigen::SparseMatrix<double>;

/// Five-point Laplacian of an m × m grid. The lower half suffices.
SparseMatrix laplacian(int m) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < m * m; ++i) {
    entries.emplace_back(i, i, 4.0);
    if ((i + 1) % m != 0) entries.emplace_back(i + 1, i, -1.0);
    if (i + m < m * m) entries.emplace_back(i + m, i, -1.0);
  }
  SparseMatrix a(m * m, m * m);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

int main() {
  const SparseMatrix a = laplacian(60);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.rows());

  const Eigen::GpuSupernodalLLT<SparseMatrix> solver(a);
  if (solver.info() != Eigen::Success) {
    std::fprintf(stderr, "the matrix is not positive definite\n");
    return 1;
  }
  const Eigen::VectorXd x = solver.solve(b);

  // ‖b − Ax‖∞ / (‖A‖∞‖x‖∞ + ‖b‖∞), where ‖A‖∞ = 8; rounding allows a small multiple of n·eps.
  const Eigen::VectorXd residual = b - a.selfadjointView<Eigen::Lower>() * x;
  const double error = residual.lpNorm<Eigen::Infinity>() / (8 * x.lpNorm<Eigen::Infinity>() + 1);
  const double bound = 4.0 * static_cast<double>(a.rows()) * std::numeric_limits<double>::epsilon();
  std::printf("n = %d, log det = %.6f, on %s, backward error %.2e\n", static_cast<int>(a.rows()), solver.logDeterminant(),
              solver.report().analyze.device.c_str(), error);
  return error <= bound ? 0 : 1;
}
