// Solves the system of consumer.cpp through Eigen.
#include <Eigen/SparseCore>
#include <cstdio>
#include <gpusupernodal/eigen.hpp>
#include <limits>

int main() {
  Eigen::SparseMatrix<double> a(3, 3);
  for (int i = 0; i < 3; ++i) a.insert(i, i) = 2;
  for (int i = 0; i < 2; ++i) a.insert(i + 1, i) = -1;
  const Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<double>> solver(a);
  if (solver.info() != Eigen::Success) return 1;
  const Eigen::VectorXd x = solver.solve(Eigen::Vector3d(0, 0, 4));
  std::printf("Eigen: x = %g %g %g\n", x[0], x[1], x[2]);
  return (x - Eigen::Vector3d(1, 2, 3)).norm() <= 100 * std::numeric_limits<double>::epsilon() ? 0 : 1;
}
