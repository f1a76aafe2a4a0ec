#include <complex>

#include "gpusupernodal/eigen.hpp"

Eigen::GpuSupernodalLU<Eigen::SparseMatrix<std::complex<double>>> solver;
