#include "gpusupernodal/eigen.hpp"

Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<int>> solver;
