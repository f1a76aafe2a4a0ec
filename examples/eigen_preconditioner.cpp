// Conjugate gradients in double with a factor in float as the preconditioner: half the memory of a factor in double,
// and all of double's accuracy.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cstdio>
#include <gpusupernodal/eigen.hpp>
#include <vector>

using SparseMatrix = Eigen::SparseMatrix<double>;
using Preconditioner = Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<float>>;

/// Seven-point Laplacian of an m × m × m grid, both halves.
SparseMatrix laplacian(int m) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto couple = [&](int i, int j) {
    entries.emplace_back(i, j, -1.0);
    entries.emplace_back(j, i, -1.0);
  };
  const int n = m * m * m;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 6.0);
    if ((i + 1) % m != 0) couple(i, i + 1);
    if (i / m % m + 1 < m) couple(i, i + m);
    if (i + m * m < n) couple(i, i + m * m);
  }
  SparseMatrix a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

int main() {
  const SparseMatrix a = laplacian(14);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(a.rows(), -1.0, 1.0);

  Eigen::ConjugateGradient<SparseMatrix, Eigen::Lower | Eigen::Upper, Preconditioner> cg;
  constexpr double tolerance = 1e-13;  // Of ‖b − Ax‖ / ‖b‖, below what float can give.
  cg.setTolerance(tolerance);
  cg.compute(a);
  if (cg.info() != Eigen::Success) {
    std::fprintf(stderr, "the matrix is not positive definite\n");
    return 1;
  }
  const Eigen::VectorXd x = cg.solve(b);

  const double residual = (b - a * x).norm() / b.norm();
  std::printf("n = %d, %d iterations, shift %g, ‖b − Ax‖ / ‖b‖ = %.2e\n", static_cast<int>(a.rows()),
              static_cast<int>(cg.iterations()), cg.preconditioner().report().relative_shift, residual);
  return cg.info() == Eigen::Success && cg.iterations() <= 5 && residual <= 10 * tolerance ? 0 : 1;
}
