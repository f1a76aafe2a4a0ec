#include <complex>

#include "gpusupernodal/eigen.hpp"

Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<std::complex<double>>> solver;
