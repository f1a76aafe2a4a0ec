// Conjugate gradients in double with a factor in float as the preconditioner: half the memory of a factor in double,
// and all of double's accuracy.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cstdio>
#include <gpusupernodal/eigen.hpp>
#include <limits>
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
  // Of ‖b − Ax‖ / ‖b‖: n·eps of double, far below what float can give.
  cg.setTolerance(static_cast<double>(a.rows()) * std::numeric_limits<double>::epsilon());
  cg.compute(a);
  if (cg.info() != Eigen::Success) {
    std::fprintf(stderr, "the matrix is not positive definite\n");
    return 1;
  }
  const Eigen::VectorXd x = cg.solve(b);

  // ‖b − Ax‖ / (‖A‖‖x‖ + ‖b‖), where ‖A‖ ≤ 12; rounding allows a small multiple of n·eps.
  const double error = (b - a * x).norm() / (12 * x.norm() + b.norm());
  const double bound = 4.0 * static_cast<double>(a.rows()) * std::numeric_limits<double>::epsilon();
  std::printf("n = %d, %d iterations, shift %g, backward error %.2e\n", static_cast<int>(a.rows()),
              static_cast<int>(cg.iterations()), cg.preconditioner().report().relative_shift, error);
  return cg.info() == Eigen::Success && cg.iterations() <= 5 && error <= bound ? 0 : 1;
}
