#include <complex>

#include "gpusupernodal/eigen.hpp"

Eigen::VectorXd solve(const Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<std::complex<double>>>& solver,
                      const Eigen::VectorXd& b) {
  return solver.solve(b);
}
