// Solves a Poisson problem on a square with Eigen::GpuSupernodalLLT, in the place of Eigen::SimplicialLLT.
#include <Eigen/SparseCore>
#include <cstdio>
#include <gpusupernodal/eigen.hpp>
#include <vector>

using SparseMatrix = Eigen::SparseMatrix<double>;

/// Five-point Laplacian of an m × m grid; the lower half is enough.
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

  const double residual = (b - a.selfadjointView<Eigen::Lower>() * x).norm() / b.norm();
  std::printf("n = %d, log det = %.6f, on %s, ‖b − Ax‖ / ‖b‖ = %.2e\n", static_cast<int>(a.rows()), solver.logDeterminant(),
              solver.report().analyze.device.c_str(), residual);
  return residual <= 1e-11 ? 0 : 1;
}
